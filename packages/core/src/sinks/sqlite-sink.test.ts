// Items in a SQLite file: the contract of sinks, with the library that this Node.js has. Node.js has a built-in one
// from 22.13 on; without it, and without a compiled better-sqlite3, these tests are "not run".

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BatchedSink } from '../output/page-batches.js';
import type { Item } from '../output/sink.js';
import { sinkSuite } from '../sink-conformance/suite.js';
import { sqliteSink } from './sqlite-sink.js';

interface Reader {
  prepare(sql: string): { all(): Record<string, string | number | null>[] };
  exec(sql: string): void;
  close(): void;
}

const [open, why] = await reader();

/** Opens a file to read it, or says why none can be opened. */
async function reader(): Promise<[((path: string) => Reader) | null, string]> {
  for (const [name, member] of [
    ['node:sqlite', 'DatabaseSync'],
    ['better-sqlite3', 'default'],
  ] as const) {
    try {
      const Database = (await import(name))[member] as new (path: string) => Reader;
      new Database(':memory:').close();
      return [(path) => new Database(path), name];
    } catch (error) {
      if (name === 'better-sqlite3') return [null, String(error).split('\n')[0] ?? ''];
    }
  }
  return [null, 'none'];
}

function rowsOf(path: string, sql: string): Record<string, string | number | null>[] {
  const db = open?.(path);
  const rows = db?.prepare(sql).all() ?? [];
  db?.close();
  return rows;
}

async function file(): Promise<{ readonly path: string; readonly dispose: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-sqlite-'));
  return { path: join(folder, 'items.sqlite'), dispose: () => rm(folder, { recursive: true, force: true }) };
}

const ITEM: Item = {
  id: 'a.test/00/0',
  url: 'https://a.test/',
  fetchedAtMs: 1_000.4,
  data: { title: 'A' },
  expiresAtMs: null,
  preferences: {},
};

describe.skipIf(open === null)(`sqliteSink on ${why} (not run without node:sqlite or better-sqlite3)`, () => {
  sinkSuite({
    test: it,
    makeMedium: async () => {
      const { path, dispose } = await file();
      return {
        makeSink: () => sqliteSink({ path }),
        read: async () =>
          rowsOf(path, 'SELECT * FROM items ORDER BY seq').map((row) => ({
            id: String(row['id']),
            url: String(row['url']),
            data: JSON.parse(String(row['data'])),
            expiresAtMs: row['expires_at'] as number | null,
            preferences: JSON.parse(String(row['preferences'])),
          })),
        dispose,
      };
    },
    capabilities: { durable: true, exactData: true },
  });

  it('can be queried by fields of items, and keeps licence and tombstone in their own columns', async () => {
    const { path, dispose } = await file();
    const sink = sqliteSink({ path, table: 'pages of "ours"' });
    await sink.open();
    await sink.write([ITEM, { ...ITEM, id: 'a.test/00/1/removed', data: { removed: 'gone' }, removed: 'gone' }]);
    await sink.close();
    const sql = `SELECT data ->> 'title' AS title, fetched_at, removed FROM "pages of ""ours""" ORDER BY seq`;
    expect(rowsOf(path, sql).map((row) => ({ ...row }))).toEqual([
      { title: 'A', fetched_at: 1_000, removed: null },
      { title: null, fetched_at: 1_000, removed: 'gone' },
    ]);
    await dispose();
  });

  it('rejects all of a page if one row is refused, and accepts the page again', async () => {
    const { path, dispose } = await file();
    const sink = sqliteSink({ path });
    await sink.open();
    const db = open?.(path);
    db?.exec(`CREATE TRIGGER no BEFORE INSERT ON items WHEN NEW.id LIKE '%/1' BEGIN SELECT RAISE(ABORT, 'no'); END`);
    await expect(sink.write([ITEM, { ...ITEM, id: 'a.test/00/1' }])).rejects.toThrow('no');
    db?.exec('DROP TRIGGER no');
    db?.close();
    expect(rowsOf(path, 'SELECT * FROM items')).toEqual([]);
    await sink.write([ITEM, { ...ITEM, id: 'a.test/00/1' }]);
    await sink.close();
    expect(rowsOf(path, 'SELECT * FROM items')).toHaveLength(2);
    await dispose();
  });

  it('counts the items that its table had when it was opened', async () => {
    const { path, dispose } = await file();
    const sink = sqliteSink({ path }) as BatchedSink;
    for (const items of [[ITEM], [ITEM, { ...ITEM, id: 'a.test/00/1' }]]) {
      await sink.open();
      await sink.write(items);
      await sink.close();
    }
    expect(sink.knownItems()).toBe(1);
    await dispose();
  });

  it('can be written by two sinks at once, as by two processes of one crawl', async () => {
    const { path, dispose } = await file();
    const sinks = [sqliteSink({ path }), sqliteSink({ path })];
    for (const sink of sinks) await sink.open();
    const pages = Array.from({ length: 50 }, (_, at) => [{ ...ITEM, id: `a.test/${at}/0` }]);
    await Promise.all(sinks.flatMap((sink) => pages.map((page) => sink.write(page))));
    for (const sink of sinks) await sink.close();
    expect(rowsOf(path, 'SELECT * FROM items')).toHaveLength(50);
    await dispose();
  });
});

it('names what is wrong in its options', () => {
  expect(() => sqliteSink({ path: '' })).toThrow('expected `sqliteSink.path` to be a path');
  expect(() => sqliteSink({ path: 'x', tabel: 'y' } as never)).toThrow('unknown option `sqliteSink.tabel`');
});
