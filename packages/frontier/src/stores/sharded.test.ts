// One of several stores does not answer. At stake: hosts of the others that wait for it, links that are lost with it,
// and hosts that it leases to a process that has stopped waiting.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrontierError } from '../errors.js';
import { aroundStoreVerbs } from '../records/store-guard.js';
import type { NewEntry } from '../store.js';
import { memoryStore } from './memory.js';
import { shardOf } from './sharded/placement.js';
import { shardedStore } from './sharded.js';

describe('a store that does not answer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const NUMBERS = [0, 1, 2];
  const SILENT_MS = 5_000;
  const ALL = { maxHosts: 100, entriesPerHost: 10, ttlMs: 600_000 };

  /** Three stores. The second does not answer from `stop` until `back`, and then does what it was asked. */
  async function opened() {
    const stores = NUMBERS.map(() => memoryStore());
    let answer = (_?: unknown): void => undefined;
    let away: Promise<unknown> | null = null;
    const waiting = aroundStoreVerbs(stores[1]!, async (verb) => {
      const error = await away;
      if (error !== undefined && error !== null) throw error;
      return verb();
    });
    const store = shardedStore([stores[0]!, Object.assign(waiting, { destroy: async () => undefined }), stores[2]!]);
    await store.open({ crawl: 'docs', create: true });
    const hosts = Array.from({ length: 30 }, (_, number) => `h${number}`);
    await store.add(hosts.map(entry));
    const isAway = (host: string) => shardOf(host, 3) === 1;
    const stop = () => {
      away = new Promise((resolve) => {
        answer = resolve;
      });
    };
    const fail = async (error?: Error) => {
      answer(error);
      away = null;
      await vi.advanceTimersByTimeAsync(1);
    };
    /** The answer once the store counts as silent. */
    const afterSilence = async <T>(promise: Promise<T>) => {
      await vi.advanceTimersByTimeAsync(SILENT_MS);
      return promise;
    };
    return {
      store,
      stop,
      fail,
      back: () => fail(),
      afterSilence,
      gone: hosts.filter(isAway),
      others: hosts.filter((one) => !isAway(one)),
    };
  }

  it('stops only its own hosts', async () => {
    const { store, stop, back, afterSilence, gone: awayHosts, others } = await opened();
    stop();
    const leases = await afterSilence(store.lease(ALL));
    expect(leases.map(({ host }) => host).sort()).toEqual(others.sort());
    // No time passes from here on, so no call may wait.
    expect(await store.lease(ALL)).toEqual([]);
    expect((await store.stats()).known).toBeLessThan(30);
    expect(await store.nextDueInMs()).toBe(1_000);
    const done = leases.map(({ host, fencingToken, entries }) => ({
      ...{ host, fencingToken, done: entries.map(({ id }) => id) },
      then: { release: { dueInMs: 0 } },
    }));
    expect((await store.commit(done)).hosts.every(({ ok }) => ok)).toBe(true);
    expect(await store.nextDueInMs()).toBe(1_000);
    await back();
    expect((await store.lease(ALL)).map(({ host }) => host).sort()).toEqual(awayHosts.sort());
  });

  it('gets the links that were found meanwhile when it answers again', async () => {
    const { store, stop, back, afterSilence, gone: awayHosts, others } = await opened();
    const leases = await store.lease(ALL);
    const there = leases.find(({ host }) => others.includes(host))!;
    const away = leases.find(({ host }) => awayHosts.includes(host))!;
    stop();
    const commit = ({ host, fencingToken, entries }: (typeof leases)[number], links: NewEntry[]) =>
      store.commit(
        [{ host, fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } }],
        links,
      );
    const link = { ...entry('h99'), host: awayHosts[0]!, lane: 'a', notBeforeMs: 3, body: Uint8Array.of(0, 255) };
    expect(await afterSilence(commit(there, [link]))).toEqual({ hosts: [{ ok: true, entries: [] }], links: ['new'] });
    // Its lease may be lost with the store, so the page counts as lost.
    const [lost] = (await commit(away, [])).hosts;
    expect(lost).toMatchObject({ ok: false, reason: 'lost' });
    await back();
    // The store did what it was asked before it went silent, and says so.
    expect(lost?.ok === false && (await lost.late)).toBe(true);
    const { items } = await store.scan(null, 100, awayHosts[0]);
    expect(items.map(({ entry: { body } }) => [...body])).toContainEqual([0, 255]);
    expect((await store.listRecords!('deferred/', null, 10)).items).toEqual([]);
    expect((await store.readHost!(away.host))?.inFlight).toBe(0);
  });

  it('leaves no count below zero if it was silent from the start', async () => {
    const { store, stop, afterSilence } = await opened();
    const moved = Array.from({ length: 50 }, (_, number) => entry(`h${1_000 + number}`).fingerprint);
    await store.know!(moved);
    stop();
    expect((await afterSilence(store.stats())).known).toBeGreaterThanOrEqual(0);
  });

  it('gets the hosts back that it granted too late', async () => {
    const { store, stop, back, afterSilence, gone: awayHosts } = await opened();
    stop();
    const named = afterSilence(store.lease({ ...ALL, hosts: awayHosts.slice(0, 1) }));
    expect(await named).toEqual([]);
    await back();
    expect((await store.readHost!(awayHosts[0]!))?.isLeased).toBe(false);
  });

  it('fails the crawl if it answers with a failure', async () => {
    const { store, stop, fail, afterSilence, gone: awayHosts } = await opened();
    stop();
    await afterSilence(store.lease(ALL));
    const done = { host: awayHosts[0]!, fencingToken: '1', then: { release: { dueInMs: 0 } } };
    const [lost] = (await store.commit([done])).hosts;
    await fail(new FrontierError('store-failed', 'gone for good'));
    await expect(store.lease(ALL)).rejects.toThrow('gone for good');
    expect(lost?.ok === false && (await lost.late)).toBe(false);
  });
});

function entry(host: string) {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setUint32(0, Number(host.slice(1)) + 1);
  return { host, fingerprint, priority: 4, body: new Uint8Array(1) };
}
