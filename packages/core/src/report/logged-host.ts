// What the logs of a crawl directory say of one host, for a question while a run has the queue.

import type { HostWarning } from '@mannerly/frontier';
import { allRequests, allWarnings, type PartLogPaths } from './read-logs.js';

/** One host as the logs know it. Times are epoch milliseconds. */
export interface LoggedHost {
  readonly requests: number;
  /** When its last request ended; `null`: none is logged. */
  readonly lastEndedAtMs: number | null;
  /** What it required when the last request left, milliseconds; `null`: nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
  /** The gap before the last request, milliseconds. */
  readonly gapMs: number | null;
  /** The last warning about it. */
  readonly warning: HostWarning | null;
}

/**
 * Reads the logs of all processes of a crawl as streams. @throws The platform's error when a log cannot be read; absent
 * is empty.
 */
export async function loggedHost(
  parts: readonly Pick<PartLogPaths, 'requestsPath' | 'warningsPath'>[],
  host: string,
): Promise<LoggedHost> {
  let requests = 0;
  let last: Omit<LoggedHost, 'requests' | 'warning'> = {
    lastEndedAtMs: null,
    crawlDelayMs: null,
    requestIntervalMs: null,
    gapMs: null,
  };
  let warning: HostWarning | null = null;
  for await (const record of allRequests(parts)) {
    if (record.host !== host) continue;
    const { endedAtMs: lastEndedAtMs, crawlDelayMs, requestIntervalMs, gapMs } = record;
    requests += 1;
    last = { lastEndedAtMs, crawlDelayMs, requestIntervalMs, gapMs };
  }
  for await (const each of allWarnings(parts)) if (each.host === host) warning = each;
  return { requests, ...last, warning };
}
