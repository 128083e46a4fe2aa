// The durable store: a crawl in one folder, for several processes at a time. A verb that resolved survives a killed
// process; a power cut may lose the last commits, never the file. The verbs are in `lmdb/queues.ts`.

import { FrontierError } from '../errors.js';
import { RECORD_MAX_BYTES, STORE_BODY_MAX_BYTES } from '../limits.js';
import type {
  FrontierStore,
  HostCommit,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  ReserveSlot,
  StoreCapabilities,
  StoreStats,
} from '../store.js';
import { CrawlState } from './lmdb/crawl-state.js';
import { type Environment, openEnvironment } from './lmdb/environment.js';
import { GroupCommit, type Urgency } from './lmdb/group-commit.js';
import { addHolder, anchorClock, claimCrawl, removeHolder } from './lmdb/meta.js';
import { LmdbQueues } from './lmdb/queues.js';
import { LmdbRecords } from './lmdb/records.js';
import { type LmdbSettings, type LmdbStoreOptions, resolveLmdbOptions } from './lmdb/store-options.js';
import { checkBatch, checkBytes, checkCommits } from './size-checks.js';

/** Entries of one `add` or links of one commit. A verb is one synchronous step, so this bounds how long it blocks. */
const BATCH_MAX = 8_192;
/** Most pages that are committed together. */
const PAGES_PER_COMMIT = 32;
/** The capabilities of the lmdb store. */
export const LMDB_CAPABILITIES: StoreCapabilities = Object.freeze({
  shared: true,
  durable: 'process',
  exactCounts: true,
  maxBody: STORE_BODY_MAX_BYTES,
  maxBatch: BATCH_MAX,
  fingerprintBytes: 8,
});

/**
 * A store in a folder on a local disk, by lmdb. Several processes of one machine may have it open.
 *
 * Verbs that come close together are committed together: a promise resolves when its commit is done. While one process
 * is stopped in the middle of a commit the others wait.
 *
 * @returns A store that is not open yet. After `close`, another store can open the same path.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for a folder of another crawl, identity
 *   or
 * format, and with `store-failed` where the folder cannot be used or lmdb cannot be loaded.
 */
export function lmdbStore(options: LmdbStoreOptions): FrontierStore {
  return new LmdbStore(resolveLmdbOptions(options));
}

export type { LmdbStoreOptions } from './lmdb/store-options.js';

/** The parts of an open store. */
interface Opened {
  readonly tables: Environment;
  readonly crawl: CrawlState;
  readonly queues: LmdbQueues;
  readonly records: LmdbRecords;
  readonly clock: () => number;
}

class LmdbStore implements FrontierStore {
  readonly capabilities = LMDB_CAPABILITIES;
  readonly #settings: LmdbSettings;
  readonly #group: GroupCommit;
  #opened: Opened | null = null;
  #isOpening = false;
  #isClosed = false;
  #failure: FrontierError | null = null;
  /** Writes of records that are not committed yet. */
  #recordsPending = 0;

  constructor(settings: LmdbSettings) {
    this.#settings = settings;
    const pace = { everyMs: settings.commitEveryMs, pages: PAGES_PER_COMMIT };
    this.#group = new GroupCommit((verbs) => this.#transact(verbs), pace);
  }

  async open({ crawl: name, owner, create }: OpenRequest): Promise<void> {
    if (this.#isClosed) throw new FrontierError('closed', 'this store was closed; make another one');
    if (this.#isOpening) throw new FrontierError('option-invalid', 'this store is open already');
    this.#isOpening = true;
    const { path, identity, nowMs, maxQueued, seenBudgetBytes, firstDelayMs } = this.#settings;
    const tables = await openEnvironment(path, create);
    try {
      tables.write(() => claimCrawl(tables.meta, { crawl: name, identity, create, path }));
      const crawl = new CrawlState(tables, seenBudgetBytes);
      const queues = new LmdbQueues(crawl, { maxQueued, firstDelayMs });
      const records = new LmdbRecords(tables);
      tables.write(() => {
        crawl.begin();
        const clock = nowMs ?? anchorClock(tables.meta, crawl.counts.latestMs);
        this.#opened = { tables, crawl, queues, records, clock };
        queues.endLeasesOfTheDead(() => this.#now());
        crawl.holder = addHolder(tables.meta, owner).number;
        crawl.holdersChanged();
        return crawl.end(this.#now());
      });
    } catch (error) {
      this.#opened = null;
      this.#isOpening = false;
      await tables.close();
      throw error instanceof FrontierError ? error : this.#failed(error);
    }
  }

  async add(entries: readonly NewEntry[]) {
    const { queues } = this.#open();
    checkBatch(entries, this.capabilities);
    return this.#submit(() => queues.add(entries, this.#now()), entries.length, 'later');
  }

  async lease(request: LeaseRequest) {
    const { queues } = this.#open();
    return this.#submit(() => queues.lease(request, this.#now()), request.maxHosts, 'now');
  }

  async wake(host: string) {
    const { queues } = this.#open();
    return this.#submit(() => queues.wake(host, this.#now()), 1, 'now');
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const { queues } = this.#open();
    checkBatch(links, this.capabilities);
    checkCommits(hosts, this.capabilities);
    return this.#submit(
      () => queues.commit(hosts, links, this.#now()),
      hosts.length + links.length,
      'later',
      hosts.length,
    );
  }

  async nextDueInMs() {
    const { queues, tables } = this.#open();
    tables.refresh();
    const dueInMs = queues.nextDueInMs(this.#now());
    // A pending verb may make a host due.
    const pendingInMs = this.#group.dueInMs;
    if (pendingInMs === null) return dueInMs;
    return dueInMs === null ? pendingInMs : Math.min(dueInMs, pendingInMs);
  }

  async readRecord(key: string) {
    const { records, tables } = this.#open();
    if (this.#recordsPending > 0) this.#group.flush();
    tables.refresh();
    return records.read(key);
  }

  async writeRecord(key: string, value: Uint8Array | null) {
    const { records, crawl } = this.#open();
    if (value !== null) checkBytes('record', value, RECORD_MAX_BYTES);
    this.#recordsPending += 1;
    const write = () => {
      this.#recordsPending -= 1;
      records.write(key, value);
      crawl.changed();
    };
    return this.#submit(write, 1, 'later');
  }

  async reserve(slots: readonly ReserveSlot[]) {
    const { records, crawl } = this.#open();
    const reserve = () => {
      crawl.changed();
      return records.reserve(slots, this.#now());
    };
    return this.#submit(reserve, slots.length, 'now');
  }

  async stats(): Promise<StoreStats> {
    const { unfinished, inFlight, known, hosts, leased, parked } = this.#flushed().crawl.freshCounts();
    return { queued: unfinished - inFlight, inFlight: inFlight, known, hosts, leased, parked };
  }

  async readHost(host: string) {
    return this.#flushed().queues.readHost(host, this.#now());
  }

  async scan(cursor: string | null, limit: number, host?: string) {
    return this.#flushed().queues.scan(cursor, limit, host);
  }

  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const opened = this.#opened;
    if (opened === null) return;
    try {
      if (this.#failure === null) this.#group.flush();
      if (this.#failure === null) this.#leave(opened);
    } finally {
      this.#opened = null;
      await opened.tables.close();
    }
  }

  /** A client with leases stays registered, so that they can be ended once its process is gone. */
  #leave({ tables, crawl, queues }: Opened): void {
    tables.write(() => {
      crawl.begin();
      if (queues.hasLeases()) return false;
      removeHolder(tables.meta, crawl.holder);
      crawl.holdersChanged();
      return crawl.end(this.#now());
    });
  }

  #submit<T>(verb: () => T, weight: number, urgency: Urgency, pages = 0): Promise<T> {
    return this.#group.submit(verb, Math.max(1, weight), urgency, pages);
  }

  #transact(verbs: () => void): void {
    const opened = this.#opened;
    if (this.#failure !== null) throw this.#failure;
    if (opened === null) throw new FrontierError('closed', 'the store was closed');
    const { tables, crawl } = opened;
    try {
      tables.write(() => {
        crawl.begin();
        verbs();
        return crawl.end(this.#now());
      });
    } catch (cause) {
      // Memory no longer agrees with the file: the store cannot be used any more.
      throw this.#failed(cause);
    }
  }

  /** Commits what is pending. */
  #flushed(): Opened {
    const opened = this.#open();
    this.#group.flush();
    opened.tables.refresh();
    return opened;
  }

  #open(): Opened {
    if (this.#isClosed) throw new FrontierError('closed', 'the store is closed');
    if (this.#opened === null) throw new FrontierError('not-open', 'the store was not opened');
    if (this.#failure !== null) throw this.#failure;
    return this.#opened;
  }

  #failed(cause: unknown): FrontierError {
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#failure ??= new FrontierError('store-failed', `the store in ${this.#settings.path} failed: ${why}`, {
      cause,
    });
    return this.#failure;
  }

  /** A clock that was set back stands still until it has caught up. */
  #now(): number {
    const opened = this.#opened;
    return opened === null ? 0 : Math.max(opened.crawl.counts.latestMs, opened.clock());
  }
}
