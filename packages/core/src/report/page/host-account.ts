// One host's part of the report: its counts, its tightest request, and a bounded choice of points for the timeline, the
// tightest request and the violations included.

import type { JudgedRequest } from '../audit/auditor.js';
import type { UrlStatus } from '../decision.js';
import { MAX_STATUSES_PER_HOST } from '../limits.js';
import { countStatus } from '../politeness.js';
import { MAX_HOST_POINTS } from './limits.js';
import type { ReportedHost, TimelinePoint } from './report-data.js';

type Point = { readonly at: TimelinePoint; readonly marginMs: number };

/** Counts the requests and decisions of one host. */
export class HostAccount {
  requests = 0;
  /** Points that are left out of the timeline. */
  leftOut = 0;
  readonly #statuses = new Map<string, number>();
  readonly #outcomes: Record<UrlStatus, number> = { fetched: 0, excluded: 0, dropped: 0, failed: 0, held: 0 };
  readonly #counts = { pageRequests: 0, robotsRequests: 0, bytes: 0, pauses: 0, pausedMs: 0, violations: 0 };
  #smallestGapMs: number | null = null;
  #tightest: ReportedHost['tightest'] = null;
  #crawlDelayMs: number | null = null;
  #requestIntervalMs: number | null = null;
  #points: Point[] = [];
  /** One point is kept of so many requests. */
  #stride = 1;

  request(judged: JudgedRequest): void {
    const { record, gapMs, requiredGapMs, requiredBy, required, pause, violations } = judged;
    const counts = this.#counts;
    this.requests += 1;
    if (record.purpose === 'page') counts.pageRequests += 1;
    if (record.purpose === 'robots') counts.robotsRequests += 1;
    counts.bytes += record.encodedBytes;
    counts.violations += violations.length;
    countStatus(this.#statuses, record, MAX_STATUSES_PER_HOST);
    if (gapMs !== null) this.#smallestGapMs = Math.min(this.#smallestGapMs ?? gapMs, gapMs);
    let marginMs = Number.POSITIVE_INFINITY;
    if (gapMs !== null && requiredGapMs !== null && requiredBy !== null) {
      marginMs = gapMs - requiredGapMs;
      if (marginMs < this.#leastMarginMs()) this.#tightest = { gapMs, requiredGapMs, requiredBy };
    }
    if (required !== null) {
      this.#crawlDelayMs = longer(this.#crawlDelayMs, required.crawlDelayMs);
      this.#requestIntervalMs = longer(this.#requestIntervalMs, required.rateMs);
    }
    if (pause !== null) {
      counts.pauses += 1;
      counts.pausedMs += pause.untilMs - pause.fromMs;
    }
    this.#keepPoint(judged, marginMs);
  }

  decision(status: UrlStatus): void {
    this.#outcomes[status] += 1;
  }

  row(host: string): ReportedHost {
    const { excluded, dropped, failed, held } = this.#outcomes;
    return {
      host,
      requests: this.requests,
      ...this.#counts,
      statuses: Object.fromEntries(this.#statuses),
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

  /** Its points, `index` as the host's number. */
  points(index: number): TimelinePoint[] {
    return this.#points.map(({ at: [atMs, , ...rest] }) => [atMs, index, ...rest]);
  }

  #leastMarginMs(): number {
    return this.#tightest === null ? Number.POSITIVE_INFINITY : this.#tightest.gapMs - this.#tightest.requiredGapMs;
  }

  #keepPoint({ record, gapMs, requiredGapMs, violations }: JudgedRequest, marginMs: number): void {
    const isTightest = this.#tightest !== null && marginMs <= this.#leastMarginMs();
    if (this.requests % this.#stride !== 0 && !isTightest && violations.length === 0) {
      this.leftOut += 1;
      return;
    }
    const isViolation = violations.length > 0 ? 1 : 0;
    this.#points.push({
      at: [record.startedAtMs, 0, record.status ?? 0, gapMs, requiredGapMs, isViolation],
      marginMs,
    });
    if (this.#points.length < MAX_HOST_POINTS) return;
    const least = Math.min(...this.#points.map((point) => point.marginMs));
    const kept = this.#points.filter(({ at, marginMs: own }, index) => index % 2 === 0 || at[5] === 1 || own === least);
    // Where nearly all are worth keeping, the first ones stand for the rest.
    this.#points = kept.slice(0, MAX_HOST_POINTS * 0.75);
    this.leftOut += MAX_HOST_POINTS - this.#points.length;
    this.#stride *= 2;
  }
}

function longer(known: number | null, ms: number | null): number | null {
  return ms === null ? known : Math.max(known ?? 0, ms);
}
