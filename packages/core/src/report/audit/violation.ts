// What an audit can find, and what it hands back.

/**
 * - `too-early`: sooner than the host's pace, its own file or a pause allowed.
 * - `overlapping`: while another request to the host was under way.
 * - `excluded`: a URL that the copy of robots.txt in force closes.
 * - `before-robots`: a URL of an authority whose robots.txt was not known, or too old.
 * - `wrong-identity`: a User-Agent that is not the crawl's own, or names nobody.
 * - `too-many-at-once`: more requests under way than the run promised.
 * - `robots-copy`: the copy that the log names is not the one in force, not kept, or not the bytes that came.
 * - `log`: a line that is no record, tells the impossible, or stands where it cannot.
 */
export type ViolationKind =
  | 'too-early'
  | 'overlapping'
  | 'excluded'
  | 'before-robots'
  | 'wrong-identity'
  | 'too-many-at-once'
  | 'robots-copy'
  | 'log';

/** All kinds, in the order in which they are told. */
export const VIOLATION_KINDS: readonly ViolationKind[] = [
  'too-early',
  'overlapping',
  'excluded',
  'before-robots',
  'wrong-identity',
  'too-many-at-once',
  'robots-copy',
  'log',
];

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

/** What an audit comes to. */
export interface AuditReport {
  readonly format: 1;
  /** Nothing was found, and there was something to look at. */
  readonly passed: boolean;
  readonly runs: number;
  readonly requests: number;
  readonly hosts: number;
  /** Start of the first request and end of the last, epoch milliseconds; `null` without requests. */
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Findings by kind; every kind is there. */
  readonly counts: Readonly<Record<ViolationKind, number>>;
  /** The first of them, at most `MAX_LISTED_VIOLATIONS`. */
  readonly violations: readonly Violation[];
  /** What could not be looked at, one sentence each. */
  readonly notes: readonly string[];
}
