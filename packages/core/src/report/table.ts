// The politeness report for people: who was asked, how slowly, what was asked of us, and what was left alone because
// which line of whose robots.txt said so. Text from sites is untrusted: control characters are taken out before it is
// shown.

import { createRequire } from 'node:module';
import type { HostPoliteness } from './crawl-report.js';
import { reasonOf } from './reasons.js';

/** How the table is drawn. */
export interface TableOptions {
  /** Rows at most; the hosts with most requests come first when there are more. @default 40 */
  readonly maxHosts?: number;
  /** Exclusions listed at most. @default 40 */
  readonly maxExclusions?: number;
}

/** The figures of one host that can be measured on either side of the wire. */
export type MeasuredRow = Pick<
  HostPoliteness,
  | 'host'
  | 'requests'
  | 'pages'
  | 'robotsRequests'
  | 'smallestGapMs'
  | 'smallestStartToStartMs'
  | 'highestConcurrency'
  | 'statuses'
>;

/**
 * The whole report as text: the hosts, what was left alone, and what the sites told us.
 *
 * @throws Never
 */
export function politenessText(rows: readonly HostPoliteness[], options: TableOptions = {}): string {
  const parts = [
    hostTable(rows, options.maxHosts ?? 40),
    leftAloneText(rows, options.maxExclusions ?? 40),
    saidText(rows),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Milliseconds as seconds with two digits; `–` for none. @throws Never */
export function seconds(ms: number | null): string {
  return ms === null ? '–' : `${(ms / 1000).toFixed(2)} s`;
}

/**
 * Text from a site made safe to print: control and direction characters taken out, at most `limit` characters. @throws
 * Never
 */
export function printable(text: string, limit = 200): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1)}…`;
}

/** Statuses with their counts, `200 ×5, 503`. @throws Never */
export function statusText(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => (count === 1 ? status : `${status} ×${count}`))
    .join(', ');
}

function hostTable(rows: readonly HostPoliteness[], maxHosts: number): string {
  const shown = rows.length <= maxHosts ? rows : [...rows].sort((a, b) => b.requests - a.requests).slice(0, maxHosts);
  const table = plainTable(
    [
      'host',
      'requests',
      'pages',
      'smallest\ngap',
      'asked\nfor',
      'start to\nstart',
      'at\nonce',
      'longest\npause',
      'early',
      'answers',
      'left\nalone',
      'held',
      'failed',
    ],
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12],
  );
  for (const row of shown) {
    table.push([
      printable(row.host, 60),
      row.requests,
      row.pages,
      seconds(row.smallestGapMs),
      askedFor(row),
      seconds(row.smallestStartToStartMs),
      row.highestConcurrency,
      row.longestPauseMs === 0 ? '–' : seconds(row.longestPauseMs),
      row.early,
      statusText(row.statuses),
      row.excluded,
      row.held,
      row.failed,
    ]);
  }
  const rest = rows.length - shown.length;
  return rest > 0 ? `${table.toString()}\n… and ${rest} more hosts.` : table.toString();
}

/** What the host asked for: a delay runs from end to start, a rate from start to start. */
function askedFor({ requiredGapMs, requiredStartToStartMs }: HostPoliteness): string {
  const delay = requiredGapMs === null ? [] : [`delay ${seconds(requiredGapMs)}`];
  const rate = requiredStartToStartMs === null ? [] : [`rate ${seconds(requiredStartToStartMs)}`];
  return [...delay, ...rate].join(', ') || '–';
}

/** What was left alone as the sites asked. Empty where nothing was. */
function leftAloneText(rows: readonly HostPoliteness[], maxExclusions: number): string {
  const exclusions = rows.flatMap((row) => row.exclusions);
  if (exclusions.length === 0) return '';
  const table = plainTable(['left alone', 'because', 'line', 'of'], [2]);
  for (const { url, reason, line, pattern, authority } of exclusions.slice(0, maxExclusions)) {
    const byRobots =
      line === null ? '–' : `${printable(authority ?? '', 60)}/robots.txt: ${printable(pattern ?? '', 60)}`;
    table.push([printable(url, 70), reason, line ?? '–', byRobots]);
  }
  const total = rows.reduce((sum, row) => sum + row.excluded, 0);
  const listed = Math.min(exclusions.length, maxExclusions);
  const more = total > listed ? `\n… ${total} in all; the decision log names every one.` : '';
  const used = [...new Set(exclusions.map((exclusion) => exclusion.reason))];
  const meanings = used.map((word) => `  ${word}: ${reasonOf(word)?.means ?? 'see the decision log.'}`);
  return `${table.toString()}${more}\n${meanings.join('\n')}`;
}

/** Comments and notices, host by host. Empty where there are none. */
function saidText(rows: readonly HostPoliteness[]): string {
  const lines: string[] = [];
  for (const { host, comments, warnings } of rows) {
    for (const comment of comments) lines.push(`  ${printable(host, 60)} says: ${printable(comment)}`);
    for (const notice of warnings) lines.push(`  ${printable(host, 60)}: ${printable(notice)}`);
  }
  return lines.length === 0 ? '' : `To know:\n${lines.join('\n')}`;
}

/** The columns that both sides of the wire can measure, for a comparison. @throws Never */
export function measuredTable(rows: readonly MeasuredRow[]): string {
  const table = plainTable(
    ['host', 'requests', 'pages', 'robots.txt', 'smallest\ngap', 'start to\nstart', 'at\nonce', 'answers'],
    [1, 2, 3, 4, 5, 6],
  );
  for (const row of rows) {
    table.push([
      printable(row.host, 60),
      row.requests,
      row.pages,
      row.robotsRequests,
      seconds(row.smallestGapMs),
      seconds(row.smallestStartToStartMs),
      row.highestConcurrency,
      statusText(row.statuses),
    ]);
  }
  return table.toString();
}

/** No frame, one rule under the headings, two blanks between columns: nothing to wrap on a narrow terminal. */
const RULED_ONCE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  right: '',
  'right-mid': '',
  mid: '─',
  'mid-mid': '──',
  middle: '  ',
} as const;

/** A table without colours, the given columns to the right. @throws Never */
export function plainTable(head: readonly string[], right: readonly number[]) {
  // Loaded on the spot when a table is drawn: a crawl draws none until its end.
  const Table = createRequire(import.meta.url)('cli-table3') as typeof import('cli-table3');
  return new Table({
    head: [...head],
    colAligns: head.map((_, column) => (right.includes(column) ? 'right' : 'left')),
    chars: RULED_ONCE,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
}
