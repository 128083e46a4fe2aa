// What the logs in a crawl directory say about the whole crawl, one host, and the last requests.

import type { HostWarning } from '@mannerly/frontier';
import { checkPaths } from '../call-options.js';
import { sizeOf } from '../directory/atomic-file.js';
import type { CrawlPaths } from '../directory/crawl-paths.js';
import { countItems } from '../output/joined-items.js';
import { withoutZeros } from './combined-counts.js';
import type { OutcomeTable, RequestRecord, RobotsReceipt } from './decision.js';
import { LOG_TAIL_READ_BYTES, MAX_HOST_AUTHORITIES, MAX_REPORTED_LOG_BYTES, MAX_STATUSES } from './limits.js';
import { OutcomeCounts } from './outcome-counts.js';
import { PolitenessLedger, RequestCounts } from './politeness.js';
import {
  allRequests,
  allWarnings,
  finalDecisions,
  type LogPaths,
  type PartLogPaths,
  readRequests,
} from './read-logs.js';

export type LoggedTotals = NonNullable<Awaited<ReturnType<typeof totalsFromLogs>>>;

type PartPaths = PartLogPaths & Pick<CrawlPaths, 'itemsPath'>;

/**
 * Reads the logs as streams and computes the report with the ledger of a run, in the order of time. `signed` counts
 * requests with a signature, `truncated` pages with a truncated body, each visit separately; absent if none. Bytes are
 * those of bodies as received.
 * @param onRequests - Called with the number of requests read so far.
 * @throws MannerlyError `option-invalid`; the platform's error if a log cannot be read. An absent log is empty.
 */
export async function reportFromLogs(paths: LogPaths, onRequests: (requests: number) => void = () => undefined) {
  checkPaths('reportFromLogs', paths, 'requestsPath', 'decisionsPath', 'warningsPath');
  const ledger = new PolitenessLedger();
  const counts = new OutcomeCounts();
  const parts = paths.parts ?? [paths];
  const warnings = allWarnings(parts);
  let warning = await warnings.next();
  const all = new RequestCounts();
  let startedAtMs: number | null = null;
  let endedAtMs: number | null = null;
  for await (const record of allRequests(parts)) {
    // A warning counts before the first request that began after it: pauses are judged at the start of a request.
    for (; !warning.done && warning.value.atMs <= record.startedAtMs; warning = await warnings.next())
      ledger.warning(warning.value);
    ledger.request(record);
    all.add(record, MAX_STATUSES);
    onRequests(all.requests);
    startedAtMs = Math.min(startedAtMs ?? record.startedAtMs, record.startedAtMs);
    endedAtMs = Math.max(endedAtMs ?? record.endedAtMs, record.endedAtMs);
  }
  for (; !warning.done; warning = await warnings.next()) ledger.warning(warning.value);
  const onLeftOut = (leftOut: OutcomeTable): void => {
    counts.leftOut(leftOut);
    ledger.leftOut(leftOut);
  };
  for await (const decision of finalDecisions(parts, onLeftOut, (earlier) => ledger.page(earlier))) {
    ledger.decision(decision);
    ledger.uncount(decision);
    counts.decision(decision);
  }
  const { requests, bytes, signed, truncated } = all;
  const known = { politeness: ledger.report(), outcomes: counts.outcomes(), requests, bytes, startedAtMs, endedAtMs };
  return { ...known, ...withoutZeros({ signed, truncated }) };
}

/**
 * The totals of a crawl whose logs and items no process writes any more; `null` if the files are larger than
 * `MAX_REPORTED_LOG_BYTES`. @throws The platform's error.
 */
export async function totalsFromLogs(paths: PartPaths & { readonly parts?: readonly PartPaths[] }) {
  const parts = paths.parts ?? [paths];
  const files = parts.flatMap((part) => [part.requestsPath, part.decisionsPath, part.warningsPath, part.itemsPath]);
  const sizes = await Promise.all(files.map(sizeOf));
  if (sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) > MAX_REPORTED_LOG_BYTES) return null;
  const { startedAtMs: _, endedAtMs: _ended, truncated: _ofAllRuns, ...totals } = await reportFromLogs(paths);
  return { ...totals, items: await countItems(parts.map(({ itemsPath }) => itemsPath)) };
}

/** One host as the logs know it, with its last request, for a question while a run uses the queue. */
export interface LoggedHost extends Pick<RequestRecord, 'crawlDelayMs' | 'requestIntervalMs' | 'gapMs'> {
  readonly requests: number;
  /** When its last request ended, epoch milliseconds; `null` if none is logged. */
  readonly lastEndedAtMs: number | null;
  readonly warning: HostWarning | null;
  /** The last answer to each of its requests for robots.txt, redirects left out. */
  readonly robots: readonly LoggedRobots[];
}

/** The last answer of one authority to a request for robots.txt. */
type LoggedRobots = Pick<RobotsReceipt, 'authority' | 'hash'> & Pick<RequestRecord, 'endedAtMs' | 'status' | 'failure'>;

const NO_REQUEST = { lastEndedAtMs: null, crawlDelayMs: null, requestIntervalMs: null, gapMs: null };

/** Reads the logs of all processes of a crawl for one host. @throws As `reportFromLogs`. */
export async function loggedHost(
  parts: readonly Pick<PartLogPaths, 'requestsPath' | 'warningsPath'>[],
  host: string,
): Promise<LoggedHost> {
  let requests = 0;
  let last: Omit<LoggedHost, 'requests' | 'warning' | 'robots'> = NO_REQUEST;
  const robots = new Map<string, LoggedRobots>();
  let warning: HostWarning | null = null;
  for await (const record of allRequests(parts)) {
    if (record.host !== host) continue;
    const { endedAtMs, crawlDelayMs, requestIntervalMs, gapMs, status, failure, robotsAnswer } = record;
    requests += 1;
    last = { lastEndedAtMs: endedAtMs, crawlDelayMs, requestIntervalMs, gapMs };
    if (robotsAnswer == null) continue;
    const { authority, hash } = robotsAnswer;
    const isOwn = record.url.startsWith(`${authority}/`);
    if (isOwn && (robots.has(authority) || robots.size < MAX_HOST_AUTHORITIES))
      robots.set(authority, { authority, hash, endedAtMs, status, failure });
  }
  for await (const each of allWarnings(parts)) if (each.host === host) warning = each;
  return { requests, ...last, warning, robots: [...robots.values()] };
}

/**
 * When every host has had its interval after the last requests of a log, epoch milliseconds, for a crawl that starts
 * over and has forgotten them. Reads only the end of the log; pauses are not included. @throws The platform's error.
 */
export async function intervalsEndAtMs(
  requestsPath: string,
  { minMs, factor }: { readonly minMs: number; readonly factor: number },
): Promise<number> {
  const start = Math.max(0, ((await sizeOf(requestsPath)) ?? 0) - LOG_TAIL_READ_BYTES);
  let untilMs = 0;
  for await (const request of readRequests(requestsPath, start)) {
    const { startedAtMs, endedAtMs, crawlDelayMs, requestIntervalMs } = request;
    const intervalMs = Math.max(minMs, factor * (endedAtMs - startedAtMs), crawlDelayMs ?? 0);
    untilMs = Math.max(untilMs, endedAtMs + intervalMs, startedAtMs + (requestIntervalMs ?? 0));
  }
  return untilMs;
}
