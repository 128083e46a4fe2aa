// The last lines of `mannerly crawl`: where its items, report and logs are. Paths below the working directory are
// relative to it, whatever the configuration made of them.

import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';

/** What may be in a crawl directory next to items, requests and decisions. */
const OTHER_LOGS = ['warnings', 'rejected', 'errors'];

/**
 * Says where the results are.
 *
 * @param isShared - Whether several processes write into the directory: each of them has files of its own.
 * @param csv - The table that was written too; `undefined`: none.
 */
export function resultFilesText(
  directory: string,
  isShared: boolean,
  csv?: string,
  workingDirectory = process.cwd(),
): string {
  const out = shortened(directory, workingDirectory);
  const fileOf = (stem: string): string => join(out, `${stem}${isShared ? '-*' : ''}.jsonl`);
  const others = OTHER_LOGS.filter((stem) => isShared || existsSync(join(directory, `${stem}.jsonl`)));
  const items = isShared ? ` (together: mannerly export ${out})` : '';
  return [
    `Items:  ${fileOf('items')}${items}${csv === undefined ? '' : `, ${shortened(csv, workingDirectory)}`}`,
    `Report: mannerly report ${out} (host by host; writes ${join(out, 'report.html')})`,
    `Logs:   ${['requests', 'decisions', ...others].map(fileOf).join(', ')}`,
    `Why a URL was fetched or not: mannerly explain ${out} <url or host>`,
  ].join('\n');
}

function shortened(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short || '.';
}
