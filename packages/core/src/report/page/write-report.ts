// Writes `report.json` and `report.html` into a crawl directory, each whole or not at all.

import { join } from 'node:path';
import { writeWhole } from '../../directory/whole-file.js';
import { MannerlyError } from '../../errors.js';
import type { ReportedPaths } from './gather-report.js';
import type { ReportData } from './report-data.js';

/** What was written. */
export interface WrittenReport {
  readonly htmlPath: string;
  readonly jsonPath: string;
  readonly data: ReportData;
}

/**
 * Makes the report of a crawl directory from its logs.
 *
 * @param paths - As `readCrawlDirectory` gives them.
 * @param nowMs - Epoch milliseconds. @default now
 * @param onRequests - Told now and then how many requests have been judged.
 * @throws MannerlyError `log-failed` when it cannot be written, `install-broken`; the platform's error when a log
 *   cannot be read.
 */
export async function writeReport(
  paths: ReportedPaths & { readonly path: string },
  nowMs = Date.now(),
  onRequests?: (requests: number) => void,
): Promise<WrittenReport> {
  // Loaded here: a crawl needs these modules only at its end.
  const [{ gatherReport }, { reportHtml }] = await Promise.all([
    import('./gather-report.js'),
    import('./report-html.js'),
  ]);
  const data = await gatherReport(paths, nowMs, onRequests);
  const html = await reportHtml(data);
  const htmlPath = join(paths.path, 'report.html');
  const jsonPath = join(paths.path, 'report.json');
  try {
    await writeWhole(jsonPath, `${JSON.stringify(data, null, 2)}\n`);
    await writeWhole(htmlPath, html);
  } catch (cause) {
    throw new MannerlyError('log-failed', `the report could not be written into ${paths.path}: ${String(cause)}`, {
      cause,
      hint: 'Is the disk full, or the directory read-only?',
    });
  }
  return { htmlPath, jsonPath, data };
}
