// What `mannerly crawl` says of a crawl that is over, and its exit code.

import type { CrawlReport } from '../report/crawl-report.js';
import { isShared } from './crawl-flags.js';
import type { CrawlSetup } from './crawl-setup.js';
import { exitCodeOf } from './exit-codes.js';
import { json } from './flags.js';
import type { CliIo } from './io.js';
import { outOfScopeText } from './out-of-scope.js';
import { resultFilesText } from './result-files.js';
import { summaryText } from './summary.js';

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
  } else io.out([summaryText(report), last].join('\n\n'));
  return exitCodeOf(report);
}
