// What all runs of a crawl came to, as its directory tells: for the report of a run that went on with earlier ones.

import { sizeOf } from '../directory/whole-file.js';
import { countItems } from '../output/joined-items.js';
import { type LoggedReport, type PartLogPaths, reportFromLogs } from './from-logs.js';
import { MAX_REPORTED_LOG_BYTES } from './limits.js';

/** What one process has written. */
interface PartPaths extends PartLogPaths {
  readonly itemsPath: string;
}

/** The part of a report that logs can tell. */
export interface LoggedTotals extends Pick<LoggedReport, 'requests' | 'bytes' | 'outcomes' | 'politeness'> {
  readonly items: number;
}

/**
 * Reads logs and items, which nobody writes any more.
 *
 * @returns `null` when they are longer than `MAX_REPORTED_LOG_BYTES`: `reportFromLogs` takes its time over them.
 * @throws The platform's error when a log cannot be read.
 */
export async function totalsFromLogs(
  paths: PartPaths & { readonly parts?: readonly PartPaths[] },
): Promise<LoggedTotals | null> {
  const parts = paths.parts ?? [paths];
  const files = parts.flatMap(({ requestsPath, decisionsPath, warningsPath, itemsPath }) => [
    requestsPath,
    decisionsPath,
    warningsPath,
    itemsPath,
  ]);
  const sizes = await Promise.all(files.map(sizeOf));
  if (sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) > MAX_REPORTED_LOG_BYTES) return null;
  const { requests, bytes, outcomes, politeness } = await reportFromLogs(paths);
  return { requests, bytes, outcomes, politeness, items: await countItems(parts.map(({ itemsPath }) => itemsPath)) };
}
