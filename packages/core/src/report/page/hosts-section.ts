// The report page's table of hosts.

import { number, plural, seconds, size } from './figures.js';
import { escaped, gapBar, tableHtml } from './markup.js';
import type { ReportData, ReportedHost } from './report-data.js';

/** A row for each host: its tightest request beside what was required of it. @throws Never */
export function hostsHtml({ hosts, hostsLeftOut }: ReportData): string {
  const text = (html: string) => ({ html });
  const counted = (value: number) => ({ html: value === 0 ? '–' : number(value), sort: value });
  const rows = hosts.map((row) => {
    const { tightest } = row;
    const asks = asksOf(row);
    return {
      host: row.host,
      cells: [
        text(escaped(row.host)),
        counted(row.requests),
        { html: gapText(row), sort: tightest?.gapMs ?? null },
        { html: requiredText(tightest), sort: tightest?.requiredGapMs ?? null },
        text(tightest === null ? '' : gapBar(tightest.gapMs, tightest.requiredGapMs)),
        row.violations === 0
          ? { html: '<span class="tag good">none</span>', sort: 0 }
          : { html: `<span class="tag bad">${number(row.violations)}</span>`, sort: row.violations },
        { html: asks.text, sort: asks.sortMs },
        counted(row.pauses),
        counted(row.excluded),
        { html: failedText(row), sort: row.failed + row.held },
        { html: escaped(statusesText(row.statuses), 120), sort: errorsOf(row) },
        { html: size(row.bytes), sort: row.bytes },
      ],
    };
  });
  const more = hostsLeftOut === 0 ? '' : ` ${number(hostsLeftOut)} hosts with fewer requests are left out.`;
  return `<section id="hosts" aria-labelledby="hosts-title">
<h2 id="hosts-title">How each host was treated</h2>
<p>A gap runs from the end of one exchange with a host to the start of the next. The tightest request of a host is the one whose gap came nearest to what was required of it just then; its bar shows the gap, the tick what was required.</p>
<div class="tools needs-js"><label>Host <input type="search" id="host-search" placeholder="part of its name"></label></div>
${tableHtml({
  id: 'hosts-table',
  caption: `${plural(hosts.length, 'host')}, by requests.${more}`,
  columns: [
    { label: 'Host', kind: 'text' },
    { label: 'Requests', kind: 'number' },
    { label: 'Tightest gap', kind: 'number' },
    { label: 'Required', kind: 'number' },
    { label: 'Gap, tick: required', kind: 'bar' },
    { label: 'Violations', kind: 'number' },
    { label: 'Host asks for', kind: 'number' },
    { label: 'Pauses', kind: 'number' },
    { label: 'Left alone', kind: 'number' },
    { label: 'Failed, held', kind: 'number' },
    { label: 'Answers', kind: 'text' },
    { label: 'Received', kind: 'number' },
  ],
  rows,
})}
</section>`;
}

/** The gap of the tightest request, and the host's smallest where that is another one: less was required of it then. */
function gapText({ tightest, smallestGapMs }: ReportedHost): string {
  if (tightest === null) return '–';
  const isOther = smallestGapMs !== null && smallestGapMs < tightest.gapMs;
  return `${seconds(tightest.gapMs)}${isOther ? `<small>smallest ${seconds(smallestGapMs)}</small>` : ''}`;
}

function failedText({ failed, held }: ReportedHost): string {
  if (failed + held === 0) return '–';
  return `${number(failed)}${held === 0 ? '' : `<small>${number(held)} held</small>`}`;
}

function requiredText(tightest: ReportedHost['tightest']): string {
  if (tightest === null) return '–';
  return `${seconds(tightest.requiredGapMs)}<small>${REQUIRED_BY[tightest.requiredBy] ?? tightest.requiredBy}</small>`;
}

const REQUIRED_BY: Readonly<Record<string, string>> = {
  interval: 'our interval',
  'crawl-delay': 'Crawl-delay',
  'request-rate': 'Request-rate',
  pause: 'a pause',
  'robots-retry': 'wait for robots.txt',
};

function asksOf({ crawlDelayMs, requestIntervalMs }: ReportedHost): {
  readonly text: string;
  readonly sortMs: number | null;
} {
  const delay = crawlDelayMs === null ? [] : [`delay ${seconds(crawlDelayMs)}`];
  const rate = requestIntervalMs === null ? [] : [`1 in ${seconds(requestIntervalMs)}`];
  const asked = [...delay, ...rate];
  if (asked.length === 0) return { text: '–', sortMs: null };
  return { text: asked.join(', '), sortMs: Math.max(crawlDelayMs ?? 0, requestIntervalMs ?? 0) };
}

function statusesText(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .sort(([, a], [, b]) => b - a)
    .map(([status, count]) => (count === 1 ? status : `${status} ×${number(count)}`))
    .join(', ');
}

/** Requests that brought no good answer. */
function errorsOf({ statuses }: ReportedHost): number {
  return Object.entries(statuses).reduce((sum, [status, count]) => (/^[23]/.test(status) ? sum : sum + count), 0);
}
