// A sink whose file is only ever appended to, idempotent by item id across restarts.
//
// `write` resolves when the operating system has the items, so that a killed process does not lose them. With `sync:
// 'write'` it resolves when they are on disk, so that a power cut does not lose them either, which costs some
// milliseconds a page. `close` always waits for the disk. An entry that a crash cut short is removed at the next
// `open`: its page was not settled, is handled again, and writes the missing items.

import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncFile } from '../directory/atomic-file.js';
import { ITEMS_READ_BYTES, MAX_ENTRY_HEAD_BYTES, MAX_FIRST_ENTRY_HEAD_BYTES } from './limits.js';
import { batchedSink } from './page-batches.js';
import type { Item, Sink } from './sink.js';

interface ItemFormat {
  /** Reads the ids of items that may be written again after a crash. @returns Where the last complete entry ends. */
  read(file: FileHandle, addId: (id: string) => unknown): Promise<number>;
  /** Encodes new items. @param isFirst - Whether the file is empty. */
  encode(items: readonly Item[], isFirst: boolean): string | Promise<string>;
}

/**
 * Creates a sink for a file. Items of pages that end at the same time are written together. A write that fails (a full
 * disk) undoes what it has written and rejects for all of its pages.
 */
export function appendSink(kind: string, path: string, format: ItemFormat, sync: 'close' | 'write' = 'close'): Sink {
  return batchedSink(`${kind} ${path}`, `the file ${path}`, async (_, addId) => {
    const file = await open(path, 'a+');
    const end = async (): Promise<void> => {
      await syncFile(file);
      await file.close();
    };
    try {
      let length = await format.read(file, addId);
      await file.truncate(length);
      const write = async (items: readonly Item[]): Promise<void> => {
        const bytes = Buffer.from(await format.encode(items, length === 0));
        try {
          // A synchronous write: passing it to a thread would take ten times as long.
          for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
          if (sync === 'write') await syncFile(file);
        } catch (error) {
          await file.truncate(length);
          throw error;
        }
        length += bytes.length;
      };
      return { write, end };
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}

/**
 * Reads the entries of a file in one pass: a line break ends an entry unless it is between quotes.
 * @param onEntry - Receives the beginning of each complete entry, one character for each byte, and where it ends.
 * @throws The platform's error.
 */
export async function readEntries(
  file: FileHandle,
  from: number,
  hasQuotes: boolean,
  onEntry: (head: string, end: number) => void,
): Promise<void> {
  const chunk = Buffer.alloc(ITEMS_READ_BYTES);
  let maxHeadBytes = MAX_FIRST_ENTRY_HEAD_BYTES;
  let isQuoted = false;
  let head = '';
  for (let position = from; ; ) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    for (let start = 0; start < bytesRead; ) {
      const newline = chunk.subarray(0, bytesRead).indexOf(NEWLINE, start);
      const line = chunk.subarray(start, newline < 0 ? bytesRead : newline + 1);
      if (head.length < maxHeadBytes) head += line.toString('latin1', 0, maxHeadBytes - head.length);
      if (hasQuotes) for (const byte of line) if (byte === QUOTE) isQuoted = !isQuoted;
      start += line.length;
      if (newline < 0 || isQuoted) continue;
      onEntry(head.endsWith('\n') ? head.slice(0, -1) : head, position + start);
      head = '';
      maxHeadBytes = MAX_ENTRY_HEAD_BYTES;
    }
    position += bytesRead;
  }
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;
