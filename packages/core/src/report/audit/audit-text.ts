// An audit as text for a person at a terminal or in the log of a CI job.

import { printable } from '../table.js';
import { type AuditReport, VIOLATION_KINDS, type Violation, type ViolationKind } from './violation.js';

/** What each kind means, one sentence. */
export const VIOLATION_MEANINGS: Readonly<Record<ViolationKind, string>> = {
  'too-early': 'sooner than its host’s pace, its own wish or a pause allowed',
  overlapping: 'while another request to the same host was under way',
  excluded: 'closed by the copy of robots.txt in force',
  'before-robots': 'before robots.txt was known, or after it had expired',
  'wrong-identity': 'under another name than the crawl’s own',
  'too-many-at-once': 'more requests under way than promised',
  'robots-copy': 'the copy of robots.txt is another one, missing or changed',
  log: 'lines that cannot be read or told from invention',
};

/** The report as text; `limit` violations are listed. @throws Never */
export function auditText(report: AuditReport, limit = 20): string {
  const { passed, requests, hosts, runs, counts, violations, notes } = report;
  const looked = `${plural(requests, 'request')} to ${plural(hosts, 'host')} in ${plural(runs, 'run')}`;
  const lines = [passed ? `Polite: ${looked}, no violation found.` : headline(report, looked)];
  for (const kind of VIOLATION_KINDS) {
    if (counts[kind] > 0) lines.push(`  ${String(counts[kind]).padStart(7)}  ${kind}: ${VIOLATION_MEANINGS[kind]}`);
  }
  const shown = violations.slice(0, limit);
  if (shown.length > 0) lines.push('');
  for (const violation of shown) lines.push(violationText(violation));
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (all > shown.length) lines.push(`… and ${all - shown.length} more.`);
  return [...lines, ...notes].join('\n');
}

function headline({ requests, counts }: AuditReport, looked: string): string {
  if (requests === 0 && Object.values(counts).every((count) => count === 0)) return 'Nothing to audit.';
  return `Not polite: ${looked}.`;
}

function violationText({ kind, url, atMs, detail }: Violation): string {
  const when = atMs === null ? '' : `${new Date(atMs).toISOString()} `;
  const what = url === null ? '' : `${printable(url)}: `;
  return `${when}${kind}: ${what}${printable(detail, 400)}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
