// `mannerly export` and `mannerly wacz`: the items of a crawl as one file of JSON, JSON lines, CSV or Parquet, each
// item once; and its archive as one file that other programs can open.

import { existsSync } from 'node:fs';
import type { JsonValue } from '@mannerly/frontier';
import { packageArchive } from '../../archive/package-archive.js';
import { type ExportFormat, exportItems, formatOf } from '../../output/export-items.js';
import { currentItems, joinedItems } from '../../output/joined-items.js';
import { present } from '../../present.js';
import { plural } from '../../report/table.js';
import { isArchiveDamaged } from '../../run/directory-damage.js';
import { readCrawlDirectories, reportDamage } from '../crawl-directories.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { checkRawCells, type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { recordedCount, withProgress } from '../progress.js';

/** @param directories - Those of all machines that worked on one crawl. @throws UsageError; MannerlyError */
export async function exportCommand(directories: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  const outputs = outputsFrom(flags);
  const found = await readCrawlDirectories(directories, io);
  if (outputs.length === 0) {
    const paths = found.flatMap(({ parts }) => parts.map(({ itemsPath }) => itemsPath));
    for await (const line of flags.current ? currentItems(paths) : joinedItems(paths)) {
      await io.outWhenReady(flags.preferences === true ? preferencesOf(line) : line);
    }
    return EXIT.ok;
  }
  const stop = new AbortController();
  const release = io.onInterrupt(() => stop.abort());
  try {
    const items = await recordedCount(directories, 'items');
    for (const { to, format } of outputs) {
      // Parquet reads the items first for the columns, then for the rows.
      const reads = format === 'parquet' && items !== null ? 2 * items : items;
      const summary = await withProgress(io, 'Exporting', 'items', reads, (onItems) =>
        exportItems({
          ...{ from: directories, to, format, current: flags.current === true },
          ...{ escapeFormulas: !flags.rawCells, onItems, signal: stop.signal },
        }),
      );
      if (flags.json === true) io.out(json(summary));
      else io.err(`${plural(summary.items, 'item')} in ${to}.`);
    }
    return EXIT.ok;
  } catch (error) {
    if (stop.signal.aborted) return EXIT.stopped;
    throw error;
  } finally {
    release();
  }
}

/** The preferences that users of an item have to keep: they apply to everything made of it. */
function preferencesOf(line: string): string {
  const { id, url, preferences = {}, license = null } = JSON.parse(line) as Readonly<Record<string, JsonValue>>;
  return JSON.stringify({ id, url, preferences, license });
}

function outputsFrom(flags: Flags): { readonly to: string; readonly format: ExportFormat }[] {
  const { to, csv, format, rawCells, preferences } = flags;
  if (to === undefined && format !== undefined)
    throw new UsageError('--format needs --to', 'For instance: --to items.parquet');
  if (preferences === true && (to ?? csv) !== undefined)
    throw new UsageError('--preferences prints JSON lines', 'Leave out --to and --csv.');
  const outputs: { to: string; format: ExportFormat }[] = [];
  if (to !== undefined) outputs.push({ to, format: format ?? formatNamedBy(to) });
  if (csv !== undefined) outputs.push({ to: csv, format: 'csv' });
  const hasCsv = outputs.some((each) => each.format === 'csv');
  checkRawCells(rawCells, hasCsv);
  if (outputs.some((each) => each.to === '-'))
    throw new UsageError('"-" names no file', 'Without --to and --csv the items are printed, as JSON lines.');
  const existing = outputs.find((each) => existsSync(each.to));
  if (existing !== undefined) throw new UsageError(`${existing.to} exists already`, 'Name another file, or remove it.');
  return outputs;
}

/** @throws UsageError */
function formatNamedBy(to: string): ExportFormat {
  const format = formatOf(to);
  if (format !== undefined) return format;
  const hint = 'Name a file that ends in .jsonl, .json, .csv or .parquet, or --format.';
  throw new UsageError(`no format is known for ${to}`, hint);
}

/** Runs the command. @returns The exit code: 1 if a WARC file is damaged. @throws MannerlyError as `packageArchive` */
export async function waczCommand(directory: string, { to, title, json: asJson }: Flags, io: CliIo): Promise<number> {
  const isIncomplete = isArchiveDamaged(await reportDamage([directory], io));
  const summary = await withProgress(io, 'Packaging', 'bytes', null, (onBytes) =>
    packageArchive({ from: directory, nowMs: io.nowMs, onBytes, ...present({ to, title }) }),
  );
  const { path, bytes, warcs } = summary;
  io.out(asJson === true ? json(summary) : `${path}: ${bytes} bytes, ${plural(warcs, 'WARC file')}.`);
  return isIncomplete ? EXIT.broken : EXIT.ok;
}
