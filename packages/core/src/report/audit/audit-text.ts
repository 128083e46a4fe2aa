// An audit as text for a terminal or the log of a CI job.

import { printable } from '../table.js';
import { type AuditReport, VIOLATION_KINDS, VIOLATION_MEANINGS, type Violation } from './violation.js';

/** The report as text; `limit` violations are listed. @throws Never */
export function auditText(report: AuditReport, limit = 20): string {
  const { passed, requests, hosts, runs, counts, violations, notes } = report;
  const judged = `${plural(requests, 'request')} to ${plural(hosts, 'host')} in ${plural(runs, 'run')}`;
  const found = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const lines = [`Not polite: ${judged}.`];
  if (passed) lines[0] = `Polite: ${judged}, no violation found.`;
  else if (requests === 0 && found === 0) lines[0] = 'Nothing to audit.';
  for (const kind of VIOLATION_KINDS) {
    if (counts[kind] > 0) lines.push(`  ${String(counts[kind]).padStart(7)}  ${kind}: ${VIOLATION_MEANINGS[kind]}`);
  }
  const shown = violations.slice(0, limit);
  if (shown.length > 0) lines.push('', ...shown.map(violationText));
  if (found > shown.length) lines.push(`… and ${found - shown.length} more.`);
  return [...lines, ...notes].join('\n');
}

function violationText({ kind, url, atMs, detail }: Violation): string {
  const when = atMs === null ? '' : `${new Date(atMs).toISOString()} `;
  const what = url === null ? '' : `${printable(url)}: `;
  return `${when}${kind}: ${what}${printable(detail, 400)}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
