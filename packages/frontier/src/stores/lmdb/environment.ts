// The file under the lmdb store: opens it with the settings everything else relies on, and names its tables.
//
// Settings. A commit writes its pages, syncs them, and then writes the page that points to them without syncing that
// (MDB_NOMETASYNC): after a power cut the file is whole and stands at one of the last commits; after a killed process
// nothing is lost, since the system holds what was written. Several processes may have the file open: the write lock is
// a robust mutex in `lock.mdb`, which the system frees when its holder dies.
//
// Free pages. lmdb 3.5 keeps the list of them in memory from one transaction to the next and writes only the part that
// changed; after some hundred thousand scattered pages it looks for a row of that list which it has not written, and the
// commit fails ("reserved freelist had a data entry with zero-size"). Told to retain nothing it reads the list anew each time.
//
// The gate. Opening a file sets the shared number of its last transaction to what the opener read a moment before, and
// takes no lock for that (`mdb_env_open2` of lmdb 3.5): a commit in between is overwritten by the next one. So no process
// opens while another writes: a second file, empty and never written, lends its write lock to both.

import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { FrontierError } from '../../errors.js';
import { checkFile } from './file-header.js';

/** Address space for the file, bytes: it only bounds growth. Processes on one file must agree, so it is no option. */
const MAP_BYTES = 1_099_511_627_776;
const MAX_READERS = 510;
/** Entries of the list of free pages that lmdb may keep between transactions. Its types do not name the option. */
const FREE_SPACE = { maxFreeSpaceToRetain: 0 };
/** The empty file whose write lock keeps openers and writers apart, within the folder. */
const GATE = 'gate';

/** A table of bytes by bytes, in the order of its keys. */
export type Table = Database<Buffer, Buffer>;

/** A row of a table. Both parts are the reader's own. */
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
  /** Lines of entries, lanes and their holds, by host. */
  readonly lines: Table;
  /** Hosts by holder and due time: the time index. */
  readonly due: Table;
  /** New entries that are not in their hosts' rows yet. */
  readonly inbox: Table;
  /** Log of fingerprints. */
  readonly log: Table;
  /** Fingerprints past the memory's budget. */
  readonly seen: Table;
  /** Records and reserved slots. */
  readonly records: Table;
  /** One transaction: what `body` did is kept if it answers `true`, else undone; undone too when it throws. */
  readonly write: (body: () => boolean) => void;
  /** Reads that follow see what any process has committed by now. */
  readonly refresh: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Opens the folder, creating it where asked.
 *
 * @throws FrontierError `store-mismatch` where nothing is and nothing may be created; `store-failed` where the folder
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
    inbox: table('inbox'),
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
