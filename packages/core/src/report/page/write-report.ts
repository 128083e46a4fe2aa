// Writes `report.json` and `report.html` into a crawl directory. The HTML file is the template of
// `packages/core/report-page` with its style, its scripts and the report as JSON. The script renders the JSON; the
// page's policy (Content-Security-Policy) loads nothing and runs no other script.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { writeWhole } from '../../directory/whole-file.js';
import { MannerlyError } from '../../errors.js';
import { ownFile } from '../../own-package.js';
import { VIOLATION_MEANINGS } from '../audit/audit-report.js';
import type { ReportedPaths } from './gather-report.js';
import { pagePolicy } from './page-policy.js';
import type { ReportData } from './report-data.js';

/**
 * Makes the report of a crawl directory from its logs, and writes each file whole or not at all.
 * @param paths - As `readCrawlDirectory` gives them.
 * @param onRequests - Called with the number of requests judged so far.
 * @throws MannerlyError `log-failed` when it cannot be written, `install-broken`; the platform's error.
 */
export async function writeReport(
  paths: ReportedPaths & { readonly path: string },
  nowMs = Date.now(),
  onRequests?: (requests: number) => void,
): Promise<{ readonly htmlPath: string; readonly jsonPath: string; readonly data: ReportData }> {
  // Loaded here: a crawl does not need it.
  const { gatherReport } = await import('./gather-report.js');
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

/** The text of `report.html`. @throws MannerlyError `install-broken` where a file of the package is missing. */
export async function reportHtml(report: ReportData): Promise<string> {
  const { resolve } = createRequire(import.meta.url);
  const own = (name: string) => readText(ownFile(`report-page/${name}`));
  const [template, ownStyle, script, plotStyle, plotScript] = await Promise.all([
    own('report.html'),
    own('report.css'),
    own('report.js'),
    readText(resolve('uplot/dist/uPlot.min.css')),
    readText(resolve('uplot/dist/uPlot.iife.min.js')),
  ]);
  const style = `${plotStyle}\n${ownStyle}`;
  const parts: Readonly<Record<string, string>> = {
    policy: `"${pagePolicy(style, [plotScript, script])}"`,
    style,
    data: jsonForScript({ report, meanings: VIOLATION_MEANINGS }),
    plotScript,
    script,
  };
  return template.replaceAll(
    /\/\* @(\w+) \*\/|"@(\w+)"/g,
    (_, bare?: string, quoted?: string) => parts[bare ?? quoted ?? ''] ?? '',
  );
}

/** A value as JSON for a `script` element: without `<` it holds neither `</script>` nor `<!--`. @throws Never */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

async function readText(path: string | URL): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new MannerlyError('install-broken', `${String(path)} cannot be read`, {
      cause,
      hint: 'It is part of the package: install mannerly again.',
    });
  }
}
