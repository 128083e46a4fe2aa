// One host's part of the report, told request by request: counts, the request that came nearest to what was required, and a
// bounded choice of points for the timeline, its tightest and its violations among them.

import type { JudgedRequest } from '../audit/auditor.js';
import type { UrlStatus } from '../decision.js';
import { MAX_STATUSES_PER_HOST } from '../limits.js';
import { MAX_HOST_POINTS } from './limits.js';
import type { ReportedHost, TimelinePoint } from './report-data.js';

/** The account of a host. */
export interface HostAccount {
  readonly requests: number;
  /** Points that were left out. */
  readonly leftOut: number;
  request(judged: JudgedRequest): void;
  decision(word: UrlStatus): void;
  row(host: string): ReportedHost;
  /** Its points, `index` as the host's number. */
  points(index: number): TimelinePoint[];
}

type Point = { readonly at: TimelinePoint; readonly marginMs: number };

/** Makes an empty account. Never throws. */
export function createHostAccount(): HostAccount {
  const statuses = new Map<string, number>();
  const outcomes: Record<UrlStatus, number> = { fetched: 0, excluded: 0, dropped: 0, failed: 0, held: 0 };
  const counts = { requests: 0, pageRequests: 0, robotsRequests: 0, bytes: 0, pauses: 0, pausedMs: 0, violations: 0 };
  let smallestGapMs: number | null = null;
  let tightest: ReportedHost['tightest'] = null;
  let crawlDelayMs: number | null = null;
  let requestIntervalMs: number | null = null;
  let points: Point[] = [];
  /** Every how many requests one is kept. */
  let stride = 1;
  let leftOut = 0;

  const keepPoint = (judged: JudgedRequest): void => {
    const { record, gapMs, requiredGapMs, violations } = judged;
    const marginMs = gapMs === null || requiredGapMs === null ? Number.POSITIVE_INFINITY : gapMs - requiredGapMs;
    const isViolation = violations.length > 0;
    const isTightest = tightest !== null && marginMs <= tightest.gapMs - tightest.requiredGapMs;
    if (counts.requests % stride !== 0 && !isTightest && !isViolation) {
      leftOut += 1;
      return;
    }
    const at: TimelinePoint = [record.startedAtMs, 0, record.status ?? 0, gapMs, requiredGapMs, isViolation ? 1 : 0];
    points.push({ at, marginMs });
    if (points.length < MAX_HOST_POINTS) return;
    const least = points.reduce((min, point) => Math.min(min, point.marginMs), Number.POSITIVE_INFINITY);
    const kept = points.filter(
      ({ at: [, , , , , bad], marginMs: own }, index) => index % 2 === 0 || bad === 1 || own === least,
    );
    // Where nearly all are worth keeping, the first ones stand for the rest.
    points = kept.slice(0, MAX_HOST_POINTS * 0.75);
    leftOut += MAX_HOST_POINTS - points.length;
    stride *= 2;
  };

  return {
    get requests() {
      return counts.requests;
    },
    get leftOut() {
      return leftOut;
    },
    request(judged) {
      const { record, gapMs, requiredGapMs, requiredBy, asked, pause } = judged;
      counts.requests += 1;
      if (record.purpose === 'page') counts.pageRequests += 1;
      if (record.purpose === 'robots') counts.robotsRequests += 1;
      counts.bytes += record.encodedBytes;
      counts.violations += judged.violations.length;
      const status = record.status === null ? (record.failure ?? 'none') : String(record.status);
      const key = statuses.has(status) || statuses.size < MAX_STATUSES_PER_HOST ? status : 'other';
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      if (gapMs !== null) smallestGapMs = Math.min(smallestGapMs ?? gapMs, gapMs);
      if (gapMs !== null && requiredGapMs !== null && requiredBy !== null) {
        const isTighter = tightest === null || gapMs - requiredGapMs < tightest.gapMs - tightest.requiredGapMs;
        if (isTighter) tightest = { gapMs, requiredGapMs, requiredBy };
      }
      if (asked?.crawlDelayMs != null) crawlDelayMs = Math.max(crawlDelayMs ?? 0, asked.crawlDelayMs);
      if (asked?.rateMs != null) requestIntervalMs = Math.max(requestIntervalMs ?? 0, asked.rateMs);
      if (pause !== null) {
        counts.pauses += 1;
        counts.pausedMs += pause.untilMs - pause.fromMs;
      }
      keepPoint(judged);
    },
    decision(word) {
      outcomes[word] += 1;
    },
    row: (host) => ({
      host,
      requests: counts.requests,
      pageRequests: counts.pageRequests,
      robotsRequests: counts.robotsRequests,
      bytes: counts.bytes,
      statuses: Object.fromEntries(statuses),
      smallestGapMs,
      tightest,
      crawlDelayMs,
      requestIntervalMs,
      pauses: counts.pauses,
      pausedMs: counts.pausedMs,
      excluded: outcomes.excluded,
      dropped: outcomes.dropped,
      failed: outcomes.failed,
      held: outcomes.held,
      violations: counts.violations,
    }),
    points: (index) => points.map(({ at: [atMs, , ...rest] }) => [atMs, index, ...rest]),
  };
}
