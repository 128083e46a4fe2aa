// Repairs a WARC file that a killed run left: its complete records are found by reading it, everything after the last
// of them is cut off, and its index is rebuilt from the records. Node's gzip readers run one member into the next, so
// the end of a member is found by inflating it and counting the bytes used.

import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { crc32, createInflateRaw } from 'node:zlib';
import { syncFile } from '../directory/atomic-file.js';
import { isError } from '../errors.js';
import { WarcIndex } from './cdxj.js';
import { headEnd } from './http-head.js';
import { MAX_RECORD_HEAD_BYTES } from './limits.js';
import { parseWarcFields } from './visit.js';

/**
 * Cuts a file after its last complete record. @param openPath - Its final name and a suffix.
 * @returns Its index; `null`: no record is complete. @throws The platform's error.
 */
export async function cutTornEnd(openPath: string): Promise<WarcIndex | null> {
  const { getSurt } = await import('warcio/utils');
  const filename = basename(openPath).replace(/\.[^.]*$/, '');
  const index = new WarcIndex(getSurt);
  let end = 0;
  const file = await open(openPath, 'r+');
  try {
    for (;;) {
      const member = await readMember(file, openPath, end);
      if (member === null) break;
      const blockAt = headEnd(member.start) ?? member.start.length;
      const fields = parseWarcFields(member.start.subarray(0, blockAt));
      index.add(fields, member.start.subarray(blockAt), { offset: end, length: member.length, filename });
      end += member.length;
    }
    await file.truncate(end);
    await syncFile(file);
  } finally {
    await file.close();
  }
  return end === 0 ? null : index;
}

/**
 * The bytes of the gzip member at an offset, and the beginning of its content; `null`: no complete member of the plain
 * kind (no names, no comments) begins there.
 */
async function readMember(file: FileHandle, path: string, offset: number) {
  const header = await readAt(file, offset, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUIntBE(0, 3) !== GZIP_DEFLATE || header[3] !== 0) return null;
  const source = createReadStream(path, { start: offset + HEADER_BYTES });
  const inflate = createInflateRaw();
  const start: Buffer[] = [];
  let bytes = 0;
  let checksum = 0;
  source.on('error', (error) => inflate.destroy(error));
  try {
    for await (const chunk of source.pipe(inflate) as AsyncIterable<Buffer>) {
      if (bytes < MAX_RECORD_HEAD_BYTES) start.push(chunk);
      checksum = crc32(chunk, checksum);
      bytes += chunk.length;
    }
  } catch (error) {
    // It is torn or not gzip.
    if (isError(error) && 'code' in error && String(error.code).startsWith('Z_')) return null;
    throw error;
  } finally {
    source.destroy();
    inflate.destroy();
  }
  const trailerAt = HEADER_BYTES + inflate.bytesWritten;
  const trailer = await readAt(file, offset + trailerAt, TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES) return null;
  if (trailer.readUInt32LE(0) !== checksum || trailer.readUInt32LE(4) !== bytes % 2 ** 32) return null;
  return { length: trailerAt + TRAILER_BYTES, start: Buffer.concat(start) };
}

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
/** Two magic bytes, and the method. */
const GZIP_DEFLATE = 0x1f8b08;

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
