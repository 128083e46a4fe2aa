// `mannerly export`: the items of a crawl as one file of JSON lines, CSV or Parquet, from those of all its processes,
// each item once.

import { existsSync } from 'node:fs';
import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { EXPORT_FORMATS, type ExportFormat, exportItems } from '../../output/export-items.js';
import { joinedItems } from '../../output/joined-items.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { oneOf } from '../flag-values.js';
import type { CliIo } from '../io.js';
import { recordedCount, showWork, watched } from '../progress.js';

/** The flags as commander hands them over. */
export interface ExportFlags {
  readonly to?: string;
  readonly csv?: string;
  readonly format?: string;
  readonly json?: boolean;
}

/** One file that is wanted. */
interface Wanted {
  readonly to: string;
  readonly format: ExportFormat;
}

/**
 * Runs the command.
 *
 * @param directories - Crawl directories: those of all machines that worked on one crawl, together.
 * @returns The exit code.
 * @throws UsageError for a format without its file, or a file that is there already; MannerlyError as `exportItems`.
 */
export async function exportCommand(directories: readonly string[], flags: ExportFlags, io: CliIo): Promise<number> {
  const wanted = wantedFrom(flags);
  if (wanted.length === 0) {
    const found = await Promise.all(directories.map((directory) => readCrawlDirectory(directory)));
    const paths = found.flatMap(({ parts }) => parts.map(({ itemsPath }) => itemsPath));
    for await (const line of joinedItems(paths)) await io.outSoon(line);
    return EXIT.ok;
  }
  const stop = new AbortController();
  const release = io.onInterrupt(() => stop.abort());
  try {
    const items = await recordedCount(directories, 'items');
    for (const { to, format } of wanted) {
      // The shape of a table is read before its rows.
      const reads = format === 'parquet' && items !== null ? 2 * items : items;
      const summary = await watched(showWork(io, 'Exporting', 'items', reads), (tell) =>
        exportItems({ from: directories, to, format, onItems: tell, signal: stop.signal }),
      );
      if (flags.json === true) io.out(JSON.stringify(summary, null, 2));
      else io.err(`${summary.items} item${summary.items === 1 ? '' : 's'} in ${to}.`);
    }
    return EXIT.ok;
  } catch (error) {
    if (stop.signal.aborted) return EXIT.stopped;
    throw error;
  } finally {
    release();
  }
}

/** @throws UsageError */
function wantedFrom({ to, csv, format }: ExportFlags): readonly Wanted[] {
  if (to === undefined && format !== undefined)
    throw new UsageError('--format needs --to', 'For instance: --to items.parquet');
  const wanted: Wanted[] = [
    ...(to === undefined ? [] : [{ to, format: oneOf('--format', EXPORT_FORMATS, format ?? formatOf(to)) }]),
    ...(csv === undefined ? [] : [{ to: csv, format: 'csv' as const }]),
  ];
  const taken = wanted.find((each) => existsSync(each.to));
  if (taken !== undefined) throw new UsageError(`${taken.to} is there already`, 'Name another file, or remove it.');
  return wanted;
}

/** By the name of the file, where no format is named. */
function formatOf(to: string): string {
  const ending = to.toLowerCase().split('.').at(-1) ?? '';
  return ending === 'csv' || ending === 'parquet' ? ending : 'jsonl';
}
