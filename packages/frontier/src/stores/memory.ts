// The default store if there is no path: everything is in this process and is gone after it. `host-queues.ts` has what
// the verbs do.

import { FrontierError } from '../errors.js';
import { MAX_STORE_BATCH, MAX_STORE_BODY_BYTES } from '../limits.js';
import { checkKeys } from '../option-value.js';
import { type HeapMember, ReadyHeap } from '../ready-heap.js';
import type {
  Entry,
  FrontierStore,
  HostKey,
  ListedHost,
  Listing,
  RecordListing,
  ReserveSlot,
  ScanListing,
  StoreCapabilities,
  StoreStats,
} from '../store.js';
import { checkedStore, resolveMaxQueued, type StoreQueues } from './checked-store.js';
import { FingerprintSet } from './fingerprint-set.js';
import { HostEntries } from './host-entries.js';
import { type HostQueue, HostQueues, statsOf } from './host-queues.js';

/** Options of the memory store. */
export interface MemoryStoreOptions {
  /** The most unfinished entries; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /** The store's clock, milliseconds; for tests. @default a clock that never goes back */
  readonly nowMs?: () => number;
}

/** The capabilities of the memory store. */
export const MEMORY_CAPABILITIES: StoreCapabilities = Object.freeze({
  shared: false,
  durable: 'none',
  maxBody: MAX_STORE_BODY_BYTES,
  maxBatch: MAX_STORE_BATCH,
});

/**
 * A store in memory. Bodies, states and records are stored by reference, not copied.
 *
 * Memory: 10 to 13 bytes per known URL, about 500 per queued URL, about 1.5 KB per host. Use lmdb for more than about
 * 100,000 hosts.
 *
 * @returns A store that is not open yet. After `close` it is empty and cannot be opened again.
 * @throws FrontierError `option-invalid`.
 */
export function memoryStore(options: MemoryStoreOptions = {}): FrontierStore {
  checkKeys('', options, ['maxQueued', 'nowMs']);
  const maxQueued = resolveMaxQueued(options.maxQueued);
  const nowMs = options.nowMs ?? (() => performance.now());
  return checkedStore({
    capabilities: MEMORY_CAPABILITIES,
    open: async ({ crawl, create }) => {
      if (create) return new MemoryQueues(maxQueued, nowMs);
      throw new FrontierError('store-mismatch', `a new memory store holds no crawl ${JSON.stringify(crawl)}`);
    },
  });
}

/** Hosts and ids that one page of a scan may visit, per requested item. */
const SCAN_STEPS_PER_ITEM = 4;
/** Past slots are removed when there are more slots than this, and twice as many as after the last removal. */
const MIN_SLOTS_TO_SWEEP = 1_024;

class Host implements HostQueue, HeapMember {
  readonly key: HostKey;
  /** Its position among all hosts, from 0. */
  readonly number: number;
  readonly entries = new HostEntries();
  /** Its position in the time index. */
  heapIndex = -1;
  nextAt = 0;
  delayMs = 0;
  fencingToken = 0;
  leaseEndsAt: number | null = null;
  isParked = false;
  state: Uint8Array | null = null;
  dueAt: number | null = null;

  constructor(key: HostKey, number: number) {
    this.key = key;
    this.number = number;
  }
}

class MemoryQueues extends HostQueues<Host> implements StoreQueues {
  protected readonly fingerprints = new FingerprintSet();
  readonly #records = new Map<string, Uint8Array>();
  protected readonly counts = { unfinished: 0, inFlight: 0, leased: 0 };
  readonly #hosts: Host[] = [];
  readonly #byKey = new Map<HostKey, Host>();
  readonly #due = new ReadyHeap<Host>();
  readonly #slots = new Map<string, number>();
  #slotsAfterSweep = 0;
  readonly #nowMs: () => number;

  /** @param nowMs - The store's clock, milliseconds. It never goes back. */
  constructor(maxQueued: number, nowMs: () => number) {
    super(maxQueued);
    this.#nowMs = nowMs;
  }

  nextDueInMs(): number | null {
    const earliest = this.#due.earliest();
    return earliest === null || this.counts.unfinished === 0 ? null : Math.max(0, earliest - this.#nowMs());
  }

  overdueMs(limit: number): number[] {
    const now = this.#nowMs();
    const overdue = this.#due.members.map((host) => now - host.dueAt!).filter((ms) => ms >= 0);
    return overdue.sort((a, b) => b - a).slice(0, limit);
  }

  readRecord(key: string): Uint8Array | null {
    return this.#records.get(key) ?? null;
  }

  writeRecord(key: string, value: Uint8Array | null): void {
    if (value === null) this.#records.delete(key);
    else this.#records.set(key, value);
  }

  /** Each page goes through all keys. */
  listRecords(prefix: string, cursor: string | null, limit: number): RecordListing {
    const remaining = [...this.#records.keys()].filter((key) => key.startsWith(prefix) && key > (cursor ?? ''));
    const keys = remaining.sort().slice(0, limit);
    const items = keys.map((key) => ({ key, value: this.#records.get(key)! }));
    return { cursor: remaining.length > limit ? keys.at(-1)! : null, items };
  }

  reserve(slots: readonly ReserveSlot[]): number[] {
    const now = this.#nowMs();
    const waits = slots.map(({ key, delayMs }) => {
      const start = Math.max(now, this.#slots.get(key) ?? now);
      this.#slots.set(key, start + delayMs);
      return start - now;
    });
    if (this.#slots.size > Math.max(MIN_SLOTS_TO_SWEEP, 2 * this.#slotsAfterSweep)) {
      for (const [key, at] of this.#slots) if (at <= now) this.#slots.delete(key);
      this.#slotsAfterSweep = this.#slots.size;
    }
    return waits;
  }

  stats(): StoreStats {
    return statsOf(this.counts, this.fingerprints.size, this.#hosts.length);
  }

  /** A page is one of the parts of the set, whatever its size. */
  listKnown(cursor: string | null): Listing<Uint8Array> {
    const part = Number(cursor ?? 0);
    return { cursor: part < 255 ? String(part + 1) : null, items: this.fingerprints.part(part) };
  }

  /** The cursor is the number of the host. */
  listHosts(cursor: string | null, limit: number): Listing<ListedHost> {
    const from = Number(cursor ?? 0);
    const items = this.#hosts.slice(from, from + limit).map((host) => this.toListedHost(host));
    return { cursor: from + limit < this.#hosts.length ? String(from + limit) : null, items };
  }

  /** The cursor is `<number of the host> <id of its last entry listed>`. */
  scan(cursor: string | null, limit: number, onlyHost?: HostKey): ScanListing {
    const first = onlyHost === undefined ? 0 : (this.#byKey.get(onlyHost)?.number ?? this.#hosts.length);
    const end = onlyHost === undefined ? this.#hosts.length : Math.min(first + 1, this.#hosts.length);
    let [at = first, after = 0] = cursor === null ? [] : cursor.split(' ').map(Number);
    const items: { host: HostKey; entry: Entry; waitMs?: number }[] = [];
    const now = this.#nowMs();
    for (let steps = limit * SCAN_STEPS_PER_ITEM; at < end && items.length < limit && steps > 0; steps -= 1) {
      const host = this.#hosts[at]!;
      const page = host.entries.scan(after, limit - items.length, steps);
      steps -= page.steps;
      for (const { readyAt, ...entry } of page.items)
        items.push({ host: host.key, entry, ...(readyAt > now ? { waitMs: readyAt - now } : {}) });
      if (page.after === null) at += 1;
      after = page.after ?? 0;
    }
    return { cursor: at < end ? `${at} ${after}` : null, items };
  }

  protected now(): number {
    return this.#nowMs();
  }

  protected find(key: HostKey): Host | undefined {
    return this.#byKey.get(key);
  }

  protected hostOf(key: HostKey): Host {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const host = new Host(key, this.#hosts.length);
    this.#hosts.push(host);
    this.#byKey.set(key, host);
    return host;
  }

  protected due(now: number): Host[] {
    const first = this.#due.peek();
    return first === undefined || this.#due.earliest()! > now ? [] : [first];
  }

  protected setDue(host: Host, at: number | null): void {
    host.dueAt = at;
    if (at === null) this.#due.remove(host);
    else this.#due.set(host, at);
  }
}
