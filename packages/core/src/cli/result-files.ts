// The last lines of `mannerly crawl`: where its items, report and logs are. Paths below the working directory are
// relative to it, whatever the configuration made of them.

import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';

/** Logs that are named where they are. */
const OTHER_LOGS = ['warnings', 'rejected', 'errors'];

/**
 * Says where the results are.
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
  const found = existsSync(directory) ? readdirSync(directory) : [];
  const others = OTHER_LOGS.filter((stem) => found.some((name) => isLogOf(name, stem)));
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

/** One, or one of several processes. */
function isLogOf(name: string, stem: string): boolean {
  return name.startsWith(stem) && /^(-\d+)?\.jsonl$/.test(name.slice(stem.length));
}

function shortened(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short || '.';
}
