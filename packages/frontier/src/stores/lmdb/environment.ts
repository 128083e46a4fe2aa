// Opens the lmdb file with the settings that everything else relies on, and names its tables. The file is checked
// first (`file-checks.ts`).
//
// Durability. A commit syncs its pages, then writes the page that points to them without a sync (MDB_NOMETASYNC). After
// a power cut the file is whole and at one of the last commits. The write lock is freed when its holder dies.
//
// Free pages. lmdb 3.5 keeps their list in memory between transactions, and after some hundred thousand scattered pages
// a commit fails ("reserved freelist had a data entry with zero-size"). With nothing retained it reads the list again.
//
// The gate. Opening a file sets the shared number of its last transaction without a lock (`mdb_env_open2`), so it
// overwrites a commit that happens in between. Therefore openers and writers share the write lock of a second, empty
// file.

import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from 'lmdb';
import { FrontierError } from '../../errors.js';
import { RESTORE_OR_RESET, toFailure } from '../checked-store.js';
import { processLimits } from '../processes/process-limits.js';
import { checkFiles, compareChecksum, DATA, refuseSpecial, removeChecksum, writeChecksum } from './file-checks.js';

/**
 * Address space for the file, bytes. It only bounds growth. Processes on one file must agree, so it is not an option.
 */
const MAP_BYTES = 1_099_511_627_776;
/** Address space for the rest of the process, bytes: twice what Node.js takes at its start. */
const OTHER_BYTES = 68_719_476_736;
/** The size that the file must at least be able to grow to, bytes. */
const MIN_FILE_BYTES = 67_108_864;
const READERS = { maxReaders: 510 };
const BINARY = { keyEncoding: 'binary', encoding: 'binary' } as const;
const SETTINGS = {
  maxDbs: 16,
  mapSize: MAP_BYTES,
  remapChunks: false,
  overlappingSync: false,
  noMetaSync: true,
  // Free pages kept in memory between transactions. lmdb's types lack this option.
  maxFreeSpaceToRetain: 0,
};
/** The empty file in the folder whose write lock keeps openers and writers apart. */
const GATE = 'gate';

/** A table with bytes as keys and values, in key order. */
export type Table = Database<Buffer, Buffer>;

export interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

const TABLES = ['meta', 'hosts', 'entries', 'lines', 'due', 'log', 'seen', 'records'] as const;

/**
 * The open file with its tables. All access is synchronous; writes happen inside `write`.
 *
 *   meta      format, crawl, counts, clock, holders
 *   hosts     host key → number, number → host record
 *   entries   entries, by host
 *   lines     lines of entries, lanes and their blocks, by host
 *   due       the time index: hosts by due time → holder
 *   log       log of fingerprints
 *   seen      fingerprints past the memory's budget
 *   records   records and reserved slots
 */
export interface Environment extends Readonly<Record<(typeof TABLES)[number], Table>> {
  /** One transaction. It is committed if `body` returns `true`, and undone if it returns `false` or throws. */
  readonly write: (body: () => boolean) => void;
  /** Later reads see what all processes have committed by now. */
  readonly refresh: () => void;
  /** Call it in the first transaction that writes. */
  readonly unseal: () => void;
  /** Writes the file's checksum if no other client has the file open: `isLast` is called while no client can write. */
  readonly seal: (isLast: () => boolean) => void;
  readonly close: () => Promise<void>;
}

/** Opens the folder, or creates it if `create` is set. @throws FrontierError `store-mismatch`, `store-failed`. */
export function openEnvironment(path: string, create: boolean): Environment {
  checkLimits(path);
  const { open, ABORT } = loadLmdb();
  prepareFolder(path, create);
  try {
    checkFiles(path);
    refuseSpecial(join(path, GATE));
    checkFiles(join(path, GATE));
    const gate = open<Buffer, Buffer>({ path: join(path, GATE), noSubdir: false, noSync: true, ...READERS });
    const exclusively = <T>(work: () => T): T => {
      const answers: T[] = [];
      gate.transactionSync<unknown>(() => {
        answers.push(work());
        return ABORT;
      });
      return answers[0]!;
    };
    return exclusively(() => {
      compareChecksum(path);
      const root = open<Buffer, Buffer>({ path, noSubdir: false, ...BINARY, ...READERS, ...SETTINGS });
      const openTables = () => TABLES.map((name) => [name, root.openDB<Buffer, Buffer>({ name, ...BINARY })]);
      return {
        // One transaction: a commit for each table would wait for the disk eight times.
        ...(Object.fromEntries(root.transactionSync(openTables)) as Record<(typeof TABLES)[number], Table>),
        write: (body) => exclusively(() => root.transactionSync<unknown>(() => (body() ? undefined : ABORT))),
        refresh: () => root.resetReadTxn(),
        unseal: () => removeChecksum(path),
        seal: (isLast) =>
          exclusively(() => {
            root.resetReadTxn();
            if (isLast()) writeChecksum(path);
          }),
        close: async () => {
          await root.close();
          await gate.close();
        },
      };
    });
  } catch (cause) {
    const hint = 'The folder must be readable and writable, on a local disk, and its files made by this program.';
    throw toFailure(`cannot open the store in ${path}`, cause, hint);
  }
}

export function rowsOf(table: Table, start: Buffer, end: Buffer, limit: number): Row[] {
  return [...table.getRange({ start, end, limit })];
}

export function firstKeyOf(table: Table, start: Buffer, end: Buffer): Buffer | undefined {
  for (const key of table.getKeys({ start, end, limit: 1 })) return key;
  return undefined;
}

/** lmdb ends the process if the system refuses it memory or a longer file. @throws FrontierError `store-failed` */
function checkLimits(path: string): void {
  const { addressBytes, fileBytes } = processLimits();
  const check = (subject: string, bytes: number, minBytes: number, option: string): void => {
    if (bytes >= minBytes) return;
    const hint = `Lift the limit before the crawl (ulimit ${option} unlimited), or keep the frontier in Redis or PostgreSQL.`;
    const text = `cannot open the store in ${path}: ${subject} may have ${bytes} bytes, and lmdb needs ${minBytes}`;
    throw new FrontierError('store-failed', text, { hint });
  };
  check('the address space of this process', addressBytes, MAP_BYTES + OTHER_BYTES, '-v');
  check('a file of this process', fileBytes, MIN_FILE_BYTES, '-f');
}

/** Each of lmdb's packages is one file for `require`, which loads twice as fast as its modules. */
function loadLmdb(): typeof import('lmdb') {
  try {
    return createRequire(import.meta.url)('lmdb') as typeof import('lmdb');
  } catch (cause) {
    throw toFailure('the package lmdb cannot be loaded', cause, loadHint(fileURLToPath(import.meta.url)));
  }
}

/** lmdb looks for its binary by a URL that it makes of a path without escapes. @param path - Next to which it is. */
export function loadHint(path: string): string {
  const [character] = /[#%?]/.exec(path) ?? [];
  return character === undefined
    ? 'It carries a binary for this platform as an optional dependency: install without leaving those out.'
    : `It finds its binary in no folder whose path has "${character}": move the project to another (${path}).`;
}

function prepareFolder(path: string, create: boolean): void {
  if (!create && !existsSync(join(path, DATA)))
    throw new FrontierError('store-mismatch', `there is no store in ${path}`, { hint: RESTORE_OR_RESET });
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw toFailure(`cannot make the folder ${path}`, cause);
  }
}
