// The decision log, `decisions.jsonl`: one line per URL with its status and reason. A large crawl may log a sample;
// what has no line is counted, so that totals stay complete. A URL is chosen by its hash, so every run chooses the same
// ones.

import { createHash } from 'node:crypto';
import type { UrlDecision } from './decision.js';
import { MAX_DECISION_LINES } from './limits.js';
import { LineLog } from './line-log.js';

/** How much of the decision log is kept. */
export interface DecisionLogOptions {
  /** Share of URLs whose lines are kept, 0 … 1. What is excluded or failed always has its line. @default 1 */
  readonly sample?: number;
  /** Lines that one run writes at most, 1 … 1e9; the rest is only counted. @default 1e9 */
  readonly maxLines?: number;
}

/** The last line of a run that left URLs out: their number by status and reason. */
export interface LeftOutLine {
  readonly atMs: number;
  readonly leftOut: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Writes the log. The caller closes it. @throws MannerlyError `log-failed` from every method. */
export class DecisionLog {
  readonly #log: LineLog<UrlDecision | LeftOutLine>;
  readonly #options: Required<DecisionLogOptions>;
  #leftOut: Record<string, Record<string, number>> | null = null;
  #lines = 0;

  /** @param options - Which decisions get a line. @default all */
  constructor(path: string, options: DecisionLogOptions = {}) {
    this.#log = new LineLog(path);
    this.#options = { sample: 1, maxLines: MAX_DECISION_LINES, ...options };
  }

  /** @returns Whether the decision got a line; otherwise it is counted. */
  append(decision: UrlDecision): boolean {
    const { url, status, reason } = decision;
    const { sample, maxLines } = this.#options;
    const isChosen = sample >= 1 || status === 'excluded' || status === 'failed' || fractionOf(url) < sample;
    if (isChosen && this.#lines < maxLines) {
      this.#lines += 1;
      this.#log.append(decision);
      return true;
    }
    this.#leftOut ??= {};
    this.#leftOut[status] ??= {};
    const counts = this.#leftOut[status];
    counts[reason] = (counts[reason] ?? 0) + 1;
    return false;
  }

  flush(): void {
    this.#log.flush();
  }

  /** A second call does nothing. */
  close(): void {
    if (this.#leftOut !== null) this.#log.append({ atMs: Date.now(), leftOut: this.#leftOut });
    this.#leftOut = null;
    this.#log.close();
  }
}

/** A number in [0, 1) that depends on the URL alone. */
function fractionOf(url: string): number {
  return createHash('sha256').update(url).digest().readUInt32BE(0) / 2 ** 32;
}
