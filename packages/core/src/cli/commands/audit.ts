// `mannerly audit`: checks whether a crawl was polite, from its request log and the signatures in its archive. CI can
// use its exit code.

import { auditSignatures } from '../../inspection/signature-audit.js';
import { auditCrawl } from '../../report/audit/audit-crawl.js';
import { auditText, withFindings } from '../../report/audit/audit-report.js';
import { readCrawlDirectories } from '../crawl-directories.js';
import { EXIT } from '../exit-codes.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { recordedCount, withProgress } from '../progress.js';
import { readKeys } from '../read-keys.js';

/** @param directories - One, or several of the same crawl, which are judged together. */
export async function auditCommand(directories: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  const [crawl, ...others] = await readCrawlDirectories(directories, io);
  const count = await recordedCount(directories, 'requests');
  let requests = 0;
  const keys = flags.keys === undefined ? [] : await readKeys(flags.keys);
  const judged = await withProgress(io, 'Judging', 'requests', count, (progress) => {
    const onRequest = (): void => {
      requests += 1;
      progress(requests);
    };
    return auditCrawl({ ...crawl, others }, { toleranceMs: flags.tolerance ?? 0, onRequest });
  });
  const folders = [crawl, ...others].flatMap(({ parts }) => parts.map(({ archivePath }) => archivePath));
  const report = withFindings(judged, await auditSignatures(folders, keys));
  io.out(flags.json === true ? json(report) : auditText(report, flags.limit));
  return report.passed ? EXIT.ok : EXIT.violated;
}
