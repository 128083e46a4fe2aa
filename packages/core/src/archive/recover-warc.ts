// What a killed run left of a WARC file: its whole records are found by reading it, what is behind the last of them is
// cut off, and its index is made anew from the records. Node's readers of gzip run one member into the next, so the end
// of a member is found by inflating it and counting the bytes that this took.

import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { crc32, createInflateRaw } from 'node:zlib';
import { cdxjLine, type IndexedRecord, type ListedPage, pageLine, REVISIT_MIME } from './cdxj.js';
import { headEnd, mimeOf, parseResponseHead } from './http-head.js';
import { MAX_RECORD_HEAD_BYTES } from './limits.js';
import { type ArchivedVisit, FIELDS, parseJsonField, parseWarcFields, SEED } from './visit.js';

/** The index of one WARC file: a line for each response and revisit, and one for each page. */
export interface WarcIndex {
  readonly lines: string[];
  readonly pages: string[];
}

/**
 * Cuts a file behind its last whole record. @param openPath - Its final name and a suffix.
 * @returns Its index; `null`: no record is whole. @throws The platform's error.
 */
export async function cutTornEnd(openPath: string): Promise<WarcIndex | null> {
  const { getSurt } = await import('warcio/utils');
  const filename = basename(openPath).replace(/\.[^.]*$/, '');
  const index: WarcIndex = { lines: [], pages: [] };
  /** Of the metadata that came last: it is listed when its response is whole too. */
  let page: ListedPage | null = null;
  let end = 0;
  const file = await open(openPath, 'r+');
  try {
    for (;;) {
      const member = await readMember(file, openPath, end);
      if (member === null) break;
      const blockAt = headEnd(member.start) ?? member.start.length;
      const fields = parseWarcFields(member.start.subarray(0, blockAt));
      const block = member.start.subarray(blockAt);
      if (fields.get('WARC-Type') === 'metadata') page = listedPage(fields, block);
      const indexed = indexedRecord(fields, block);
      if (indexed !== null) {
        const place = { offset: end, length: member.length, filename };
        index.lines.push(cdxjLine(getSurt, { ...indexed, ...place }));
        if (page?.url === indexed.url) index.pages.push(pageLine(page));
        page = null;
      }
      end += member.length;
    }
    await file.truncate(end);
    await file.datasync();
  } finally {
    await file.close();
  }
  return end === 0 ? null : index;
}

function listedPage(fields: ReadonlyMap<string, string>, block: Buffer): ListedPage | null {
  const about = parseWarcFields(block);
  const title = about.get(FIELDS.title);
  if (title === undefined) return null;
  const isSeed = parseJsonField<ArchivedVisit>(about.get(FIELDS.visit))?.via === SEED;
  return { url: fields.get('WARC-Target-URI') ?? '', date: fields.get('WARC-Date') ?? '', title, isSeed };
}

/** The entry of a record in the index; `null`: it has none. Never throws. */
function indexedRecord(
  fields: ReadonlyMap<string, string>,
  block: Buffer,
): Omit<IndexedRecord, 'offset' | 'length' | 'filename'> | null {
  const type = fields.get('WARC-Type');
  const url = fields.get('WARC-Target-URI');
  if ((type !== 'response' && type !== 'revisit') || url === undefined) return null;
  const head = parseResponseHead(block.subarray(0, headEnd(block) ?? 0));
  return {
    url,
    atMs: Date.parse(fields.get('WARC-Date') ?? '') || 0,
    mime: type === 'revisit' ? REVISIT_MIME : mimeOf(head?.headers ?? []),
    status: head?.status ?? 0,
    digest: fields.get('WARC-Payload-Digest') ?? null,
  };
}

/** A gzip member whose checksum and length are right: its bytes in the file, and the beginning of its content. */
interface GzipMember {
  readonly length: number;
  readonly start: Buffer;
}

/** The member at an offset; `null`: no whole member of the plain kind (no names, no comments) begins there. */
async function readMember(file: FileHandle, path: string, offset: number): Promise<GzipMember | null> {
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
    // What is torn or no gzip at all.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) return null;
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
/** Two bytes of magic, and the method. */
const GZIP_DEFLATE = 0x1f8b08;

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
