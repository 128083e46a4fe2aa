// The rows of the meta table: whose crawl the file holds, the anchor of the store's clock, the clients that have the
// file open, and the counts.

import { FrontierError, unreadable } from '../../errors.js';
import type { OpenRequest } from '../../store.js';
import { isCount, isText, isTime, readJson } from '../../stored-value.js';
import { type CrawlName, compareCrawl, RESTORE_OR_RESET, readCrawlName } from '../checked-store.js';
import { bootName, deadForMs, type ProcessIdentity, thisProcess } from '../processes/process-identity.js';
import { rowsOf, type Table } from './environment.js';
import { NO_HOLDER } from './host.js';

const FORMAT = 'mannerly-frontier-lmdb';
const VERSION = 10;

const CRAWL = Buffer.from('crawl');
const CLOCK = Buffer.from('clock');
const COUNTS = Buffer.from('counts');
const HOLDER = 'holder ';
const HOLDERS_START = Buffer.from(HOLDER);
const HOLDERS_END = Buffer.from('holder!');
/** More than the number of clients that can read the file at a time. */
const MAX_HOLDERS = 65_536;
const FIRST_HOLDER = NO_HOLDER + 1;

const NO_COUNTS = {
  /** Increases with every transaction. If it differs from the client's own, another process has written. */
  generation: 0,
  /** The store's clock at the last transaction. */
  latestMs: 0,
  unfinished: 0,
  inFlight: 0,
  hosts: 0,
  leased: 0,
  /** Fingerprints. Only `fingerprints.ts` changes this count and the next two. */
  known: 0,
  /** The number of the next chunk of their log. */
  nextChunk: 0,
  /**
   * Fingerprints of chunks from this one on are in the table too; new ones are only there. `Infinity`: no table yet.
   */
  tableFrom: Number.POSITIVE_INFINITY,
};
/** Counts of the crawl, in one row that every transaction reads first and writes last. */
export type Counts = typeof NO_COUNTS;

const COUNT_NAMES = Object.keys(NO_COUNTS) as (keyof Counts)[];

/**
 * Compares the file with the request (O2).
 * @returns Whether a new file was given its name.
 * @throws `store-mismatch`.
 */
export function claimCrawl(meta: Table, path: string, identity: string, { crawl, create }: OpenRequest): boolean {
  const bytes = meta.getBinary(CRAWL);
  const requested: CrawlName = { format: FORMAT, version: VERSION, crawl, identity };
  if (bytes !== undefined) {
    const hint = 'Take another folder, or remove this one to start over.';
    compareCrawl(path, hint, readCrawlName(path, hint, bytes), requested);
    return false;
  }
  if (!create) {
    const text = `${path} holds no crawl ${JSON.stringify(crawl)}`;
    throw new FrontierError('store-mismatch', text, { hint: RESTORE_OR_RESET });
  }
  meta.putSync(CRAWL, Buffer.from(JSON.stringify(requested)));
  return true;
}

/**
 * The clock of a file. Call it inside a transaction.
 *
 * Delays must survive restarts, and a corrected wall clock must not shorten them. On Linux the clock is the machine's
 * monotonic one, the same in all processes, plus an offset that is fixed once per boot and kept in the file. Elsewhere
 * the boot is unknown, and the clock is the wall clock at open, continued by the monotonic one.
 *
 * @param latestMs - The latest time in the file.
 */
export function anchorClock(meta: Table, latestMs: number): () => number {
  const boot = bootName();
  const stored = meta.getBinary(CLOCK);
  const anchor = stored === undefined ? null : readFields('the clock', stored);
  if (anchor !== null && !Number.isFinite(anchor['offsetMs'])) throw unreadable('the clock');
  const isSameBoot = boot !== null && anchor?.['boot'] === boot;
  const keptMs = Number(anchor?.['offsetMs']);
  // Not behind the file: a tool that fakes time may have made its clock another one, and time would stand still.
  const offsetMs = Math.max(isSameBoot ? keptMs : Date.now() - monotonicMs(), latestMs - monotonicMs());
  const isKept = isSameBoot && offsetMs === keptMs;
  if (!isKept && boot !== null) meta.putSync(CLOCK, Buffer.from(JSON.stringify({ boot, offsetMs })));
  return () => offsetMs + monotonicMs();
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A client that has the file open, with its process, so that its leases can be ended once it is proven dead (O1). */
export interface Holder extends ProcessIdentity {
  readonly number: number;
}

/** All clients that were registered and not removed. */
export function listHolders(meta: Table): Holder[] {
  const rows = rowsOf(meta, HOLDERS_START, HOLDERS_END, MAX_HOLDERS);
  return rows.map(({ value }) => {
    const { number, pid, started, boot, pidSpace } = readFields('a process of the crawl', value);
    const areTexts = [started, boot, pidSpace].every((text) => text === null || isText(text));
    const isNumber = isCount(number) && number <= MAX_HOLDERS;
    if (!isNumber || !isCount(pid) || !areTexts) throw unreadable('a process of the crawl');
    return { number, pid, started, boot, pidSpace } as Holder;
  });
}

/** The clients that are proven dead: number → for how long, milliseconds. */
export function listDead(meta: Table): Map<number, number> {
  const ages = listHolders(meta).map((holder) => [holder.number, deadForMs(holder)] as const);
  return new Map(ages.filter((age): age is [number, number] => age[1] !== null));
}

/** Registers this process. @returns The lowest free number. */
export function addHolder(meta: Table): number {
  const taken = new Set(listHolders(meta).map(({ number }) => number));
  let number = FIRST_HOLDER;
  while (taken.has(number)) number += 1;
  const holder: Holder = { number, ...thisProcess() };
  meta.putSync(holderKey(number), Buffer.from(JSON.stringify(holder)));
  return number;
}

export function removeHolder(meta: Table, number: number): void {
  meta.removeSync(holderKey(number));
}

function holderKey(number: number): Buffer {
  return Buffer.from(`${HOLDER}${String(number).padStart(6, '0')}`);
}

export function readCounts(meta: Table): Counts {
  const counts = { ...NO_COUNTS };
  const bytes = meta.getBinary(COUNTS);
  if (bytes === undefined) return counts;
  if (bytes.length !== 8 * COUNT_NAMES.length) throw unreadable('the counts');
  for (const [at, name] of COUNT_NAMES.entries()) counts[name] = bytes.readDoubleBE(8 * at);
  return checkedCounts(counts);
}

export function writeCounts(meta: Table, counts: Counts): void {
  const bytes = Buffer.allocUnsafe(8 * COUNT_NAMES.length);
  for (const [at, name] of COUNT_NAMES.entries()) bytes.writeDoubleBE(checkedCounts(counts)[name], 8 * at);
  meta.putSync(COUNTS, bytes);
}

function readFields(what: string, row: Buffer): Readonly<Record<string, unknown>> {
  return Object(readJson(what, row)) as Readonly<Record<string, unknown>>;
}

/** @throws FrontierError `record-unreadable`: they fit nothing that was counted. */
function checkedCounts(counts: Counts): Counts {
  const { latestMs, tableFrom, ...whole } = counts;
  const isValid =
    Object.values(whole).every(isCount) &&
    isTime(latestMs) &&
    (tableFrom === Number.POSITIVE_INFINITY || isCount(tableFrom));
  if (!isValid) throw unreadable('the counts');
  return counts;
}
