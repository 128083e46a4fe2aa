// Items as lines of JSON in a file that is only ever appended to, idempotent by item id across restarts.
//
// What is promised when: `write` resolves when the operating system has the lines, which a killed process does not
// undo; with `sync: 'write'` when the medium has them, which a power cut does not undo either, at some milliseconds a
// page. `close` always waits for the medium. A line that a crash cut short is removed at the next `open`: its page was
// not settled, comes again, and writes the lines that are missing. Only pages that were in flight at the crash come
// again, and they wrote last: so `open` reads the ids at the end of the file, whatever its length.

import { type FileHandle, open } from 'node:fs/promises';
import { idOfLine, itemLine } from './item-line.js';
import { JSONL_READ_BYTES, JSONL_TAIL_BYTES, JSONL_TAIL_PAGES, MAX_LINE_HEAD_BYTES, MAX_SINK_IDS } from './limits.js';
import { RecentIds } from './recent-ids.js';
import type { Item, Sink } from './sink.js';

/** Where and how. */
export interface JsonlSinkOptions {
  /** The file; made when it is not there. Its directory has to exist. One sink at a time may write it. */
  readonly path: string;
  /** When lines have to be on the medium: at the end, or before a page counts as done. @default 'close' */
  readonly sync?: 'close' | 'write';
}

/**
 * A sink that appends to a file of JSON lines.
 *
 * Items of pages that end at the same time go into one write. A write that fails (a full disk) takes back what it had
 * written and rejects for all of its pages.
 */
export function jsonlSink({ path, sync = 'close' }: JsonlSinkOptions): Sink {
  let file: FileHandle | null = null;
  let ids: RecentIds = new RecentIds(MAX_SINK_IDS);
  let length = 0;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | null = null;

  const flush = async (handle: FileHandle): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const fresh = freshItems(batch, ids);
      try {
        length = await append(handle, length, fresh.map(itemLine).join(''), sync === 'write');
        for (const { id } of fresh) ids.add(id);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = null;
  };

  return {
    name: `jsonl ${path}`,
    async open() {
      const handle = await open(path, 'a+');
      ({ ids, wholeEnd: length } = await readTail(handle));
      await handle.truncate(length);
      file = handle;
    },
    write(items) {
      const handle = file;
      if (handle === null) return Promise.reject(new Error(`the file ${path} is not open`));
      if (items.length === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        waiting.push({ items, resolve, reject });
        flushing ??= flush(handle);
      });
    },
    async close() {
      const handle = file;
      file = null;
      await flushing;
      await handle?.datasync();
      await handle?.close();
    },
  };
}

/** One page's items, and who waits for them. */
interface Waiting {
  readonly items: readonly Item[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function freshItems(batch: readonly Waiting[], ids: RecentIds): Item[] {
  const fresh = new Map<string, Item>();
  for (const { items } of batch) {
    for (const item of items) if (!fresh.has(item.id) && !ids.has(item.id)) fresh.set(item.id, item);
  }
  return [...fresh.values()];
}

/** Appends and answers with the new length of the file; what was half written is taken back. */
async function append(file: FileHandle, length: number, lines: string, isSynced: boolean): Promise<number> {
  if (lines === '') return length;
  const bytes = Buffer.from(lines);
  try {
    let written = 0;
    while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
    if (isSynced) await file.datasync();
    return length + bytes.length;
  } catch (error) {
    await file.truncate(length);
    throw error;
  }
}

/** What the end of a file tells. */
interface Tail {
  readonly ids: RecentIds;
  /** Pages that the ids belong to. */
  readonly pages: number;
  /** Bytes up to the end of the last whole line; 0 where none was seen. */
  readonly wholeEnd: number;
}

/** Reads as much of the end as holds the items of enough pages, or the whole file. */
async function readTail(file: FileHandle): Promise<Tail> {
  const { size } = await file.stat();
  for (let tailBytes = JSONL_TAIL_BYTES; ; tailBytes *= 4) {
    const start = Math.max(0, size - tailBytes);
    const tail = await readIds(file, start);
    if (start === 0 || tail.pages >= JSONL_TAIL_PAGES) return tail;
  }
}

/** Reads the ids from a byte on, in pieces; the line that it stands in is passed over, unless the file begins there. */
async function readIds(file: FileHandle, from: number): Promise<Tail> {
  const ids = new RecentIds(MAX_SINK_IDS);
  const piece = Buffer.alloc(JSONL_READ_BYTES);
  let position = from;
  let wholeEnd = 0;
  let isInside = from > 0;
  let pages = 0;
  let lastPage = '';
  /** The beginning of the line at hand: all that an id needs, however long the line is. */
  let head = '';
  const take = (line: string): void => {
    const id = idOfLine(line);
    if (id === null) return;
    ids.add(Buffer.from(id, 'latin1').toString('utf8'));
    const page = id.slice(0, id.lastIndexOf('/'));
    if (page !== lastPage) pages += 1;
    lastPage = page;
  };
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return { ids, pages, wholeEnd };
    const bytes = piece.subarray(0, bytesRead);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (!isInside) take(longer(head, bytes.subarray(start, end)));
      isInside = false;
      head = '';
      start = end + 1;
      wholeEnd = position + start;
    }
    head = longer(head, bytes.subarray(start));
    position += bytesRead;
  }
}

const NEWLINE = 0x0a;

/** The beginning of a line, one character for each byte, since a piece of the file may end inside a character. */
function longer(head: string, bytes: Uint8Array): string {
  const space = MAX_LINE_HEAD_BYTES - head.length;
  return space <= 0 ? head : head + Buffer.from(bytes.subarray(0, space)).toString('latin1');
}
