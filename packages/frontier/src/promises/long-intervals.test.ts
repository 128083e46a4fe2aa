// Pages are requested even if a host's interval is longer than the lifetime of its robots.txt: a robots.txt that was
// the host's latest answer decides the next request, and no other.

import { expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, sharedStore, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const HOUR_MS = 3_600_000;
const make = (nowMs: () => number) => memoryStore({ nowMs });
const PAGE: Reply = { status: 200, body: 'page' };
/** Fresh for ten minutes, with an hour between two requests. */
const HOURLY: Reply = {
  status: 200,
  headers: { 'cache-control': 'no-cache' },
  body: 'User-agent: *\nCrawl-delay: 3600\n',
};
const answer = (address: string): Reply => (isRobots(address) ? HOURLY : PAGE);
const pathsOf = (addresses: readonly string[]) => addresses.map((address) => new URL(address).pathname);

it('each robots.txt is followed by a page', async () => {
  const { frontier, work, requestedUrls } = setUp(make, answer);
  await frontier.open();
  await frontier.add(['/1', '/2', '/3'].map((path) => url(`http://a.test${path}`)));
  expect(await work(frontier, 24 * HOUR_MS)).toBe('finished');
  expect(pathsOf(requestedUrls())).toEqual(['/robots.txt', '/1', '/robots.txt', '/2', '/robots.txt', '/3']);
});

it('authorities of one host do not take turns away from each other', async () => {
  const { frontier, work, requestedUrls } = setUp(make, answer);
  await frontier.open();
  const addresses = ['http://a.test/1', 'https://a.test/2', 'http://a.test:8080/3', 'http://a.test/4'];
  await frontier.add(addresses.map((address) => url(address)));
  expect(await work(frontier, 24 * HOUR_MS)).toBe('finished');
  expect(requestedUrls().filter((address) => !isRobots(address))).toEqual(addresses);
  expect(requestedUrls()).toHaveLength(8);
});

it('the next process knows the answer, and it counts there', async () => {
  const { frontier, make: again, work, requestedUrls } = setUp(make, answer);
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  await work(frontier, HOUR_MS / 2);
  await frontier.close();
  const next = again();
  await next.open();
  expect(await work(next, 24 * HOUR_MS)).toBe('finished');
  expect(pathsOf(requestedUrls())).toEqual(['/robots.txt', '/1']);
});

it.each([
  [HOUR_MS + 9 * 60_000, ['/robots.txt', '/1']],
  [HOUR_MS + 11 * 60_000, ['/robots.txt', '/robots.txt', '/1']],
])('an answer that expired while nothing was requested does not count: after %i ms', async (afterMs, paths) => {
  const { frontier, make: again, clock, work, requestedUrls } = setUp(make, answer);
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  await work(frontier, 60_000);
  await frontier.close();
  clock.advance(afterMs - 60_000);
  const next = again();
  await next.open();
  expect(await work(next, 24 * HOUR_MS)).toBe('finished');
  expect(pathsOf(requestedUrls())).toEqual(paths);
});

it('an answer that expired does not count once a page may have been requested after it', async () => {
  const file = { ...HOURLY, headers: { 'cache-control': 'max-age=3660' } };
  const { frontier, clock, work, requestedUrls } = setUp(make, (address) => (isRobots(address) ? file : PAGE));
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  await work(frontier, HOUR_MS / 2);
  clock.advance(HOUR_MS / 2 + 10);
  const [page] = await frontier.take(1);
  expect(frontier.mayStart(page!)).toEqual({ kind: 'go' });
  await frontier.settle(page!, { kind: 'returned', untilMs: null });
  expect(await work(frontier, 24 * HOUR_MS)).toBe('finished');
  expect(pathsOf(requestedUrls())).toEqual(['/robots.txt', '/robots.txt', '/1']);
});

it.each([5, 60, 3_600])(
  'processes that may not store a robots.txt do not request it in turns: every %i s',
  async (s) => {
    const file = { status: 200, headers: { 'cache-control': 'no-store' }, body: `User-agent: *\nCrawl-delay: ${s}\n` };
    const { make: join, work, requestedUrls } = setUp(sharedStore(7), (address) => (isRobots(address) ? file : PAGE));
    const processes = [join(), join()];
    for (const frontier of processes) await frontier.open();
    const hosts = ['a', 'b', 'c'];
    await processes[0]!.add(hosts.flatMap((host) => [1, 2, 3].map((at) => url(`http://${host}.test/${at}`))));
    await Promise.all(processes.map((frontier) => work(frontier, 24 * HOUR_MS, { concurrency: 3 })));
    expect(requestedUrls().filter((address) => !isRobots(address))).toHaveLength(9);
    // One per process, or one per page where a copy expires in between.
    expect(requestedUrls().filter(isRobots).length).toBeLessThanOrEqual(hosts.length * 5);
  },
);

it('nothing waits for a URL that is due in more than ten years: it stays in the queue', async () => {
  const { clock, frontier, work } = setUp(make, answer);
  await frontier.open();
  await frontier.add([url('http://a.test/1', { notBeforeMs: clock.nowMs() + 100_000 * 24 * HOUR_MS })]);
  expect(await work(frontier)).toBe('finished');
  expect(frontier.counts().queued).toBe(1);
});
