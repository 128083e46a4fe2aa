// What `mannerly crawl` prints at its end, and its exit code.

import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { redacted } from '../redacted.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { isShared } from './crawl-flags.js';
import type { CrawlSetup } from './crawl-setup.js';
import { exitCodeOf } from './exit-codes.js';
import { json, type NamedSinks } from './flags.js';
import type { CliIo } from './io.js';
import { outOfScopeText } from './out-of-scope.js';
import { summaryText } from './summary.js';

const OTHER_LOGS = ['warnings', 'rejected', 'errors'];

/** Prints the report, and where the results are. @returns The exit code */
export async function printEnd(
  report: CrawlReport,
  { flags, options }: CrawlSetup,
  out: string,
  io: CliIo,
): Promise<number> {
  const outOfScope = await outOfScopeText(report, options.scope, out);
  const last = [resultFilesText(out, isShared(flags), flags), ...(outOfScope === null ? [] : [outOfScope])].join(
    '\n\n',
  );
  if (flags.json === true) {
    io.out(json(report));
    io.err(last);
  } else io.out([summaryText(report, flags.store !== undefined), last].join('\n\n'));
  return exitCodeOf(report);
}

/**
 * Tells where items, report and logs are. Paths below the working directory are shown relative to it, whatever form the
 * configuration gave them.
 *
 * @param isShared - Whether several processes write into the directory: each of them has its own files.
 * @param sinks - The sinks that also have the items. Their URLs are shown as given, without passwords.
 */
export function resultFilesText(
  directory: string,
  isShared: boolean,
  { csv, sqlite, ...servers }: Pick<NamedSinks, 'csv' | 'sqlite' | 'postgres' | 'webhook' | 's3'> = {},
  workingDirectory = process.cwd(),
): string {
  const out = shortPath(directory, workingDirectory);
  const nameOf = (stem: string): string => `${stem}${isShared ? '-*' : ''}.jsonl`;
  // For one process, or for one of several.
  const found = existsSync(directory) ? readdirSync(directory) : [];
  const others = OTHER_LOGS.filter((stem) => found.some((name) => new RegExp(`^${stem}(-\\d+)?\\.jsonl$`).test(name)));
  const logs = ['requests', 'decisions', ...others].map(nameOf);
  const written = [
    ...[csv, sqlite].flatMap((table) => (table === undefined ? [] : [shortPath(table, workingDirectory)])),
    ...(['postgres', 'webhook', 's3'] as const).flatMap((kind) => {
      const given = servers[kind];
      return given === undefined ? [] : [`${kind} ${redacted(given)}`];
    }),
  ];
  const items = isShared ? ` (together: mannerly export ${out})` : '';
  return [
    `Items:  ${[join(out, nameOf('items')) + items, ...written].join(', ')}`,
    `Report: mannerly report ${out} (host by host; writes ${join(out, 'report.html')})`,
    `Logs:   ${join(out, logs.join(', '))}`,
    `Why a URL was fetched or not: mannerly explain ${out} <url or host>`,
  ].join('\n');
}

function shortPath(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short || '.';
}
