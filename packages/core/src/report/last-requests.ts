// When every host has had its rest after the last requests of a log: for a crawl that starts over and has forgotten
// them.

import { open } from 'node:fs/promises';
import { parseLine } from '../directory/read-lines.js';
import { sizeOf } from '../directory/whole-file.js';
import type { RequestRecord } from './decision.js';
import { LOG_TAIL_READ_BYTES } from './limits.js';
import { isRequest } from './read-logs.js';

/**
 * The time from which no host is asked sooner than its interval after its last request, as far as the end of the log
 * tells: the profile's interval, its Crawl-delay, its Request-rate. Pauses are not told there.
 *
 * @param politeness - The profile.
 * @returns Epoch milliseconds; 0 without requests.
 * @throws The platform's error when the log cannot be read; absent is empty.
 */
export async function restedAtMs(
  requestsPath: string,
  politeness: { readonly minMs: number; readonly factor: number },
): Promise<number> {
  const size = await sizeOf(requestsPath);
  if (size === null) return 0;
  const file = await open(requestsPath, 'r');
  try {
    const start = Math.max(0, size - LOG_TAIL_READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n').map(parseLine);
    return lines.filter(isRequest).reduce((latest, record) => Math.max(latest, restOf(record, politeness)), 0);
  } finally {
    await file.close();
  }
}

function restOf(record: RequestRecord, { minMs, factor }: { readonly minMs: number; readonly factor: number }): number {
  const { startedAtMs, endedAtMs, crawlDelayMs, requestIntervalMs } = record;
  const intervalMs = Math.max(minMs, factor * (endedAtMs - startedAtMs), crawlDelayMs ?? 0);
  return Math.max(endedAtMs + intervalMs, startedAtMs + (requestIntervalMs ?? 0));
}
