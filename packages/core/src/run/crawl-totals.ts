// The totals of a crawl over all its runs, for the progress line and the head of the report. The store keeps them next
// to the queue, one part for each process. A killed process loses at most their last second. The logs of a crawl
// directory have the exact numbers.

import { hostname } from 'node:os';
import type { Clock, Frontier } from '@mannerly/frontier';
import type { JournalListener } from '../journal/journal.js';
import { decodeJson, encodeJson } from '../json-record.js';
import type { Item } from '../output/sink.js';
import { sums } from '../report/combined-counts.js';
import type { OutcomeTable, RequestRecord, UrlDecision } from '../report/decision.js';
import {
  createRepeatedExclusionCheck,
  type OutcomeCounts,
  splitOutcomes,
  sumOutcomes,
  wholeOutcomes,
} from '../report/outcome-counts.js';
import type { PolitenessLedger } from '../report/politeness.js';
import type { CrawlPhase } from './activity.js';
import { PROCESS_SILENT_MS, TOTALS_INTERVAL_MS } from './limits.js';
import { repeatEvery } from './repeat-every.js';

/** What is added up. `requisite…`: for the requisites of archived pages, in bytes as received. */
const NO_COUNTS = { requests: 0, bytes: 0, items: 0, rejected: 0, signed: 0, requisiteRequests: 0, requisiteBytes: 0 };
const COUNT_NAMES = Object.keys(NO_COUNTS) as (keyof typeof NO_COUNTS)[];

export interface ProcessTotals extends Readonly<typeof NO_COUNTS> {
  readonly runs: number;
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Absent if these are the merged totals of several processes that are gone. */
  readonly process?: {
    readonly machine: string;
    readonly pid: number;
    /** When this was written, epoch milliseconds by the clock of its machine. */
    readonly atMs: number;
    /** Whether it ended normally. */
    readonly isOver: boolean;
    /** Requests of its last run that were earlier than their host requires; `null` while it runs. */
    readonly early: number | null;
  } & ProcessState;
}

/** What a process is doing when it writes its totals. */
export interface ProcessState {
  readonly phase: CrawlPhase;
  /** Requests that were sent and are not over. */
  readonly underway: number;
}

export const TOTALS_KEY = 'totals';

/** Milliseconds after which a process writes its totals even if they have not changed. */
const HEARTBEAT_MS = PROCESS_SILENT_MS / 3;

type TotalsStore = Pick<Frontier, 'readParts' | 'writePart' | 'partName'>;

/** The totals of one process over all its runs so far. */
export class CrawlTotals implements JournalListener {
  readonly counts = { ...NO_COUNTS };
  /** Runs that ended or were killed before this one began, of this process and of processes that no longer run. */
  earlierRuns = 0;
  /** Of this run only: requests, and pages whose body was cut. */
  ownRequests = 0;
  truncatedCount = 0;
  readonly #clock: Clock;
  readonly #outcomes: OutcomeCounts;
  readonly #ledger: PolitenessLedger;
  readonly #isRepeatedExclusion = createRepeatedExclusionCheck();
  #store: TotalsStore | null = null;
  #now: () => ProcessState = () => ({ phase: 'over', underway: 0 });
  #runs = 0;
  /** The totals of all other processes when this one began. */
  #others: readonly ProcessTotals[] = [];
  #stop = async (): Promise<void> => undefined;
  /** What was written last, without its time. */
  #lastWritten = '';
  #writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, outcomes: OutcomeCounts, ledger: PolitenessLedger) {
    this.#clock = clock;
    this.#outcomes = outcomes;
    this.#ledger = ledger;
  }

  request({ encodedBytes, signed, purpose }: RequestRecord): void {
    const { counts } = this;
    this.ownRequests += 1;
    counts.requests += 1;
    counts.bytes += encodedBytes;
    if (signed === true) counts.signed += 1;
    if (purpose !== 'requisite') return;
    counts.requisiteRequests += 1;
    counts.requisiteBytes += encodedBytes;
  }

  decision(decision: UrlDecision): void {
    if (!this.#isRepeatedExclusion(decision)) this.#outcomes.decision(decision);
  }

  leftOut(counts: OutcomeTable): void {
    this.#outcomes.leftOut(counts);
  }

  items(items: readonly Item[]): void {
    this.counts.items += items.length;
  }

  rejected(_items: readonly unknown[], count: number): void {
    this.counts.rejected += count;
  }

  /**
   * Adds the totals of earlier runs, and keeps them up to date from now on.
   * @param earlier - The last decisions of earlier runs: a URL that they turned away is not counted again.
   * @param now - Called before each write.
   */
  async open(store: TotalsStore, earlier: AsyncIterable<UrlDecision>, now: () => ProcessState): Promise<void> {
    this.#now = now;
    for await (const decision of earlier) this.#isRepeatedExclusion(decision);
    const parts = readTotals(await store.readParts(TOTALS_KEY));
    this.#store = store;
    this.#others = [...parts].flatMap(([part, totals]) => (part === store.partName() ? [] : totals));
    for (const [part, totals] of parts) {
      const isOwn = part === store.partName();
      this.earlierRuns += totals.runs - (isOwn || !isAtWork(totals, this.#clock.nowMs()) ? 0 : 1);
      if (!isOwn) continue;
      this.#runs = totals.runs;
      for (const count of COUNT_NAMES) this.counts[count] += totals[count];
      this.#outcomes.leftOut(splitOutcomes(totals.outcomes).decided);
    }
    await this.#write(store, false);
    this.#stop = repeatEvery(this.#clock, TOTALS_INTERVAL_MS, () => this.#write(store, false));
  }

  /** The counts of a crawl on which no other process works. Those of killed runs are under other names. */
  ofCrawl() {
    const decided = this.#others.map(({ outcomes }) => splitOutcomes(outcomes).decided);
    const outcomes = wholeOutcomes(sumOutcomes([...decided, this.#outcomes.outcomes()]));
    return { ...sums([this.counts, ...this.#others], ...COUNT_NAMES), outcomes };
  }

  async close(): Promise<void> {
    // A write under way could arrive after the last one and say that the process still runs.
    await this.#stop();
    const store = this.#store;
    this.#store = null;
    if (store !== null) await this.#write(store, true);
  }

  async #write(store: TotalsStore, isOver: boolean): Promise<void> {
    const totals = { runs: this.#runs + 1, ...this.counts, outcomes: this.#outcomes.outcomes() };
    const now = this.#now();
    const text = JSON.stringify([totals, now]);
    const atMs = this.#clock.nowMs();
    if (!isOver && text === this.#lastWritten && atMs - this.#writtenAtMs < HEARTBEAT_MS) return;
    this.#lastWritten = text;
    this.#writtenAtMs = atMs;
    const early = isOver ? this.#ledger.report().reduce((sum, host) => sum + host.early, 0) : null;
    const processInfo = { machine: hostname(), pid: process.pid, atMs, isOver, early };
    const value = { ...totals, process: { ...processInfo, ...now } } satisfies ProcessTotals;
    await store.writePart(TOTALS_KEY, encodeJson(value));
  }
}

/** Merges the totals of processes that are long gone into one. */
export function mergeTotals(values: readonly Uint8Array[]): Uint8Array {
  const all = values.map(totalsOf);
  const outcomes = sumOutcomes(all.map((one) => one.outcomes));
  return encodeJson({ ...sums(all, 'runs', ...COUNT_NAMES), outcomes } satisfies ProcessTotals);
}

function totalsOf(bytes: Uint8Array): ProcessTotals {
  return { ...NO_COUNTS, ...decodeJson<ProcessTotals>(bytes, 'the totals of a process') };
}

/** The totals of all parts, by name. @throws FrontierError `record-unreadable` */
export function readTotals(parts: ReadonlyMap<string, Uint8Array>): Map<string, ProcessTotals> {
  return new Map([...parts].map(([part, bytes]) => [part, totalsOf(bytes)]));
}

/** Whether a process is running, judged by its last write. Clocks of machines may differ by seconds. Never throws. */
export function isAtWork({ process: state }: ProcessTotals, nowMs: number): boolean {
  return state !== undefined && !state.isOver && nowMs - state.atMs < PROCESS_SILENT_MS;
}
