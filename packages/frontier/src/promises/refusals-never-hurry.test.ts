// A site that refuses must never be visited sooner for it: the same crawl with one more 429 or 503 starts no request of
// the rest earlier than without it (access §10).

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const PAGES = 24;

const turn = fc.record({
  status: fc.constantFrom(200, 200, 200, 200, 404, 429, 500, 503),
  ms: fc.integer({ min: 1, max: 4_000 }),
  retryAfterS: fc.constantFrom(null, 1, 90, 4_000),
});
type Turn = Pick<Reply, 'status'> & { readonly ms: number; readonly retryAfterS: number | null };

async function startsOf(turns: readonly Turn[], delayS: number): Promise<number[]> {
  let at = 0;
  const { frontier, work, world } = setUp(
    (nowMs) => memoryStore({ nowMs }),
    (address) => {
      if (isRobots(address)) return { status: 200, body: `User-agent: *\nCrawl-delay: ${delayS}\n` };
      const { status, ms, retryAfterS } = turns[at++ % turns.length]!;
      return { status, ms, ...(retryAfterS === null ? {} : { headers: { 'retry-after': String(retryAfterS) } }) };
    },
  );
  await frontier.open();
  await frontier.add(Array.from({ length: PAGES }, (_, page) => url(`http://a.test/${page}`)));
  await work(frontier, 7 * 86_400_000);
  return world.log.filter((seen) => !seen.isRobots).map((seen) => seen.startMs);
}

describe('a refusal', () => {
  it('makes no later request earlier (access §10)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: PAGES, maxLength: 2 * PAGES }),
        fc.nat(PAGES - 2),
        fc.constantFrom(429, 503),
        fc.constantFrom(0, 3),
        async (turns, at, status, delayS) => {
          fc.pre(turns[at]!.status === 200);
          const without = await startsOf(turns, delayS);
          const refused = turns.map((one, index) => (index === at ? { ...one, status } : one));
          const withIt = await startsOf(refused, delayS);
          const earlier = without.findIndex((startMs, index) => (withIt[index] ?? startMs) < startMs);
          expect(earlier).toBe(-1);
          expect(withIt[at + 1]! - withIt[at]!).toBeGreaterThanOrEqual(30_000);
        },
      ),
      { numRuns: 25, seed: 20_263 },
    );
  });
});
