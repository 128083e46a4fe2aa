// The report as one HTML file: all words and tables are in it as they are, so that it reads without its script; the plots and
// the sorting come with the script. Its policy lets nothing load and no other script run, whatever a site's text says.

import { createHash } from 'node:crypto';
import { hostsHtml } from './hosts-section.js';
import { escaped, jsonForScript } from './markup.js';
import type { PageAssets } from './page-assets.js';
import { headerHtml } from './page-header.js';
import { answersHtml, growthHtml, timeHtml } from './plot-sections.js';
import { auditHtml, methodsHtml } from './proof-sections.js';
import type { ReportData } from './report-data.js';
import { time } from './time-words.js';
import { leftAloneHtml, pausesHtml } from './wishes-sections.js';

/** The file's text. @throws Never */
export function reportHtml(data: ReportData, { style, plotScript, plotStyle, script }: PageAssets): string {
  const { crawl, timeline, pauses, progress, sizes, depths } = data;
  const shown = { timeline, pauses, progress, sizes, depths, endedAtMs: crawl.endedAtMs ?? 0 };
  const styles = `${plotStyle}\n${style}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(plotScript)} ${hashOf(script)}`,
    `style-src ${hashOf(styles)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="mannerly ${escaped(data.generator.mannerly)}">
<title>Crawl report: ${escaped(crawl.name)}</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
${headerHtml(data)}
<main id="main">
${hostsHtml(data)}
${timeHtml(data)}
${pausesHtml(data)}
${leftAloneHtml(data)}
${answersHtml(data)}
${growthHtml(data)}
${methodsHtml(data)}
${auditHtml(data)}
</main>
<footer><p>Made ${time(data.generatedAtMs)} by mannerly ${escaped(data.generator.mannerly)} from the logs of its crawl directory: <code>requests.jsonl</code>, <code>decisions.jsonl</code>, <code>warnings.jsonl</code>, <code>robots/</code>. The same figures stand in <code>report.json</code>. All times are UTC.</p></footer>
<script type="application/json" id="report-data">${jsonForScript(shown)}</script>
<script>${plotScript}</script>
<script>${script}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
