// The verbs on the file. Each verb that writes is one synchronous step inside a transaction, on the store's own clock.
// The memory store is the readable reference for what they mean. The letters are the contract's.

import { FrontierError } from '../../errors.js';
import type { HostCommit, LeaseRequest, NewEntry, OpenRequest, RecordListing, ReserveSlot } from '../../store.js';
import { bufferOf, type resolveSharedOptions, type StoreQueues, toFailure } from '../checked-store.js';
import { statsOf } from '../host-queues.js';
import { type Environment, openEnvironment, rowsOf } from './environment.js';
import { GroupCommit, type Urgency } from './group-commit.js';
import { listedEntry } from './host-entries.js';
import { LmdbHosts } from './host-queues.js';
import {
  addHolder,
  anchorClock,
  type Counts,
  claimCrawl,
  listDead,
  listHolders,
  readCounts,
  removeHolder,
  writeCounts,
} from './meta.js';
import { kindStart, readTextKey, readWaiting, textKey, timeAt, timeValue, wholeAt } from './rows.js';

const LAST_HOST = 0xffff_ffff;
/** Records and reserved slots are two name spaces of one table. */
const RECORD = 1;
const SLOT = 2;
const SLOTS_START = Buffer.of(SLOT);
const SLOTS_END = Buffer.of(SLOT + 1);
/** How many slots are checked, per slot taken, to remove those whose time has passed. */
const SWEPT_PER_SLOT = 2;

export interface ResolvedLmdbOptions extends ReturnType<typeof resolveSharedOptions> {
  readonly path: string;
  readonly seenBudget: number;
  readonly commitEveryMs: number;
}

export class LmdbQueues implements StoreQueues {
  readonly #tables: Environment;
  readonly #options: ResolvedLmdbOptions;
  readonly #hosts: LmdbHosts;
  readonly #group: GroupCommit;
  #failure: FrontierError | null = null;
  /** Writes of records that are not committed yet. */
  #recordsPending = 0;
  #sweepFrom: Buffer = SLOTS_START;

  /** Reads the fingerprints, up to the memory budget, so that the first transaction is short. */
  private constructor(tables: Environment, options: ResolvedLmdbOptions) {
    this.#tables = tables;
    this.#options = options;
    this.#hosts = new LmdbHosts(tables, readCounts(tables.meta), options);
    this.#hosts.fingerprints.catchUp(false);
    // Makes the first transaction read the file again.
    this.#hosts.counts.generation = -1;
    this.#group = new GroupCommit((verbs) => this.#transact(verbs), options.commitEveryMs);
  }

  /** Opens the file and registers this client, after ending the leases of clients that are proven dead (O1). */
  static async open(options: ResolvedLmdbOptions, request: OpenRequest): Promise<LmdbQueues> {
    const { path, identity, nowMs } = options;
    const tables = openEnvironment(path, request.create);
    const { meta } = tables;
    try {
      tables.write(() => claimCrawl(meta, path, identity, request));
      const queues = new LmdbQueues(tables, options);
      const hosts = queues.#hosts;
      queues.#transact(() => {
        const { latestMs } = hosts.counts;
        // A clock that is behind the file continues from the file's time, like the machine's clock.
        const behindMs = nowMs === null ? 0 : Math.max(0, latestMs - nowMs());
        hosts.clock = nowMs === null ? anchorClock(meta, latestMs) : () => nowMs() + behindMs;
        tables.unseal();
        const dead = listDead(meta);
        if (dead.size > 0) hosts.endLeasesOf(dead);
        for (const number of dead.keys()) removeHolder(meta, number);
        hosts.holder = addHolder(meta);
        hosts.isChanged = true;
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

  /** A client stays registered while it has leased hosts, so that they can be freed once its process is gone. */
  async close(): Promise<void> {
    const { meta } = this.#tables;
    try {
      if (this.#failure === null) this.#group.flush();
      if (this.#failure !== null) return;
      this.#transact(() => {
        if (this.#hosts.counts.leased > 0) return;
        removeHolder(meta, this.#hosts.holder);
        this.#hosts.isChanged = true;
      });
      if (this.#failure === null) this.#tables.seal(() => listHolders(meta).length === 0);
    } finally {
      await this.#tables.close();
    }
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const weight = hosts.length + links.length;
    return this.#group.submit(() => this.#hosts.commit(hosts, links), weight, 'later', hosts.length);
  }

  lease(request: LeaseRequest) {
    return this.#group.submit(() => this.#hosts.lease(request), request.maxHosts, 'now');
  }

  wake(host: string) {
    return this.#group.submit(() => this.#hosts.wake(host), 1, 'now');
  }

  /** May be too early, but never too late. */
  nextDueInMs() {
    this.#tables.refresh();
    const isAnyQueued = this.#currentCounts().unfinished > 0;
    const earliest = isAnyQueued ? this.#hosts.earliest() : Number.POSITIVE_INFINITY;
    // A pending verb may make a host due.
    const dueInMs = Math.min(Math.max(0, earliest - this.#hosts.now()), this.#group.dueInMs);
    return Number.isFinite(dueInMs) ? dueInMs : null;
  }

  /** May include hosts whose lease was renewed: their place in the index is corrected later. */
  overdueMs(limit: number) {
    this.#commitAndRefresh();
    return this.#hosts.overdueMs(limit);
  }

  readRecord(key: string): Uint8Array | null {
    this.#settleRecords();
    const stored = this.#tables.records.getBinary(textKey(RECORD, key));
    return stored === undefined ? null : new Uint8Array(stored);
  }

  writeRecord(key: string, value: Uint8Array | null) {
    this.#recordsPending += 1;
    return this.#change('later', 1, () => {
      this.#recordsPending -= 1;
      const { records } = this.#tables;
      if (value === null) records.removeSync(textKey(RECORD, key));
      else records.putSync(textKey(RECORD, key), bufferOf(value));
    });
  }

  /** Lists records with short keys; the cursor is the last key. */
  listRecords(prefix: string, cursor: string | null, limit: number): RecordListing {
    this.#settleRecords();
    const first = textKey(RECORD, prefix);
    const start = cursor === null ? first : Buffer.concat([textKey(RECORD, cursor), Buffer.of(0)]);
    const rows = rowsOf(this.#tables.records, start, Buffer.concat([first, Buffer.of(0xff)]), limit + 1);
    const items = rows.slice(0, limit).map(({ key, value }) => ({
      key: readTextKey(key),
      value: new Uint8Array(value),
    }));
    return { cursor: rows.length > limit ? items.at(-1)!.key : null, items };
  }

  /** Takes the slots one after the other. */
  reserve(slots: readonly ReserveSlot[]) {
    return this.#change('now', slots.length, () => {
      const { records } = this.#tables;
      const now = this.#hosts.now();
      const waits = slots.map(({ key, delayMs }) => {
        const rowKey = textKey(SLOT, key);
        const row = records.getBinary(rowKey);
        const start = Math.max(now, row === undefined ? now : timeAt(row, 0));
        records.putSync(rowKey, timeValue(start + delayMs));
        return start - now;
      });
      this.#sweepSlots(SWEPT_PER_SLOT * slots.length, now);
      return waits;
    });
  }

  /** Slots whose time has passed have no effect. Each call checks a few, in a circle, and removes those. */
  #sweepSlots(count: number, now: number): void {
    const { records } = this.#tables;
    const rows = rowsOf(records, this.#sweepFrom, SLOTS_END, count + 1);
    for (const { key, value } of rows.slice(0, count)) if (timeAt(value, 0) <= now) records.removeSync(key);
    this.#sweepFrom = rows[count]?.key ?? SLOTS_START;
  }

  stats() {
    const counts = this.#commitAndRefresh();
    return statsOf(counts, counts.known, counts.hosts);
  }

  readHost(host: string) {
    this.#commitAndRefresh();
    return this.#hosts.readHost(host);
  }

  isKnown(fingerprint: Uint8Array) {
    return this.#group.submit(() => this.#hosts.isKnown(fingerprint), 1, 'now');
  }

  know(fingerprints: readonly Uint8Array[]) {
    return this.#change('later', fingerprints.length, () => this.#hosts.know(fingerprints));
  }

  listKnown(cursor: string | null, limit: number) {
    return this.#hosts.fingerprints.list(cursor, limit, this.#commitAndRefresh());
  }

  listHosts(cursor: string | null, limit: number) {
    return this.#hosts.list(Number(cursor ?? 1), limit, this.#commitAndRefresh().hosts);
  }

  /** Lists the entries by host; the cursor is the last key. */
  scan(cursor: string | null, limit: number, onlyHost?: string) {
    this.#commitAndRefresh();
    const number = onlyHost === undefined ? null : this.#hosts.find(onlyHost)?.number;
    if (number === undefined) return { cursor: null, items: [] };
    const start = cursor === null ? kindStart(number ?? 0, 0) : Buffer.from(cursor, 'hex');
    const end = kindStart(number === null ? LAST_HOST : number + 1, 0);
    const rows = [...this.#tables.entries.getRange({ start, end, limit, exclusiveStart: cursor !== null })];
    const items = rows.map((row) => {
      const host = this.#hosts.byNumber(wholeAt(row.key, 0, 4));
      const waitMs = (readWaiting(row.key)?.readyAt ?? 0) - this.#hosts.now();
      return { host: host.key, entry: listedEntry(host, row), ...(waitMs > 0 ? { waitMs } : {}) };
    });
    return { cursor: rows.length < limit ? null : (rows.at(-1)?.key.toString('hex') ?? null), items };
  }

  /** Commits what is pending. Later reads see it, and what other processes have committed. */
  #commitAndRefresh(): Counts {
    this.#group.flush();
    this.#tables.refresh();
    return this.#currentCounts();
  }

  #settleRecords(): void {
    if (this.#recordsPending > 0) this.#group.flush();
    this.#tables.refresh();
  }

  /** Runs one transaction. It is undone if a verb throws. */
  #transact(verbs: () => void): void {
    this.check();
    try {
      this.#tables.write(() => {
        this.#catchUp();
        verbs();
        return this.#flush();
      });
    } catch (cause) {
      // Memory no longer agrees with the file, so the store cannot be used any more.
      this.#failure = failureOf(this.#options.path, cause);
      throw this.#failure;
    }
  }

  /** Reads what other processes have written in the meantime (A1). */
  #catchUp(): void {
    const hosts = this.#hosts;
    const counts = this.#currentCounts();
    if (counts.generation === hosts.counts.generation) return;
    hosts.counts = counts;
    const { tableFrom } = counts;
    hosts.fingerprints.catchUp(true);
    hosts.isChanged = counts.tableFrom !== tableFrom;
  }

  /** @returns Whether there is anything to commit. */
  #flush(): boolean {
    const { counts, fingerprints } = this.#hosts;
    if (!this.#hosts.flush()) return false;
    fingerprints.flush();
    counts.generation += 1;
    counts.latestMs = this.#hosts.now();
    writeCounts(this.#tables.meta, counts);
    return true;
  }

  /** The current counts. The hosts in memory are current too, or dropped. */
  #currentCounts(): Counts {
    const counts = readCounts(this.#tables.meta);
    if (counts.generation !== this.#hosts.counts.generation) this.#hosts.clear();
    return counts;
  }

  /** A verb that writes something besides hosts and entries. */
  #change<T>(urgency: Urgency, weight: number, verb: () => T): Promise<T> {
    const change = () => {
      this.#hosts.isChanged = true;
      return verb();
    };
    return this.#group.submit(change, weight, urgency);
  }
}

function failureOf(path: string, cause: unknown): FrontierError {
  if (!(cause instanceof FrontierError) || cause.code !== 'record-unreadable')
    return toFailure(`the store in ${path} failed`, cause);
  return new FrontierError(cause.code, `${path}: ${cause.message}`, { cause, hint: cause.hint! });
}
