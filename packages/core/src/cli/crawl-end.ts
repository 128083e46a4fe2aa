// What `mannerly crawl` says of a crawl that is over, and its exit code.

import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { CrawlReport } from '../report/crawl-report.js';
import { isShared } from './crawl-flags.js';
import type { CrawlSetup } from './crawl-setup.js';
import { exitCodeOf } from './exit-codes.js';
import { json } from './flags.js';
import type { CliIo } from './io.js';
import { outOfScopeText } from './out-of-scope.js';
import { summaryText } from './summary.js';

const OTHER_LOGS = ['warnings', 'rejected', 'errors'];

/** Prints the report, and where the results are. @returns The exit code */
export async function tellEnd(
  report: CrawlReport,
  { flags, options }: CrawlSetup,
  out: string,
  io: CliIo,
): Promise<number> {
  const closed = await outOfScopeText(report, options.scope, out);
  const last = [
    resultFilesText(out, isShared(flags), [flags.csv, flags.sqlite]),
    ...(closed === null ? [] : [closed]),
  ].join('\n\n');
  if (flags.json === true) {
    io.out(json(report));
    io.err(last);
  } else io.out([summaryText(report, flags.store !== undefined), last].join('\n\n'));
  return exitCodeOf(report);
}

/**
 * Says where items, report and logs are. Paths below the working directory are relative to it, whatever the
 * configuration made of them.
 *
 * @param isShared - Whether several processes write into the directory: each of them has files of its own.
 * @param tables - The tables that were written too; `undefined`: none.
 */
export function resultFilesText(
  directory: string,
  isShared: boolean,
  tables: readonly (string | undefined)[] = [],
  workingDirectory = process.cwd(),
): string {
  const out = shortened(directory, workingDirectory);
  const nameOf = (stem: string): string => `${stem}${isShared ? '-*' : ''}.jsonl`;
  // Of one process, or of one of several.
  const found = existsSync(directory) ? readdirSync(directory) : [];
  const others = OTHER_LOGS.filter((stem) => found.some((name) => new RegExp(`^${stem}(-\\d+)?\\.jsonl$`).test(name)));
  const logs = ['requests', 'decisions', ...others].map(nameOf);
  const written = tables.flatMap((table) => (table === undefined ? [] : [shortened(table, workingDirectory)]));
  const items = isShared ? ` (together: mannerly export ${out})` : '';
  return [
    `Items:  ${[join(out, nameOf('items')) + items, ...written].join(', ')}`,
    `Report: mannerly report ${out} (host by host; writes ${join(out, 'report.html')})`,
    `Logs:   ${join(out, logs.join(', '))}`,
    `Why a URL was fetched or not: mannerly explain ${out} <url or host>`,
  ].join('\n');
}

function shortened(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short || '.';
}
