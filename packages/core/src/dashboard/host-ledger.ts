// What the live view remembers of each host: its requests and their results. Bounded: the host requested longest ago is
// forgotten first.

import type { RequestRecord } from 'mannerly';
import { MAX_DASHBOARD_LEDGER } from './limits.js';

/** One host's requests since the view began. */
export interface HostTally {
  readonly requests: number;
  /** Requests without an answer, and answers of 4xx and 5xx. */
  readonly errors: number;
  readonly bytes: number;
  readonly lastStatus: number | null;
  readonly lastFailure: string | null;
  readonly lastEndedAtMs: number;
  /**
   * What it requires between two requests: the longer of Crawl-delay and Request-rate, milliseconds; `null`: nothing.
   */
  readonly asksMs: number | null;
  /** End of one exchange to the start of the next, the smallest; `null` with fewer than two. */
  readonly smallestGapMs: number | null;
}

/** Makes an empty ledger. @throws Never */
export function createHostLedger(most = MAX_DASHBOARD_LEDGER) {
  const tallies = new Map<string, HostTally>();
  return {
    request(record: RequestRecord): void {
      const { host, status, failure, gapMs } = record;
      const before = tallies.get(host);
      const required = Math.max(record.crawlDelayMs ?? 0, record.requestIntervalMs ?? 0);
      const smallest = before?.smallestGapMs ?? null;
      tallies.delete(host);
      tallies.set(host, {
        requests: (before?.requests ?? 0) + 1,
        errors: (before?.errors ?? 0) + (status === null || status >= 400 ? 1 : 0),
        bytes: (before?.bytes ?? 0) + record.encodedBytes,
        lastStatus: status,
        lastFailure: failure,
        lastEndedAtMs: record.endedAtMs,
        asksMs: required > 0 ? required : null,
        smallestGapMs: gapMs === null ? smallest : Math.min(gapMs, smallest ?? gapMs),
      });
      if (tallies.size <= most) return;
      const [oldest] = tallies.keys();
      if (oldest !== undefined) tallies.delete(oldest);
    },
    get: (host: string): HostTally | null => tallies.get(host) ?? null,
    /** Hosts by their last request, the latest first. */
    latest: () => [...tallies.keys()].reverse(),
  };
}

/** The tallies of hosts. */
export type HostLedger = ReturnType<typeof createHostLedger>;
