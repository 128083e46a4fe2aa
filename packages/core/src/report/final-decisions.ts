// The decision log read so that each URL counts once: what is held at the end of one run is decided in the next, and
// what one run turns away the next may turn away again.

import { createRecentSet } from '@mannerly/frontier/internal';
import type { UrlDecision } from './decision.js';
import type { LeftOutLine } from './decision-log.js';
import { MAX_HELD_READ, MAX_TURNED_AWAY_READ } from './limits.js';
import { inOrder, type PartLogPaths, readDecisionLines } from './read-logs.js';

/**
 * The decisions that count, in the order of time, those about held URLs last.
 *
 * @param parts - The logs of all processes of the crawl.
 * @param onLeftOut - Called with the counts of URLs that have no line, by status and reason.
 * @throws The platform's error when a log cannot be read; an absent log is empty.
 */
export async function* finalDecisions(
  parts: readonly Pick<PartLogPaths, 'decisionsPath'>[],
  onLeftOut: (counts: LeftOutLine['leftOut']) => void = () => undefined,
): AsyncGenerator<UrlDecision> {
  const held = new Map<string, UrlDecision>();
  const turnedAway = createRecentSet(MAX_TURNED_AWAY_READ);
  const logs = parts.map(({ decisionsPath }) => readDecisionLines(decisionsPath));
  for await (const decision of inOrder(logs, ({ atMs }) => atMs)) {
    if ('leftOut' in decision) {
      onLeftOut(decision.leftOut);
      continue;
    }
    const { status, url } = decision;
    if ((status === 'excluded' || status === 'dropped') && !turnedAway.add(url)) continue;
    held.delete(url);
    if (status === 'held' && held.size < MAX_HELD_READ) held.set(url, decision);
    else yield decision;
  }
  yield* held.values();
}
