// The checksum of a file that no client has open. lmdb has no checksum of its own: if a byte has changed, it gives
// wrong answers or ends the process. The last client to close the file writes the checksum, the next client to open it
// compares the checksum, and the first to write removes it. After a crash there is no checksum, and the file is
// accepted unchecked.

import { closeSync, fsyncSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { FrontierError } from '../../errors.js';
import { hasCode } from '../checked-store.js';

const FILE = 'data.mdb';
const CHECKSUM = 'checksum';
/** Bytes read at a time. */
const CHUNK_BYTES = 1_048_576;

/** Writes the checksum of the file in the folder. Call it with the gate locked. @throws The platform's error. */
export function writeChecksum(folder: string): void {
  const text = `${checksumOf(folder)}\n`;
  const path = join(folder, CHECKSUM);
  writeFileSync(`${path}.new`, text, { flush: true });
  renameSync(`${path}.new`, path);
}

/** Removes the checksum durably: a power cut must not restore it next to a file that was written since. */
export function removeChecksum(folder: string): void {
  const path = join(folder, CHECKSUM);
  if (readChecksum(path) === null) return;
  rmSync(path);
  // Windows cannot sync a folder, but its file system writes such changes in order.
  if (process.platform !== 'win32') sync(folder);
}

/** Compares the file with its checksum, if it has one. Call it with the gate locked. @throws `store-failed` */
export function compareChecksum(folder: string): void {
  const stored = readChecksum(join(folder, CHECKSUM));
  if (stored === null || stored === `${checksumOf(folder)}\n`) return;
  const hint = `Restore it from a copy or start anew. If you put another file there, remove ${join(folder, CHECKSUM)}.`;
  throw new FrontierError('store-failed', `${join(folder, FILE)} is damaged: it changed since it was closed`, { hint });
}

function readChecksum(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The length and the CRC-32 of the file, after syncing it to the disk. */
function checksumOf(folder: string): string {
  const path = join(folder, FILE);
  sync(path);
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let checksum = 0;
    let bytes = 0;
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      checksum = crc32(chunk.subarray(0, read), checksum);
      bytes += read;
    }
    return `${bytes} ${checksum.toString(16)}`;
  } finally {
    closeSync(file);
  }
}

function sync(path: string): void {
  const file = openSync(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
