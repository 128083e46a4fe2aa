// What an audit can find, and what it returns.

/** Every kind of violation in the order of reports, and what was requested, as the end of a sentence. */
export const VIOLATION_MEANINGS = Object.freeze({
  'too-early': 'sooner than its host’s pace, its own robots.txt or a pause allowed',
  overlapping: 'while another request to the same host was under way',
  excluded: 'closed by the copy of robots.txt in force',
  'before-robots': 'before robots.txt was known, or after it had expired',
  'wrong-identity': 'under another name than the crawl’s own',
  'too-many-at-once': 'with more requests under way than the run declares',
  'robots-copy': 'the copy of robots.txt is another one, missing or changed',
  log: 'lines that cannot be read or contradict each other',
});

/** A kind of violation; `VIOLATION_MEANINGS` explains each. */
export type ViolationKind = keyof typeof VIOLATION_MEANINGS;

/** All kinds, in the order of reports. */
export const VIOLATION_KINDS = Object.keys(VIOLATION_MEANINGS) as readonly ViolationKind[];

/** One finding. */
export interface Violation {
  readonly kind: ViolationKind;
  /** `null`: it is about a run or a line, not about a request. */
  readonly url: string | null;
  readonly host: string | null;
  /** Epoch milliseconds; `null` where the log does not say. */
  readonly atMs: number | null;
  /** One sentence for people. */
  readonly detail: string;
}

/** What sets the earliest time of a request. */
export type PaceReason = 'interval' | 'crawl-delay' | 'request-rate' | 'pause' | 'robots-retry';

/** The result of an audit. */
export interface AuditReport {
  readonly format: 1;
  /** There were requests, and no violation. */
  readonly passed: boolean;
  readonly runs: number;
  readonly requests: number;
  readonly hosts: number;
  /** Start of the first request and end of the last, epoch milliseconds; `null` without requests. */
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Violations by kind; every kind is there. */
  readonly counts: Readonly<Record<ViolationKind, number>>;
  /** The first of them, at most `MAX_LISTED_VIOLATIONS`. */
  readonly violations: readonly Violation[];
  /** What could not be judged, one sentence each. */
  readonly notes: readonly string[];
}
