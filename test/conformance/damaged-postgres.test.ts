// Tables of a PostgreSQL that another program writes to as well, or that were restored from a damaged copy.

import { randomUUID } from 'node:crypto';
import { postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropSchema } from '../support/postgres-processes.js';
import { HAS_POSTGRES, type PostgresForTest, sharedPostgres } from '../support/postgres-server.mjs';
import { type Contents, continueDamaged, type Damage, damagedBytes } from './damaged-contents.js';

/** Values of each type, as SQL. */
const ODD_VALUES: Readonly<Record<string, readonly string[]>> = {
  int8: ['-1', '0', '9223372036854775807', '9000000000000000', 'NULL'],
  int4: ['-1', '0', '2147483647', 'NULL'],
  int2: ['-1', '32767', 'NULL'],
  text: ["''", "'__proto__'", `E'"\\n{}:''\\\\'`, "'b.test'", 'NULL'],
  bool: ['true', 'false', 'NULL'],
  _int8: ["'{}'", "'{-1,NULL,9223372036854775807}'"],
  _int4: ["'{}'", "'{-1,NULL}'"],
};
const schema = `test-${randomUUID()}`;
let server: Pick<PostgresForTest, 'url' | 'dispose'>;
let pool: Pool;

function postgresContents(): Contents {
  let tables: string[] = [];
  const run = async (sql: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> =>
    (await pool.query(sql.replaceAll('$S', `"${schema}"`), values)).rows as Record<string, unknown>[];
  return {
    client: (nowMs) => postgresStore({ pool, schema, nowMs, allowUnsafe: ['fsync-off'], onNotice: () => undefined }),
    async keep() {
      const rows = await run(
        `SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('$S') AND relkind = 'r'`,
      );
      tables = rows.map(({ relname }) => String(relname));
      await run(`CREATE SCHEMA "kept ${schema}"`);
      for (const table of tables) await run(`CREATE TABLE "kept ${schema}".${table} AS SELECT * FROM $S.${table}`);
    },
    async restore() {
      await run(
        tables
          .map((table) => `DELETE FROM $S.${table}; INSERT INTO $S.${table} SELECT * FROM "kept ${schema}".${table}`)
          .join('; '),
      );
    },
    async damages() {
      const all: Damage[] = [];
      for (const table of tables) {
        const columns = await run(
          `SELECT attname, typname FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid WHERE attrelid = '$S.${table}'::regclass AND attnum > 0`,
        );
        const rows = await run(
          `SELECT ctid::text AS place, t.* FROM "kept ${schema}".${table} t${table === 'tally' ? ' WHERE slot < 2' : ''}`,
        );
        for (const row of rows) {
          const names = columns.map(({ attname }) => String(attname)).filter((name) => row[name] !== null);
          const where = `FROM "kept ${schema}".${table} k WHERE k.ctid = '${String(row['place'])}' AND t.${names.map((name) => `${name} IS NOT DISTINCT FROM k.${name}`).join(' AND t.')}`;
          const add = (what: string, sql: string, values: unknown[] = []) =>
            all.push({
              what: `${table} ${String(row['key'] ?? row['id'] ?? row['slot'] ?? '')} ${what}`,
              apply: () => run(sql, values),
            });
          add('removed', `DELETE FROM $S.${table} t USING ${where.slice(5)}`);
          for (const { attname, typname } of columns) {
            for (const odd of ODD_VALUES[String(typname)] ?? [])
              add(`${String(attname)} = ${odd}`, `UPDATE $S.${table} t SET ${String(attname)} = ${odd} ${where}`);
            const value = row[String(attname)];
            if (!Buffer.isBuffer(value)) continue;
            for (const [what, bytes] of damagedBytes(value))
              add(`${String(attname)} ${what}`, `UPDATE $S.${table} t SET ${String(attname)} = $1 ${where}`, [bytes]);
          }
        }
      }
      return all;
    },
  };
}

describe.skipIf(!HAS_POSTGRES && process.env['CI'] === undefined)('PostgreSQL (not run where it is absent)', () => {
  beforeAll(async () => {
    server = await sharedPostgres();
    pool = new Pool({ connectionString: server.url, max: 4 });
  }, 300_000);
  afterAll(async () => {
    await dropSchema(pool, schema);
    await dropSchema(pool, `kept ${schema}`);
    await pool.end();
    await server.dispose();
  });

  it('a crawl goes on politely with damaged tables of PostgreSQL, or says what is wrong', {
    timeout: 300_000,
  }, async () => {
    expect(await continueDamaged(postgresContents(), 1)).toEqual([]);
  });
});
