// What stores have in common around their queues: they open once, refuse verbs before open and after close, and check
// the limits of the contract before anything changes (X3).

import { FrontierError } from '../errors.js';
import { RECORD_MAX_BYTES } from '../limits.js';
import type {
  CommitAnswer,
  FrontierStore,
  HostCommit,
  HostKey,
  Lease,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  ReserveSlot,
  ScanListing,
  StoreCapabilities,
  StoredHost,
  StoreStats,
} from '../store.js';
import { checkBatch, checkBytes, checkCommits } from './size-checks.js';

type Answer<T> = T | Promise<T>;

/** The verbs of an opened crawl, with arguments that are checked. */
export interface StoreQueues {
  commit(hosts: readonly HostCommit[], links: readonly NewEntry[]): Answer<CommitAnswer>;
  lease(request: LeaseRequest): Answer<Lease[]>;
  wake(host: HostKey): Answer<void>;
  nextDueInMs(): Answer<number | null>;
  readRecord(key: string): Answer<Uint8Array | null>;
  writeRecord(key: string, value: Uint8Array | null): Answer<void>;
  reserve(slots: readonly ReserveSlot[]): Answer<number[]>;
  readHost(host: HostKey): Answer<StoredHost | null>;
  stats(): Answer<StoreStats>;
  scan(cursor: string | null, limit: number, host?: HostKey): Answer<ScanListing>;
}

/** What one kind of store has of its own. */
export interface StoreBackend {
  readonly capabilities: StoreCapabilities;
  /** Loads or creates the crawl. After a failure it may be called again. */
  open(request: OpenRequest): Promise<StoreQueues>;
  /** Resolves when what a verb changed is kept. @default nothing is left to do */
  save?(): Promise<void>;
  /** Called before each verb. @throws FrontierError `store-failed` once the store has failed. */
  check?(): void;
  close(): void | Promise<void>;
}

/** A store that was not opened yet. */
export class CheckedStore implements FrontierStore {
  readonly capabilities: StoreCapabilities;
  readonly #backend: StoreBackend;
  #queues: StoreQueues | null = null;
  #isOpening = false;
  #isClosed = false;

  constructor(backend: StoreBackend) {
    this.capabilities = backend.capabilities;
    this.#backend = backend;
  }

  async open(request: OpenRequest): Promise<void> {
    if (this.#isClosed) throw new FrontierError('closed', 'this store was closed; create another one');
    if (this.#isOpening) throw new FrontierError('option-invalid', 'this store is open already');
    this.#isOpening = true;
    try {
      this.#queues = await this.#backend.open(request);
    } catch (error) {
      this.#isOpening = false;
      throw error;
    }
  }

  async add(entries: readonly NewEntry[]) {
    return (await this.commit([], entries)).links;
  }

  async lease(request: LeaseRequest) {
    const leases = await this.#open().lease(request);
    if (leases.length > 0) await this.#backend.save?.();
    return leases;
  }

  async wake(host: string) {
    await this.#open().wake(host);
    await this.#backend.save?.();
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const queues = this.#open();
    checkBatch(links, this.capabilities);
    checkCommits(hosts, this.capabilities);
    const answer = await queues.commit(hosts, links);
    if (hosts.length > 0 || answer.links.includes('new')) await this.#backend.save?.();
    return answer;
  }

  async nextDueInMs() {
    return this.#open().nextDueInMs();
  }

  async readRecord(key: string) {
    return this.#open().readRecord(key);
  }

  async writeRecord(key: string, value: Uint8Array | null) {
    const queues = this.#open();
    if (value !== null) checkBytes('record', value, RECORD_MAX_BYTES);
    await queues.writeRecord(key, value);
    await this.#backend.save?.();
  }

  async reserve(slots: readonly ReserveSlot[]) {
    return this.#open().reserve(slots);
  }

  async readHost(host: string) {
    return this.#open().readHost(host);
  }

  async stats() {
    return this.#open().stats();
  }

  async scan(cursor: string | null, limit: number, host?: string) {
    return this.#open().scan(cursor, limit, host);
  }

  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queues = null;
    if (this.#isOpening) await this.#backend.close();
  }

  #open(): StoreQueues {
    if (this.#isClosed) throw new FrontierError('closed', 'the store is closed');
    if (this.#queues === null) throw new FrontierError('not-open', 'the store was not opened');
    this.#backend.check?.();
    return this.#queues;
  }
}
