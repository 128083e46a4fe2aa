// A sink whose file is only ever appended to, idempotent by item id across restarts.
//
// `write` resolves when the operating system has the items, which a killed process does not undo; with `sync: 'write'`
// when they are on disk, which a power cut does not undo either, at some milliseconds a page. `close` always waits for
// the disk. An entry that a crash cut short is removed at the next `open`: its page was not settled, is handled again,
// and writes the items that are missing.

import { type FileHandle, open } from 'node:fs/promises';
import { createRecentSet } from '@mannerly/frontier/internal';
import { ITEMS_READ_BYTES, MAX_ENTRY_HEAD_BYTES, MAX_FIRST_ENTRY_HEAD_BYTES, MAX_SINK_IDS } from './limits.js';
import type { Item, Sink } from './sink.js';

/** How a file holds items. */
export interface ItemFormat {
  /**
   * Reads what a crash may cause to be written again: the ids of items that were in flight, and earlier ones.
   *
   * @returns Bytes up to the end of the last whole entry.
   */
  read(file: FileHandle, addId: (id: string) => unknown): Promise<number>;
  /** The entries of new items. @param isFirst - Whether the file is empty. */
  encode(items: readonly Item[], isFirst: boolean): string | Promise<string>;
}

/**
 * Makes a sink of a file. Items of pages that end at the same time are written together. A write that fails (a full
 * disk) takes back what it had written and rejects for all of its pages.
 */
export function appendSink(kind: string, path: string, format: ItemFormat, sync: 'close' | 'write' = 'close'): Sink {
  let file: FileHandle | null = null;
  let ids = createRecentSet(MAX_SINK_IDS);
  let length = 0;
  let waiting: WaitingPage[] = [];
  let flushing: Promise<void> | null = null;

  const append = async (handle: FileHandle, batch: readonly WaitingPage[]): Promise<void> => {
    const fresh = new Map<string, Item>();
    for (const item of batch.flatMap(({ items }) => items)) {
      if (!fresh.has(item.id) && !ids.has(item.id)) fresh.set(item.id, item);
    }
    if (fresh.size === 0) return;
    const bytes = Buffer.from(await format.encode([...fresh.values()], length === 0));
    try {
      await handle.appendFile(bytes);
      if (sync === 'write') await handle.datasync();
    } catch (error) {
      await handle.truncate(length);
      throw error;
    }
    length += bytes.length;
    for (const id of fresh.keys()) ids.add(id);
  };
  const flush = async (handle: FileHandle): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await append(handle, batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = null;
  };

  return {
    name: `${kind} ${path}`,
    async open() {
      const handle = await open(path, 'a+');
      try {
        ids = createRecentSet(MAX_SINK_IDS);
        length = await format.read(handle, ids.add);
        await handle.truncate(length);
      } catch (error) {
        await handle.close();
        throw error;
      }
      file = handle;
    },
    async write(items) {
      const handle = file;
      if (handle === null) throw new Error(`the file ${path} is not open`);
      await new Promise<void>((resolve, reject) => {
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

/** The items of one page, and its caller. */
interface WaitingPage {
  readonly items: readonly Item[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the entries of a file in one pass: a line break ends one unless it is between quotes.
 *
 * @param hasQuotes - Whether quotes matter. Bytes of quotes and line breaks are part of no other character in UTF-8.
 * @param onEntry - Receives the beginning of each whole entry, one character for each byte, and where the entry ends.
 * @throws The platform's error.
 */
export async function readEntries(
  file: FileHandle,
  from: number,
  hasQuotes: boolean,
  onEntry: (head: string, end: number) => void,
): Promise<void> {
  const piece = Buffer.alloc(ITEMS_READ_BYTES);
  let most = MAX_FIRST_ENTRY_HEAD_BYTES;
  let isQuoted = false;
  let head = '';
  for (let position = from; ; ) {
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return;
    for (let start = 0; start < bytesRead; ) {
      const newline = piece.subarray(0, bytesRead).indexOf(NEWLINE, start);
      const line = piece.subarray(start, newline < 0 ? bytesRead : newline + 1);
      if (head.length < most) head += line.toString('latin1', 0, most - head.length);
      if (hasQuotes) for (const byte of line) if (byte === QUOTE) isQuoted = !isQuoted;
      start += line.length;
      if (newline < 0 || isQuoted) continue;
      onEntry(head.endsWith('\n') ? head.slice(0, -1) : head, position + start);
      head = '';
      most = MAX_ENTRY_HEAD_BYTES;
    }
    position += bytesRead;
  }
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;
