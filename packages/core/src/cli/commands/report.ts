// `mannerly report`: the politeness of a crawl once more, computed from the logs in its directory, on the
// terminal and as `report.html` and `report.json` in it.

import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { reportFromLogs } from '../../report/from-logs.js';
import { writeReport } from '../../report/page/write-report.js';
import { politenessText } from '../../report/table.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { inspectingStore, type StoreFlag, whereOf } from '../open-inspection.js';
import { recordedCount, showWork, watched } from '../progress.js';
import { storeReportText } from '../summary.js';

/** The flags as commander has them. */
export interface ReportFlags extends StoreFlag {
  readonly json?: boolean;
}

/**
 * Runs the command.
 *
 * @returns The exit code.
 * @throws MannerlyError `directory-taken` or `directory-format` when the directory holds no crawl that can be read.
 */
export async function reportCommand(named: string | undefined, flags: ReportFlags, io: CliIo): Promise<number> {
  const where = whereOf(named, flags);
  if ('store' in where) {
    const whole = await inspectingStore(where.store, (inspection) => inspection.report());
    io.out(flags.json === true ? JSON.stringify(whole, null, 2) : storeReportText(whole));
    return EXIT.ok;
  }
  const { directory } = where;
  const { manifest, ...paths } = await readCrawlDirectory(directory);
  const requests = await recordedCount([directory], 'requests');
  const report = await watched(showWork(io, 'Reading', 'requests', requests), (tell) => reportFromLogs(paths, tell));
  const written = await watched(showWork(io, 'Judging', 'requests', requests), (tell) =>
    writeReport({ manifest, ...paths }, io.nowMs(), tell),
  );
  if (flags.json === true) {
    io.out(JSON.stringify({ manifest, ...report }, null, 2));
    return EXIT.ok;
  }
  const day = new Date(manifest.createdAtMs).toISOString();
  io.out(
    `Crawl of ${manifest.seeds.slice(0, 3).join(', ')}${manifest.seeds.length > 3 ? ', …' : ''} by ${manifest.name}, begun ${day}.`,
  );
  io.out(`${report.requests} requests.`);
  for (const [word, reasons] of Object.entries(report.outcomes)) {
    const counts = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
    io.out(`  ${word}: ${counts.join(', ')}`);
  }
  if (report.politeness.length > 0) io.out(`\n${politenessText(report.politeness)}`);
  const { audit } = written.data;
  const found = Object.values(audit.counts).reduce((sum, count) => sum + count, 0);
  const verdict = audit.passed ? 'no violation' : `${found} violations: mannerly audit ${directory}`;
  io.out(`\nAudit:  ${verdict}\nReport: ${written.htmlPath}\n        ${written.jsonPath}`);
  return EXIT.ok;
}
