// `mannerly replay`: handlers again over what a crawl archived. No one is asked anything.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csvSink } from '../../output/csv.js';
import { jsonlSink } from '../../output/jsonl.js';
import { replay } from '../../replay/replay.js';
import { printable } from '../../report/table.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { loadHandlers, registerDefault } from '../handlers-file.js';
import type { CliIo } from '../io.js';
import { recordedCount, showWork, watched } from '../progress.js';

/** The flags as commander hands them over. */
export interface ReplayFlags {
  readonly handlers?: string;
  readonly items?: string;
  readonly csv?: string;
  readonly json?: boolean;
}

/**
 * Runs the command.
 *
 * @returns The exit code: 1 when a handler failed.
 * @throws UsageError for files that cannot be loaded, or that are there already; MannerlyError as `replay`.
 */
export async function replayCommand(directory: string, flags: ReplayFlags, io: CliIo): Promise<number> {
  const handlers = flags.handlers === undefined ? registerDefault : await loadHandlers(flags.handlers);
  const items = flags.items ?? join(directory, 'replayed.jsonl');
  // A sink takes an id that it knows for written: with other handlers that would be the item of the old ones.
  for (const path of [items, ...(flags.csv === undefined ? [] : [flags.csv])]) {
    if (existsSync(path)) throw new UsageError(`${path} is there already`, 'Name another file, or remove it.');
  }
  const stop = new AbortController();
  const release = io.onInterrupt(() => stop.abort());
  try {
    const display = showWork(io, 'Replaying', 'pages', await recordedCount([directory], 'pages'));
    const report = await watched(display, (tell) =>
      replay({
        from: directory,
        handlers,
        sinks: [jsonlSink({ path: items }), ...(flags.csv === undefined ? [] : [csvSink({ path: flags.csv })])],
        signal: stop.signal,
        onPages: tell,
      }),
    );
    if (flags.json === true) io.out(JSON.stringify({ ...report, itemsPath: items }, null, 2));
    else {
      io.out(`${report.pages} pages, ${report.items} items: ${items}`);
      if (report.excluded > 0) io.out(`${report.excluded} pages ask that nothing of them be kept.`);
      if (report.withheld > 0)
        io.out(`${report.withheld} pages asked not to be archived: no handler can see them again.`);
    }
    for (const { url, detail } of report.failed)
      io.err(`${printable(url, 2_000)}: the handler failed: ${printable(detail)}`);
    if (stop.signal.aborted) return EXIT.stopped;
    return report.failures > 0 ? EXIT.broken : EXIT.ok;
  } finally {
    release();
  }
}
