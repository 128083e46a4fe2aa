// Hosts of a crawl go to the processes that have time for them: a process without hosts gets some of another's.

import { expect, it } from 'vitest';
import { isRobots, setUp, sharedStore, url } from '../../test-support/set-up.js';

const answer = (address: string) => (isRobots(address) ? { status: 404 } : { status: 200, body: 'page' });
const LONG = 4;

/** A process with four hosts of sixty pages each, alone for five seconds, and then a second process. */
async function joined({ isPaused }: { readonly isPaused: boolean }) {
  const { work, make, clock, world } = setUp(sharedStore(23), answer);
  const crew = [make({ part: 'a' }), make({ part: 'b' })] as const;
  await crew[0].open();
  const short = Array.from({ length: 8 }, (_, at) => url(`http://short${at}.test/`));
  const long = Array.from({ length: LONG * 60 }, (_, at) => url(`http://long${at % LONG}.test/${at}`));
  await crew[0].add([...short, ...long]);
  await work(crew[0], 5_000);
  await crew[1].open();
  if (isPaused) crew[1].pause();
  const startMs = clock.nowMs();
  const pagesOfProcess = [0, 0];
  const pages = () => world.log.filter((seen) => !seen.isRobots);
  for (let turn = 0; pages().length < short.length + long.length; turn += 1) {
    const who = turn % 2;
    const links = () => {
      pagesOfProcess[who] = (pagesOfProcess[who] ?? 0) + 1;
      return [];
    };
    // A paused process asks for no work.
    if (isPaused && who === 1) clock.advance(20);
    else await work(crew[who as 0 | 1], 20, { links });
    if (turn > 20_000) throw new Error('it does not end');
  }
  return { made: pagesOfProcess, pages: pages(), tookMs: clock.nowMs() - startMs };
}

it('a process without a host gets half of those of another', async () => {
  const { made: pagesOfProcess, pages } = await joined({ isPaused: false });
  expect(new Set(pages.map((seen) => seen.url)).size).toBe(8 + LONG * 60);
  expect(pages).toHaveLength(8 + LONG * 60);
  // Two hosts of four, apart from the seconds until the processes notice each other.
  expect(pagesOfProcess[1]).toBeGreaterThan(90);
  expect(pagesOfProcess[0]).toBeGreaterThan(90);
});

it('a process that does not take work gets no hosts', async () => {
  const { made: pagesOfProcess, tookMs } = await joined({ isPaused: true });
  expect(pagesOfProcess[1]).toBe(0);
  // One page a second per host, as if there were no other process.
  expect(tookMs).toBeLessThan(62_000);
});
