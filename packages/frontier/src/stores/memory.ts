// The default store without a path: everything in this process, nothing after it. The readable reference of the contract
// is memory-queues.ts; here its verbs become a store.

import { FrontierError } from '../errors.js';
import { QUEUED_MAX, RECORD_MAX_BYTES, STORE_BATCH_MAX, STORE_BODY_MAX_BYTES } from '../limits.js';
import type {
  FrontierStore,
  HostCommit,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  ReserveSlot,
  StoreCapabilities,
} from '../store.js';
import { MemoryQueues } from './memory-queues.js';
import { checkBytes } from './size-checks.js';
import { wholeWithin } from './whole-within.js';

/** Options of the memory store. */
export interface MemoryStoreOptions {
  /** Entries unfinished at a time; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /** The store's clock, milliseconds; for tests. @default a clock that never goes back */
  readonly nowMs?: () => number;
}

/** What a store in memory keeps elsewhere as well. */
export interface Persistence {
  /** Loads what is kept, or creates it. @throws FrontierError `store-mismatch`, `store-failed`. */
  readonly load: (request: OpenRequest) => Promise<MemoryQueues>;
  /** Resolves when what the queues hold now is kept. @throws FrontierError `store-failed`. */
  readonly save: () => Promise<void>;
  /** @throws FrontierError `store-failed` once a save has failed. */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

/** The capabilities of the memory store. */
export const MEMORY_CAPABILITIES: StoreCapabilities = Object.freeze({
  shared: false,
  durable: 'none',
  exactCounts: true,
  maxBody: STORE_BODY_MAX_BYTES,
  maxBatch: STORE_BATCH_MAX,
  fingerprintBytes: 8,
});

/**
 * A store in memory. Bodies, states and records are kept as they are handed over, not copied.
 *
 * Memory: 10 to 13 bytes per known URL, some 500 per queued URL, some 1.5 KB per host. Above some 100,000 hosts lmdb is the better store.
 *
 * @returns A store that was not opened yet. After `close` it holds nothing and cannot be opened again.
 * @throws FrontierError `option-invalid`.
 */
export function memoryStore(options: MemoryStoreOptions = {}): FrontierStore {
  const maxQueued = wholeWithin('maxQueued', options.maxQueued ?? QUEUED_MAX, 1, Number.MAX_SAFE_INTEGER);
  return new MemoryStore(MEMORY_CAPABILITIES, options.nowMs ?? (() => performance.now()), {
    load: async ({ crawl, create }) => {
      if (create) return new MemoryQueues(MEMORY_CAPABILITIES, maxQueued);
      throw new FrontierError('store-mismatch', `a new memory store holds no crawl ${JSON.stringify(crawl)}`);
    },
    save: async () => undefined,
    check: () => undefined,
    close: async () => undefined,
  });
}

/** A store of one process: queues in memory, saved after each verb that changed them. */
export class MemoryStore implements FrontierStore {
  readonly capabilities: StoreCapabilities;
  readonly #nowMs: () => number;
  readonly #persistence: Persistence;
  #queues: MemoryQueues | null = null;
  #isClosed = false;

  constructor(capabilities: StoreCapabilities, nowMs: () => number, persistence: Persistence) {
    this.capabilities = capabilities;
    this.#nowMs = nowMs;
    this.#persistence = persistence;
  }

  async open(request: OpenRequest): Promise<void> {
    if (this.#isClosed) throw new FrontierError('closed', 'this store was closed; create another one');
    if (this.#queues !== null) throw new FrontierError('option-invalid', 'this store is open already');
    this.#queues = await this.#persistence.load(request);
  }

  async add(entries: readonly NewEntry[]) {
    const outcomes = this.#open().add(entries, this.#nowMs());
    if (outcomes.includes('new')) await this.#persistence.save();
    return outcomes;
  }

  async lease(request: LeaseRequest) {
    const leases = this.#open().lease(request, this.#nowMs());
    if (leases.length > 0) await this.#persistence.save();
    return leases;
  }

  async wake(host: string) {
    this.#open().wake(host, this.#nowMs());
    await this.#persistence.save();
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const answer = this.#open().commit(hosts, links, this.#nowMs());
    await this.#persistence.save();
    return answer;
  }

  async nextDueInMs() {
    return this.#open().nextDueInMs(this.#nowMs());
  }

  async readRecord(key: string) {
    return this.#open().records.get(key) ?? null;
  }

  async writeRecord(key: string, value: Uint8Array | null) {
    const { records } = this.#open();
    if (value === null) records.delete(key);
    else {
      checkBytes('record', value, RECORD_MAX_BYTES);
      records.set(key, value);
    }
    await this.#persistence.save();
  }

  async reserve(slots: readonly ReserveSlot[]) {
    return this.#open().reserve(slots, this.#nowMs());
  }

  async readHost(host: string) {
    return this.#open().readHost(host, this.#nowMs());
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
    const isOpen = this.#queues !== null;
    this.#queues = null;
    if (isOpen) await this.#persistence.close();
  }

  #open(): MemoryQueues {
    if (this.#isClosed) throw new FrontierError('closed', 'the store is closed');
    if (this.#queues === null) throw new FrontierError('not-open', 'the store was not opened');
    this.#persistence.check();
    return this.#queues;
  }
}
