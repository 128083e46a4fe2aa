// The totals of a crawl over its runs, kept in the store beside the queue: what its progress and report go on from. Each process
// keeps its own part, and all parts together are what the crawl came to. A killed process loses at most the last second of
// them; where there is a crawl directory its logs have the exact numbers.

import { hostname } from 'node:os';
import { type Clock, type Frontier, FrontierError } from '@mannerly/frontier';
import type { Tally } from '../record/tally.js';
import type { OutcomeCounts } from '../report/stats.js';
import { PROCESS_SILENT_MS, TOTALS_EVERY_MS } from './limits.js';

/** The totals of one process. */
export interface CrawlTotals {
  /** Reads what earlier runs came to, and keeps the totals up to date from here on. */
  open(): Promise<void>;
  /** Runs that were over, or broken off, before this one began: ours and those of processes that are not at work any more. */
  earlierRuns(): number;
  /** Keeps the totals as they are now, and no more after that. */
  close(): Promise<void>;
}

/** What a process keeps. */
export interface ProcessTotals {
  readonly runs: number;
  readonly requests: number;
  readonly bytes: number;
  readonly items: number;
  /** Items that their schema did not take; absent: none. */
  readonly rejected?: number;
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Absent in what earlier versions kept. */
  readonly process?: {
    readonly machine: string;
    readonly pid: number;
    /** When this was written, by the clock of its machine, epoch milliseconds. */
    readonly atMs: number;
    /** Whether it has ended by itself. */
    readonly isOver: boolean;
    /** Requests of its last run that were sooner than their host had asked; `null` while it runs. */
    readonly early: number | null;
  };
}

/** The key of the records. */
export const TOTALS_KEY = 'totals';

/** What totals are made of. */
export interface TotalsParts {
  readonly records: Pick<Frontier, 'readParts' | 'writePart' | 'partName'>;
  readonly clock: Clock;
  readonly tally: Tally;
  readonly counts: OutcomeCounts;
  /** Requests that were early so far; asked at the end. */
  readonly early: () => number;
}

/** Milliseconds after which a process writes its totals although they are what they were. */
const SIGN_OF_LIFE_MS = PROCESS_SILENT_MS / 3;

/** @throws Never; what the records throw passes through `open` and `close`. */
export function createCrawlTotals({ records, clock, tally, counts, early }: TotalsParts): CrawlTotals {
  let runs = 0;
  let earlierRuns = 0;
  let stop = (): void => undefined;
  let isOpen = false;
  /** What was written last, its time aside. */
  let written = '';
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  const machine = hostname();

  const write = async (isOver: boolean): Promise<void> => {
    const { requests, bytes, itemCount: items, rejectedCount: rejected } = tally;
    const seen = { runs: runs + 1, requests, bytes, items, outcomes: counts.outcomes() };
    const totals = rejected === 0 ? seen : { ...seen, rejected };
    const text = JSON.stringify(totals);
    const atMs = clock.nowMs();
    // A quiet crawl costs its store nothing but a sign of life now and then.
    if (!isOver && text === written && atMs - writtenAtMs < SIGN_OF_LIFE_MS) return;
    written = text;
    writtenAtMs = atMs;
    const process_ = { machine, pid: process.pid, atMs, isOver, early: isOver ? early() : null };
    const kept: ProcessTotals = { ...totals, process: process_ };
    await records.writePart(TOTALS_KEY, new TextEncoder().encode(JSON.stringify(kept)));
  };
  const again = (): void => {
    stop = clock.after(TOTALS_EVERY_MS, () => {
      again();
      // What the store cannot take the run hears of from its next verb; totals are no reason of their own to end it.
      write(false).catch((error: unknown) => {
        if (!(error instanceof FrontierError)) throw error;
      });
    });
  };

  return {
    async open() {
      const parts = readTotals(await records.readParts(TOTALS_KEY));
      isOpen = true;
      for (const [part, totals] of parts) {
        const isOwn = part === records.partName();
        earlierRuns += totals.runs - (isOwn || !isAtWork(totals, clock.nowMs()) ? 0 : 1);
        if (!isOwn) continue;
        runs = totals.runs;
        tally.goOnFrom(totals);
        // What was held then is asked for now, and gets its word anew.
        const { held: _, ...outcomes } = totals.outcomes;
        counts.goOnFrom(outcomes);
      }
      await write(false);
      again();
    },
    earlierRuns: () => earlierRuns,
    async close() {
      stop();
      if (isOpen) await write(true);
      isOpen = false;
    },
  };
}

/** The totals of all parts, by their names. @throws SyntaxError for what this package did not write. */
export function readTotals(parts: ReadonlyMap<string, Uint8Array>): Map<string, ProcessTotals> {
  return new Map([...parts].map(([part, bytes]) => [part, JSON.parse(new TextDecoder().decode(bytes))]));
}

/** Whether a process is at work, as far as its last sign of life tells; clocks of machines may differ by seconds. Never throws. */
export function isAtWork({ process: told }: ProcessTotals, nowMs: number): boolean {
  return told !== undefined && !told.isOver && nowMs - told.atMs < PROCESS_SILENT_MS;
}
