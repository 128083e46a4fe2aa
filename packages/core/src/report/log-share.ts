// Which URLs of a large crawl get a line in the decision log: all of them, a sample, or as many as there is room for. What is left
// out is counted, so that totals stay whole. A URL is chosen by what it is, so that every run chooses the same ones.

import { createHash } from 'node:crypto';
import type { UrlDecision } from './decision.js';
import { MAX_DECISION_LINES } from './limits.js';

/** How much of the decision log is kept. */
export interface DecisionLogOptions {
  /** Share of URLs whose lines are kept, 0 … 1. What is excluded or failed always has its line. @default 1 */
  readonly sample?: number;
  /** Lines that one run writes at most, 1 … 1e9; then nothing but the count of the rest. @default 1e9 */
  readonly maxLines?: number;
}

/** The line that a run ends with when it has left any out: URLs by word and reason. */
export interface LeftOutLine {
  readonly atMs: number;
  readonly leftOut: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Chooses lines. */
export interface LogShare {
  /** Whether this decision gets a line; where not, it is counted. */
  takes(decision: UrlDecision): boolean;
  /** The count of the rest; `null`: there is none. */
  leftOut(): LeftOutLine['leftOut'] | null;
}

/** @throws Never */
export function createLogShare({ sample = 1, maxLines = MAX_DECISION_LINES }: DecisionLogOptions = {}): LogShare {
  const counts: Record<string, Record<string, number>> = {};
  let lines = 0;
  let isAny = false;
  return {
    takes({ url, status, reason }) {
      const isKept = sample >= 1 || status === 'excluded' || status === 'failed' || shareOf(url) < sample;
      if (isKept && lines < maxLines) {
        lines += 1;
        return true;
      }
      isAny = true;
      const byReason = counts[status] ?? {};
      counts[status] = byReason;
      byReason[reason] = (byReason[reason] ?? 0) + 1;
      return false;
    },
    leftOut: () => (isAny ? structuredClone(counts) : null),
  };
}

/** Whether a value is such a line. Never throws. */
export function isLeftOutLine(value: unknown): value is LeftOutLine {
  if (typeof value !== 'object' || value === null || !('leftOut' in value) || !('atMs' in value)) return false;
  return typeof value.leftOut === 'object' && value.leftOut !== null && typeof value.atMs === 'number';
}

/** A number in [0, 1) that depends on nothing but the URL. */
function shareOf(url: string): number {
  return createHash('sha256').update(url).digest().readUInt32BE(0) / 2 ** 32;
}
