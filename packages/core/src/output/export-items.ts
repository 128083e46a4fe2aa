// The items of a crawl as one file for other programs: JSON lines, CSV or Parquet, from those of all its processes,
// each item once. Written under a temporary name next to it and renamed into it, so that a crash leaves the old file or
// the new one. A crawl may go on meanwhile: what it writes after the first look is left for the next time.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { readCrawlDirectory } from '../directory/crawl-directory.js';
import { MANNERLY_VERSION } from '../directory/crawl-manifest.js';
import { parseLine } from '../directory/read-lines.js';
import { partialName } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { csvSink } from './csv.js';
import { createColumnFinder, type ItemColumn, type ItemRow } from './item-columns.js';
import { itemOfLine } from './item-line.js';
import { joinedItems } from './joined-items.js';
import { CSV_PIECE_ITEMS } from './limits.js';
import { createParquetFile } from './parquet-file.js';
import type { Item } from './sink.js';

/** The formats. */
export const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const;
/** One of `EXPORT_FORMATS`. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What is exported, and where it goes. */
export interface ExportOptions {
  /** Crawl directories: one, or those of all machines that worked on one crawl. */
  readonly from: readonly string[];
  /** The file; one of that name is replaced. */
  readonly to: string;
  /** @default 'jsonl' */
  readonly format?: ExportFormat;
  /** Told now and then how many items have been read; for Parquet they are read twice. */
  readonly onItems?: (items: number) => void;
  /** Ends the work; what stood there before stays. */
  readonly signal?: AbortSignal;
}

/** What every format says. */
type Made = Pick<ExportSummary, 'items' | 'columns'>;

/** The result of an export. */
export interface ExportSummary {
  readonly path: string;
  readonly format: ExportFormat;
  readonly items: number;
  /** Of Parquet. */
  readonly columns?: readonly ItemColumn[];
}

/**
 * Exports the items of a crawl. Parquet needs `hyparquet-writer`, installed next to this package.
 *
 * @throws MannerlyError `directory-taken`, `directory-format`; `option-invalid` for another format; `export-failed`
 *   when the file cannot be written, Parquet is not at hand, or `signal` ended it.
 */
export async function exportItems({
  from,
  to,
  format = 'jsonl',
  onItems,
  signal,
}: ExportOptions): Promise<ExportSummary> {
  if (!EXPORT_FORMATS.includes(format))
    throw new MannerlyError(
      'option-invalid',
      `expected \`format\` to be one of ${EXPORT_FORMATS.join(', ')}, got ${String(format)}`,
    );
  const found = await Promise.all(from.map((directory) => readCrawlDirectory(directory)));
  const paths = found.flatMap(({ parts }) => parts.map(({ itemsPath }) => itemsPath));
  const partial = partialName(to);
  let read = 0;
  /** The lines, at most as many as there were when the shape was taken. */
  const lines = async function* (most = Number.MAX_SAFE_INTEGER): AsyncGenerator<string> {
    let given = 0;
    for await (const line of joinedItems(paths)) {
      if (given === most) return;
      signal?.throwIfAborted();
      given += 1;
      read += 1;
      onItems?.(read);
      yield line;
    }
  };
  try {
    const made = await MAKERS[format](partial, lines);
    await rename(partial, to);
    return { path: to, format, ...made };
  } catch (cause) {
    await rm(partial, { force: true });
    if (cause instanceof MannerlyError) throw cause;
    throw new MannerlyError('export-failed', `${to} could not be written: ${String(cause)}`, { cause });
  }
}

const MAKERS: Readonly<
  Record<ExportFormat, (path: string, lines: (most?: number) => AsyncIterable<string>) => Promise<Made>>
> = {
  jsonl: (path, lines) => asLines(path, lines()),
  csv: (path, lines) => asCsv(path, lines()),
  parquet: asParquet,
};

async function asLines(path: string, lines: AsyncIterable<string>): Promise<{ readonly items: number }> {
  let items = 0;
  await written(path, async (write) => {
    for await (const line of lines) {
      items += 1;
      await write(`${line}\n`);
    }
  });
  return { items };
}

/** As a sink writes it while the crawl runs; the columns are those of the first piece. */
async function asCsv(path: string, lines: AsyncIterable<string>): Promise<{ readonly items: number }> {
  const sink = csvSink({ path });
  await sink.open();
  let items = 0;
  let piece: Item[] = [];
  const write = async (): Promise<void> => {
    await sink.write(piece);
    items += piece.length;
    piece = [];
  };
  try {
    for await (const line of lines) {
      const item = itemOfLine(parseLine(line));
      if (item !== null) piece.push(item);
      if (piece.length === CSV_PIECE_ITEMS) await write();
    }
    await write();
  } finally {
    await sink.close();
  }
  return { items };
}

async function asParquet(
  path: string,
  lines: (most?: number) => AsyncIterable<string>,
): Promise<{ readonly items: number; readonly columns: readonly ItemColumn[] }> {
  const finder = createColumnFinder();
  let seen = 0;
  for await (const line of lines()) {
    seen += 1;
    const row = rowOf(line);
    if (row !== null) finder.see(row);
  }
  const columns = finder.columns();
  const file = await createParquetFile(path, columns, `mannerly ${MANNERLY_VERSION}`);
  let items = 0;
  for await (const line of lines(seen)) {
    const row = rowOf(line);
    if (row === null) continue;
    items += 1;
    file.add(row, line.length);
  }
  file.end();
  return { items, columns };
}

/** A file that takes text as fast as its medium does. */
async function written(path: string, fill: (write: (text: string) => Promise<void>) => Promise<void>): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx' });
  const failed = once(file, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  try {
    await fill(async (text) => {
      if (!file.write(text)) await Promise.race([once(file, 'drain'), failed]);
    });
    file.end();
    await Promise.race([once(file, 'close'), failed]);
  } finally {
    file.destroy();
  }
}

/** An item as its line has it; `null`: a line that is none. */
function rowOf(line: string): ItemRow | null {
  const value = parseLine(line);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ItemRow) : null;
}
