// The default store without a path: everything in this process, nothing after it. The readable reference of the contract.

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
import { ReservedSlots } from './reserved-slots.js';
import { checkBytes } from './size-checks.js';

/** What the memory store may be told. */
export interface MemoryStoreOptions {
  /** Entries unfinished at a time; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /**
   * Hosts with an entry of their own, one that waits for a time or was given back, that are kept ready for use, some 1 KB each;
   * those beyond that nobody has leased are packed into their bytes, as a host without one always is. More is faster where
   * many such hosts take turns. 0 to 1,000,000. @default 131,072, ever fewer from so many hosts on, down to 2,048
   */
  readonly restingAwake?: number;
  /** The store's clock, milliseconds; for tests. @default a clock that never goes back */
  readonly nowMs?: () => number;
}

/** Most hosts that may be kept ready, some 1 GB. */
const RESTING_AWAKE_MOST = 1_000_000;

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
 * A store in memory. States and records are kept as they are handed over, not copied; of a body an entry that is handed out may
 * have a copy.
 *
 * Costs flat in URLs and hosts; 10 to 13 bytes per known URL, some 200 for a host with one URL and its body. A queued URL
 * with a body of 80 is some 100 to 130 among the 8 KB of its host that came last, and 450 before them.
 *
 * @returns A store that was not opened yet. After `close` it holds nothing and cannot be opened again.
 * @throws FrontierError `option-invalid`.
 */
export function memoryStore(options: MemoryStoreOptions = {}): FrontierStore {
  const maxQueued = options.maxQueued ?? QUEUED_MAX;
  if (!Number.isSafeInteger(maxQueued) || maxQueued < 1) {
    throw new FrontierError('option-invalid', `expected \`maxQueued\` to be a whole number ≥ 1, got ${maxQueued}`);
  }
  const restingAwake = options.restingAwake ?? null;
  const isCount = Number.isSafeInteger(restingAwake) && restingAwake! >= 0 && restingAwake! <= RESTING_AWAKE_MOST;
  if (restingAwake !== null && !isCount) {
    throw new FrontierError(
      'option-invalid',
      `expected \`restingAwake\` to be a whole number from 0 to ${RESTING_AWAKE_MOST}, got ${restingAwake}`,
    );
  }
  return new MemoryStore(maxQueued, restingAwake, options.nowMs ?? (() => performance.now()));
}

class MemoryStore implements FrontierStore {
  readonly capabilities = MEMORY_CAPABILITIES;
  readonly #nowMs: () => number;
  readonly #maxQueued: number;
  readonly #restingAwake: number | null;
  #queues: MemoryQueues | null = null;
  readonly #records = new Map<string, Uint8Array>();
  readonly #slots = new ReservedSlots();
  #isClosed = false;

  constructor(maxQueued: number, restingAwake: number | null, nowMs: () => number) {
    this.#maxQueued = maxQueued;
    this.#restingAwake = restingAwake;
    this.#nowMs = nowMs;
  }

  async open({ crawl, create }: OpenRequest): Promise<void> {
    if (this.#isClosed) throw new FrontierError('closed', 'this memory store was closed and holds nothing any more');
    if (this.#queues !== null) throw new FrontierError('option-invalid', 'this store is open already');
    if (!create)
      throw new FrontierError('store-mismatch', `a new memory store holds no crawl ${JSON.stringify(crawl)}`);
    this.#queues = new MemoryQueues(this.capabilities, this.#maxQueued, this.#restingAwake);
  }

  async add(entries: readonly NewEntry[]) {
    return this.#open().add(entries, this.#nowMs());
  }

  async lease(request: LeaseRequest) {
    return this.#open().lease(request, this.#nowMs());
  }

  async wake(host: string) {
    this.#open().wake(host, this.#nowMs());
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    return this.#open().commit(hosts, links, this.#nowMs());
  }

  async nextDueInMs() {
    return this.#open().nextDueInMs(this.#nowMs());
  }

  async readRecord(key: string) {
    this.#open();
    return this.#records.get(key) ?? null;
  }

  async writeRecord(key: string, value: Uint8Array | null) {
    this.#open();
    if (value === null) {
      this.#records.delete(key);
      return;
    }
    checkBytes('record', value, RECORD_MAX_BYTES);
    this.#records.set(key, value);
  }

  async reserve(slots: readonly ReserveSlot[]) {
    this.#open();
    return this.#slots.reserve(slots, this.#nowMs());
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
    this.#isClosed = true;
    this.#queues = null;
    this.#records.clear();
  }

  #open(): MemoryQueues {
    if (this.#queues !== null) return this.#queues;
    if (this.#isClosed) throw new FrontierError('closed', 'the store is closed');
    throw new FrontierError('not-open', 'the store was not opened');
  }
}
