// One member of a gzip file by itself: where it ends, whether it is whole, and how what it holds begins. Node's own
// readers run one member into the next; the boundary is found by undoing the compression and counting what that took.

import type { FileHandle } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';

/** A member that is whole: its checksum and its length are right. */
export interface GzipMember {
  /** Bytes in the file. */
  readonly length: number;
  /** The beginning of what it holds. */
  readonly start: Buffer;
}

/**
 * Reads the member at an offset.
 *
 * @param startBytes - Bytes of its content that are wanted at least, where it has them.
 * @returns `null` when no whole member of the plain kind (no names, no comments) begins there.
 * @throws The platform's error when the file cannot be read.
 */
export async function readMember(file: FileHandle, offset: number, startBytes: number): Promise<GzipMember | null> {
  const header = await readAt(file, offset, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUIntBE(0, 3) !== GZIP_DEFLATE || header[3] !== 0) return null;
  const inflate = createInflateRaw();
  const start: Buffer[] = [];
  let startLength = 0;
  let bytes = 0;
  let checksum = 0;
  inflate.on('data', (chunk: Buffer) => {
    checksum = crc32(chunk, checksum);
    bytes += chunk.length;
    if (startLength < startBytes) start.push(chunk);
    startLength += chunk.length;
  });
  const ended = new Promise<'whole' | 'broken'>((resolve) => {
    inflate.once('end', () => resolve('whole'));
    inflate.once('error', () => resolve('broken'));
  });
  try {
    for (let given = 0; inflate.bytesWritten === given; ) {
      const piece = await readAt(file, offset + HEADER_BYTES + given, READ_BYTES);
      if (piece.length === 0) return null;
      given += piece.length;
      const fault = await new Promise<unknown>((resolve) => inflate.write(piece, resolve));
      if (fault) return null;
    }
    if ((await ended) === 'broken') return null;
  } finally {
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
/** Two bytes of magic, and the method. */
const GZIP_DEFLATE = 0x1f8b08;
const READ_BYTES = 65_536;

/** Fewer bytes only where the file ends. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const piece = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(piece, read, length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return piece.subarray(0, read);
}
