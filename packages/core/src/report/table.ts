// The politeness report as text: which hosts were requested, how slowly, what they required, and what was excluded by
// which line of whose robots.txt. Text from sites is untrusted: control characters are removed before it is printed.

import { createRequire } from 'node:module';
import type { HostPoliteness } from './crawl-report.js';
import { reasonOf } from './reasons.js';

/** Hosts, exclusions, comments and warnings as text. @param maxRows - Hosts and exclusions that are listed. */
export function politenessText(rows: readonly HostPoliteness[], maxRows = 40): string {
  const parts = [hostTable(rows, maxRows), exclusionsText(rows, maxRows), remarksText(rows)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Milliseconds as seconds with two digits; `–` for none. @throws Never */
export function seconds(ms: number | null): string {
  return ms === null ? '–' : `${(ms / 1000).toFixed(2)} s`;
}

/** A length of time for people: `8.3 s`, `12 min 5 s`, `3 h 20 min`, `2 days 4 h`. @throws Never */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const units = [
    ['days', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const;
  const at = units.findIndex(([, length]) => ms >= length);
  const [large = units[3], small] = units.slice(at);
  const count = Math.floor(ms / large[1]);
  const rest = small === undefined ? 0 : Math.floor((ms % large[1]) / small[1]);
  return `${large[0] === 'days' ? plural(count, 'day') : `${count} ${large[0]}`}${small === undefined || rest === 0 ? '' : ` ${rest} ${small[0]}`}`;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** A number with its noun, `1 page`, `2 pages`. @throws Never */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Text from a site made safe to print: without control and direction characters, cut to `limit`. @throws Never */
export function printable(text: string, limit = 200): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1)}…`;
}

/** Text as a terminal may show it: control and direction characters become escapes, and JSON stays the same JSON. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Statuses with their counts, `200 ×5, 503`. @throws Never */
export function statusText(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => (count === 1 ? status : `${status} ×${count}`))
    .join(', ');
}

/** A column of a table: its heading, and the text or number of a row. */
export type Column<Row> = readonly [head: string, align: 'left' | 'right', cell: (row: Row) => string | number];

const COLUMNS: readonly Column<HostPoliteness>[] = [
  ['host', 'left', ({ host }) => printable(host, 60)],
  ['requests', 'right', ({ requests }) => requests],
  ['pages', 'right', ({ pages }) => pages ?? '–'],
  ['smallest\ngap', 'right', ({ smallestGapMs }) => seconds(smallestGapMs)],
  ['required', 'right', requiredText],
  ['start to\nstart', 'right', (row) => seconds(row.smallestStartToStartMs)],
  ['at\nonce', 'right', ({ highestConcurrency }) => highestConcurrency],
  ['longest\npause', 'right', ({ longestPauseMs }) => seconds(longestPauseMs === 0 ? null : longestPauseMs)],
  ['early', 'right', ({ early }) => early],
  ['answers', 'left', ({ statuses }) => statusText(statuses)],
  ['left\nalone', 'right', ({ excluded }) => excluded],
  ['held', 'right', ({ held }) => held],
  ['failed', 'right', ({ failed }) => failed],
];

function hostTable(rows: readonly HostPoliteness[], maxHosts: number): string {
  const listed = rows.length <= maxHosts ? rows : [...rows].sort((a, b) => b.requests - a.requests).slice(0, maxHosts);
  const rest = rows.length - listed.length;
  return `${tableText(COLUMNS, listed)}${rest > 0 ? `\n… and ${plural(rest, 'more host')}.` : ''}`;
}

/** What the host required: a delay runs from end to start, a rate from start to start. */
function requiredText({ requiredGapMs, requiredStartToStartMs }: HostPoliteness): string {
  const delay = requiredGapMs === null ? [] : [`delay ${seconds(requiredGapMs)}`];
  const rate = requiredStartToStartMs === null ? [] : [`rate ${seconds(requiredStartToStartMs)}`];
  return [...delay, ...rate].join(', ') || '–';
}

type Exclusion = HostPoliteness['exclusions'][number];

const EXCLUSION_COLUMNS: readonly Column<Exclusion>[] = [
  ['left alone', 'left', ({ url }) => printable(url, 70)],
  ['because', 'left', ({ reason }) => printable(reason, 60)],
  ['line', 'right', ({ line }) => line ?? '–'],
  ['of', 'left', ruleText],
];

function ruleText({ line, pattern, authority }: Exclusion): string {
  return line === null ? '–' : `${printable(authority ?? '', 60)}/robots.txt: ${printable(pattern ?? '', 60)}`;
}

/** What sites excluded, and by which line. Empty if nothing was excluded. */
function exclusionsText(rows: readonly HostPoliteness[], maxExclusions: number): string {
  const exclusions = rows.flatMap((row) => row.exclusions);
  if (exclusions.length === 0) return '';
  const table = tableText(EXCLUSION_COLUMNS, exclusions.slice(0, maxExclusions));
  const total = rows.reduce((sum, row) => sum + row.excluded, 0);
  const isCut = total > Math.min(exclusions.length, maxExclusions);
  const more = isCut ? `\n… ${total} in all; the decision log names every one.` : '';
  const reasons = [...new Set(exclusions.map(({ reason }) => reason))];
  const meanings = reasons.map(
    (reason) => `  ${printable(reason, 60)}: ${reasonOf(reason)?.meaning ?? 'see the decision log.'}`,
  );
  return `${table}${more}\n${meanings.join('\n')}`;
}

/** Comments and warnings, host by host. Empty if there are none. */
export function remarksText(rows: readonly HostPoliteness[]): string {
  const lines = rows.flatMap(({ host, comments, warnings }) => [
    ...comments.map((comment) => `  ${printable(host, 60)} says: ${printable(comment)}`),
    ...warnings.map((warning) => `  ${printable(host, 60)}: ${printable(warning)}`),
  ]);
  return lines.length === 0 ? '' : `To know:\n${lines.join('\n')}`;
}

const NO_FRAME = ['top', 'bottom', 'left', 'right'].flatMap((side) =>
  ['', '-mid', '-left', '-right'].map((place) => [`${side}${place}`, ''] as const),
);

/**
 * A table without frame and colours: a rule under the headings, two blanks between columns. If it is wider than the
 * terminal, its columns go into several tables below each other, which all begin with the first column. @throws Never
 */
export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const width = process.stdout.columns || Number.MAX_SAFE_INTEGER;
  let count = columns.length;
  let text = drawTable(columns, rows);
  while (count > 2 && (/^─+$/m.exec(text)?.[0].length ?? 0) > width) {
    count -= 1;
    text = drawTable(columns.slice(0, count), rows);
  }
  const rest = columns.slice(count);
  return rest.length === 0 ? text : `${text}\n\n${tableText([...columns.slice(0, 1), ...rest], rows)}`;
}

function drawTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  // Loaded when a table is drawn: a crawl draws one only at its end.
  const Table = createRequire(import.meta.url)('cli-table3') as typeof import('cli-table3');
  const table = new Table({
    head: columns.map(([head]) => head),
    colAligns: columns.map(([, align]) => align),
    chars: { ...Object.fromEntries(NO_FRAME), mid: '─', 'mid-mid': '──', middle: '  ' },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(columns.map(([, , cell]) => cell(row)));
  return table.toString();
}
