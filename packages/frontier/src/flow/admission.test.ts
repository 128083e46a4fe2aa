// The links of a page are judged in slices. What happens between two slices must not change the result.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import type { Clock } from '../clock.js';
import { MAX_URL_CHARS } from '../limits.js';
import { memoryStore } from '../stores/memory.js';
import type { NewUrl } from '../url-record.js';
import type { Work } from '../work.js';
import { ADMISSION_SLICE_MS } from './limits.js';

const LINKS = 200;
const linksTo = (host: string) =>
  Array.from({ length: LINKS }, (_, at) => url(`http://${host}.test/${at}`, { via: 'link', depth: 1 }));
const done = (...hosts: readonly string[]) =>
  ({ kind: 'done', countsAsPage: true, links: hosts.flatMap(linksTo) }) as const;
const GONE = {
  kind: 'response',
  status: 404,
  headers: {},
  body: new Uint8Array(),
  robotsUrl: '',
  finalUrl: '',
} as const;

/** A frontier with one page of each host in flight. Then every reading of its clock takes a millisecond. */
async function withPages(...hosts: readonly string[]) {
  let slowMs: number | null = null;
  const parts = setUp(
    (nowMs) => memoryStore({ nowMs }),
    (address) => ({ status: isRobots(address) ? 404 : 200, ms: 1 }),
  );
  const clock: Clock = {
    nowMs: () => {
      if (slowMs !== null) slowMs += 1;
      return parts.clock.nowMs() + (slowMs ?? 0);
    },
    after(ms, fn) {
      if (ms > 0) return parts.clock.after(ms, fn);
      const immediate = setImmediate(fn);
      return () => clearImmediate(immediate);
    },
  };
  const frontier = parts.make({ clock });
  await frontier.open();
  await frontier.add(hosts.map((host) => url(`http://${host}.test/`)));
  const pages: Work[] = [];
  const exchange = { status: 404, retryAfter: null, failure: null, bytes: 0 };
  while (pages.length < hosts.length) {
    for (const work of await frontier.take(hosts.length)) {
      const nowMs = parts.clock.nowMs();
      frontier.exchanged(work, { ...exchange, startedAtMs: nowMs, endedAtMs: nowMs });
      if (work.kind === 'page') pages.push(work);
      else await frontier.settle(work, { kind: 'robots', answer: GONE });
    }
    parts.clock.advance(1_000);
  }
  slowMs = 0;
  /** The URLs queued at a host, in order. */
  const queued = async (host: string, of = frontier) => {
    const { items } = await of.list({ host: `${host}.test`, limit: 1_000 });
    return items.map(({ record }) => record.url);
  };
  return { ...parts, frontier, pages, queued };
}

const urlsOf = (links: readonly NewUrl[]) => links.map((link) => link.url);

it('other work gets its turn between slices, and the links of two pages stay complete and in order', async () => {
  const { frontier, pages, queued } = await withPages('a', 'b');
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns += 1) await turn();
  })();
  // Both pages link to the third host: whichever is settled first adds those links.
  const [a, b] = await Promise.all([
    frontier.settle(pages[0]!, done('a', 'c')),
    frontier.settle(pages[1]!, done('b', 'c')),
  ]);
  isOver = true;
  await counting;
  expect([a, b]).toEqual(['ok', 'ok']);
  expect(turns).toBeGreaterThanOrEqual((2 * LINKS) / (2 * ADMISSION_SLICE_MS));
  expect(await queued('a')).toEqual(urlsOf(linksTo('a')));
  expect(await queued('b')).toEqual(urlsOf(linksTo('b')));
  expect(await queued('c')).toEqual(urlsOf(linksTo('c')));
});

it('a crawl that closes between slices keeps the page queued and adds none of its links', async () => {
  const { frontier, pages, queued, make } = await withPages('a');
  const settling = frontier.settle(pages[0]!, done('a', 'c'));
  await turn();
  await frontier.close();
  expect(await settling).toBe('lost');
  const next = make();
  await next.open();
  expect(await queued('a', next)).toEqual(['http://a.test/']);
  expect(await queued('c', next)).toEqual([]);
  await next.close();
});

it('a page is settled once, even if two settlements are under way', async () => {
  const { frontier, pages, queued } = await withPages('a');
  const [first, second] = await Promise.allSettled([
    frontier.settle(pages[0]!, done('a')),
    frontier.settle(pages[0]!, done('c')),
  ]);
  expect([first, second].map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await queued('a')).length + (await queued('c')).length).toBe(LINKS);
  expect(frontier.counts()).toMatchObject({ inFlight: 0, pages: 1 });
});

it('links that are no URL are reported, since their page gets no answers', async () => {
  const { frontier, pages, verdicts } = await withPages('a');
  const links = ['http://', `http://a.test/${'x'.repeat(MAX_URL_CHARS)}`].map((address) =>
    url(address, { via: 'link' }),
  );
  await frontier.settle(pages[0]!, { kind: 'done', countsAsPage: true, links });
  expect(verdicts().map(({ status, reason }) => `${status} ${reason}`)).toEqual([
    'dropped url-invalid',
    'dropped url-too-long',
  ]);
});

it('what a server forgot is added again, although this process remembers it', async () => {
  const { frontier, store } = setUp(
    (nowMs) => memoryStore({ nowMs }),
    () => ({ status: 404 }),
  );
  await frontier.open();
  let asked = 0;
  const { add } = store;
  store.add = (entries) => {
    asked += entries.length;
    return add(entries);
  };
  const addAgain = () => frontier.add([url('http://a.test/1')]);
  await addAgain();
  await addAgain();
  expect(asked).toBe(1);
  Object.assign(store, { rollbacks: 1 });
  await addAgain();
  await addAgain();
  expect(asked).toBe(2);
});
