// The politeness of a crawl once more, from the logs in its directory: the same ledger, fed in the order of time.

import type { HostPoliteness } from './crawl-report.js';
import { finalDecisions } from './final-decisions.js';
import { inOrder } from './in-order.js';
import { createPolitenessLedger } from './politeness.js';
import { readRequests } from './request-log.js';
import { createOutcomeCounts } from './stats.js';
import { readHostWarnings } from './warning-log.js';

/** Where the logs are. */
export interface LogPaths extends PartLogPaths {
  /** Those of all processes of the crawl, which are then read together. @default these alone */
  readonly parts?: readonly PartLogPaths[];
}

/** Where the logs of one process are. */
export interface PartLogPaths {
  readonly requestsPath: string;
  readonly decisionsPath: string;
  readonly warningsPath: string;
}

/** What the logs tell. */
export interface LoggedReport {
  readonly politeness: readonly HostPoliteness[];
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly requests: number;
  /** Bytes of bodies on the wire. */
  readonly bytes: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/**
 * Reads the logs and computes the report. Streams: memory is that of the ledger.
 *
 * @param onRequests - Told now and then how many requests have been read.
 * @throws The platform's error when a log cannot be read; an absent log is empty.
 */
export async function reportFromLogs(
  paths: LogPaths,
  onRequests: (requests: number) => void = () => undefined,
): Promise<LoggedReport> {
  const ledger = createPolitenessLedger();
  const counts = createOutcomeCounts();
  const parts = paths.parts ?? [paths];
  const notices = inOrder(
    parts.map(({ warningsPath }) => readHostWarnings(warningsPath)),
    ({ atMs }) => atMs,
  );
  let notice = await notices.next();
  let requests = 0;
  let bytes = 0;
  let startedAtMs: number | null = null;
  let endedAtMs: number | null = null;
  const exchanges = inOrder(
    parts.map(({ requestsPath }) => readRequests(requestsPath)),
    ({ endedAtMs: atMs }) => atMs,
  );
  for await (const record of exchanges) {
    // A notice belongs before the first request that began after it: pauses are judged at the start of a request.
    while (!notice.done && notice.value.atMs <= record.startedAtMs) {
      ledger.notice(notice.value);
      notice = await notices.next();
    }
    ledger.request(record);
    requests += 1;
    onRequests(requests);
    bytes += record.encodedBytes;
    startedAtMs = Math.min(startedAtMs ?? record.startedAtMs, record.startedAtMs);
    endedAtMs = Math.max(endedAtMs ?? record.endedAtMs, record.endedAtMs);
  }
  for (; !notice.done; notice = await notices.next()) ledger.notice(notice.value);
  for await (const decision of finalDecisions(
    parts.map(({ decisionsPath }) => decisionsPath),
    counts.goOnFrom,
  )) {
    ledger.decision(decision);
    counts.decision(decision);
  }
  return { politeness: ledger.report(), outcomes: counts.outcomes(), requests, bytes, startedAtMs, endedAtMs };
}
