// Writes `report.json` and `report.html` into a crawl directory. The page contains the report as JSON, and its script
// renders it.

import { createRequire } from 'node:module';
import { checkPaths } from '../../call-options.js';
import { writeAtomically } from '../../directory/atomic-file.js';
import { crawlPaths } from '../../directory/crawl-paths.js';
import { MannerlyError } from '../../errors.js';
import { VIOLATION_MEANINGS } from '../audit/audit-report.js';
import { buildPage, readText } from './build-page.js';
import type { ReportData, ReportedPaths } from './gather-report.js';

/** `methods`: one paragraph for a paper. */
type Report = ReportData & { readonly methods: string };

/**
 * Makes the report of a crawl directory from its logs, and writes each file completely or not at all.
 * @param paths - As `readCrawlDirectory` returns them.
 * @param onRequests - Called with the number of requests judged so far.
 * @throws MannerlyError `option-invalid`, `log-failed` if it cannot be written, `install-broken`; the platform's.
 */
export async function writeReport(
  paths: ReportedPaths & { readonly path: string },
  nowMs = Date.now(),
  onRequests?: (requests: number) => void,
): Promise<{ readonly htmlPath: string; readonly jsonPath: string; readonly data: Report }> {
  checkPaths('writeReport', paths, 'path', 'requestsPath', 'decisionsPath', 'warningsPath', 'robotsPath');
  // Loaded here: a crawl does not need it.
  const { gatherReport } = await import('./gather-report.js');
  return writeReportOf(paths.path, await gatherReport(paths, nowMs, onRequests));
}

/** As `writeReport`, from collected data. @throws As `writeReport` */
export async function writeReportOf(path: string, gathered: ReportData): ReturnType<typeof writeReport> {
  const { methodsText } = await import('./methods.js');
  const data = { ...gathered, methods: methodsText(gathered) };
  const html = await reportHtml(data);
  const { reportHtmlPath: htmlPath, reportJsonPath: jsonPath } = crawlPaths(path);
  try {
    await writeAtomically(jsonPath, `${JSON.stringify(data, null, 2)}\n`);
    await writeAtomically(htmlPath, html);
  } catch (cause) {
    throw new MannerlyError('log-failed', `the report could not be written into ${path}: ${String(cause)}`, {
      cause,
      hint: 'Is the disk full, or the directory read-only?',
    });
  }
  return { htmlPath, jsonPath, data };
}

/** The text of `report.html`. @throws MannerlyError `install-broken` if a file of the package is missing. */
export async function reportHtml(report: Report): Promise<string> {
  const { resolve } = createRequire(import.meta.url);
  const [style, plotScript] = await Promise.all([
    readText(resolve('uplot/dist/uPlot.min.css')),
    readText(resolve('uplot/dist/uPlot.iife.min.js')),
  ]);
  const data = jsonForScript({ report, meanings: VIOLATION_MEANINGS });
  return (await buildPage('report', { data, style, plotScript })).html;
}

/** A value as JSON for a `script` element: without `<` it holds neither `</script>` nor `<!--`. @throws Never */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
