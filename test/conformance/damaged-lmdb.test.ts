// An lmdb folder that comes from elsewhere.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Contents, changes, continueDamaged, type Damage, damagedBytes } from './damaged-contents.js';

// The frontier's own copies.
const require = createRequire(new URL('../../packages/frontier/package.json', import.meta.url));
const { open } = require('lmdb') as { open: (options: object) => Root };
const { Packr } = require('msgpackr') as {
  Packr: new (options: object) => { pack(value: unknown): Buffer; unpack(bytes: Buffer): unknown };
};
const packr = new Packr({ useRecords: false });

interface Table {
  getRange(): Iterable<{ readonly key: Buffer; readonly value: Buffer }>;
  putSync(key: Buffer, value: Buffer): void;
  removeSync(key: Buffer): void;
}
interface Root {
  openDB(options: object): Table;
  close(): Promise<void>;
}

const TABLES = ['meta', 'hosts', 'entries', 'lines', 'due', 'log', 'seen', 'records'];
const BINARY = { keyEncoding: 'binary', encoding: 'binary' };
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mannerly-damaged-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lmdbContents(): Contents {
  const [path, kept] = [join(folder, 'frontier'), join(folder, 'kept')];
  const withTable = async <T>(name: string, act: (table: Table) => T): Promise<T> => {
    const root = open({ path, noSubdir: false, maxDbs: 16, mapSize: 1_099_511_627_776, remapChunks: false, ...BINARY });
    const result = act(root.openDB({ name, ...BINARY }));
    await root.close();
    return result;
  };
  return {
    client: (nowMs) => lmdbStore({ path, nowMs, commitEveryMs: 0 }),
    keep: async () => cpSync(path, kept, { recursive: true }),
    restore: async () => {
      rmSync(path, { recursive: true });
      cpSync(kept, path, { recursive: true });
      rmSync(join(path, 'checksum'), { force: true });
    },
    async damages() {
      const all: Damage[] = [];
      for (const name of TABLES) {
        const rows = await withTable(name, (table) =>
          [...table.getRange()].map(({ key, value }) => ({ key: Buffer.from(key), value: Buffer.from(value) })),
        );
        for (const { key, value } of rows) {
          const row = `${name} ${key.toString('latin1').replaceAll(/[^ -~]/g, (c) => `\\${c.charCodeAt(0)}`)}`;
          const values = damagedBytes(value);
          if (name === 'hosts' && value.length > 4)
            for (const [what, one] of changes(packr.unpack(value))) values.push([what, packr.pack(one)]);
          for (const [what, bytes] of values)
            all.push({ what: `${row} ${what}`, apply: () => withTable(name, (table) => table.putSync(key, bytes)) });
          all.push({ what: `${row} removed`, apply: () => withTable(name, (table) => table.removeSync(key)) });
          for (const [what, other] of damagedBytes(key)) {
            if (other.length === 0 || other.length > 1_900) continue;
            all.push({
              what: `${row} key ${what}`,
              apply: () =>
                withTable(name, (table) => {
                  table.removeSync(key);
                  table.putSync(other, value);
                }),
            });
          }
        }
      }
      return all;
    },
  };
}

it('a crawl goes on politely with a damaged lmdb folder, or says what is wrong', { timeout: 300_000 }, async () => {
  expect(await continueDamaged(lmdbContents(), 1)).toEqual([]);
});
