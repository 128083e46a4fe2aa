// `mannerly report`: the politeness of a crawl, from its logs, on the terminal, as `report.html` and `report.json`.

import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { askedLines } from '../../report/asked-prices.js';
import { reportFromLogs } from '../../report/from-logs.js';
import { writeReport } from '../../report/page/write-report.js';
import { politenessText } from '../../report/table.js';
import { EXIT } from '../exit-codes.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { inspectingStore, whereOf } from '../open-inspection.js';
import { recordedCount, showWork } from '../progress.js';
import { crawlText, outcomeLines, signedText, storeReportText } from '../summary.js';
import { tellDamage } from '../tell-damage.js';

/** Runs the command. @throws MannerlyError `directory-taken`, `directory-format` */
export async function reportCommand(named: string | undefined, flags: Flags, io: CliIo): Promise<number> {
  const where = whereOf(named, flags);
  if ('store' in where) {
    const whole = await inspectingStore(where.store, (inspection) => inspection.report());
    io.out(flags.json === true ? json(whole) : storeReportText(whole));
    return EXIT.ok;
  }
  const { directory } = where;
  await tellDamage([directory], io);
  const { manifest, ...paths } = await readCrawlDirectory(directory);
  const requests = await recordedCount([directory], 'requests');
  const report = await showWork(io, 'Reading', 'requests', requests, (progress) => reportFromLogs(paths, progress));
  const written = await showWork(io, 'Judging', 'requests', requests, (progress) =>
    writeReport({ manifest, ...paths }, io.nowMs(), progress),
  );
  if (flags.json === true) {
    io.out(json({ manifest, ...report }));
    return EXIT.ok;
  }
  io.out(crawlText({ ...manifest, seedCount: manifest.seeds.length }));
  io.out(`${report.requests} requests.`);
  if (report.signed !== undefined) io.out(signedText(report.signed, report.requests));
  for (const line of outcomeLines(report.outcomes)) io.out(line);
  for (const line of askedLines(report.politeness)) io.out(line);
  if (report.politeness.length > 0) io.out(`\n${politenessText(report.politeness)}`);
  const { audit } = written.data;
  const found = Object.values(audit.counts).reduce((sum, count) => sum + count, 0);
  const verdict = audit.passed ? 'no violation' : `${found} violations: mannerly audit ${directory}`;
  io.out(`\nAudit:  ${verdict}\nReport: ${written.htmlPath}\n        ${written.jsonPath}`);
  return EXIT.ok;
}
