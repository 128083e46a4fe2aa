// `mannerly replay`: runs handlers again over the archive of a crawl. It makes no request.

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { jsonlSink } from '../../output/jsonl.js';
import { replay } from '../../replay/replay.js';
import { plural, printable } from '../../report/table.js';
import { isArchiveDamaged } from '../../run/directory-damage.js';
import { reportDamage } from '../crawl-directories.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { createNamedSinks } from '../open-sinks.js';
import { recordedCount, withProgress } from '../progress.js';
import { stagesText } from '../summary.js';
import { loadHandlers, loadStages, registerDefault } from '../user-module.js';

/** Runs the command. @throws UsageError for files that cannot be loaded or exist already; MannerlyError as `replay` */
export async function replayCommand(directory: string, flags: Flags, io: CliIo): Promise<number> {
  const { csv, sqlite, items = join(directory, 'replayed.jsonl') } = flags;
  const handlers = flags.handlers === undefined ? registerDefault : await loadHandlers(flags.handlers);
  const stages = flags.handlers === undefined ? {} : await loadStages(flags.handlers);
  const filesPath = join(directory, 'replayed-files');
  if (lstatSync(filesPath, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UsageError(`${filesPath} is a symbolic link: files would go elsewhere`, 'Remove it.');
  // A sink skips ids that it has already written: with other handlers it would keep the old handlers' items.
  for (const path of [items, csv, sqlite]) {
    // A broken symbolic link is not a free name either.
    if (path !== undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw new UsageError(`${path} exists already`, 'Name another file, or remove it.');
  }
  const isIncomplete = isArchiveDamaged(await reportDamage([directory], io));
  const sinks = [jsonlSink({ path: items }), ...(await createNamedSinks(flags))];
  const stop = new AbortController();
  const { signal } = stop;
  let print = io.err;
  const release = io.onInterrupt(() => {
    if (signal.aborted) io.exit(EXIT.stopped);
    else print('Stopping after the page that is being handled. Press Ctrl-C again to end at once.');
    stop.abort();
  });
  try {
    const pages = await recordedCount([directory], 'pages');
    const report = await withProgress(io, 'Replaying', 'pages', pages, (onPages, line) => {
      print = line;
      return replay({ from: directory, handlers, ...stages, sinks, filesPath, signal, onPages });
    });
    const { excluded, withheld } = report;
    if (flags.json === true) io.out(json({ ...report, itemsPath: items }));
    else {
      io.out(`${plural(report.pages, 'page')}, ${plural(report.items, 'item')}: ${items}`);
      for (const text of stagesText('Stages of this run', report.stages)) io.out(text);
      if (excluded > 0) io.out(`${plural(excluded, 'page')} may not be kept, as they say themselves.`);
      const withheldText = 'may not be archived, as they say themselves: no handler can see them again.';
      if (withheld > 0) io.out(`${plural(withheld, 'page')} ${withheldText}`);
    }
    for (const { url, detail } of report.failed) io.err(`${printable(url, 2_000)} failed: ${printable(detail)}`);
    for (const sentence of report.incomplete) io.err(`Incomplete: ${sentence}.`);
    if (signal.aborted) {
      const files = [items, csv, sqlite].filter((path) => path !== undefined);
      const them = files.length === 1 ? 'it' : 'them';
      io.err(`Stopped: the items of these pages are in ${files.join(', ')}. A replay cannot be continued:`);
      io.err(`to replay the whole archive, remove ${them} and run the same command.`);
      return EXIT.stopped;
    }
    return report.failures > 0 || report.incomplete.length > 0 || isIncomplete ? EXIT.broken : EXIT.ok;
  } finally {
    release();
  }
}
