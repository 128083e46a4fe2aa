// Checks the file before lmdb opens it: the native code ends the whole process over a file of another kind or version,
// or one that was cut short.

import { type FileHandle, open } from 'node:fs/promises';
import { FrontierError } from '../../errors.js';
import { hasCode } from '../store-failure.js';

/** Offsets of the fields of a head page, bytes. */
const MAGIC_AT = 24;
const VERSION_AT = 28;
const PAGE_BYTES_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const HEAD_BYTES = 160;
const MAGIC = 0xbeef_c0de;
/** The version of files that lmdb 3 writes. */
const VERSION = 2;
const PAGE_BYTES_LEAST = 256;
const PAGE_BYTES_MOST = 65_536;

/** Passes no file and an empty one. @throws FrontierError `store-mismatch`: another kind; `store-failed`: cut short. */
export async function checkFile(path: string): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    if ((await file.stat()).size > 0) await checkHeads(path, file);
  } finally {
    await file.close();
  }
}

/** Passes no file and any that may be written: lmdb makes it again. @throws The platform's error, of a folder too. */
export async function checkLock(path: string): Promise<void> {
  try {
    await (await open(path, 'r+')).close();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

async function checkHeads(path: string, file: FileHandle): Promise<void> {
  const first = await headAt(file, 0);
  if (first.length < HEAD_BYTES || first.readUInt32LE(MAGIC_AT) !== MAGIC) {
    throw new FrontierError('store-mismatch', `${path} is not a file of lmdb`, { hint: 'Take another folder.' });
  }
  const version = first.readUInt32LE(VERSION_AT);
  if (version !== VERSION) {
    throw new FrontierError('store-mismatch', `${path} has lmdb's file version ${version}, not ${VERSION}`);
  }
  const pageBytes = first.readUInt32LE(PAGE_BYTES_AT);
  const isPage = pageBytes >= PAGE_BYTES_LEAST && pageBytes <= PAGE_BYTES_MOST;
  const second = isPage ? await headAt(file, pageBytes) : first;
  const isWhole = second.length === HEAD_BYTES && second.readUInt32LE(MAGIC_AT) === MAGIC;
  // Data is written before the head that names it, so the size is read last.
  const latest = isWhole && transactionOf(second) > transactionOf(first) ? second : first;
  const { size } = await file.stat();
  if (isPage && isWhole && BigInt(size) >= (latest.readBigUInt64LE(LAST_PAGE_AT) + 1n) * BigInt(pageBytes)) return;
  throw new FrontierError('store-failed', `${path} was cut short`, { hint: 'Restore it from a copy or start anew.' });
}

async function headAt(file: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, position);
  return buffer.subarray(0, bytesRead);
}

function transactionOf(head: Buffer): bigint {
  return head.readBigUInt64LE(TRANSACTION_AT);
}
