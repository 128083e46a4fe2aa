// What the conformance suite cannot see: foreign files, owners that died, budgets that shrank, and shared commits. At
// stake: a crawl that overwrites another, and a host with two holders.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NewEntry } from '../store.js';
import { openEnvironment, type Row, type Table } from './lmdb/environment.js';
import { listHolders } from './lmdb/meta.js';
import { timeValue } from './lmdb/rows.js';
import { type LmdbStoreOptions, lmdbStore } from './lmdb.js';

let folder = '';
let now = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-lmdb-'));
  now = 1_000_000;
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const make = (more: Partial<LmdbStoreOptions> = {}) =>
  lmdbStore({ path: join(folder, 'frontier'), commitEveryMs: 0, nowMs: () => now, ...more });

async function opened(more: Partial<LmdbStoreOptions> = {}, crawl = 'c') {
  const store = make(more);
  await store.open({ crawl, create: true });
  return store;
}

function entry(number: number, host = 'h'): NewEntry {
  const fingerprint = new Uint8Array(8);
  const view = new DataView(fingerprint.buffer);
  view.setUint32(0, Math.imul(number + 1, 0x9e3779b1));
  view.setUint32(4, Math.imul(number + 7, 0x85ebca6b));
  return { host, fingerprint, priority: 4, body: Uint8Array.of(number & 255, number >>> 8) };
}

const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => entry(from + at));

describe('opening', () => {
  it('refuses a folder of another identity, and names both', async () => {
    await (await opened({ identity: 'mybot' })).close();
    const other = make({ identity: 'yourbot' });
    const refused = other.open({ crawl: 'c', create: true });
    await expect(refused).rejects.toMatchObject({
      code: 'store-mismatch',
      message: expect.stringMatching(/mybot.*yourbot/),
    });
    await (await opened({ identity: 'mybot' })).close();
  });

  it('refuses another crawl, and names both', async () => {
    await (await opened()).close();
    const refused = make().open({ crawl: 'd', create: true });
    await expect(refused).rejects.toMatchObject({ code: 'store-mismatch', message: expect.stringMatching(/"c".*"d"/) });
  });

  it('refuses another format, and names it', async () => {
    const path = join(folder, 'frontier');
    const tables = await openEnvironment(path, true);
    tables.write(() => {
      const kept = { format: 'mannerly-frontier-lmdb', version: 99, crawl: 'c', identity: '' };
      tables.meta.putSync(Buffer.from('crawl'), Buffer.from(JSON.stringify(kept)));
      // Counts of another length than ours; they are read before the name.
      tables.meta.putSync(Buffer.from('counts'), Buffer.alloc(80, 1));
      return true;
    });
    await tables.close();
    const refused = make().open({ crawl: 'c', create: true });
    await expect(refused).rejects.toMatchObject({ code: 'store-mismatch', message: expect.stringContaining('99') });
  });

  it('makes no folder if `create` is not set', async () => {
    const refused = make().open({ crawl: 'c', create: false });
    await expect(refused).rejects.toMatchObject({ code: 'store-mismatch' });
  });

  it('names the folder that cannot be made or used', async () => {
    await writeFile(join(folder, 'file'), '');
    const below = make({ path: join(folder, 'file', 'frontier') });
    const refused = below.open({ crawl: 'c', create: true });
    await expect(refused).rejects.toMatchObject({ code: 'store-failed', message: expect.stringContaining('frontier') });
  });

  it.each([
    ['that is something else', 'store-mismatch', () => Buffer.alloc(40_000, 'x')],
    ['of another version of lmdb', 'store-mismatch', (whole: Buffer) => whole.fill(9, 28, 29)],
    ['that was cut short', 'store-failed', (whole: Buffer) => whole.subarray(0, whole.length - 4_096)],
    ['that was cut within its head', 'store-mismatch', (whole: Buffer) => whole.subarray(0, 100)],
  ])('refuses a file %s, and does not crash', async (_what, code, spoil) => {
    const store = await opened();
    await store.add(entries(0, 500));
    await store.close();
    const path = join(folder, 'frontier', 'data.mdb');
    await writeFile(path, spoil(await readFile(path)));
    const refused = make().open({ crawl: 'c', create: true });
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(path) });
  });

  it.each(['lock.mdb', 'gate/lock.mdb', 'gate/data.mdb', 'data.mdb'])(
    'refuses a folder in the place of %s, and does not crash',
    async (name) => {
      await (await opened()).close();
      const path = join(folder, 'frontier', name);
      await rm(path);
      await mkdir(path);
      const refused = make().open({ crawl: 'c', create: true });
      await expect(refused).rejects.toMatchObject({ code: 'store-failed', message: expect.stringContaining('EISDIR') });
    },
  );

  it.skipIf(process.platform === 'win32').each(['data.mdb', 'lock.mdb', 'gate', 'checksum', 'checksum.new'])(
    'refuses a link in the place of %s: what it leads to is not written to',
    async (name) => {
      await (await opened()).close();
      const path = join(folder, 'frontier', name);
      await rm(path, { force: true, recursive: true });
      await writeFile(join(folder, 'precious'), '');
      await symlink(join(folder, 'precious'), path);
      const refused = make().open({ crawl: 'c', create: true });
      await expect(refused).rejects.toMatchObject({ code: 'store-mismatch', message: expect.stringContaining(path) });
      expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('');
    },
  );

  it.each<[what: string, table: 'due' | 'log' | 'hosts', damage: (table: Table, row: Row) => void]>([
    [
      'the time of the host h',
      'due',
      (table, { key, value }) => table.putSync(Buffer.concat([timeValue(5), key.subarray(8)]), value),
    ],
    ['the chunk 0 of the known URLs', 'log', (table, { key }) => table.removeSync(key)],
    ['the record of host 1', 'hosts', (table, { key, value }) => table.putSync(key, value.subarray(1))],
  ])('names what is damaged: %s', async (what, name, damage) => {
    const store = await opened();
    await store.add(entries(0, 3));
    await store.close();
    await rm(join(folder, 'frontier', 'checksum'), { force: true });
    const tables = openEnvironment(join(folder, 'frontier'), false);
    tables.write(() => {
      damage(tables[name], [...tables[name].getRange({})].at(-1)!);
      return true;
    });
    await tables.close();
    const leased = opened().then((next) =>
      next.lease({ maxHosts: 4, entriesPerHost: 1, ttlMs: 1 }).finally(() => next.close()),
    );
    await expect(leased).rejects.toMatchObject({
      code: 'record-unreadable',
      message: expect.stringContaining(what),
      hint: expect.stringContaining('start over'),
    });
  });

  it('refuses a gate file that is something else, and does not crash', async () => {
    await (await opened()).close();
    const path = join(folder, 'frontier', 'gate', 'data.mdb');
    await writeFile(path, Buffer.alloc(40_000, 'x'));
    const refused = make().open({ crawl: 'c', create: true });
    await expect(refused).rejects.toMatchObject({ code: 'store-mismatch', message: expect.stringContaining(path) });
  });

  it('names the folder that cannot be made', async () => {
    // Below a file, where not even root can create anything.
    await writeFile(join(folder, 'file'), 'x');
    const refused = make({ path: join(folder, 'file', 'frontier') }).open({ crawl: 'c', create: true });
    await expect(refused).rejects.toMatchObject({ code: 'store-failed', message: expect.stringContaining('frontier') });
  });

  it.each([
    ['path', { path: '' }],
    ['seenBudget', { seenBudget: 1_000 }],
    ['maxQueued', { maxQueued: 0 }],
    ['commitEveryMs', { commitEveryMs: 1_001 }],
    ['sync', { sync: true } as Partial<LmdbStoreOptions>],
  ])('refuses the option %s', (name, more) => {
    expect(() => make(more)).toThrow(name);
  });
});

describe('owners (O1)', () => {
  it('ends leases of an ended process at once, and its hosts are due at now + delay', async () => {
    const store = await opened();
    await store.add([entry(1), entry(2)]);
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 60_000 });
    const { host, fencingToken } = lease!;
    await store.commit([{ host, fencingToken, delayMs: 500, then: { keep: { ttlMs: 60_000, want: 0 } } }]);
    await store.close();
    await renameOwners((holder) => ({ ...holder, pid: deadPid() }));
    const next = await opened();
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 9, ttlMs: 1 })).toEqual([]);
    now += 499;
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 9, ttlMs: 1 })).toEqual([]);
    now += 1;
    const [again] = await next.lease({ maxHosts: 1, entriesPerHost: 9, ttlMs: 60_000 });
    expect(again?.entries.map(({ id, attempt }) => [id, attempt])).toEqual([
      ['1', 1],
      ['2', 0],
    ]);
    await next.close();
  });

  it('uses the delay of its lease for a host without a committed delay', async () => {
    const store = await opened();
    await store.add([entry(1)]);
    await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 60_000, delayMs: 700 });
    await store.close();
    await renameOwners((holder) => ({ ...holder, pid: deadPid() }));
    const next = await opened();
    now += 699;
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1 })).toEqual([]);
    now += 1;
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1 })).toHaveLength(1);
    await next.close();
  });

  it('does not end leases of a living process, even if its client is closed', async () => {
    const store = await opened();
    await store.add([entry(1)]);
    await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 60_000 });
    await store.close();
    const next = await opened();
    now += 59_999;
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1 })).toEqual([]);
    now += 1;
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1 })).toHaveLength(1);
    await next.close();
  });

  it('counts the delay from when the processes were inspected, if that was before the file was opened', async () => {
    const store = await opened();
    await store.add([entry(1)]);
    await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 60_000, delayMs: 500 });
    await store.close();
    await renameOwners((holder) => ({ ...holder, pid: deadPid(), started: '1' }));
    const clock = vi.spyOn(performance, 'now').mockReturnValue(10_000);
    onTestFinished(() => clock.mockRestore());
    // The module remembers the processes that it saw; other tests must not see them.
    vi.resetModules();
    (await import('./processes.js')).inspectProcesses();
    clock.mockReturnValue(10_400);
    const lmdb = await import('./lmdb.js');
    const next = lmdb.lmdbStore({ path: join(folder, 'frontier'), commitEveryMs: 0, nowMs: () => now });
    await next.open({ crawl: 'c', create: false });
    // If the platform cannot list processes, the proof dates from now.
    const left = process.platform === 'linux' ? 100 : 500;
    now += left - 1;
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1 })).toEqual([]);
    now += 1;
    expect(await next.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1 })).toHaveLength(1);
    await next.close();
  });

  it('forgets clients without leases', async () => {
    for (let round = 0; round < 3; round += 1) await (await opened()).close();
    const tables = await openEnvironment(join(folder, 'frontier'), false);
    expect(listHolders(tables.meta)).toEqual([]);
    await tables.close();
  });

  /** Changes the owners that are recorded in the file. */
  async function renameOwners(change: (holder: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
    const tables = await openEnvironment(join(folder, 'frontier'), false);
    tables.write(() => {
      for (const { key, value } of tables.meta.getRange({
        start: Buffer.from('holder '),
        end: Buffer.from('holder!'),
      })) {
        tables.meta.putSync(key, Buffer.from(JSON.stringify(change(JSON.parse(value.toString())))));
      }
      return true;
    });
    await tables.close();
  }
});

describe('fingerprints', () => {
  it('are all known after the budget was lowered and raised again', async () => {
    const least = 65_536;
    const large = await opened();
    for (let at = 0; at < 40_000; at += 8_000) await large.add(entries(at, at + 8_000));
    await large.close();
    for (const seenBudget of [least, 4 * least, 268_435_456]) {
      const store = await opened({ seenBudget });
      const outcomes = await store.add([...entries(0, 100), ...entries(20_000, 20_100), ...entries(39_900, 40_000)]);
      expect(new Set(outcomes)).toEqual(new Set(['known']));
      const from = 40_000 + (seenBudget % 1_000);
      expect(new Set(await store.add(entries(from, from + 50)))).toEqual(new Set(['new']));
      expect((await store.stats()).known).toBeGreaterThan(40_000);
      await store.close();
    }
  });

  it('that one client adds are known to another at its next verb', async () => {
    const [one, other] = [await opened(), await opened()];
    expect(await one.add(entries(0, 600))).not.toContain('known');
    expect(new Set(await other.add(entries(0, 600)))).toEqual(new Set(['known']));
    await Promise.all([one.close(), other.close()]);
  });
});

describe('group commit', () => {
  it('commits the first verb at once, and those that follow together and in order', async () => {
    const store = await opened({ commitEveryMs: 1_000 });
    await store.add([entry(0)]);
    // The time of the next commit never comes: a verb that waited for it would never resolve.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = store.add([entry(1)]);
    const second = store.add([entry(1), entry(2)]);
    // A lease commits at once, together with the verbs that were called before it.
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 9, ttlMs: 60_000 });
    expect(lease?.entries).toHaveLength(3);
    expect([await first, await second]).toEqual([['new'], ['known', 'new']]);
    await store.close();
  });

  it('reads a record that is being written, and leaves nothing unwritten at close', async () => {
    const store = await opened({ commitEveryMs: 1_000 });
    await store.writeRecord('k', Uint8Array.of(1));
    const writing = store.writeRecord('k', Uint8Array.of(2));
    expect(await store.readRecord('k')).toEqual(Uint8Array.of(2));
    const last = store.writeRecord('k', Uint8Array.of(3));
    await store.close();
    await Promise.all([writing, last]);
    const next = await opened();
    expect(await next.readRecord('k')).toEqual(Uint8Array.of(3));
    await next.close();
  });

  it('reports that something may be due before it is committed', async () => {
    const store = await opened({ commitEveryMs: 1_000 });
    await store.writeRecord('k', null);
    const adding = store.add([entry(1)]);
    const dueInMs = await store.nextDueInMs();
    expect(dueInMs).not.toBeNull();
    expect(dueInMs).toBeLessThanOrEqual(1_000);
    await store.stats();
    expect(await adding).toEqual(['new']);
    expect(await store.nextDueInMs()).toBe(0);
    await store.close();
  });
});

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('the checksum', () => {
  const file = () => join(folder, 'frontier', 'data.mdb');
  const checksum = () => join(folder, 'frontier', 'checksum');

  it('finds one changed bit anywhere in the file, and the message says what to do', async () => {
    const store = await opened();
    await store.add(entries(0, 3_000));
    await store.close();
    const whole = await readFile(file());
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 50)) {
      const changed = Buffer.from(whole);
      // After the magic number and the version, which are compared first.
      changed[Math.max(at, 160)]! ^= 1;
      await writeFile(file(), changed);
      await expect(opened()).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringContaining(`${file()} is damaged`),
        hint: expect.stringContaining('Restore it from a copy or start anew'),
      });
    }
    await writeFile(file(), whole);
    await (await opened()).close();
  });

  it('is written by the last client that closes, and removed by the first that opens', async () => {
    const first = await opened();
    const second = await opened();
    await first.close();
    expect(existsSync(checksum())).toBe(false);
    await second.add(entries(0, 10));
    await second.close();
    expect(existsSync(checksum())).toBe(true);
    const third = await opened();
    expect(existsSync(checksum())).toBe(false);
    await third.close();
  });

  it('is not written while an ended client has hosts', async () => {
    const store = await opened();
    await store.add(entries(0, 1));
    expect(await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 60_000 })).toHaveLength(1);
    await store.close();
    expect(existsSync(checksum())).toBe(false);
    await (await opened()).close();
  });
});
