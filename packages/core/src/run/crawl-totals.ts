// The totals of a crawl over its runs, which a progress line and the head of the report show. They are kept in the
// store next to the queue, by each process its own part. A killed process loses at most the last second of them; a
// crawl directory's logs have the exact numbers.

import { hostname } from 'node:os';
import type { Clock, Frontier } from '@mannerly/frontier';
import type { JournalListener } from '../journal/journal.js';
import { decodeJson, encodeJson } from '../json-record.js';
import type { Item } from '../output/sink.js';
import { sums } from '../report/added-numbers.js';
import type { OutcomeTable, RequestRecord, UrlDecision } from '../report/decision.js';
import { OutcomeCounts, partedOutcomes, turnedAwayAgain } from '../report/outcome-counts.js';
import type { PolitenessLedger } from '../report/politeness.js';
import type { CrawlPhase } from './activity.js';
import { PROCESS_SILENT_MS, TOTALS_EVERY_MS } from './limits.js';
import { repeatedly } from './repeatedly.js';

/** What is added up. `requisite…`: of what archived pages need, bytes as they came. */
const NONE = { requests: 0, bytes: 0, items: 0, rejected: 0, signed: 0, requisiteRequests: 0, requisiteBytes: 0 };
const COUNTS = Object.keys(NONE) as (keyof typeof NONE)[];

export interface ProcessTotals extends Readonly<typeof NONE> {
  readonly runs: number;
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Absent where the totals are those of several that are gone. */
  readonly process?: {
    readonly machine: string;
    readonly pid: number;
    /** When this was written, by the clock of its machine, epoch milliseconds. */
    readonly atMs: number;
    /** Whether it has ended by itself. */
    readonly isOver: boolean;
    /** Requests of its last run that were earlier than their host requires; `null` while it runs. */
    readonly early: number | null;
  } & ProcessNow;
}

/** What a process is doing when it writes. */
export interface ProcessNow {
  readonly phase: CrawlPhase;
  /** Requests that have left and are not over. */
  readonly underway: number;
}

export const TOTALS_KEY = 'totals';

/** Milliseconds after which a process writes its totals although they have not changed. */
const HEARTBEAT_MS = PROCESS_SILENT_MS / 3;

type TotalsStore = Pick<Frontier, 'readParts' | 'writePart' | 'partName'>;

/** The totals of one process, of all its runs so far. */
export class CrawlTotals implements JournalListener {
  readonly counts = { ...NONE };
  /** Of this run alone: requests, and pages whose body was cut. */
  ownRequests = 0;
  truncatedCount = 0;
  readonly #clock: Clock;
  readonly #outcomes: OutcomeCounts;
  readonly #ledger: PolitenessLedger;
  readonly #isAgain = turnedAwayAgain();
  #store: TotalsStore | null = null;
  #now: () => ProcessNow = () => ({ phase: 'over', underway: 0 });
  #runs = 0;
  #earlierRuns = 0;
  #stop = async (): Promise<void> => undefined;
  /** What was written last, without its time. */
  #written = '';
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
    if (!this.#isAgain(decision)) this.#outcomes.decision(decision);
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
   * Adds the totals of earlier runs, and keeps them up to date from here on.
   * @param earlier - What they decided last: a URL that they turned away does not count again.
   * @param now - Asked at each writing.
   */
  async open(store: TotalsStore, earlier: AsyncIterable<UrlDecision>, now: () => ProcessNow): Promise<void> {
    this.#now = now;
    for await (const decision of earlier) this.#isAgain(decision);
    const parts = readTotals(await store.readParts(TOTALS_KEY));
    this.#store = store;
    for (const [part, totals] of parts) {
      const isOwn = part === store.partName();
      this.#earlierRuns += totals.runs - (isOwn || !isAtWork(totals, this.#clock.nowMs()) ? 0 : 1);
      if (!isOwn) continue;
      this.#runs = totals.runs;
      for (const count of COUNTS) this.counts[count] += totals[count];
      this.#outcomes.leftOut(partedOutcomes(totals.outcomes).decided);
    }
    await this.#write(store, false);
    this.#stop = repeatedly(this.#clock, TOTALS_EVERY_MS, () => this.#write(store, false));
  }

  /** Runs that ended, or were killed, before this one began: of this process and of processes that are not at work. */
  earlierRuns(): number {
    return this.#earlierRuns;
  }

  async close(): Promise<void> {
    // One that is on its way may come behind the last, and says that the process is at work.
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
    if (!isOver && text === this.#written && atMs - this.#writtenAtMs < HEARTBEAT_MS) return;
    this.#written = text;
    this.#writtenAtMs = atMs;
    const early = isOver ? this.#ledger.report().reduce((sum, host) => sum + host.early, 0) : null;
    const who = { machine: hostname(), pid: process.pid, atMs, isOver, early };
    await store.writePart(TOTALS_KEY, encodeJson({ ...totals, process: { ...who, ...now } } satisfies ProcessTotals));
  }
}

/** The totals of processes that are long gone, as those of one. */
export function mergeTotals(values: readonly Uint8Array[]): Uint8Array {
  const all = values.map(totalsOf);
  const outcomes = new OutcomeCounts();
  for (const one of all) outcomes.leftOut(one.outcomes);
  return encodeJson({ ...sums(all, 'runs', ...COUNTS), outcomes: outcomes.outcomes() } satisfies ProcessTotals);
}

function totalsOf(bytes: Uint8Array): ProcessTotals {
  return { ...NONE, ...decodeJson<ProcessTotals>(bytes) };
}

/** The totals of all parts, by their names. @throws SyntaxError for what this package did not write. */
export function readTotals(parts: ReadonlyMap<string, Uint8Array>): Map<string, ProcessTotals> {
  return new Map([...parts].map(([part, bytes]) => [part, totalsOf(bytes)]));
}

/** Whether a process is running, by its last write. Clocks of machines may differ by seconds. Never throws. */
export function isAtWork({ process: state }: ProcessTotals, nowMs: number): boolean {
  return state !== undefined && !state.isOver && nowMs - state.atMs < PROCESS_SILENT_MS;
}
