// Opens the lmdb file with the settings everything else relies on, and names its tables.
//
// Durability. A commit syncs its pages, then writes the page that points to them without a sync (MDB_NOMETASYNC): after
// a power cut the file is whole and at one of the last commits; a killed process loses nothing. The write lock is a
// robust mutex in `lock.mdb`, which the system frees when its holder dies.
//
// Free pages. lmdb 3.5 keeps their list in memory between transactions, and after some hundred thousand scattered pages
// a commit fails ("reserved freelist had a data entry with zero-size"). With nothing retained it reads the list each
// time.
//
// The gate. Opening a file sets the shared number of its last transaction without a lock (`mdb_env_open2` of lmdb 3.5),
// so a commit in between is overwritten by the next one. Openers and writers therefore share the write lock of a
// second, empty file.

import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { FrontierError } from '../../errors.js';
import { checkFile } from './file-header.js';

/** Address space for the file, bytes: it only bounds growth. Processes on one file must agree, so it is no option. */
const MAP_BYTES = 1_099_511_627_776;
const MAX_READERS = 510;
/** Free pages that lmdb keeps in memory between transactions. Its types do not name the option. */
const FREE_SPACE = { maxFreeSpaceToRetain: 0 };
/** The empty file whose write lock keeps openers and writers apart, in the folder. */
const GATE = 'gate';

/** A table of bytes by bytes, in the order of its keys. */
export type Table = Database<Buffer, Buffer>;

/** A row of a table, a copy. */
export interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The open file. All access is synchronous; writes happen inside `write`. */
export interface Environment {
  /** Format, crawl, counts, clock, holders. */
  readonly meta: Table;
  /** Host key → number, number → host record. */
  readonly hosts: Table;
  /** Entries, by host. */
  readonly entries: Table;
  /** Lines of entries, lanes and their blocks, by host. */
  readonly lines: Table;
  /** The time index: hosts by holder and due time. */
  readonly due: Table;
  /** Log of fingerprints. */
  readonly log: Table;
  /** Fingerprints past the memory's budget. */
  readonly seen: Table;
  /** Records and reserved slots. */
  readonly records: Table;
  /** One transaction. It is committed if `body` returns `true`, and undone if it returns `false` or throws. */
  readonly write: (body: () => boolean) => void;
  /** The reads that follow see what all processes have committed by now. */
  readonly refresh: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Opens the folder, or creates it if `create` is set.
 *
 * @throws FrontierError `store-mismatch` where there is no store and none may be created; `store-failed` where the
 *   folder
 * cannot be used or the lmdb package cannot be loaded.
 */
export async function openEnvironment(path: string, create: boolean): Promise<Environment> {
  const { open, ABORT } = await loadLmdb();
  await prepareFolder(path, create);
  try {
    await checkFile(join(path, 'data.mdb'));
    const gate = open<Buffer, Buffer>({
      path: join(path, GATE),
      noSubdir: false,
      noSync: true,
      maxReaders: MAX_READERS,
    });
    const alone: Alone = (work) => {
      gate.transactionSync<unknown>(() => {
        work();
        return ABORT;
      });
    };
    const opened: Environment[] = [];
    alone(() => {
      const root = open<Buffer, Buffer>({
        path,
        noSubdir: false,
        keyEncoding: 'binary',
        encoding: 'binary',
        maxDbs: 16,
        maxReaders: MAX_READERS,
        mapSize: MAP_BYTES,
        remapChunks: false,
        overlappingSync: false,
        noMetaSync: true,
        ...FREE_SPACE,
      });
      opened.push(tablesOf(root, gate, alone, ABORT));
    });
    return opened[0]!;
  } catch (cause) {
    if (cause instanceof FrontierError) throw cause;
    throw new FrontierError('store-failed', `cannot open the store in ${path}: ${messageOf(cause)}`, {
      cause,
      hint: 'The folder must be readable and writable, on a local disk, and its files made by this program.',
    });
  }
}

/** Rows with keys from `start`, before `end`. */
export function rowsOf(table: Table, start: Buffer, end: Buffer, limit: number): Row[] {
  const rows: Row[] = [];
  for (const row of table.getRange({ start, end, limit })) rows.push(row);
  return rows;
}

/** The first key from `start`, before `end`. */
export function firstKeyOf(table: Table, start: Buffer, end: Buffer): Buffer | undefined {
  for (const key of table.getKeys({ start, end, limit: 1 })) return key;
  return undefined;
}

/** Runs something while no other process opens or writes. */
type Alone = (work: () => void) => void;

function tablesOf(
  root: RootDatabase<Buffer, Buffer>,
  gate: RootDatabase<Buffer, Buffer>,
  alone: Alone,
  abort: unknown,
): Environment {
  const table = (name: string): Table => root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' });
  return {
    meta: table('meta'),
    hosts: table('hosts'),
    entries: table('entries'),
    lines: table('lines'),
    due: table('due'),
    log: table('log'),
    seen: table('seen'),
    records: table('records'),
    write: (body) => alone(() => root.transactionSync<unknown>(() => (body() ? undefined : abort))),
    refresh: () => root.resetReadTxn(),
    close: async () => {
      await root.close();
      await gate.close();
    },
  };
}

async function loadLmdb(): Promise<typeof import('lmdb')> {
  try {
    return await import('lmdb');
  } catch (cause) {
    throw new FrontierError('store-failed', `the package lmdb cannot be loaded: ${messageOf(cause)}`, {
      cause,
      hint: 'It carries a binary for this platform as an optional dependency: install without leaving those out.',
    });
  }
}

async function prepareFolder(path: string, create: boolean): Promise<void> {
  const file = join(path, 'data.mdb');
  try {
    if (create) await mkdir(path, { recursive: true });
    else await stat(file);
  } catch (cause) {
    if (!create) throw new FrontierError('store-mismatch', `there is no store in ${path}`, { cause });
    throw new FrontierError('store-failed', `cannot make the folder ${path}: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
