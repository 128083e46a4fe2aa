// A store may be slow to commit. Meanwhile, hosts that are due are requested: a crawl that waits for every commit is as
// slow as its disk.

import { expect, it } from 'vitest';
import { setUp, url } from '../../test-support/set-up.js';
import type { FrontierStore } from '../store.js';
import { memoryStore } from '../stores/memory.js';
import type { Work } from '../work.js';

it('take and nextAt answer for a due host while a commit is under way', async () => {
  let held: Promise<void> | null = null;
  let release: () => void = () => undefined;
  const slow = (store: FrontierStore): FrontierStore => ({
    ...store,
    async commit(hosts, links) {
      await held;
      return store.commit(hosts, links);
    },
  });
  const { frontier, clock } = setUp(
    (nowMs) => slow(memoryStore({ nowMs })),
    () => ({ status: 404 }),
    { politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } } },
  );
  const exchange = (work: Work) => {
    expect(frontier.mayStart(work)).toEqual({ kind: 'go' });
    const atMs = clock.nowMs();
    frontier.exchanged(work, {
      startedAtMs: atMs,
      endedAtMs: atMs,
      status: 200,
      retryAfter: null,
      failure: null,
      bytes: 0,
    });
  };
  await frontier.open();
  await frontier.add(['a', 'b'].flatMap((host) => [1, 2].map((at) => url(`http://${host}.test/${at}`))));
  for (const robots of await frontier.take(2)) {
    exchange(robots);
    const answered = { status: 404, headers: {}, body: new Uint8Array(), robotsUrl: robots.url, finalUrl: robots.url };
    await frontier.settle(robots, { kind: 'robots', answer: { kind: 'response', ...answered } });
  }
  held = new Promise((resolve) => {
    release = resolve;
  });
  const [first] = await frontier.take(1);
  exchange(first!);
  const settled = frontier.settle(first!, { kind: 'done', countsAsPage: true, links: [] });
  expect(await frontier.nextAt()).toBe(clock.nowMs());
  const next = await frontier.take(2);
  expect(next.map((work) => new URL(work.url).hostname).sort()).toEqual(['a.test', 'b.test']);
  // Nothing else is due: `nextAt` resolves at the commit or at the end of an exchange.
  const nextAt = frontier.nextAt();
  exchange(next.find((work) => work.url.startsWith('http://b.test'))!);
  expect(await nextAt).toBe(clock.nowMs());
  release();
  expect(await settled).toBe('ok');
});

it('a store that names a due time too late, again and again, delays a host and does not stop the crawl', async () => {
  const late = (nowMs: () => number): FrontierStore => ({
    ...memoryStore({ nowMs }),
    nextDueInMs: async () => 60_000,
  });
  // A host that waits this long is released to the store.
  const { frontier, work, requestedUrls } = setUp(late, () => ({
    status: 200,
    body: 'User-agent: *\nCrawl-delay: 10',
  }));
  await frontier.open();
  await frontier.add([url('http://a.test/1'), url('http://a.test/2'), url('http://a.test/3')]);
  await work(frontier);
  expect(requestedUrls()).toEqual(['robots.txt', '1', '2', '3'].map((path) => `http://a.test/${path}`));
});
