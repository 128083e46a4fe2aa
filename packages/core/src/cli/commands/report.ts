// `mannerly report`: the politeness of a crawl, from its logs, on the terminal, as `report.html` and `report.json`.

import { reportFromLogs } from '../../report/from-logs.js';
import { gatherReport } from '../../report/page/gather-report.js';
import { writeReportOf } from '../../report/page/write-report.js';
import { priceLines } from '../../report/price-sums.js';
import { plural, politenessText, sumOf } from '../../report/table.js';
import { readCrawlDirectories } from '../crawl-directories.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { inspectionTarget, withStoreInspection } from '../open-inspection.js';
import { recordedCount, withProgress } from '../progress.js';
import { crawlText, outcomeLines, signedText, stagesText, storeReportText, truncatedText } from '../summary.js';

/** Runs the command. @throws MannerlyError `directory-taken`, `directory-format` */
export async function reportCommand(named: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const where = inspectionTarget(named[0], flags);
  if ('store' in where) {
    const storeReport = await withStoreInspection(where.store, io, (inspection) => inspection.report());
    io.out(flags.json === true ? json(storeReport) : storeReportText(storeReport));
    return;
  }
  const [first, ...others] = await readCrawlDirectories(named, io);
  // The logs of all are read as one directory's; from the others only copies of robots.txt remain to be found.
  const { manifest, ...paths } = {
    ...first,
    parts: [first, ...others].flatMap(({ parts }) => parts),
    others: others.map((other) => ({ ...other, parts: [] })),
  };
  const requests = await recordedCount(named, 'requests');
  const report = await withProgress(io, 'Reading', 'requests', requests, (progress) => reportFromLogs(paths, progress));
  const gather = () =>
    withProgress(io, 'Judging', 'requests', requests, (progress) =>
      gatherReport({ manifest, ...paths }, io.nowMs(), progress),
    );
  // Prints first: a directory that cannot be written to can still be read.
  if (flags.json === true) {
    const data = await gather();
    io.out(json({ manifest, ...report, stages: data.stages }));
    await writeReportOf(paths.path, data);
    return;
  }
  io.out(crawlText({ ...manifest, seedCount: manifest.seeds.length }));
  io.out(`${plural(report.requests, 'request')}.`);
  if (report.signed !== undefined) io.out(signedText(report.signed, report.requests));
  for (const line of truncatedText(report)) io.out(line);
  for (const line of outcomeLines(report.outcomes)) io.out(line);
  for (const line of priceLines(report.politeness)) io.out(line);
  if (report.politeness.length > 0) io.out(`\n${politenessText(report.politeness)}`);
  const written = await writeReportOf(paths.path, await gather());
  const { audit, stages } = written.data;
  for (const text of stagesText('Stages', stages ?? [])) io.out(`\n${text}`);
  const found = sumOf(audit.counts);
  const faults = found === 0 ? 'nothing to judge' : plural(found, 'violation');
  const verdict = audit.passed ? 'no violation' : `${faults}: mannerly audit ${named.join(' ')}`;
  const notes = audit.notes.map((note) => `\n        ${note}`).join('');
  io.out(`\nAudit:  ${verdict}${notes}\nReport: ${written.htmlPath}\n        ${written.jsonPath}`);
}
