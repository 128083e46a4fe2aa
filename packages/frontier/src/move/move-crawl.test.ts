// A move that is interrupted at any call is completed by the next one: nothing is moved twice or lost, and no host is
// due earlier. If this breaks, a dropped connection can cost a whole crawl.

import { describe, expect, it } from 'vitest';
import { setUp, url } from '../../test-support/set-up.js';
import { createManualClock } from '../clock.js';
import { encodeItem } from '../records/record.js';
import { aroundStoreVerbs } from '../records/store-guard.js';
import type { FrontierStore, NewEntry } from '../store.js';
import { memoryStore } from '../stores/memory.js';
import { shardedStore } from '../stores/sharded.js';
import { moveCrawl } from './move-crawl.js';

const OPEN = { crawl: 'crawl', create: true };
const text = new TextEncoder();

function entry(host: string, path: string, notBeforeMs = 0): NewEntry {
  const url = `http://${host}/${path}`;
  const record = { url, depth: 0, via: 'seed', from: null, hops: 0, label: null, userData: null, tries: 0 } as const;
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setBigUint64(
    0,
    BigInt(host.charCodeAt(0) * 1_000 + path.length * 7 + path.charCodeAt(0)),
  );
  const body = encodeItem({ kind: 'page', record, addedAtMs: 0 });
  return { host, lane: `http://${host}`, fingerprint, priority: 3, body, notBeforeMs };
}

async function filled(now: () => number): Promise<FrontierStore> {
  const store = memoryStore({ nowMs: now });
  await store.open(OPEN);
  await store.writeRecord('fingerprint-secret', text.encode('s'));
  await store.writeRecord('robots/http://a.test', text.encode('rules'));
  await store.add([...'abcdefgh'].map((path) => entry('a.test', path)));
  await store.add([entry('b.test', 'x', 60_000), entry('c.test', 'y')]);
  for (const { host, fencingToken, entries } of await store.lease({ maxHosts: 9, entriesPerHost: 2, ttlMs: 1_000 })) {
    const done = entries.slice(0, 1).map(({ id }) => id);
    const state = text.encode(`state of ${host}`);
    await store.commit([{ host, fencingToken, done, state, delayMs: 500, then: { release: { dueInMs: 5_000 } } }]);
  }
  return store;
}

/** A store whose calls all fail after the first `after`. */
function failing(store: FrontierStore, after: number): FrontierStore {
  let calls = 0;
  const { listKnown, listHosts, know } = store;
  const guarded = aroundStoreVerbs(store, async (verb) => {
    calls += 1;
    // Half of the failing calls take effect.
    if (calls > after && calls % 2 === 0) await verb();
    if (calls > after) throw new Error('the connection is gone');
    return verb();
  });
  return {
    ...guarded,
    listKnown: listKnown!.bind(store),
    listHosts: listHosts!.bind(store),
    know: know!.bind(store),
  };
}

async function scanOf(store: FrontierStore): Promise<string[]> {
  const { items } = await store.scan(null, 1_000);
  return items
    .map(({ host, entry: { body }, waitMs = 0 }) => `${host} ${new TextDecoder().decode(body)} ${waitMs}`)
    .toSorted();
}

describe('a crawl that is moved', () => {
  it('arrives complete, wherever the move was interrupted', async () => {
    let now = 1_000_000;
    const clock = {
      after(ms: number, fn: () => void) {
        now += ms;
        fn();
        return () => undefined;
      },
    };
    const from = await filled(() => now);
    const expected = await scanOf(from);
    const restMs = 5_500;
    let failures = 0;
    for (let after = 0; after < 40; after += 1) {
      const to = memoryStore({ nowMs: () => now });
      const movedAtMs = now;
      await to.open(OPEN);
      await from.writeRecord('moved', null);
      const options = { from, hostKeyBy: 'host', shared: { perIp: 'domain', crawlIntervalMs: restMs }, clock } as const;
      const interrupted = await moveCrawl({ ...options, to: failing(to, after) }).catch(() => null);
      if (interrupted === null) {
        failures += 1;
        await moveCrawl({ ...options, to });
      }
      // The waits of entries shrink as time passes.
      const bare = (all: string[]) => all.map((each) => each.replace(/ \d+$/, ''));
      expect(bare(await scanOf(to)), `after ${after} calls`).toEqual(bare(expected));
      const { known, queued, inFlight } = await to.stats();
      expect({ known, entries: queued + inFlight }).toEqual({ known: 10, entries: 8 });
      const [source, target] = await Promise.all(
        [from, to].map(async (store) => (await store.listHosts!(null, 99)).items),
      );
      for (const { host, waitMs, delayMs, state } of source!) {
        const there = target!.find((each) => each.host === host);
        expect(there).toMatchObject({ delayMs, state });
        // Shared limits are spaced again: each host waits for the longest of their intervals.
        expect(there!.waitMs).toBeGreaterThanOrEqual(Math.max(waitMs, restMs - (now - movedAtMs)));
      }
      expect(await to.readRecord('moved')).toBeNull();
      expect(new TextDecoder().decode((await to.readRecord('robots/http://a.test'))!)).toBe('rules');
      expect(new TextDecoder().decode((await from.readRecord('moved'))!)).toBe('moved s');
      // A second move does nothing.
      expect(await moveCrawl({ ...options, to })).toEqual({ known: 0, hosts: 0, entries: 0 });
      // The crawl cannot be moved back over the remains of the source.
      await expect(moveCrawl({ ...options, from: to, to: from })).rejects.toThrow('which was moved away');
    }
    expect(failures).toBeGreaterThan(10);
  });

  it.each([
    ['waits for a host that is leased there', 100, 60_000, null],
    ['does not wait for ever', 100, 600_000, 'a process works on the crawl in the target'],
    ['says that there is no place', 7, 0, 'the target takes no more entries'],
  ])('%s', async (_, maxQueued, leasedMs, message) => {
    let now = 1_000_000;
    const after = (ms: number, fn: () => void) => {
      now += ms;
      queueMicrotask(fn);
      return () => undefined;
    };
    const from = await filled(() => now);
    const to = memoryStore({ nowMs: () => now, maxQueued });
    await to.open(OPEN);
    await to.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: leasedMs, hosts: ['a.test'] });
    const shared = { perIp: false, crawlIntervalMs: null } as const;
    const moving = moveCrawl({ from, to, hostKeyBy: 'host', shared, clock: { after } });
    if (message === null) expect(await moving).toMatchObject({ hosts: 3, entries: 8 });
    else await expect(moving).rejects.toMatchObject({ code: 'store-failed', message });
  });

  it('moves into a store of several shards, on to one of more, and back into a single one', async () => {
    const sharded = (shards: number) =>
      shardedStore(Array.from({ length: shards }, () => memoryStore({ nowMs: () => 0 })));
    const from = await filled(() => 0);
    const expected = await scanOf(from);
    const stores = [from, sharded(2), sharded(5), sharded(3), memoryStore({ nowMs: () => 0 })];
    const shared = { perIp: false, crawlIntervalMs: null } as const;
    let movedKnown = 0;
    for (const [at, to] of stores.entries()) {
      if (at === 0) continue;
      await to.open(OPEN);
      const options = { from: stores[at - 1]!, to, hostKeyBy: 'host', shared, clock: createManualClock(0) } as const;
      movedKnown = (await moveCrawl(options)).known;
      // Each counts once, although every shard knows it; and so does what is added there.
      expect(await to.stats()).toMatchObject({ known: 9 + at, queued: 7 + at });
      expect(await to.add([entry('d.test', String(at))])).toEqual(['new']);
      expect(await to.stats()).toMatchObject({ known: 10 + at, queued: 8 + at });
    }
    expect(movedKnown).toBe(13);
    expect((await scanOf(stores.at(-1)!)).length).toBe(expected.length + 4);
  });

  it('is incomplete if the target has forgotten a fingerprint, whatever the source counts', async () => {
    const from = shardedStore([memoryStore({ nowMs: () => 0 }), memoryStore({ nowMs: () => 0 })]);
    const to = memoryStore({ nowMs: () => 0 });
    await Promise.all([from.open(OPEN), to.open(OPEN)]);
    const shared = { perIp: false, crawlIntervalMs: null } as const;
    await moveCrawl({ from: await filled(() => 0), to: from, hostKeyBy: 'host', shared, clock: createManualClock(0) });
    let calls = 0;
    // The calls for both shards are forgotten, as by a server that fails over.
    const know: NonNullable<FrontierStore['know']> = async (fingerprints) => {
      calls += 1;
      if (calls > 2) await to.know!(fingerprints);
    };
    const forgetful = { ...failing(to, Number.POSITIVE_INFINITY), know };
    const options = { from, hostKeyBy: 'host', shared, clock: createManualClock(0) } as const;
    await expect(moveCrawl({ ...options, to: forgetful })).rejects.toThrow('have arrived');
    await moveCrawl({ ...options, to: forgetful });
    expect(await to.stats()).toMatchObject({ known: 10, queued: 8 });
  });

  it('is refused by a store that holds another crawl, and changes nothing there', async () => {
    const [from, to] = [await filled(() => 0), await filled(() => 0)];
    await to.writeRecord('fingerprint-secret', text.encode('other'));
    const shared = { perIp: false, crawlIntervalMs: null } as const;
    await expect(moveCrawl({ from, to, hostKeyBy: 'host', shared, clock: createManualClock(0) })).rejects.toThrow(
      'holds another crawl',
    );
    expect(await to.readRecord('moved')).toBeNull();
    expect(await from.readRecord('moved')).toBeNull();
  });

  it.each([
    ['domain', { 'slow.a.test': 3_600_000, 'www.a.test': 3_600_000, 'c.test': 2_000 }],
    [true, { 'slow.a.test': 3_600_000, 'www.a.test': 3_600_000, 'c.test': 3_600_000 }],
    [false, { 'slow.a.test': 3_600_000, 'www.a.test': 1_000, 'c.test': 2_000 }],
  ] as const)(
    'with perIp %s, spaces hosts that may share an address by the longer of their pauses',
    async (perIp, minDelaysMs) => {
      const [from, to] = [memoryStore({ nowMs: () => 0 }), memoryStore({ nowMs: () => 0 })];
      await from.open(OPEN);
      await to.open(OPEN);
      await from.writeRecord('fingerprint-secret', text.encode('s'));
      const delays: Readonly<Record<string, number>> = {
        'slow.a.test': 3_600_000,
        'www.a.test': 1_000,
        'b.test': 2_000,
        'c.test': 2_000,
      };
      await from.add(Object.keys(delays).flatMap((host) => [entry(host, 'x'), entry(host, 'yy')]));
      for (const { host, fencingToken, entries } of await from.lease({
        maxHosts: 9,
        entriesPerHost: 1,
        ttlMs: 1_000,
      })) {
        const done = entries.map(({ id }) => id);
        // A pause, as Retry-After makes, is the host's own: no other host waits for it.
        const dueInMs = host === 'b.test' ? 86_400_000 : delays[host]!;
        await from.commit([{ host, fencingToken, done, delayMs: delays[host]!, then: { release: { dueInMs } } }]);
      }
      await moveCrawl({
        from,
        to,
        hostKeyBy: 'host',
        shared: { perIp, crawlIntervalMs: null },
        clock: createManualClock(0),
      });
      const { items } = await to.listHosts!(null, 99);
      expect(Object.fromEntries(items.map(({ host, waitMs }) => [host, waitMs]))).toEqual({
        ...minDelaysMs,
        'b.test': 86_400_000,
      });
    },
  );
});

it('a frontier that has moved its crawl keeps the gap there, and adds and hands out nothing here', async () => {
  const answer = () => ({ status: 404 });
  const { frontier, clock } = setUp((nowMs) => memoryStore({ nowMs }), answer);
  const to = memoryStore({ nowMs: () => clock.nowMs() });
  await to.open(OPEN);
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  const [robots] = await frontier.take(1);
  await expect(frontier.moveTo(to, () => undefined)).rejects.toMatchObject({ code: 'option-invalid' });
  const atMs = clock.nowMs();
  frontier.exchanged(robots!, {
    ...{ startedAtMs: atMs, endedAtMs: atMs, status: 404, retryAfter: null, failure: null, bytes: 0 },
  });
  const [status, headers, body] = [404, {}, new Uint8Array()];
  const files = { robotsUrl: robots!.url, finalUrl: robots!.url };
  await frontier.settle(robots!, { kind: 'robots', answer: { kind: 'response', status, headers, body, ...files } });
  // A store that cannot take it changes nothing.
  const cannotTake = { ...to, know: undefined } as unknown as FrontierStore;
  for (const wrong of [null as unknown as FrontierStore, cannotTake])
    await expect(frontier.moveTo(wrong, () => undefined)).rejects.toMatchObject({ code: 'option-invalid' });
  expect(await frontier.moveTo(to, () => undefined)).toEqual({ known: 1, hosts: 1, entries: 1 });
  await expect(frontier.add([url('http://a.test/2')])).rejects.toMatchObject({ code: 'closed' });
  await expect(frontier.take(1)).rejects.toMatchObject({ code: 'closed' });
  await frontier.close();
  expect(await to.nextDueInMs()).toBeGreaterThan(0);
  expect(await to.nextDueInMs()).toBeLessThanOrEqual(atMs + 1_000 - clock.nowMs());
});
