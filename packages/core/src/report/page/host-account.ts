// One host's part of the report: its counts, its tightest request, and a bounded choice of points for the timeline,
// which includes the tightest request and the violations.

import type { PaceReason } from '../audit/audit-report.js';
import type { AuditedRequest } from '../audit/auditor.js';
import type { UrlDecision, UrlStatus } from '../decision.js';
import { MAX_HOST_POINTS, MAX_STATUSES_PER_HOST } from '../limits.js';
import { larger, RequestCounts } from '../politeness.js';

/** Start, index of the host, status (0: none), gap, required gap, whether it violates anything. */
type TimelinePoint = readonly [
  startedAtMs: number,
  host: number,
  status: number,
  gapMs: number | null,
  requiredGapMs: number | null,
  isViolation: 0 | 1,
];

type Point = { readonly at: TimelinePoint; readonly marginMs: number };

/** Uncounts one URL. A URL without a line was never counted. */
export function uncount(outcomes: Record<UrlStatus, number>, status: UrlStatus): void {
  if (outcomes[status] > 0) outcomes[status] -= 1;
}

export class HostAccount {
  readonly counts = new RequestCounts();
  /** Points that are left out of the timeline. */
  leftOut = 0;
  readonly #outcomes: Record<UrlStatus, number> = { fetched: 0, excluded: 0, dropped: 0, failed: 0, held: 0 };
  #pauses = 0;
  #pausedMs = 0;
  #violations = 0;
  #smallestGapMs: number | null = null;
  /** The request closest to the required gap: its gap, the required gap, and what required it. */
  #tightest: { readonly gapMs: number; readonly requiredGapMs: number; readonly requiredBy: PaceReason } | null = null;
  #smallestMarginMs = Number.POSITIVE_INFINITY;
  #crawlDelayMs: number | null = null;
  #requestIntervalMs: number | null = null;
  #points: Point[] = [];
  /** One of this many requests is kept as a point. */
  #stride = 1;

  request(audited: AuditedRequest): void {
    const { record, gapMs, requiredGapMs, requiredBy, required, pause, violations } = audited;
    this.counts.add(record, MAX_STATUSES_PER_HOST);
    this.#violations += violations.length;
    if (gapMs !== null) this.#smallestGapMs = Math.min(this.#smallestGapMs ?? gapMs, gapMs);
    let marginMs = Number.POSITIVE_INFINITY;
    if (gapMs !== null && requiredGapMs !== null && requiredBy !== null) {
      marginMs = gapMs - requiredGapMs;
      if (marginMs < this.#smallestMarginMs) {
        this.#smallestMarginMs = marginMs;
        this.#tightest = { gapMs, requiredGapMs, requiredBy };
      }
    }
    this.#crawlDelayMs = larger(this.#crawlDelayMs, required?.crawlDelayMs ?? null);
    this.#requestIntervalMs = larger(this.#requestIntervalMs, required?.rateMs ?? null);
    if (pause !== null) {
      this.#pauses += 1;
      this.#pausedMs += pause.untilMs - pause.fromMs;
    }
    this.#keepPoint(audited, marginMs);
  }

  decision({ status, replaces }: UrlDecision): void {
    this.#outcomes[status] += 1;
    if (replaces !== undefined) uncount(this.#outcomes, replaces.status);
  }

  row(host: string) {
    const { requests, pages, robotsRequests, bytes, statuses } = this.counts;
    const { excluded, dropped, failed, held } = this.#outcomes;
    return {
      host,
      requests,
      pageRequests: pages,
      robotsRequests,
      bytes,
      pauses: this.#pauses,
      pausedMs: this.#pausedMs,
      violations: this.#violations,
      statuses: Object.fromEntries(statuses),
      smallestGapMs: this.#smallestGapMs,
      tightest: this.#tightest,
      crawlDelayMs: this.#crawlDelayMs,
      requestIntervalMs: this.#requestIntervalMs,
      excluded,
      dropped,
      failed,
      held,
    };
  }

  /** Its points, with `index` as the host's number. */
  points(index: number): TimelinePoint[] {
    return this.#points.map(({ at: [atMs, , ...rest] }) => [atMs, index, ...rest]);
  }

  #keepPoint({ record, gapMs, requiredGapMs, violations }: AuditedRequest, marginMs: number): void {
    const isTightest = this.#tightest !== null && marginMs <= this.#smallestMarginMs;
    if (this.counts.requests % this.#stride !== 0 && !isTightest && violations.length === 0) {
      this.leftOut += 1;
      return;
    }
    const isViolation = violations.length > 0 ? 1 : 0;
    const at: TimelinePoint = [record.startedAtMs, 0, record.status ?? 0, gapMs, requiredGapMs, isViolation];
    this.#points.push({ at, marginMs });
    if (this.#points.length < MAX_HOST_POINTS) return;
    const smallestMs = Math.min(...this.#points.map((point) => point.marginMs));
    const kept = this.#points.filter(
      ({ at, marginMs: pointMarginMs }, index) => index % 2 === 0 || at[5] === 1 || pointMarginMs === smallestMs,
    );
    // If nearly all points are worth keeping, the first ones stand for the rest.
    this.#points = kept.slice(0, MAX_HOST_POINTS * 0.75);
    this.leftOut += MAX_HOST_POINTS - this.#points.length;
    this.#stride *= 2;
  }
}
