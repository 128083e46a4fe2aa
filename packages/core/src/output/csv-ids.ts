// The ids, the header and the whole rows of a CSV file, in one pass over its bytes: a line break ends a row unless it
// stands between quotes, and the bytes of quotes, commas and line breaks are part of no other character in UTF-8.

import type { FileHandle } from 'node:fs/promises';
import { CSV_READ_BYTES, MAX_CSV_HEADER_BYTES, MAX_LINE_HEAD_BYTES } from './limits.js';
import { RecentIds } from './recent-ids.js';

/** What a file tells. */
export interface CsvRecords {
  /** The latest ids, so many of them at least. */
  readonly ids: RecentIds;
  /** The first row; `null`: the file has none. */
  readonly header: readonly string[] | null;
  /** Bytes up to the end of the last whole row. */
  readonly wholeEnd: number;
}

/** Reads a file from its beginning. @param limit - Ids that are surely known. @throws The platform's error. */
export async function readCsvIds(file: FileHandle, limit: number): Promise<CsvRecords> {
  const ids = new RecentIds(limit);
  const piece = Buffer.alloc(CSV_READ_BYTES);
  let header: readonly string[] | null = null;
  let wholeEnd = 0;
  let isQuoted = false;
  /** The beginning of the row at hand, one character for each byte. */
  let head = '';
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return { ids, header, wholeEnd };
    const bytes = piece.subarray(0, bytesRead);
    let rowStart = 0;
    for (let at = 0; at < bytesRead; at += 1) {
      if (bytes[at] === QUOTE) isQuoted = !isQuoted;
      if (bytes[at] !== NEWLINE || isQuoted) continue;
      head = longer(head, bytes.subarray(rowStart, at), header === null);
      if (header === null) header = cellsOf(head);
      else ids.add(cellsOf(head, 1)[0] ?? '');
      head = '';
      rowStart = at + 1;
      wholeEnd = position + rowStart;
    }
    head = longer(head, bytes.subarray(rowStart), header === null);
    position += bytesRead;
  }
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** Of a row its beginning is enough, where its id stands; the header is wanted whole. */
function longer(head: string, bytes: Uint8Array, isHeader: boolean): string {
  const space = (isHeader ? MAX_CSV_HEADER_BYTES : MAX_LINE_HEAD_BYTES) - head.length;
  return space <= 0 ? head : head + Buffer.from(bytes.subarray(0, space)).toString('latin1');
}

/** The first cells of a row. Never throws. */
function cellsOf(row: string, most = Number.MAX_SAFE_INTEGER): string[] {
  const cells: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/gy;
  for (let found = pattern.exec(row); found !== null && cells.length < most; found = pattern.exec(row)) {
    const [, quoted, plain = '', end] = found;
    cells.push(Buffer.from(quoted === undefined ? plain : quoted.replaceAll('""', '"'), 'latin1').toString('utf8'));
    if (end === '') break;
  }
  return cells;
}
