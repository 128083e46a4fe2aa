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

export interface ProcessTotals {
  readonly runs: number;
  readonly requests: number;
  readonly bytes: number;
  readonly items: number;
  /** Items that their schema rejected; absent: none. */
  readonly rejected?: number;
  /** Requests that carried a signature; absent: none. */
  readonly signed?: number;
  /** Requests for what archived pages need, and their bytes as they came; absent: none. */
  readonly requisites?: { readonly requests: number; readonly bytes: number };
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Absent in what earlier versions kept. */
  readonly process?: {
    readonly machine: string;
    readonly pid: number;
    /** When this was written, by the clock of its machine, epoch milliseconds. */
    readonly atMs: number;
    /** Whether it has ended by itself. */
    readonly isOver: boolean;
    /** Requests of its last run that were earlier than their host requires; `null` while it runs. */
    readonly early: number | null;
  } & Partial<ProcessNow>;
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
  /** Requests of this run alone. */
  ownRequests = 0;
  requests = 0;
  bytes = 0;
  itemCount = 0;
  rejectedCount = 0;
  signedCount = 0;
  /** Pages of this run alone. */
  truncatedCount = 0;
  requisites = 0;
  requisiteBytes = 0;
  readonly #clock: Clock;
  readonly #counts: OutcomeCounts;
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

  constructor(clock: Clock, counts: OutcomeCounts, ledger: PolitenessLedger) {
    this.#clock = clock;
    this.#counts = counts;
    this.#ledger = ledger;
  }

  request({ encodedBytes, signed, purpose }: RequestRecord): void {
    this.ownRequests += 1;
    this.requests += 1;
    this.bytes += encodedBytes;
    if (signed === true) this.signedCount += 1;
    if (purpose !== 'requisite') return;
    this.requisites += 1;
    this.requisiteBytes += encodedBytes;
  }

  decision(decision: UrlDecision): void {
    if (!this.#isAgain(decision)) this.#counts.decision(decision);
  }

  leftOut(counts: OutcomeTable): void {
    this.#counts.leftOut(counts);
  }

  items(items: readonly Item[]): void {
    this.itemCount += items.length;
  }

  rejected(_items: readonly unknown[], count: number): void {
    this.rejectedCount += count;
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
      this.requests += totals.requests;
      this.bytes += totals.bytes;
      this.itemCount += totals.items;
      this.rejectedCount += totals.rejected ?? 0;
      this.signedCount += totals.signed ?? 0;
      this.requisites += totals.requisites?.requests ?? 0;
      this.requisiteBytes += totals.requisites?.bytes ?? 0;
      this.#counts.leftOut(partedOutcomes(totals.outcomes).decided);
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
    const { requests, bytes, itemCount: items, rejectedCount: rejected, signedCount: signed } = this;
    const requisites = { requests: this.requisites, bytes: this.requisiteBytes };
    const totals = {
      runs: this.#runs + 1,
      requests,
      bytes,
      items,
      outcomes: this.#counts.outcomes(),
      ...(rejected === 0 ? {} : { rejected }),
      ...(signed === 0 ? {} : { signed }),
      ...(requisites.requests === 0 ? {} : { requisites }),
    };
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
  const none = { rejected: 0, signed: 0, requisites: { requests: 0, bytes: 0 } };
  const all = values.map((bytes) => ({ ...none, ...decodeJson<ProcessTotals>(bytes) }));
  const outcomes = new OutcomeCounts();
  for (const one of all) outcomes.leftOut(one.outcomes);
  const requisites = all.map((one) => one.requisites);
  return encodeJson({
    ...sums(all, 'runs', 'requests', 'bytes', 'items', 'rejected', 'signed'),
    requisites: sums(requisites, 'requests', 'bytes'),
    outcomes: outcomes.outcomes(),
  } satisfies ProcessTotals);
}

/** The totals of all parts, by their names. @throws SyntaxError for what this package did not write. */
export function readTotals(parts: ReadonlyMap<string, Uint8Array>): Map<string, ProcessTotals> {
  return new Map([...parts].map(([part, bytes]) => [part, decodeJson(bytes)]));
}

/** Whether a process is running, by its last write. Clocks of machines may differ by seconds. Never throws. */
export function isAtWork({ process: state }: ProcessTotals, nowMs: number): boolean {
  return state !== undefined && !state.isOver && nowMs - state.atMs < PROCESS_SILENT_MS;
}
