// `mannerly audit`: whether a crawl was polite, from its request log alone. CI can check its exit code.

import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { auditCrawl } from '../../report/audit/audit-crawl.js';
import { auditText } from '../../report/audit/audit-report.js';
import { EXIT } from '../exit-codes.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { recordedCount, showWork } from '../progress.js';
import { tellDamage } from '../tell-damage.js';

/** @param directories - One, or several of the same crawl, which are judged together. */
export async function auditCommand(directories: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  const [first = '', ...rest] = directories;
  await tellDamage(directories, io);
  const crawl = await readCrawlDirectory(first);
  const others = await Promise.all(rest.map((directory) => readCrawlDirectory(directory)));
  const count = await recordedCount(directories, 'requests');
  let requests = 0;
  const report = await showWork(io, 'Judging', 'requests', count, (progress) => {
    const onRequest = (): void => {
      requests += 1;
      progress(requests);
    };
    return auditCrawl({ ...crawl, others }, { toleranceMs: flags.tolerance ?? 0, onRequest });
  });
  io.out(flags.json === true ? json(report) : auditText(report, flags.limit));
  return report.passed ? EXIT.ok : EXIT.violated;
}
