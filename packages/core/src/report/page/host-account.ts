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

export const NO_URLS: Readonly<Record<UrlStatus, number>> = { fetched: 0, excluded: 0, dropped: 0, failed: 0, held: 0 };

/** Counts a decision in place of the one that it replaces. One without a line was never counted. */
export function countStatus(outcomes: Record<UrlStatus, number>, { status, replaces }: UrlDecision): void {
  outcomes[status] += 1;
  if (replaces !== undefined && outcomes[replaces.status] > 0) outcomes[replaces.status] -= 1;
}

export class HostAccount {
  readonly counts = new RequestCounts();
  /** Points that are left out of the timeline. */
  leftOut = 0;
  readonly #outcomes = { ...NO_URLS };
  #pauses = 0;
  #pausedMs = 0;
  #violations = 0;
  #smallestGapMs: number | null = null;
  /** The request closest to the required gap: its gap, the required gap, and what required it. */
  #tightest: { readonly gapMs: number; readonly requiredGapMs: number; readonly requiredBy: PaceReason } | null = null;
  #smallestMarginMs = Number.POSITIVE_INFINITY;
  #tightestPoint: TimelinePoint | null = null;
  #crawlDelayMs: number | null = null;
  #requestIntervalMs: number | null = null;
  #points: TimelinePoint[] = [];
  /** One of this many requests is kept as a point. */
  #stride = 1;

  request({ record, gapMs, requiredGapMs, requiredBy, required, pause, violations }: AuditedRequest): void {
    this.counts.add(record, MAX_STATUSES_PER_HOST);
    this.#violations += violations.length;
    if (gapMs !== null) this.#smallestGapMs = Math.min(this.#smallestGapMs ?? gapMs, gapMs);
    this.#crawlDelayMs = larger(this.#crawlDelayMs, required?.crawlDelayMs ?? null);
    this.#requestIntervalMs = larger(this.#requestIntervalMs, required?.rateMs ?? null);
    if (pause !== null) {
      this.#pauses += 1;
      this.#pausedMs += pause.untilMs - pause.fromMs;
    }
    const isViolation = violations.length > 0 ? 1 : 0;
    const point = [record.startedAtMs, 0, record.status ?? 0, gapMs, requiredGapMs, isViolation] as const;
    const marginMs = (gapMs ?? Number.POSITIVE_INFINITY) - (requiredGapMs ?? 0);
    if (gapMs !== null && requiredGapMs !== null && requiredBy !== null && marginMs < this.#smallestMarginMs) {
      this.#smallestMarginMs = marginMs;
      this.#tightest = { gapMs, requiredGapMs, requiredBy };
      this.#tightestPoint = point;
    }
    // Only the first of those that are equally tight: on a punctual crawl there are too many to keep them all.
    if (point === this.#tightestPoint || isViolation === 1 || this.counts.requests % this.#stride === 0)
      this.#keepPoint(point);
    else this.leftOut += 1;
  }

  decision(decision: UrlDecision): void {
    countStatus(this.#outcomes, decision);
  }

  row(host: string) {
    const { requests, pages: pageRequests, robotsRequests, bytes, statuses } = this.counts;
    const { fetched: _, ...notFetched } = this.#outcomes;
    return {
      ...{ host, requests, pageRequests, robotsRequests, bytes },
      ...{ pauses: this.#pauses, pausedMs: this.#pausedMs, violations: this.#violations },
      statuses: Object.fromEntries(statuses),
      ...{ smallestGapMs: this.#smallestGapMs, tightest: this.#tightest },
      ...{ crawlDelayMs: this.#crawlDelayMs, requestIntervalMs: this.#requestIntervalMs },
      ...notFetched,
    };
  }

  /** Its points, with `index` as the host's number. */
  points(index: number): TimelinePoint[] {
    return this.#points.map(([atMs, , ...rest]) => [atMs, index, ...rest]);
  }

  #keepPoint(point: TimelinePoint): void {
    this.#points.push(point);
    if (this.#points.length < MAX_HOST_POINTS) return;
    const kept = this.#points.filter((each, index) => index % 2 === 0 || each[5] === 1 || each === this.#tightestPoint);
    // If nearly all are violations, the first ones stand for the rest.
    this.#points = kept.slice(0, MAX_HOST_POINTS * 0.75);
    this.leftOut += MAX_HOST_POINTS - this.#points.length;
    this.#stride *= 2;
  }
}
