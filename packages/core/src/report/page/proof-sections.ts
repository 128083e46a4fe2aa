// The end of the report page: the methods paragraph, what each run promised, and what the audit found.

import { VIOLATION_MEANINGS } from '../audit/audit-text.js';
import { VIOLATION_KINDS } from '../audit/violation.js';
import { number, plural, seconds } from './figures.js';
import { MAX_PAGE_VIOLATIONS } from './limits.js';
import { escaped, tableHtml } from './markup.js';
import type { ReportData } from './report-data.js';
import { time } from './time-words.js';

/** The paragraph for a paper, and what each run promised. @throws Never */
export function methodsHtml({ methods, crawl }: ReportData): string {
  const rows = crawl.runs.map(({ startedAtMs, versions, pace, concurrency, robots, userAgent }) => ({
    cells: [
      { html: time(startedAtMs), sort: startedAtMs },
      { html: escaped(`mannerly ${versions.mannerly}, Node ${versions.node}`) },
      { html: escaped(paceText(pace)) },
      { html: String(concurrency), sort: concurrency },
      { html: `<code>${escaped(JSON.stringify(robots), 300)}</code>` },
      { html: escaped(userAgent) },
    ],
  }));
  return `<section id="methods" aria-labelledby="methods-title">
<h2 id="methods-title">Methods</h2>
<p>A paragraph for a paper, with this crawl’s own figures. Edit it to taste.</p>
<blockquote><p id="methods-text">${escaped(methods, 20_000)}</p></blockquote>
<p class="needs-js"><button type="button" class="plain" id="copy-methods">Copy the paragraph</button></p>
<details><summary>What each run promised</summary>
${tableHtml({
  id: 'runs-table',
  caption: plural(rows.length, 'run'),
  columns: [
    { label: 'Began', kind: 'number' },
    { label: 'Versions', kind: 'text' },
    { label: 'Pace', kind: 'text' },
    { label: 'At once', kind: 'number' },
    { label: 'Reading of robots.txt', kind: 'text' },
    { label: 'User-Agent', kind: 'text' },
  ],
  rows,
})}
</details>
</section>`;
}

function paceText({ name, factor, minMs, maxMs }: ReportData['crawl']['runs'][number]['pace']): string {
  const most = maxMs === null ? '' : `, at most ${seconds(maxMs)}`;
  return `${name}: at least ${seconds(minMs)}, ${factor} × the last retrieval${most}`;
}

/** What the audit found. @throws Never */
export function auditHtml({ audit }: ReportData): string {
  const rows = VIOLATION_KINDS.map((kind) => {
    const count = audit.counts[kind];
    return {
      cells: [
        { html: kind },
        count === 0
          ? { html: '<span class="tag good">none</span>', sort: 0 }
          : { html: `<span class="tag bad">${number(count)}</span>`, sort: count },
        { html: escaped(VIOLATION_MEANINGS[kind]) },
      ],
    };
  });
  const listed = audit.violations.slice(0, MAX_PAGE_VIOLATIONS).map(({ kind, url, atMs, detail }) => ({
    cells: [
      { html: kind },
      { html: atMs === null ? '–' : time(atMs), sort: atMs },
      { html: escaped(url ?? '–') },
      { html: escaped(detail) },
    ],
  }));
  const found = Object.values(audit.counts).reduce((sum, count) => sum + count, 0);
  const notes = audit.notes.map((note) => `<p>${escaped(note)}</p>`).join('');
  return `<section id="audit" aria-labelledby="audit-title">
<h2 id="audit-title">The audit</h2>
<p>Worked out from the request log and the kept copies of robots.txt, without the code that planned the requests. Anyone with the crawl directory can repeat it: <code>mannerly audit DIR</code> ends with code 0 only where nothing is found.</p>
${notes}
${tableHtml({
  id: 'audit-table',
  caption: `${plural(audit.requests, 'request')} to ${plural(audit.hosts, 'host')} in ${plural(audit.runs, 'run')}.`,
  columns: [
    { label: 'Violation', kind: 'text' },
    { label: 'Found', kind: 'number' },
    { label: 'Meaning: requested …', kind: 'text' },
  ],
  rows,
})}
${
  listed.length === 0
    ? ''
    : `<h3>What was found</h3>${tableHtml({
        id: 'violations-table',
        caption:
          listed.length === found
            ? plural(found, 'violation')
            : `The first ${number(listed.length)} of ${number(found)}.`,
        columns: [
          { label: 'Violation', kind: 'text' },
          { label: 'When', kind: 'number' },
          { label: 'URL', kind: 'text' },
          { label: 'What', kind: 'text' },
        ],
        rows: listed,
      })}`
}
</section>`;
}
