// Items as rows of a CSV file that is only ever appended to, idempotent by item id across restarts.
//
// The first row names the columns, `id` first; it is fixed when the file begins, since a table has one shape. What an
// item has beyond them stands as JSON in the last column, so that nothing is lost. The guarantees are those of the
// JSONL sink: `write` resolves when the operating system has the rows, `close` when the medium has them, and a row that
// a crash cut short is removed at the next `open`. Because a value may hold line breaks, where rows end is known from
// the file's beginning only: `open` reads all of it, some seconds for a million rows.

import { type FileHandle, open } from 'node:fs/promises';
import { MannerlyError } from '../errors.js';
import { type CsvRecords, readCsvIds } from './csv-ids.js';
import { MAX_SINK_IDS } from './limits.js';
import { RecentIds } from './recent-ids.js';
import type { Item, Sink } from './sink.js';

/** Where and how. */
export interface CsvSinkOptions {
  /** The file; made when it is not there. Its directory has to exist. One sink at a time may write it. */
  readonly path: string;
  /**
   * Keys of what is emitted, one column each; `url`, `fetchedAt`, `expiresAt` and `preferences` name the page's.
   * Leaving out the last two leaves out what sites require of those who keep the table.
   * @default `url`, `fetchedAt`, `expiresAt`, `preferences`, and the keys of the first page's items in their order
   */
  readonly columns?: readonly string[];
  /**
   * Whether a value that a spreadsheet would take for a formula gets an apostrophe in front. Changes data. @default
   * false
   */
  readonly escapeFormulas?: boolean;
}

/** The column of what has no other. */
const REST = 'more';

/**
 * A sink that appends to a CSV file: UTF-8, commas, rows that end in a line feed (RFC 4180 but for that).
 *
 * Texts and numbers stand as they are, `null` and what is absent as nothing, objects and arrays as JSON. An item that
 * is no object stands in the column `more`, and so does a value that an item has under a name of the page's own.
 */
export function csvSink({ path, columns, escapeFormulas = false }: CsvSinkOptions): Sink {
  let file: FileHandle | null = null;
  let ids: RecentIds = new RecentIds(MAX_SINK_IDS);
  let header: readonly string[] | null = null;
  let length = 0;
  let tail: Promise<unknown> = Promise.resolve();

  const append = async (items: readonly Item[]): Promise<void> => {
    if (file === null) throw new Error(`the file ${path} is not open`);
    const fresh = new Map<string, Item>();
    for (const item of items) if (!ids.has(item.id) && !fresh.has(item.id)) fresh.set(item.id, item);
    if (fresh.size === 0) return;
    const names = header ?? ['id', ...(columns ?? defaultColumns([...fresh.values()])), REST];
    const rows = [...fresh.values()].map((item) => rowOf(item, names));
    // Loaded by those who use it.
    const { stringify } = await import('csv-stringify/sync');
    const text = stringify(header === null ? [[...names], ...rows] : rows, { escape_formulas: escapeFormulas });
    length = await appendWhole(file, length, Buffer.from(text));
    header = names;
    for (const id of fresh.keys()) ids.add(id);
  };

  return {
    name: `csv ${path}`,
    async open() {
      const handle = await open(path, 'a+');
      try {
        const known = await readCsvIds(handle, MAX_SINK_IDS);
        checkColumns(path, known, columns);
        await handle.truncate(known.wholeEnd);
        ({ ids, wholeEnd: length, header } = known);
      } catch (error) {
        await handle.close();
        throw error;
      }
      file = handle;
    },
    write(items) {
      const written = tail.then(() => append(items));
      tail = written.catch(() => undefined);
      return written;
    },
    async close() {
      await tail;
      const handle = file;
      file = null;
      await handle?.datasync();
      await handle?.close();
    },
  };
}

/** A table has one shape: a file with other columns is another table. */
function checkColumns(path: string, { header }: CsvRecords, columns: readonly string[] | undefined): void {
  if (header === null) return;
  const isOurs = header[0] === 'id' && header.at(-1) === REST;
  const isSame = columns === undefined || JSON.stringify(header.slice(1, -1)) === JSON.stringify(columns);
  if (isOurs && isSame) return;
  throw new MannerlyError('option-invalid', `${path} has other columns: ${header.join(', ')}`, {
    hint: isOurs
      ? 'Name the same `columns`, or another file.'
      : 'Name another file: this one was not written by this sink.',
  });
}

/** Keys of ours, and of the items, each once. */
function defaultColumns(items: readonly Item[]): string[] {
  const keys = new Set(['url', 'fetchedAt', 'expiresAt', 'preferences']);
  for (const { data } of items) if (isRecord(data)) for (const key of Object.keys(data)) keys.add(key);
  keys.delete('id');
  keys.delete(REST);
  return [...keys];
}

function rowOf(item: Item, names: readonly string[]): string[] {
  const { data } = item;
  const own: Readonly<Record<string, unknown>> = {
    __proto__: null,
    url: item.url,
    fetchedAt: new Date(item.fetchedAtMs).toISOString(),
    expiresAt: item.expiresAtMs === null ? null : new Date(item.expiresAtMs).toISOString(),
    preferences: Object.keys(item.preferences).length === 0 ? null : item.preferences,
  };
  const named = names.slice(1, -1);
  const emitted = isRecord(data) ? data : {};
  const row = named.map((name) => cell(name in own ? own[name] : emitted[name]));
  return [item.id, ...row, isRecord(data) ? restOf(data, named, own) : JSON.stringify(data)];
}

/** What has no column, and what goes by a name of ours without being the same, as JSON; nothing where there is none. */
function restOf(
  data: Readonly<Record<string, unknown>>,
  named: readonly string[],
  own: Readonly<Record<string, unknown>>,
): string {
  const rest = Object.entries(data).filter(
    ([key, value]) => !named.includes(key) || (key in own && value !== own[key]),
  );
  return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest));
}

/** JSON of a text would put quotes around it: in a table it stands as it is. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

/** Appends and answers with the new length; what was half written is taken back. */
async function appendWhole(file: FileHandle, length: number, bytes: Buffer): Promise<number> {
  try {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
    return length + bytes.length;
  } catch (error) {
    await file.truncate(length);
    throw error;
  }
}
