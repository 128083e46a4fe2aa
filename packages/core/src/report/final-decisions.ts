// The decision log read so that each URL counts once: what is held at the end of one run is asked for in the next, and what
// is turned away is turned away again in every run that meets it.

import { createRecentSet } from '@mannerly/frontier';
import type { UrlDecision } from './decision.js';
import { readDecisionLines } from './decision-log.js';
import { inOrder } from './in-order.js';
import { MAX_HELD_READ, MAX_TURNED_AWAY_READ } from './limits.js';
import type { LeftOutLine } from './log-share.js';

/**
 * The decisions that count, in the order of time, those about held URLs last.
 *
 * @param paths - The logs of all processes of the crawl.
 * @param onLeftOut - Told of URLs that have no line, by word and reason.
 * @throws As `readDecisions`.
 */
export async function* finalDecisions(
  paths: readonly string[],
  onLeftOut: (counts: LeftOutLine['leftOut']) => void = () => undefined,
): AsyncGenerator<UrlDecision> {
  const held = new Map<string, UrlDecision>();
  const turnedAway = createRecentSet(MAX_TURNED_AWAY_READ);
  const decisions = inOrder(
    paths.map((path) => readDecisionLines(path)),
    ({ atMs }) => atMs,
  );
  for await (const decision of decisions) {
    if ('leftOut' in decision) {
      onLeftOut(decision.leftOut);
      continue;
    }
    const { status, url } = decision;
    if ((status === 'excluded' || status === 'dropped') && !turnedAway.add(url)) continue;
    if (held.size > 0) held.delete(url);
    if (status === 'held' && held.size < MAX_HELD_READ) held.set(url, decision);
    else yield decision;
  }
  yield* held.values();
}
