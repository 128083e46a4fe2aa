// What the logs of a crawl directory tell of one host: for a question while a run has the queue.

import type { HostWarning } from '@mannerly/frontier';
import { allRequests, allWarnings, type PartLogPaths } from './read-logs.js';
import { printable } from './table.js';

/** One host as the logs know it. Instants are epoch milliseconds. */
export interface LoggedHost {
  readonly requests: number;
  /** When its last exchange ended; `null`: none is logged. */
  readonly lastEndedAtMs: number | null;
  /** What it had asked for when the last request left, milliseconds; `null`: nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
  /** The gap that was kept before the last request, milliseconds. */
  readonly gapMs: number | null;
  /** The last warning about it. */
  readonly warning: HostWarning | null;
}

/** Reads what the logs of all processes of a crawl tell of a host. Streams. @throws The platform's error when a log cannot be read; absent is empty. */
export async function loggedHost(
  parts: readonly Pick<PartLogPaths, 'requestsPath' | 'warningsPath'>[],
  host: string,
): Promise<LoggedHost> {
  let found: LoggedHost = {
    requests: 0,
    lastEndedAtMs: null,
    crawlDelayMs: null,
    requestIntervalMs: null,
    gapMs: null,
    warning: null,
  };
  for await (const { host: of, endedAtMs, crawlDelayMs, requestIntervalMs, gapMs } of allRequests(parts)) {
    if (of !== host) continue;
    found = {
      ...found,
      requests: found.requests + 1,
      lastEndedAtMs: endedAtMs,
      crawlDelayMs,
      requestIntervalMs,
      gapMs,
    };
  }
  for await (const warning of allWarnings(parts)) if (warning.host === host) found = { ...found, warning };
  return found;
}

/** The same as lines of text for a person. @throws Never */
export function loggedHostText(host: string, logged: LoggedHost): string {
  const { requests, lastEndedAtMs, crawlDelayMs, requestIntervalMs, gapMs, warning } = logged;
  if (requests === 0 && warning === null) return `${host}\n  Unknown: the logs of this crawl do not name it.`;
  const lines = [host];
  const last = lastEndedAtMs === null ? '' : `, the last ended ${new Date(lastEndedAtMs).toISOString()}`;
  lines.push(`  ${requests} request${requests === 1 ? '' : 's'}${last}.`);
  if (crawlDelayMs !== null) lines.push(`  It asked for a Crawl-delay of ${crawlDelayMs / 1_000} s.`);
  if (requestIntervalMs !== null) lines.push(`  It asked for a Request-rate of one in ${requestIntervalMs / 1_000} s.`);
  if (gapMs !== null) lines.push(`  ${(gapMs / 1_000).toFixed(1)} s passed before its last request.`);
  if (warning !== null) {
    const until = warning.untilMs === null ? '' : ` until ${new Date(warning.untilMs).toISOString()}`;
    lines.push(`  ${new Date(warning.atMs).toISOString()}: ${warning.code}${until}: ${printable(warning.detail)}`);
  }
  return lines.join('\n');
}
