// The findings and the result of an audit, and the result as text for a terminal or the log of a CI job.

import { iso, plural, printable, sumOf } from '../table.js';
import { MAX_LISTED_VIOLATIONS } from './limits.js';

/** Every kind of violation in the order of reports; each text completes a sentence about requests. */
export const VIOLATION_MEANINGS = Object.freeze({
  'too-early': 'sooner than its host’s pace, its own robots.txt or a pause allowed',
  overlapping: 'while another request to the same host was under way',
  excluded: 'closed by the copy of robots.txt in force',
  'before-robots': 'before robots.txt was known, or after it had expired',
  'wrong-identity': 'under another name than the crawl’s own',
  'too-many-at-once': 'with more requests under way than the run declares',
  signature: 'without the signature that the others have, or with one that proves nothing',
  'robots-copy': 'the copy of robots.txt is another one, missing or changed',
  log: 'lines that cannot be read or contradict each other, or a log that was cut or changed',
});

export type ViolationKind = keyof typeof VIOLATION_MEANINGS;

/** All kinds, in the order of reports. */
export const VIOLATION_KINDS = Object.keys(VIOLATION_MEANINGS) as readonly ViolationKind[];

export interface Violation {
  readonly kind: ViolationKind;
  /** `null` if the finding is about a run or a line, not about a request. */
  readonly url: string | null;
  readonly host: string | null;
  /** Epoch milliseconds; `null` if the log does not say. */
  readonly atMs: number | null;
  /** One sentence for people. */
  readonly detail: string;
}

/** Takes a violation of the request that is being judged. */
export type AddViolation = (kind: ViolationKind, detail: string) => void;

export type PaceReason = 'interval' | 'crawl-delay' | 'request-rate' | 'pause' | 'robots-retry';

export interface AuditReport {
  readonly format: 1;
  /** There were requests, and no violation. */
  readonly passed: boolean;
  readonly runs: number;
  readonly requests: number;
  readonly hosts: number;
  /** Start of the first request and end of the last, epoch milliseconds; `null` if there are no requests. */
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Violations by kind; every kind is listed. */
  readonly counts: Readonly<Record<ViolationKind, number>>;
  /** The first violations, at most `MAX_LISTED_VIOLATIONS`. */
  readonly violations: readonly Violation[];
  /** What could not be judged, one sentence each. */
  readonly notes: readonly string[];
}

/** The faults that the signatures of an archive prove. `found`: the first of them; `count`: all. */
export type SignatureFindings = Pick<AuditReport, 'notes'> & {
  readonly found: readonly Violation[];
  readonly count: number;
};

export function withFindings(report: AuditReport, { found, count, notes }: SignatureFindings): AuditReport {
  const violations = [...report.violations, ...found].slice(0, MAX_LISTED_VIOLATIONS);
  const counts = { ...report.counts, signature: report.counts.signature + count };
  return { ...report, passed: report.passed && count === 0, counts, violations, notes: [...report.notes, ...notes] };
}

/** The report as text; lists `limit` violations. @throws Never */
export function auditText(report: AuditReport, limit = 20): string {
  const { passed, requests, hosts, runs, counts, violations, notes } = report;
  const audited = `${plural(requests, 'request')} to ${plural(hosts, 'host')} in ${plural(runs, 'run')}`;
  const found = sumOf(counts);
  const lines = [`Not polite: ${audited}.`];
  if (passed) lines[0] = `Polite: ${audited}, no violation found.`;
  else if (found > 0 && found === counts.log + counts['robots-copy']) lines[0] = `Not proven polite: ${audited}.`;
  else if (requests === 0 && found === 0) lines[0] = 'Nothing to audit.';
  for (const kind of VIOLATION_KINDS) {
    if (counts[kind] > 0) lines.push(`  ${String(counts[kind]).padStart(7)}  ${kind}: ${VIOLATION_MEANINGS[kind]}`);
  }
  const listed = violations.slice(0, limit);
  if (listed.length > 0) lines.push('', ...listed.map(violationText));
  if (found > listed.length) lines.push(`… and ${found - listed.length} more.`);
  return [...lines, ...notes].join('\n');
}

function violationText({ kind, url, atMs, detail }: Violation): string {
  const when = atMs === null ? '' : `${iso(atMs)} `;
  const what = url === null ? '' : `${printable(url)}: `;
  return `${when}${kind}: ${what}${printable(detail, 400)}`;
}
