// Answers to users. A wrong "why not yet" makes an operator look at the wrong host.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { encodeItem } from '../records/record.js';
import type { FrontierStore } from '../store.js';
import { lmdbStore } from '../stores/lmdb.js';
import { memoryStore } from '../stores/memory.js';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});
const folder = async () => {
  folders.push(await mkdtemp(join(tmpdir(), 'questions-')));
  return folders.at(-1)!;
};
const rows: [string, () => Promise<(nowMs: () => number) => FrontierStore>][] = [
  ['memory', async () => (nowMs) => memoryStore({ nowMs })],
  [
    'lmdb',
    async () => {
      const path = await folder();
      return (nowMs) => lmdbStore({ path, nowMs, commitEveryMs: 0 });
    },
  ],
];

const FILE = 'User-agent: *\nCrawl-delay: 7\n';
const answer = (address: string): Reply => {
  const { hostname } = new URL(address);
  if (hostname === 'gone.test') return { status: null, failure: 'reset' };
  if (isRobots(address)) return hostname === 'slow.test' ? { status: 200, body: FILE } : { status: 404 };
  if (hostname === 'busy.test') return { status: 429, headers: { 'retry-after': '600' } };
  return { status: 200, body: 'page' };
};

describe.each(rows)('questions to a frontier over %s', (_name, prepare) => {
  it('a host: its queue, the next time and its reason, who asks for it, how much of its bounds is used', async () => {
    const { frontier, work, clock, store } = setUp(await prepare(), answer, { bounds: { pagesPerHost: 100 } });
    await frontier.open();
    expect(await frontier.inspectHost('never.test')).toMatchObject({
      isKnown: false,
      queued: 0,
      robots: [],
      nextAtMs: null,
    });
    const slow = Array.from({ length: 30 }, (_, at) =>
      url(`http://slow.test/${at}`, { priority: at % 2 === 0 ? 4 : 6 }),
    );
    await frontier.add([
      ...slow,
      url('https://slow.test:8443/s'),
      url('http://busy.test/1'),
      url('http://gone.test/1'),
    ]);
    await work(frontier, 30_000);
    const inspection = await frontier.inspectHost('slow.test');
    expect(inspection).toMatchObject({
      host: 'slow.test',
      isKnown: true,
      isComplete: true,
      isParked: false,
      interval: { ms: 7_000, from: 'crawl-delay', authority: 'http://slow.test', line: 2 },
      wait: { reason: 'crawl-delay' },
      reachedBound: null,
      consecutive: { throttled: 0, failed: 0, refused: 0 },
    });
    expect(inspection.used.pages).toBeGreaterThan(2);
    expect(inspection.used.bytes).toBeGreaterThan(0);
    expect(inspection.used.runningMs).toBe(30_000);
    expect(inspection.nextAtMs).toBeGreaterThan(clock.nowMs());
    expect(inspection.nextAtMs).toBeLessThanOrEqual(clock.nowMs() + 7_000);
    expect(inspection.robots).toMatchObject([
      { authority: 'http://slow.test', phase: 'rules', crawlDelayMs: 7_000 },
      {},
    ]);
    const plain = inspection.lanes.find(({ authority }) => authority === 'http://slow.test')!;
    expect(plain.priorities.reduce((sum, count) => sum + count, 0)).toBe(30 - inspection.used.pages);
    expect(plain.priorities[6]).toBe(15);
    expect(inspection.lanes.some(({ authority }) => authority === 'https://slow.test:8443')).toBe(true);
    expect(inspection.queued + inspection.inFlight).toBe(31 - inspection.used.pages);
    // Any URL of the host finds it too.
    expect((await frontier.inspectHost('http://slow.test/any')).host).toBe('slow.test');

    const busy = await frontier.inspectHost('busy.test');
    expect(busy).toMatchObject({
      wait: { reason: 'host-paused' },
      interval: { from: 'adaptive' },
      consecutive: { throttled: 1 },
    });
    expect(busy.nextAtMs! - clock.nowMs()).toBeGreaterThan(500_000);
    const gone = await frontier.inspectHost('gone.test');
    expect(gone.robots).toMatchObject([{ authority: 'http://gone.test', phase: 'unreachable' }]);
    expect(gone.robots[0]!.failures).toBeGreaterThan(0);
    expect(gone.wait).toMatchObject({ reason: 'robots-unreachable' });
    await frontier.close();
    await store.close();
  });

  it('a URL whose robots.txt cannot be fetched: that it cannot, also when the next try is due', async () => {
    const { frontier, work, clock, store } = setUp(await prepare(), answer);
    await frontier.open();
    await frontier.add([url('http://gone.test/1')]);
    const gate = async () => (await frontier.inspectUrl('http://gone.test/1')).gate;
    expect(await gate()).toEqual({ kind: 'hold', reason: 'robots-unknown', untilMs: null });
    await work(frontier, 1_000);
    const held = await gate();
    expect(held).toMatchObject({ kind: 'hold', reason: 'robots-unreachable', untilMs: expect.any(Number) });
    clock.advance(('untilMs' in held ? held.untilMs! : 0) - clock.nowMs());
    expect(await gate()).toEqual({ kind: 'hold', reason: 'robots-unreachable', untilMs: null });
    await frontier.close();
    await store.close();
  });

  it('a list of the queue, in parts, of all hosts, of a host, of an authority', async () => {
    const { frontier, store } = setUp(await prepare(), answer);
    await frontier.open();
    const addresses = Array.from({ length: 25 }, (_, at) => `http://h${at % 5}.test/${at}`);
    await frontier.add([...addresses.map((address) => url(address)), url('https://h0.test/s')]);
    const all = async (request: { host?: string; authority?: string }) => {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await frontier.list({ ...request, limit: 4, cursor });
        expect(page.items.length).toBeLessThanOrEqual(4);
        found.push(...page.items.map(({ record }) => record.url));
        ({ cursor } = page);
      } while (cursor !== null);
      return found.toSorted();
    };
    expect(await all({})).toEqual([...addresses, 'https://h0.test/s'].toSorted());
    expect(await all({ host: 'h0.test' })).toHaveLength(6);
    expect(await all({ host: 'http://H0.test/any' })).toHaveLength(6);
    expect(await all({ host: 'h0.test', authority: 'https://h0.test' })).toEqual(['https://h0.test/s']);
    expect(await all({ host: 'unknown.test' })).toEqual([]);
    await frontier.close();
    await store.close();
  });

  it('a short list, whatever comes first: idle hosts, hops, other authorities', async () => {
    const { frontier, work, store } = setUp(await prepare(), answer);
    await frontier.open();
    await frontier.add(Array.from({ length: 150 }, (_, at) => url(`http://idle${at}.test/`)));
    await work(frontier, 30_000);
    const hops = Array.from({ length: 150 }, (_, at) => {
      const hop = { kind: 'hop', authority: `http://a${at}.test`, chain: '7', url: 'http://z.test/r' } as const;
      const fingerprint = new Uint8Array(8);
      return { host: 'z.test', fingerprint, priority: 0, body: encodeItem(hop), dedupe: false, lane: '' };
    });
    await store.add(hops);
    const pages = ['http://z.test/1', 'http://z.test/2', 'http://z.test/3', 'https://z.test/s'];
    await frontier.add(pages.map((each) => url(each)));
    const first = await frontier.list({ limit: 2 });
    expect(first.items.map(({ record }) => record.url)).toEqual(['http://z.test/1', 'http://z.test/2']);
    const rest = await frontier.list({ limit: 2, cursor: first.cursor });
    expect(rest.items.map(({ record }) => record.url)).toEqual(['http://z.test/3', 'https://z.test/s']);
    const secure = await frontier.list({ limit: 1, authority: 'https://z.test' });
    expect(secure.items.map(({ record }) => record.url)).toEqual(['https://z.test/s']);
    await frontier.close();
    await store.close();
  });
});

it('a page that ended long ago is known, to a process that did not meet it too', async () => {
  const { frontier, work, make } = setUp((nowMs) => memoryStore({ nowMs }), answer);
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  await work(frontier, 30_000);
  await frontier.close();
  const other = make();
  await other.open();
  expect((await other.inspectUrl('http://a.test/1#part')).isKnown).toBe(true);
  expect((await other.inspectUrl('http://a.test/2')).isKnown).toBe(false);
  await other.close();
});

it('a store without `readHost` and `isKnown` does not know whether a host is parked, and finds what is queued', async () => {
  const makeStore = (nowMs: () => number): FrontierStore => {
    const { readHost: _, isKnown: __, ...store } = memoryStore({ nowMs });
    return store;
  };
  const { frontier, make } = setUp(makeStore, answer);
  await frontier.open();
  await frontier.add([url('http://a.test/1'), url('http://a.test/2')]);
  const other = make();
  await other.open();
  expect((await other.inspectHost('a.test')).isParked).toBeNull();
  const known = async (path: string) => (await other.inspectUrl(`http://a.test${path}`)).isKnown;
  expect([await known('/1'), await known('/2#part'), await known('/3')]).toEqual([true, true, false]);
});

it.each([
  ['Request-rate: 1/10', { ms: 10_000, from: 'request-rate', authority: 'http://a.test', line: null }],
  ['Crawl-delay: 10\nRequest-rate: 1/5', { ms: 10_000, from: 'crawl-delay', authority: 'http://a.test', line: 2 }],
  ['', { ms: 1_000, from: 'profile', authority: null, line: null }],
] as const)('the interval of a host, and the line that sets it: %j', async (lines, interval) => {
  const file = { status: 200, body: `User-agent: *\n${lines}\n` };
  const { frontier, work } = setUp(
    (nowMs) => memoryStore({ nowMs }),
    (address) => (isRobots(address) ? file : { status: 200 }),
  );
  await frontier.open();
  await frontier.add([url('http://a.test/1'), url('http://a.test/2')]);
  await work(frontier, 500);
  expect((await frontier.inspectHost('a.test')).interval).toEqual(interval);
});

it('values that are not numbers or URLs are refused, instead of being searched for ever', async () => {
  const { frontier } = setUp((nowMs) => memoryStore({ nowMs }), answer);
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  const refused = { code: 'option-invalid' };
  await expect(frontier.list({ limit: Number.NaN })).rejects.toMatchObject(refused);
  await expect(frontier.list({ limit: 'all' as never })).rejects.toMatchObject(refused);
  await expect(frontier.take(Number.NaN)).rejects.toMatchObject(refused);
  await expect(frontier.add(['http://a.test/2'] as never)).rejects.toMatchObject(refused);
  await expect(frontier.add('http://a.test/2' as never)).rejects.toMatchObject(refused);
});
