// `mannerly audit`: whether a crawl was polite, from its request log alone. Its exit code can stand in CI.

import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { auditCrawl } from '../../report/audit/audit-crawl.js';
import { auditText } from '../../report/audit/audit-report.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { recordedCount, showWork, watched } from '../progress.js';

/** The flags as commander hands them over. */
export interface AuditFlags {
  readonly tolerance?: number;
  readonly limit?: number;
  readonly json?: boolean;
}

/**
 * Runs the command.
 *
 * @param directories - One, or several of the same crawl, which are judged together.
 * @returns `EXIT.ok` where nothing was found, else `EXIT.violated`.
 * @throws MannerlyError `directory-taken` or `directory-format` when the directory holds no crawl that can be read.
 */
export async function auditCommand(directories: readonly string[], flags: AuditFlags, io: CliIo): Promise<number> {
  const [first = '', ...rest] = directories;
  const crawl = await readCrawlDirectory(first);
  const others = await Promise.all(rest.map((directory) => readCrawlDirectory(directory)));
  const display = showWork(io, 'Judging', 'requests', await recordedCount(directories, 'requests'));
  const report = await watched(display, (tell) => {
    let requests = 0;
    const onRequest = (): void => {
      requests += 1;
      tell(requests);
    };
    return auditCrawl({ ...crawl, others }, { toleranceMs: flags.tolerance ?? 0, onRequest });
  });
  io.out(flags.json === true ? JSON.stringify(report, null, 2) : auditText(report, flags.limit));
  return report.passed ? EXIT.ok : EXIT.violated;
}
