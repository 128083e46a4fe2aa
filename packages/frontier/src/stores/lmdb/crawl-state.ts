// What one client knows of the crawl in the file, and its transactions: what other processes have written is read
// before the first verb, and what the verbs have changed is written after the last. The rows of the meta table: whose
// crawl the file holds, the anchor of the store's clock, the clients that have the file open, and the counts.

import { FrontierError } from '../../errors.js';
import type { HostKey, OpenRequest } from '../../store.js';
import { BACK_OR_RESET, type CrawlName, compareCrawl } from '../checked-store.js';
import { bootName, type ProcessIdentity, thisProcess } from '../processes/process-identity.js';
import { type Environment, rowsOf, type Table } from './environment.js';
import { Fingerprints } from './fingerprints.js';
import { HostEntries } from './host-entries.js';
import { FREE, HostTable, type StoredHost } from './hosts.js';

const FORMAT = 'mannerly-frontier-lmdb';
const VERSION = 6;

const CRAWL = Buffer.from('crawl');
const CLOCK = Buffer.from('clock');
const COUNTS = Buffer.from('counts');
const HOLDER = 'holder ';
const FIRST_HOLDER_KEY = Buffer.from(HOLDER);
const BEHIND_HOLDERS = Buffer.from('holder!');
/** More clients than can read the file at a time. */
const HOLDERS_MOST = 65_536;
const FIRST_HOLDER = FREE + 1;

const NO_COUNTS = {
  /** Grows with every transaction. Another number than the client's own: another process has written. */
  generation: 0,
  /** The store's clock at the last transaction. */
  latestMs: 0,
  unfinished: 0,
  inFlight: 0,
  hosts: 0,
  leased: 0,
  parked: 0,
  // Of fingerprints.
  known: 0,
  nextChunk: 0,
  tableFrom: Number.POSITIVE_INFINITY,
};
/** Counts of the crawl, in one row that every transaction reads first and writes last. */
export type Counts = typeof NO_COUNTS;

const COUNT_NAMES = Object.keys(NO_COUNTS) as (keyof Counts)[];

export class CrawlState {
  /** As of the running transaction, or the last one. */
  counts: Counts;
  /** This client's number among the holders. */
  holder = FREE;
  /** Milliseconds. It is set in the first transaction. */
  clock: () => number = () => 0;
  readonly tables: Environment;
  readonly hosts: HostTable;
  readonly fingerprints: Fingerprints;
  #isChanged = false;

  /** Reads the fingerprints, up to a budget of memory, so that the first transaction is short. */
  constructor(tables: Environment, seenBudgetBytes: number) {
    this.tables = tables;
    this.hosts = new HostTable(tables, (host, onAdded) => new HostEntries(tables, host, onAdded));
    this.fingerprints = new Fingerprints(tables, seenBudgetBytes);
    this.counts = readCounts(tables.meta);
    this.fingerprints.catchUp(this.counts, false);
    // The first transaction looks again.
    this.counts.generation = -1;
  }

  /** The store's clock, milliseconds. One that was set back stands still until it has caught up. */
  now(): number {
    return Math.max(this.counts.latestMs, this.clock());
  }

  /** One transaction. It is undone when a verb throws. */
  transact(verbs: () => void): void {
    this.tables.write(() => {
      this.#begin();
      verbs();
      return this.#end();
    });
  }

  /** To be called when a verb wrote something else than hosts and entries. */
  changed(): void {
    this.#isChanged = true;
  }

  /** The counts as of now, outside of a transaction; hosts in memory are of now, or forgotten. */
  freshCounts(): Counts {
    const counts = readCounts(this.tables.meta);
    if (counts.generation !== this.counts.generation) this.hosts.clear();
    return counts;
  }

  /** The host of that key, made where there is none. */
  hostOf(key: HostKey): StoredHost {
    const present = this.hosts.find(key);
    if (present !== undefined) return present;
    this.counts.hosts += 1;
    return this.hosts.create(key, this.counts.hosts);
  }

  /** First what other processes have written meanwhile (A1). */
  #begin(): void {
    this.#isChanged = false;
    const counts = this.freshCounts();
    if (counts.generation === this.counts.generation) return;
    this.counts = counts;
    const { tableFrom } = counts;
    this.fingerprints.catchUp(counts, true);
    this.#isChanged = counts.tableFrom !== tableFrom;
  }

  /** @returns Whether there is anything to commit. */
  #end(): boolean {
    const isAnyHostChanged = this.hosts.flush();
    if (!isAnyHostChanged && !this.#isChanged) return false;
    this.fingerprints.flush(this.counts);
    this.counts.generation += 1;
    this.counts.latestMs = this.now();
    writeCounts(this.tables.meta, this.counts);
    return true;
  }
}

/** Compares the file with the request (O2). @returns Whether a new file was named. @throws `store-mismatch`. */
export function claimCrawl(meta: Table, path: string, identity: string, { crawl, create }: OpenRequest): boolean {
  const bytes = meta.getBinary(CRAWL);
  const wanted: CrawlName = { format: FORMAT, version: VERSION, crawl, identity };
  if (bytes !== undefined) {
    const hint = 'Take another folder, or remove this one to start over.';
    compareCrawl(path, hint, JSON.parse(bytes.toString()) as CrawlName, wanted);
    return false;
  }
  if (!create) {
    const text = `${path} holds no crawl ${JSON.stringify(crawl)}`;
    throw new FrontierError('store-mismatch', text, { hint: BACK_OR_RESET });
  }
  meta.putSync(CRAWL, Buffer.from(JSON.stringify(wanted)));
  return true;
}

/**
 * The clock of a file. Inside a transaction.
 *
 * Delays must survive restarts, and a wall clock that is corrected must not shorten them. On Linux the clock is the
 * machine's monotonic one, the same in all processes, plus an offset that is fixed once per boot and kept in the file.
 * Elsewhere the boot is unknown, and the clock is the wall clock at open, continued by the monotonic one.
 *
 * @param latestMs - The latest time in the file.
 */
export function anchorClock(meta: Table, latestMs: number): () => number {
  const boot = bootName();
  const kept = meta.getBinary(CLOCK);
  const anchor = kept === undefined ? null : (JSON.parse(kept.toString()) as { boot: string; offsetMs: number });
  const isSameBoot = boot !== null && anchor?.boot === boot;
  const offsetMs = isSameBoot ? anchor.offsetMs : Math.max(Date.now(), latestMs) - monotonicMs();
  if (!isSameBoot && boot !== null) meta.putSync(CLOCK, Buffer.from(JSON.stringify({ boot, offsetMs })));
  return () => offsetMs + monotonicMs();
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A client that has the file open, with its process, so that its leases can be ended once it is proven dead (O1). */
export interface Holder extends ProcessIdentity {
  readonly number: number;
  readonly owner: string;
}

/** All clients that were registered and not removed. */
export function listHolders(meta: Table): Holder[] {
  const rows = rowsOf(meta, FIRST_HOLDER_KEY, BEHIND_HOLDERS, HOLDERS_MOST);
  return rows.map(({ value }) => JSON.parse(value.toString()) as Holder);
}

/** Registers this process under the least free number. */
export function addHolder(meta: Table, owner: string): Holder {
  const taken = new Set(listHolders(meta).map(({ number }) => number));
  let number = FIRST_HOLDER;
  while (taken.has(number)) number += 1;
  const holder = { number, owner, ...thisProcess() };
  meta.putSync(holderKey(number), Buffer.from(JSON.stringify(holder)));
  return holder;
}

export function removeHolder(meta: Table, number: number): void {
  meta.removeSync(holderKey(number));
}

function holderKey(number: number): Buffer {
  return Buffer.from(`${HOLDER}${String(number).padStart(6, '0')}`);
}

function readCounts(meta: Table): Counts {
  const counts = { ...NO_COUNTS };
  const bytes = meta.getBinary(COUNTS);
  if (bytes !== undefined) for (const [at, name] of COUNT_NAMES.entries()) counts[name] = bytes.readDoubleBE(8 * at);
  return counts;
}

function writeCounts(meta: Table, counts: Counts): void {
  const bytes = Buffer.allocUnsafe(8 * COUNT_NAMES.length);
  for (const [at, name] of COUNT_NAMES.entries()) bytes.writeDoubleBE(counts[name], 8 * at);
  meta.putSync(COUNTS, bytes);
}
