// What is checked before lmdb reads a file. Its native code ends the whole process, or gives wrong answers, if the file
// is truncated, damaged, or of another kind or version.
//
// lmdb has no checksum of its own. The last client to close the file writes one, the next client to open it compares
// it, and the first to write removes it. After a crash there is none, and the file is accepted unchecked.

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { FrontierError } from '../../errors.js';

/** The file with the data, and the one with its checksum. */
export const DATA = 'data.mdb';
const LOCK = 'lock.mdb';
const CHECKSUM = 'checksum';
const NEW_CHECKSUM = `${CHECKSUM}.new`;
/** Bytes read at a time. */
const CHUNK_BYTES = 1_048_576;

/** Offsets of the fields of a head page, bytes. */
const MAGIC_AT = 24;
const VERSION_AT = 28;
const PAGE_BYTES_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const HEAD_BYTES = 160;
const MAGIC = 0xbeef_c0de;
/** The version of the files that lmdb 3 writes. */
const VERSION = 2;
const MIN_PAGE_BYTES = 256;
const MAX_PAGE_BYTES = 65_536;

/**
 * Checks the files of a folder. A missing or empty one is accepted: lmdb creates it.
 *
 * @throws FrontierError `store-mismatch`: another kind, or no regular file; `store-failed`: truncated; the platform's
 *   error, also for a folder in the place of a file.
 */
export function checkFiles(folder: string): void {
  const [data, lock] = [join(folder, DATA), join(folder, LOCK)];
  for (const name of [DATA, LOCK, CHECKSUM, NEW_CHECKSUM]) refuseSpecial(join(folder, name));
  if (existsSync(data)) {
    withFile(data, 'r', (file) => {
      if (fstatSync(file).size > 0) checkHeads(data, file);
    });
  }
  if (existsSync(lock)) withFile(lock, 'r+', () => undefined);
}

/** What leads out of the folder would be written to there, and a pipe would be read for ever. */
export function refuseSpecial(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  const hint = 'Another program put it there: use another folder, or put the file itself in its place.';
  throw new FrontierError('store-mismatch', `${path} is no regular file`, { hint });
}

function checkHeads(path: string, file: number): void {
  const headAt = (position: number) => {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, position));
  };
  const isHead = (head: Buffer) => head.length === HEAD_BYTES && head.readUInt32LE(MAGIC_AT) === MAGIC;
  const first = headAt(0);
  if (!isHead(first)) {
    throw new FrontierError('store-mismatch', `${path} is not a file of lmdb`, { hint: 'Use another folder.' });
  }
  const version = first.readUInt32LE(VERSION_AT);
  if (version !== VERSION) {
    throw new FrontierError('store-mismatch', `${path} has lmdb's file version ${version}, not ${VERSION}`);
  }
  const pageBytes = first.readUInt32LE(PAGE_BYTES_AT);
  const isPage = pageBytes >= MIN_PAGE_BYTES && pageBytes <= MAX_PAGE_BYTES;
  const second = isPage ? headAt(pageBytes) : Buffer.alloc(0);
  if (isHead(second)) {
    const isSecondLatest = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT);
    const pages = (isSecondLatest ? second : first).readBigUInt64LE(LAST_PAGE_AT) + 1n;
    // Data is written before the head that points to it, so the size is read last.
    if (BigInt(fstatSync(file).size) >= pages * BigInt(pageBytes)) return;
  }
  throw new FrontierError('store-failed', `${path} was cut short`, { hint: 'Restore it from a copy or start anew.' });
}

/** Writes the checksum of the data in the folder. Call it with the gate locked. @throws The platform's error. */
export function writeChecksum(folder: string): void {
  const path = join(folder, CHECKSUM);
  const written = join(folder, NEW_CHECKSUM);
  writeFileSync(written, checksumOf(folder), { flush: true });
  renameSync(written, path);
}

/** Removes the checksum durably: a power cut must not restore it next to data that was written since. */
export function removeChecksum(folder: string): void {
  const path = join(folder, CHECKSUM);
  if (!existsSync(path)) return;
  rmSync(path);
  // Windows cannot sync a folder, but its file system writes such changes in order.
  if (process.platform !== 'win32') withFile(folder, 'r', fsyncSync);
}

/** Compares the data with its checksum, if it has one. Call it with the gate locked. @throws `store-failed` */
export function compareChecksum(folder: string): void {
  const path = join(folder, CHECKSUM);
  if (!existsSync(path) || readFileSync(path, 'latin1') === checksumOf(folder)) return;
  const hint = `Restore it from a copy or start anew. If you put another file there, remove ${path}.`;
  throw new FrontierError('store-failed', `${join(folder, DATA)} is damaged: it changed since it was closed`, { hint });
}

/** A line with the length and the CRC-32 of the data, which are synced to the disk first. */
function checksumOf(folder: string): string {
  const path = join(folder, DATA);
  withFile(path, process.platform === 'win32' ? 'r+' : 'r', fsyncSync);
  return withFile(path, 'r', (file) => {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let checksum = 0;
    let bytes = 0;
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      checksum = crc32(chunk.subarray(0, read), checksum);
      bytes += read;
    }
    return `${bytes} ${checksum.toString(16)}\n`;
  });
}

function withFile<T>(path: string, flags: string, work: (file: number) => T): T {
  const file = openSync(path, flags);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
