// The verbs on the file. Each that writes is one synchronous step inside a transaction, on the store's own clock. The
// memory store is the readable reference of what they mean. The letters are the contract's.

import type { FrontierError } from '../../errors.js';
import type { HostCommit, LeaseRequest, NewEntry, OpenRequest, RecordListing, ReserveSlot } from '../../store.js';
import { type StoreQueues, toFailure } from '../checked-store.js';
import { statsOf } from '../host-queues.js';
import { addHolder, anchorClock, CrawlState, claimCrawl, listHolders, removeHolder } from './crawl-state.js';
import { openEnvironment, rowsOf } from './environment.js';
import { GroupCommit, type Urgency } from './group-commit.js';
import { listedEntry } from './host-entries.js';
import { LmdbHosts } from './host-queues.js';
import { kindStart, readTextKey, textKey } from './rows.js';

const LAST_HOST = 0xffff_ffff;
/** Records and reserved slots: two name spaces of one table. */
const RECORD = 1;
const SLOT = 2;
const FIRST_SLOT = Buffer.of(SLOT);
const BEHIND_SLOTS = Buffer.of(SLOT + 1);
/** Slots read, per slot taken, to remove those whose time has passed. */
const SWEPT_PER_SLOT = 2;

export interface ResolvedLmdbOptions {
  readonly path: string;
  readonly identity: string;
  readonly maxQueued: number;
  readonly seenBudget: number;
  readonly firstDelayMs: number;
  readonly commitEveryMs: number;
  readonly nowMs: (() => number) | null;
}

/** The verbs of one client. `now` is the store's clock, milliseconds, never going back. */
export class LmdbQueues implements StoreQueues {
  readonly #crawl: CrawlState;
  readonly #options: ResolvedLmdbOptions;
  readonly #hosts: LmdbHosts;
  readonly #group: GroupCommit;
  #failure: FrontierError | null = null;
  /** Writes of records that are not committed yet. */
  #recordsPending = 0;
  #sweepFrom: Buffer = FIRST_SLOT;

  private constructor(crawl: CrawlState, options: ResolvedLmdbOptions) {
    this.#crawl = crawl;
    this.#options = options;
    this.#hosts = new LmdbHosts(crawl, options.maxQueued);
    this.#group = new GroupCommit((verbs) => this.#transact(verbs), options.commitEveryMs);
  }

  /** Opens the file and registers this client, once the leases of clients that are proven dead have ended (O1). */
  static async open(options: ResolvedLmdbOptions, request: OpenRequest): Promise<LmdbQueues> {
    const { path, identity, seenBudget, nowMs } = options;
    const tables = await openEnvironment(path, request.create);
    try {
      tables.write(() => claimCrawl(tables.meta, path, identity, request));
      const crawl = new CrawlState(tables, seenBudget);
      const queues = new LmdbQueues(crawl, options);
      queues.#transact(() => {
        crawl.clock = nowMs ?? anchorClock(tables.meta, crawl.counts.latestMs);
        tables.unseal();
        queues.#hosts.endLeasesOfTheDead(options.firstDelayMs);
        crawl.holder = addHolder(tables.meta, request.owner).number;
        crawl.changed();
      });
      return queues;
    } catch (error) {
      await tables.close();
      throw failureOf(path, error);
    }
  }

  check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** While hosts are leased a client stays registered, so that they can be freed once its process is gone. */
  async close(): Promise<void> {
    const crawl = this.#crawl;
    try {
      if (this.#failure === null) this.#group.flush();
      if (this.#failure !== null) return;
      this.#transact(() => {
        if (crawl.counts.leased > 0) return;
        removeHolder(crawl.tables.meta, crawl.holder);
        crawl.changed();
      });
      if (this.#failure === null) crawl.tables.seal(() => listHolders(crawl.tables.meta).length === 0);
    } finally {
      await crawl.tables.close();
    }
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const weight = hosts.length + links.length;
    return this.#submit(() => this.#hosts.commit(hosts, links), weight, 'later', hosts.length);
  }

  lease(request: LeaseRequest) {
    return this.#submit(() => this.#hosts.lease(request), request.maxHosts, 'now');
  }

  wake(host: string) {
    return this.#submit(() => this.#hosts.wake(host), 1, 'now');
  }

  /** Perhaps too early, never too late. */
  nextDueInMs() {
    this.#crawl.tables.refresh();
    const isAnyQueued = this.#crawl.freshCounts().unfinished > 0;
    const earliest = isAnyQueued ? this.#crawl.hosts.earliest() : Number.POSITIVE_INFINITY;
    // A pending verb may make a host due.
    const dueInMs = Math.min(Math.max(0, earliest - this.#crawl.now()), this.#group.dueInMs);
    return Number.isFinite(dueInMs) ? dueInMs : null;
  }

  /** Hosts whose lease was renewed may be among them: their place in the index is corrected later. */
  overdueMs(most: number) {
    this.#settle();
    this.#crawl.freshCounts();
    const { hosts } = this.#crawl;
    const now = this.#crawl.now();
    return hosts.due(now, most).map((number) => now - (hosts.byNumber(number).dueAt ?? now));
  }

  readRecord(key: string): Uint8Array | null {
    this.#settleRecords();
    const kept = this.#crawl.tables.records.getBinary(textKey(RECORD, key));
    return kept === undefined ? null : new Uint8Array(kept);
  }

  writeRecord(key: string, value: Uint8Array | null) {
    this.#recordsPending += 1;
    const write = () => {
      this.#recordsPending -= 1;
      const { records } = this.#crawl.tables;
      if (value === null) records.removeSync(textKey(RECORD, key));
      else records.putSync(textKey(RECORD, key), Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      this.#crawl.changed();
    };
    return this.#submit(write, 1, 'later');
  }

  /** Records with short keys; the cursor is the last key. */
  listRecords(prefix: string, cursor: string | null, limit: number): RecordListing {
    this.#settleRecords();
    const first = textKey(RECORD, prefix);
    const start = cursor === null ? first : Buffer.concat([textKey(RECORD, cursor), Buffer.of(0)]);
    const rows = rowsOf(this.#crawl.tables.records, start, Buffer.concat([first, Buffer.of(0xff)]), limit + 1);
    const items = rows.slice(0, limit).map(({ key, value }) => ({
      key: readTextKey(key),
      value: new Uint8Array(value),
    }));
    return { cursor: rows.length > limit ? items.at(-1)!.key : null, items };
  }

  /** Takes one slot after the other. */
  reserve(slots: readonly ReserveSlot[]) {
    const reserve = () => {
      const { records } = this.#crawl.tables;
      const now = this.#crawl.now();
      const waits = slots.map(({ key, delayMs }) => {
        const rowKey = textKey(SLOT, key);
        const start = Math.max(now, records.getBinary(rowKey)?.readDoubleBE(0) ?? now);
        const value = Buffer.allocUnsafe(8);
        value.writeDoubleBE(start + delayMs);
        records.putSync(rowKey, value);
        return start - now;
      });
      this.#sweepSlots(SWEPT_PER_SLOT * slots.length, now);
      this.#crawl.changed();
      return waits;
    };
    return this.#submit(reserve, slots.length, 'now');
  }

  /** Slots whose time has passed mean nothing: a few are checked each time, round and round. */
  #sweepSlots(count: number, now: number): void {
    const { records } = this.#crawl.tables;
    const rows = rowsOf(records, this.#sweepFrom, BEHIND_SLOTS, count + 1);
    for (const { key, value } of rows.slice(0, count)) if (value.readDoubleBE(0) <= now) records.removeSync(key);
    this.#sweepFrom = rows[count]?.key ?? FIRST_SLOT;
  }

  stats() {
    this.#settle();
    const counts = this.#crawl.freshCounts();
    return statsOf(counts, counts.known, counts.hosts);
  }

  readHost(host: string) {
    this.#settle();
    this.#crawl.freshCounts();
    return this.#hosts.readHost(host);
  }

  /** A walk over the entries by host; the cursor is the last key. */
  scan(cursor: string | null, limit: number, only?: string) {
    this.#settle();
    const { hosts, tables } = this.#crawl;
    this.#crawl.freshCounts();
    const number = only === undefined ? null : hosts.find(only)?.number;
    if (number === undefined) return { cursor: null, items: [] };
    const start = cursor === null ? kindStart(number ?? 0, 0) : Buffer.from(cursor, 'hex');
    const end = kindStart(number === null ? LAST_HOST : number + 1, 0);
    const rows = [...tables.entries.getRange({ start, end, limit, exclusiveStart: cursor !== null })];
    const items = rows.map((row) => {
      const host = hosts.byNumber(row.key.readUInt32BE(0));
      return { host: host.key, entry: listedEntry(host, row) };
    });
    return { cursor: rows.length < limit ? null : (rows.at(-1)?.key.toString('hex') ?? null), items };
  }

  /** Commits what is pending; reads that follow see it, and what other processes have committed. */
  #settle(): void {
    this.#group.flush();
    this.#crawl.tables.refresh();
  }

  #settleRecords(): void {
    if (this.#recordsPending > 0) this.#group.flush();
    this.#crawl.tables.refresh();
  }

  #transact(verbs: () => void): void {
    this.check();
    try {
      this.#crawl.transact(verbs);
    } catch (cause) {
      // Memory no longer agrees with the file: the store cannot be used any more.
      this.#failure = failureOf(this.#options.path, cause);
      throw this.#failure;
    }
  }

  #submit<T>(verb: () => T, weight: number, urgency: Urgency, pages = 0): Promise<T> {
    return this.#group.submit(verb, Math.max(1, weight), urgency, pages);
  }
}

function failureOf(path: string, cause: unknown): FrontierError {
  return toFailure(`the store in ${path} failed`, cause);
}
