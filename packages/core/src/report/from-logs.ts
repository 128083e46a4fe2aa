// The politeness of a crawl computed from the logs in its directory: the ledger of a run, fed in the order of time.

import { sizeOf } from '../directory/whole-file.js';
import { countItems } from '../output/joined-items.js';
import type { HostPoliteness } from './crawl-report.js';
import { finalDecisions } from './final-decisions.js';
import { MAX_REPORTED_LOG_BYTES } from './limits.js';
import { createOutcomeCounts } from './outcome-counts.js';
import { createPolitenessLedger } from './politeness.js';
import { allRequests, allWarnings, type LogPaths, type PartLogPaths } from './read-logs.js';

/** What the logs say. */
export interface LoggedReport {
  readonly politeness: readonly HostPoliteness[];
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly requests: number;
  /** Bytes of bodies as received. */
  readonly bytes: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** The totals of a crawl over all its runs. */
export interface LoggedTotals extends Pick<LoggedReport, 'requests' | 'bytes' | 'outcomes' | 'politeness'> {
  readonly items: number;
}

/** The logs and items of one process. */
interface PartPaths extends PartLogPaths {
  readonly itemsPath: string;
}

/**
 * Reads the logs as streams and computes the report.
 *
 * @param onRequests - Called with the number of requests read so far.
 * @throws The platform's error when a log cannot be read; an absent log is empty.
 */
export async function reportFromLogs(
  paths: LogPaths,
  onRequests: (requests: number) => void = () => undefined,
): Promise<LoggedReport> {
  const ledger = createPolitenessLedger();
  const counts = createOutcomeCounts();
  const parts = paths.parts ?? [paths];
  const warnings = allWarnings(parts);
  let warning = await warnings.next();
  let requests = 0;
  let bytes = 0;
  let startedAtMs: number | null = null;
  let endedAtMs: number | null = null;
  for await (const record of allRequests(parts)) {
    // A warning counts before the first request that began after it: pauses are judged at the start of a request.
    for (; !warning.done && warning.value.atMs <= record.startedAtMs; warning = await warnings.next())
      ledger.warning(warning.value);
    ledger.request(record);
    requests += 1;
    onRequests(requests);
    bytes += record.encodedBytes;
    startedAtMs = Math.min(startedAtMs ?? record.startedAtMs, record.startedAtMs);
    endedAtMs = Math.max(endedAtMs ?? record.endedAtMs, record.endedAtMs);
  }
  for (; !warning.done; warning = await warnings.next()) ledger.warning(warning.value);
  for await (const decision of finalDecisions(parts, counts.goOnFrom)) {
    ledger.decision(decision);
    counts.decision(decision);
  }
  return { politeness: ledger.report(), outcomes: counts.outcomes(), requests, bytes, startedAtMs, endedAtMs };
}

/**
 * The totals of a crawl whose logs and items no one writes any more.
 *
 * @returns `null` when the files are larger than `MAX_REPORTED_LOG_BYTES`; `reportFromLogs` reads them all the same.
 * @throws The platform's error when a log cannot be read.
 */
export async function totalsFromLogs(
  paths: PartPaths & { readonly parts?: readonly PartPaths[] },
): Promise<LoggedTotals | null> {
  const parts = paths.parts ?? [paths];
  const files = parts.flatMap((part) => [part.requestsPath, part.decisionsPath, part.warningsPath, part.itemsPath]);
  const sizes = await Promise.all(files.map(sizeOf));
  if (sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) > MAX_REPORTED_LOG_BYTES) return null;
  const { requests, bytes, outcomes, politeness } = await reportFromLogs(paths);
  return { requests, bytes, outcomes, politeness, items: await countItems(parts.map(({ itemsPath }) => itemsPath)) };
}
