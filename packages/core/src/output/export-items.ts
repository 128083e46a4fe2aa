// Exports the items of a crawl as one file for other programs (JSON, JSON lines, CSV, Parquet) from all its processes,
// each item once. It is written under a temporary name and renamed, so that a crash leaves the old file or the new one.
// The crawl may run meanwhile.

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkOptions } from '../call-options.js';
import { partialName } from '../directory/atomic-file.js';
import { readCrawlDirectory } from '../directory/crawl-directory.js';
import { invalidOption, MannerlyError } from '../errors.js';
import { MANNERLY_VERSION } from '../own-package.js';
import { isObject, parseJson } from '../parse-json.js';
import { present } from '../present.js';
import { csvSink } from './csv.js';
import { currentItems, joinedItems } from './joined-items.js';
import { itemOfLine, RESERVED_KEYS } from './jsonl.js';
import { CSV_BATCH_ITEMS } from './limits.js';
import { ColumnFinder, type ItemColumn, type ItemRow, writeParquet } from './parquet-file.js';
import type { Item } from './sink.js';

export const EXPORT_FORMATS = ['jsonl', 'json', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The format that a file's name says; JSON lines if it has no extension. @returns `undefined` for an unknown one. */
export function formatOf(path: string): ExportFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return ['', 'ndjson'].includes(extension) ? 'jsonl' : EXPORT_FORMATS.find((format) => format === extension);
}

/** What is exported, and where it goes. */
interface ExportOptions {
  /** Crawl directories: one, or those of all machines that worked on one crawl. */
  readonly from: readonly string[];
  /** The file; an existing one is replaced. */
  readonly to: string;
  /** @default by the extension of `to`: .csv, .parquet, .json (an array); JSON lines for .jsonl, .ndjson and none */
  readonly format?: ExportFormat;
  /**
   * Only current items: for a page that was visited again, the items of the last visit that found any; none for a page
   * that is gone or forbids keeping them. Tombstones are left out. @default false: everything, in the files' order
   */
  readonly current?: boolean;
  /** For CSV, as for `csvSink`. @default false */
  readonly escapeFormulas?: boolean;
  /** Receives the number of items read so far; for Parquet they are read twice. */
  readonly onItems?: (items: number) => void;
  /** Aborting it ends the export; an earlier file stays. */
  readonly signal?: AbortSignal;
}

/** The result of an export. */
interface ExportSummary {
  readonly path: string;
  readonly format: ExportFormat;
  readonly items: number;
  readonly columns?: readonly ItemColumn[];
}

/**
 * Exports the items of a crawl. Parquet needs `hyparquet-writer`, installed next to this package.
 * @throws MannerlyError `directory-taken`, `directory-format`; `option-invalid` for another format or extension;
 *   `export-failed` when the file cannot be written, hyparquet-writer is not installed, or `signal` ended it.
 */
export async function exportItems(options: ExportOptions): Promise<ExportSummary> {
  checkOptions('exportItems', options, {
    from: 'list!',
    to: 'string!',
    format: 'any',
    current: 'boolean',
    escapeFormulas: 'boolean',
    onItems: 'function',
    signal: 'signal',
  });
  const { from, to, current = false, escapeFormulas = false, onItems, signal } = options;
  const format = options.format ?? formatOf(to);
  if (format === undefined)
    throw invalidOption(
      'exportItems.to',
      'a file that ends in .jsonl, .json, .csv or .parquet',
      to,
      'Or name the `format`.',
    );
  if (!EXPORT_FORMATS.includes(format)) throw invalidOption('format', `one of ${EXPORT_FORMATS.join(', ')}`, format);
  const found = await Promise.all(from.map((directory) => readCrawlDirectory(directory)));
  const paths = found.flatMap(({ parts }) => parts.map(({ itemsPath }) => itemsPath));
  const partial = partialName(to);
  let read = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const line of current ? currentItems(paths) : joinedItems(paths)) {
      signal?.throwIfAborted();
      read += 1;
      onItems?.(read);
      yield line;
    }
  };
  try {
    const written = await WRITERS[format](partial, lines, escapeFormulas);
    await rename(partial, to);
    return { path: to, format, ...written };
  } catch (cause) {
    await rm(partial, { force: true });
    if (cause instanceof MannerlyError) throw cause;
    // The stack is large enough for some thousand levels.
    const hint =
      cause instanceof RangeError ? 'If an item nests too deeply for a table, export JSON lines.' : undefined;
    throw new MannerlyError('export-failed', `${to} could not be written: ${String(cause)}`, present({ cause, hint }));
  }
}

type Writer = (
  path: string,
  lines: () => AsyncIterable<string>,
  escapeFormulas: boolean,
) => Promise<Pick<ExportSummary, 'items' | 'columns'>>;

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
  jsonl: (path, lines) => writeText(path, lines, ['', '\n', '\n', '']),
  json: (path, lines) => writeText(path, lines, ['[\n', ',\n', '\n]\n', '[]\n']),

  /** Written like by a sink during a crawl; the columns are those of the first piece. */
  async csv(path, lines, escapeFormulas) {
    const sink = csvSink({ path, escapeFormulas });
    await sink.open();
    let items = 0;
    let batch: Item[] = [];
    const write = async (): Promise<void> => {
      await sink.write(batch);
      items += batch.length;
      batch = [];
    };
    try {
      for await (const line of lines()) {
        const item = itemOfLine(parseJson(line));
        if (item !== null) batch.push(item);
        if (batch.length === CSV_BATCH_ITEMS) await write();
      }
      await write();
    } finally {
      await sink.close();
    }
    return { items };
  },

  async parquet(path, lines) {
    const finder = new ColumnFinder();
    let count = 0;
    for await (const [row] of rowsOf(lines())) {
      count += 1;
      finder.add(row);
    }
    const columns = finder.columns();
    // A running crawl may have written more, with other columns.
    const rows = rowsOf(lines(), count);
    return { items: await writeParquet(path, columns, rows, `mannerly ${MANNERLY_VERSION}`), columns };
  },
};

/** Writes the lines between `first` and `last`, or `none` if there are none. */
async function writeText(
  path: string,
  lines: () => AsyncIterable<string>,
  [first, between, last, none]: readonly [string, string, string, string],
): Promise<Pick<ExportSummary, 'items'>> {
  let items = 0;
  const text = async function* (): AsyncGenerator<string> {
    for await (const line of lines()) {
      yield (items === 0 ? first : between) + line;
      items += 1;
    }
    yield items === 0 ? none : last;
  };
  await pipeline(text, createWriteStream(path, { flags: 'wx' }));
  return { items };
}

async function* rowsOf(
  lines: AsyncIterable<string>,
  maxRows = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<readonly [row: ItemRow, chars: number]> {
  let count = 0;
  for await (const line of lines) {
    const value = parseJson(line);
    if (!isObject(value)) continue;
    if (count === maxRows) return;
    count += 1;
    yield [rowOf(value), line.length];
  }
}

/** An object that is under `data` because it has keys of ours, such as an `id`: each of its keys gets a column. */
function rowOf({ data, ...row }: ItemRow): ItemRow {
  if (data === undefined) return row;
  if (!isObject(data) || !RESERVED_KEYS.some((key) => Object.hasOwn(data, key))) return { ...row, data };
  const named = Object.entries(data).map(([key, value]) => [RESERVED_KEYS.includes(key) ? `data.${key}` : key, value]);
  return { ...row, ...Object.fromEntries(named) };
}
