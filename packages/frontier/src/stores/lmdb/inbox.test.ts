// New URLs pass through a log before they reach their host's rows: one that got lost between the two would never be fetched,
// one that was in both would be fetched twice.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FrontierStore, NewEntry } from '../../store.js';
import { lmdbStore } from '../lmdb.js';

let folder = '';
let now = 1_000_000;
const stores: FrontierStore[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-inbox-'));
  now = 1_000_000;
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function opened(): Promise<FrontierStore> {
  const store = lmdbStore({ path: join(folder, 'frontier'), commitEveryMs: 0, nowMs: () => now });
  await store.open({ crawl: 'c', owner: 'o', create: true });
  stores.push(store);
  return store;
}

function entry(number: number, host: string, maxBodyBytes = 8): NewEntry {
  const fingerprint = new Uint8Array(8);
  const body = new Uint8Array(maxBodyBytes);
  new DataView(fingerprint.buffer).setUint32(0, Math.imul(number + 1, 0x9e3779b1));
  new DataView(fingerprint.buffer).setUint32(4, number);
  new DataView(body.buffer).setUint32(0, number);
  return { host, lane: `https://${host}`, fingerprint, priority: number % 3, body };
}

const numberOf = (body: Uint8Array) => new DataView(body.buffer, body.byteOffset).getUint32(0);

/** Every entry once, by leases that are completed. */
async function drained(store: FrontierStore): Promise<number[]> {
  const seen: number[] = [];
  for (;;) {
    const leases = await store.lease({ maxHosts: 500, entriesPerHost: 64, ttlMs: 1_000 });
    if (leases.length === 0) return seen;
    for (const { entries } of leases) for (const { body } of entries) seen.push(numberOf(body));
    const done = leases.map(({ host, fencingToken, entries }) => {
      const ids = entries.map(({ id }) => id);
      return { host, fencingToken, done: ids, then: { release: { dueInMs: 0 } } };
    });
    await store.commit(done);
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('the log of new entries', () => {
  it('hands out every entry once, of many hosts, while it is folded and after a reopen in between', async () => {
    const ENTRIES = 42_000;
    const first = await opened();
    const second = await opened();
    for (let at = 0; at < ENTRIES; at += 1_000) {
      const batch = upTo(1_000).map((each) => entry(at + each, `host-${(13 * (at + each)) % 36_007}`));
      // Two clients take turns: each sees what the other has added and folded.
      await (at % 3_000 === 0 ? second : first).add(batch);
    }
    await second.close();
    await first.close();
    const store = await opened();
    expect((await store.stats()).queued).toBe(ENTRIES);
    const listed = new Set<number>();
    let cursor: string | null = null;
    do {
      const page = await store.scan(cursor, 5_000);
      for (const { entry: each } of page.items) listed.add(numberOf(each.body));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(listed.size).toBe(ENTRIES);
    const seen = await drained(store);
    expect(seen.toSorted((a, b) => a - b)).toEqual(upTo(ENTRIES));
  }, 300_000);

  it('hands out every entry once of hosts that get more while and after they are folded, and some of which are leased meanwhile', async () => {
    // A folding begins at 65,536 hosts; this client remembers of those it has folded that they are due.
    const [HOSTS, BATCH, BATCHES] = [66_000, 6_000, 24];
    const store = await opened();
    const seen: number[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await store.add(upTo(BATCH).map((at) => entry(batch * BATCH + at, `host-${(batch * BATCH + at) % HOSTS}`)));
      const leases = await store.lease({ maxHosts: batch < 12 ? 0 : 40, entriesPerHost: 64, ttlMs: 1_000 });
      for (const { entries } of leases) for (const { body } of entries) seen.push(numberOf(body));
      const done = leases.map(({ host, fencingToken, entries }) => {
        const ids = entries.map(({ id }) => id);
        return { host, fencingToken, done: ids, then: { release: { dueInMs: 0 } } };
      });
      await store.commit(done);
    }
    const all = [...seen, ...(await drained(store))];
    expect(all.toSorted((a, b) => a - b)).toEqual(upTo(BATCH * BATCHES));
    expect(await store.nextDueInMs()).toBeNull();
  }, 300_000);

  it('lists an entry under the id that it is handed out with', async () => {
    const store = await opened();
    await store.add([entry(1, 'h'), entry(4, 'h'), entry(2, 'i')]);
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1_000, hosts: ['h'] });
    await store.add([entry(7, 'h'), entry(10, 'h')]);
    const listed = new Map<number, string>();
    for (const { entry: each } of (await store.scan(null, 100, 'h')).items) listed.set(numberOf(each.body), each.id);
    expect([...listed.keys()].toSorted((a, b) => a - b)).toEqual([1, 4, 7, 10]);
    expect(await store.readHost!('h')).toMatchObject({ queued: 3, inFlight: 1 });
    const then = { keep: { ttlMs: 1_000, want: 10 } };
    const answer = await store.commit([{ host: 'h', fencingToken: lease!.fencingToken, then }]);
    const more = answer.hosts[0]?.ok === true ? answer.hosts[0].entries : [];
    for (const { id, body } of [...lease!.entries, ...more]) expect(listed.get(numberOf(body))).toBe(id);
    expect(more).toHaveLength(3);
  });

  it('takes bodies that are longer than its chunks, beside short ones', async () => {
    const store = await opened();
    const sizes = [8, 65_536, 8, 1_980, 1_984, 40_000, 8];
    await store.add(sizes.map((size, at) => entry(at, 'h', size)));
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 10, ttlMs: 1_000 });
    const found = lease!.entries.map(({ body }) => [numberOf(body), body.length] as const);
    expect(found.toSorted(([a], [b]) => a - b)).toEqual([...sizes.entries()]);
  });

  it('keeps the place in the time index that an entry has given its host across a reopen', async () => {
    const before = await opened();
    await before.add([{ ...entry(1, 'h'), notBeforeMs: 5_000 }]);
    await before.add([{ ...entry(4, 'h'), notBeforeMs: 3_000 }]);
    await before.close();
    const store = await opened();
    expect(await store.nextDueInMs()).toBe(3_000);
    await store.add([{ ...entry(7, 'h'), notBeforeMs: 1_000 }]);
    expect(await store.nextDueInMs()).toBe(1_000);
    now += 3_500;
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 10, ttlMs: 1_000 });
    expect(lease!.entries.map(({ body }) => numberOf(body)).toSorted((a, b) => a - b)).toEqual([4, 7]);
    await store.commit([
      {
        host: 'h',
        fencingToken: lease!.fencingToken,
        done: lease!.entries.map(({ id }) => id),
        then: { release: { dueInMs: 0 } },
      },
    ]);
    expect(await store.nextDueInMs()).toBe(1_500);
  });
});
