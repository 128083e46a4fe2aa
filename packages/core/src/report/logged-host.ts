// What the logs of a crawl directory tell of one host: for a question while a run has the queue.

import type { HostWarning } from '@mannerly/frontier';
import { inOrder } from './in-order.js';
import { readRequests } from './request-log.js';
import { printable } from './table.js';
import { readHostWarnings } from './warning-log.js';

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
  /** The last notice about it. */
  readonly notice: HostWarning | null;
}

/** Reads what the logs of all processes of a crawl tell of a host. Streams. @throws The platform's error when a log cannot be read; absent is empty. */
export async function loggedHost(
  parts: readonly { readonly requestsPath: string; readonly warningsPath: string }[],
  host: string,
): Promise<LoggedHost> {
  let found: LoggedHost = {
    requests: 0,
    lastEndedAtMs: null,
    crawlDelayMs: null,
    requestIntervalMs: null,
    gapMs: null,
    notice: null,
  };
  const requests = inOrder(
    parts.map(({ requestsPath }) => readRequests(requestsPath)),
    ({ endedAtMs }) => endedAtMs,
  );
  for await (const { host: of, endedAtMs, crawlDelayMs, requestIntervalMs, gapMs } of requests) {
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
  const notices = inOrder(
    parts.map(({ warningsPath }) => readHostWarnings(warningsPath)),
    ({ atMs }) => atMs,
  );
  for await (const notice of notices) if (notice.host === host) found = { ...found, notice };
  return found;
}

/** The same as lines of text for a person. @throws Never */
export function loggedHostText(host: string, logged: LoggedHost): string {
  const { requests, lastEndedAtMs, crawlDelayMs, requestIntervalMs, gapMs, notice } = logged;
  if (requests === 0 && notice === null) return `${host}\n  Unknown: the logs of this crawl do not name it.`;
  const lines = [host];
  const last = lastEndedAtMs === null ? '' : `, the last ended ${new Date(lastEndedAtMs).toISOString()}`;
  lines.push(`  ${requests} request${requests === 1 ? '' : 's'}${last}.`);
  if (crawlDelayMs !== null) lines.push(`  It asked for a Crawl-delay of ${crawlDelayMs / 1_000} s.`);
  if (requestIntervalMs !== null) lines.push(`  It asked for a Request-rate of one in ${requestIntervalMs / 1_000} s.`);
  if (gapMs !== null) lines.push(`  ${(gapMs / 1_000).toFixed(1)} s passed before its last request.`);
  if (notice !== null) {
    const until = notice.untilMs === null ? '' : ` until ${new Date(notice.untilMs).toISOString()}`;
    lines.push(`  ${new Date(notice.atMs).toISOString()}: ${notice.code}${until}: ${printable(notice.detail)}`);
  }
  return lines.join('\n');
}
