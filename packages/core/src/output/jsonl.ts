// Items as lines of JSON.

import type { FileHandle } from 'node:fs/promises';
import { appendSink, readEntries } from './append-sink.js';
import { idOfLine, itemLine } from './item-line.js';
import { JSONL_TAIL_BYTES, JSONL_TAIL_PAGES } from './limits.js';
import type { Sink } from './sink.js';

/** Options of a JSONL sink. */
export interface JsonlSinkOptions {
  /** The file; made when it is absent. Its directory has to exist. One sink at a time may write it. */
  readonly path: string;
  /** When lines have to be on disk: at the end, or before a page counts as done. @default 'close' */
  readonly sync?: 'close' | 'write';
}

/** A sink that appends to a file of JSON lines. */
export function jsonlSink({ path, sync = 'close' }: JsonlSinkOptions): Sink {
  const encode = (items: Parameters<Sink['write']>[0]): string => items.map(itemLine).join('');
  return appendSink('jsonl', path, { read: readTail, encode }, sync);
}

/** Reads as much of the end as holds the items of enough pages: those that come again after a crash wrote last. */
async function readTail(file: FileHandle, addId: (id: string) => unknown): Promise<number> {
  const { size } = await file.stat();
  for (let tailBytes = JSONL_TAIL_BYTES; ; tailBytes *= 4) {
    const start = Math.max(0, size - tailBytes);
    let isInside = start > 0;
    let wholeEnd = 0;
    let pages = 0;
    let lastPage = '';
    await readEntries(file, start, false, (head, end) => {
      wholeEnd = end;
      // The line that the tail begins in is not whole.
      const id = isInside ? null : idOfLine(head);
      isInside = false;
      if (id === null) return;
      addId(Buffer.from(id, 'latin1').toString('utf8'));
      const page = id.slice(0, id.lastIndexOf('/'));
      if (page !== lastPage) pages += 1;
      lastPage = page;
    });
    if (start === 0 || pages >= JSONL_TAIL_PAGES) return wholeEnd;
  }
}
