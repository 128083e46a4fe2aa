// What the conformance suite cannot see of a killed process: a restart must neither repeat requests nor forget delays.

import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FrontierStore, NewEntry } from '../store.js';
import { fileStore } from './file.js';

let folder = '';
let path = '';
let now = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-file-store-'));
  path = join(folder, 'frontier.jsonl');
  now = Date.UTC(2026, 10, 20);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const openRequest = { crawl: 'c', create: true };

function entry(host: string, n: number): NewEntry {
  return {
    host,
    lane: `http://${host}`,
    fingerprint: Uint8Array.of(0, 0, 0, 0, 0, 0, host.length, n),
    priority: 4,
    body: Uint8Array.of(n),
  };
}

async function opened(): Promise<FrontierStore> {
  const store = fileStore({ path, nowMs: () => now });
  await store.open(openRequest);
  return store;
}

/** The file as a process that is killed now leaves it, opened by the next one. */
async function afterKill(): Promise<FrontierStore> {
  const left = join(folder, 'left.jsonl');
  await copyFile(path, left);
  const store = fileStore({ path: left, nowMs: () => now });
  await store.open(openRequest);
  return store;
}

const lease = (store: FrontierStore) => store.lease({ maxHosts: 9, entriesPerHost: 9, ttlMs: 60_000 });

describe('the file store after a kill', () => {
  it('has everything that was answered', async () => {
    const store = await opened();
    await store.add([entry('a', 1), entry('a', 2)]);
    await store.writeRecord('robots http://a', Uint8Array.of(0, 255));
    const [leased] = await lease(store);
    const then = { keep: { ttlMs: 60_000, want: 0 } };
    const part = {
      host: 'a',
      fencingToken: leased?.fencingToken ?? '',
      done: [leased?.entries[0]?.id ?? ''],
      state: Uint8Array.of(7),
      then,
    };
    await store.commit([part], [entry('bb', 3)]);
    const next = await afterKill();
    expect(await next.readRecord('robots http://a')).toEqual(Uint8Array.of(0, 255));
    const urgent = { ...entry('a', 4), priority: 0 };
    expect(await next.add([entry('a', 1), entry('bb', 3), urgent])).toEqual(['known', 'known', 'new']);
    const leases = await lease(next);
    expect(leases.map(({ host, entries }) => [host, ...entries.map(({ body }) => body[0])])).toEqual([
      ['bb', 3],
      ['a', 2, 4],
    ]);
    expect(leases.find(({ host }) => host === 'a')).toMatchObject({
      state: Uint8Array.of(7),
      entries: [{ id: '2', attempt: 1 }, { attempt: 0 }],
    });
    await next.close();
    await store.close();
  });

  it('ends the lease of a dead process at once, and keeps its delay (O1)', async () => {
    const store = await opened();
    await store.add([entry('a', 1)]);
    const [leased] = await lease(store);
    await store.commit([
      {
        host: 'a',
        fencingToken: leased?.fencingToken ?? '',
        delayMs: 5_000,
        then: { keep: { ttlMs: 60_000, want: 0 } },
      },
    ]);
    const next = await afterKill();
    expect(await lease(next)).toEqual([]);
    expect(await next.nextDueInMs()).toBe(5_000);
    now += 4_999;
    expect(await lease(next)).toEqual([]);
    now += 1;
    const [again] = await lease(next);
    expect(BigInt(again?.fencingToken ?? 0)).toBeGreaterThan(BigInt(leased?.fencingToken ?? 0));
    await next.close();
    await store.close();
  });

  it('remembers a lease without a commit', async () => {
    const store = await opened();
    await store.add([entry('a', 1), entry('a', 2)]);
    const [leased] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 60_000 });
    await store.commit([
      { host: 'a', fencingToken: leased?.fencingToken ?? '', delayMs: 5_000, then: { release: { dueInMs: 0 } } },
    ]);
    await lease(store);
    const next = await afterKill();
    expect(await next.nextDueInMs()).toBe(5_000);
    await next.close();
    await store.close();
  });

  it('keeps parked hosts, blocked lanes, waiting entries and the next allowed time', async () => {
    const store = await opened();
    await store.add([
      entry('a', 1),
      entry('bb', 2),
      { ...entry('ccc', 3), notBeforeMs: 9_000 },
      entry('dddd', 4),
      entry('dddd', 5),
    ]);
    const [a, bb, dddd] = await store.lease({ maxHosts: 9, entriesPerHost: 1, ttlMs: 60_000 });
    await store.commit([
      { host: 'a', fencingToken: a?.fencingToken ?? '', then: { release: { dueInMs: null } } },
      {
        host: 'bb',
        fencingToken: bb?.fencingToken ?? '',
        blockLanes: [{ lane: 'http://bb', ms: 7_000 }],
        then: { release: { dueInMs: 0 } },
      },
      { host: 'dddd', fencingToken: dddd?.fencingToken ?? '', done: ['1'], then: { release: { dueInMs: 8_000 } } },
    ]);
    const next = await afterKill();
    expect(await next.stats()).toEqual(await store.stats());
    const dueAfter = async (ms: number) => {
      now += ms;
      return (await lease(next)).map(({ host }) => host);
    };
    expect(await dueAfter(6_999)).toEqual([]);
    expect(await dueAfter(1)).toEqual(['bb']);
    expect(await dueAfter(1_000)).toEqual(['dddd']);
    expect(await dueAfter(1_000)).toEqual(['ccc']);
    expect(await dueAfter(40_000)).toEqual([]);
    await next.wake('a');
    expect(await dueAfter(0)).toEqual(['a']);
    await next.close();
    await store.close();
  });
});

describe('the file store at open', () => {
  it('refuses a file that another store has open, and opens it when that one has closed', async () => {
    const store = await opened();
    await expect(opened()).rejects.toMatchObject({ code: 'store-failed' });
    await store.close();
    await (await opened()).close();
  });

  it('takes over the lock of a process that has ended, not that of a living one', async () => {
    await writeFile(`${path}.lock`, '2147483646 1');
    await (await opened()).close();
    await writeFile(`${path}.lock`, `${process.ppid} 1`);
    await expect(opened()).rejects.toMatchObject({ code: 'store-failed' });
    await rm(`${path}.lock`);
    await (await opened()).close();
  });

  it('refuses a file that is missing, truncated, damaged, or of another crawl or version', async () => {
    const open = (request: object) => fileStore({ path }).open({ ...openRequest, ...request });
    await expect(open({ create: false })).rejects.toMatchObject({ code: 'store-mismatch' });
    const store = await opened();
    await store.add([entry('a', 1)]);
    await store.close();
    const whole = await readFile(path, 'utf8');
    await expect(open({ crawl: 'other' })).rejects.toMatchObject({ code: 'store-mismatch' });
    const lines = whole.trimEnd().split('\n');
    const damaged: [string, string][] = [
      [lines.slice(0, -1).join('\n'), 'store-failed'],
      [[lines[0], ...lines.slice(2)].join('\n'), 'store-failed'],
      [whole.replace('"host"', '"ho'), 'store-failed'],
      [whole.replace('"version":3', '"version":2'), 'store-mismatch'],
      ['', 'store-mismatch'],
    ];
    for (const [text, code] of damaged) {
      await writeFile(path, text);
      await expect(open({})).rejects.toMatchObject({ code });
      expect(await readFile(path, 'utf8')).toBe(text);
    }
    await writeFile(path, whole);
    await open({});
  });

  it('fails every later call when the file could not be written', async () => {
    const store = await opened();
    await rm(folder, { recursive: true, force: true });
    await expect(store.add([entry('a', 1)])).rejects.toMatchObject({ code: 'store-failed' });
    await expect(store.stats()).rejects.toMatchObject({ code: 'store-failed' });
    await expect(store.close()).rejects.toMatchObject({ code: 'store-failed' });
  });
});
