// The report as one HTML file: the template of `packages/core/report-page` with its style, its scripts and the report
// as JSON. The script renders the JSON; the page's policy (Content-Security-Policy) loads nothing and runs no other
// script.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { MannerlyError } from '../../errors.js';
import { VIOLATION_MEANINGS } from '../audit/violation.js';
import type { ReportData } from './report-data.js';

/** The file's text. @throws MannerlyError `install-broken` where a file of the package is missing. */
export async function reportHtml(report: ReportData): Promise<string> {
  const { resolve } = createRequire(import.meta.url);
  const own = (name: string) => readText(new URL(`../../../report-page/${name}`, import.meta.url));
  const [template, ownStyle, script, plotStyle, plotScript] = await Promise.all([
    own('report.html'),
    own('report.css'),
    own('report.js'),
    readText(resolve('uplot/dist/uPlot.min.css')),
    readText(resolve('uplot/dist/uPlot.iife.min.js')),
  ]);
  const style = `${plotStyle}\n${ownStyle}`;
  const parts: Readonly<Record<string, string>> = {
    policy: `"${policyOf(style, [plotScript, script])}"`,
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

/** Scripts and styles are allowed by their hashes alone, and no markup is made from text (Trusted Types). */
function policyOf(style: string, scripts: readonly string[]): string {
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(' ')}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/**
 * A value as JSON that may stand in a `script` element: without `<` it holds neither `</script>` nor `<!--`. @throws
 * Never
 */
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
