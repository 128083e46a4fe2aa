// The default store without a path: everything in this process, nothing after it. Every verb is one synchronous step:
// that is what makes it atomic. It is the readable reference of the contract, whose letters name the invariants.
//
// A host is in one of four states. In the first two it is in the time index (`#due`):
//   leased   at lease end + delay: a holder that vanishes is a host that comes due later (L4)
//   due      at max(next allowed time, earliest entry), something is queued
//   idle     nothing is queued, the next allowed time is kept (C3)
//   parked   whatever is queued; only `wake` ends it (C6)

import { FrontierError } from '../errors.js';
import { STORE_BATCH_MAX, STORE_BODY_MAX_BYTES } from '../limits.js';
import { ReadyHeap } from '../ready-heap.js';
import type {
  AddOutcome,
  CommitAnswer,
  Entry,
  FrontierStore,
  HostCommit,
  HostCommitAnswer,
  HostKey,
  Lease,
  LeaseRequest,
  NewEntry,
  RecordListing,
  ReserveSlot,
  ScanListing,
  StoreCapabilities,
  StoredHost,
  StoreStats,
} from '../store.js';
import { CheckedStore, resolveMaxQueued, type StoreQueues } from './checked-store.js';
import { FingerprintSet } from './fingerprint-set.js';
import { HostEntries, type SavedEntries } from './host-entries.js';

/** Options of the memory store. */
export interface MemoryStoreOptions {
  /** Entries unfinished at a time; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /** The store's clock, milliseconds; for tests. @default a clock that never goes back */
  readonly nowMs?: () => number;
}

/** The capabilities of the memory store. */
export const MEMORY_CAPABILITIES: StoreCapabilities = Object.freeze({
  shared: false,
  durable: 'none',
  exactCounts: true,
  maxBody: STORE_BODY_MAX_BYTES,
  maxBatch: STORE_BATCH_MAX,
});

/**
 * A store in memory. Bodies, states and records are kept as they are handed over, not copied.
 *
 * Memory: 10 to 13 bytes per known URL, some 500 per queued URL, some 1.5 KB per host. For more than some 100,000 hosts
 * take lmdb.
 *
 * @returns A store that was not opened yet. After `close` it holds nothing and cannot be opened again.
 * @throws FrontierError `option-invalid`.
 */
export function memoryStore(options: MemoryStoreOptions = {}): FrontierStore {
  const maxQueued = resolveMaxQueued(options.maxQueued);
  const nowMs = options.nowMs ?? (() => performance.now());
  return new CheckedStore({
    capabilities: MEMORY_CAPABILITIES,
    open: async ({ crawl, create }) => {
      if (create) return new MemoryQueues(maxQueued, nowMs);
      throw new FrontierError('store-mismatch', `a new memory store holds no crawl ${JSON.stringify(crawl)}`);
    },
  });
}

/** Hosts and ids that one page of a scan may visit, per item requested. */
const SCAN_STEPS_PER_ITEM = 4;
/** Slots that have passed are removed when there are more than this, and twice as many as after the last time. */
const SLOTS_KEPT = 1_024;

class Host {
  /** Its position among all hosts, from 0. */
  readonly number: number;
  readonly key: HostKey;
  readonly entries: HostEntries;
  /** The host's next allowed time, kept while it is idle. */
  nextAt = 0;
  /** Added after the lease end if the holder dies. */
  delayMs = 0;
  /** Grows at every lease and every release. */
  fencingToken = 0;
  /** `null`: no lease. */
  leaseEndsAt: number | null = null;
  isParked = false;
  state: Uint8Array | null = null;

  constructor(number: number, key: HostKey, entries: HostEntries) {
    this.number = number;
    this.key = key;
    this.entries = entries;
  }
}

export interface SavedHost extends Omit<Host, 'number' | 'entries'> {
  readonly entries: SavedEntries;
}

export class MemoryQueues implements StoreQueues {
  readonly known = new FingerprintSet();
  readonly records = new Map<string, Uint8Array>();
  readonly #hosts: Host[] = [];
  readonly #byKey = new Map<HostKey, Host>();
  /** Numbers of hosts by the time at which they are due. */
  readonly #due = new ReadyHeap();
  readonly #slots = new Map<string, number>();
  #slotsAfterSweep = 0;
  #unfinished = 0;
  #inFlight = 0;
  #leased = 0;
  #parked = 0;
  readonly #maxQueued: number;
  readonly #nowMs: () => number;

  /** @param nowMs - The store's clock, milliseconds, which never goes back. */
  constructor(maxQueued: number, nowMs: () => number) {
    this.#maxQueued = maxQueued;
    this.#nowMs = nowMs;
  }

  lease(request: LeaseRequest): Lease[] {
    const now = this.#nowMs();
    return request.hosts === undefined ? this.#leaseDue(request, now) : this.#leaseNamed(request, request.hosts, now);
  }

  wake(key: HostKey): void {
    const host = this.#byKey.get(key);
    if (host === undefined || !host.isParked) return;
    host.isParked = false;
    this.#parked -= 1;
    this.#index(host, this.#nowMs());
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []): CommitAnswer {
    const now = this.#nowMs();
    // Links first: a host that is released in the same commit sees those it was given (C4).
    const outcomes = this.#addAll(links, now);
    return { hosts: hosts.map((part) => this.#commitOne(part, now)), links: outcomes };
  }

  nextDueInMs(): number | null {
    const earliest = this.#due.earliest();
    return earliest === null || this.#unfinished === 0 ? null : Math.max(0, earliest - this.#nowMs());
  }

  readRecord(key: string): Uint8Array | null {
    return this.records.get(key) ?? null;
  }

  writeRecord(key: string, value: Uint8Array | null): void {
    if (value === null) this.records.delete(key);
    else this.records.set(key, value);
  }

  /** Each page looks at all keys. */
  listRecords(prefix: string, cursor: string | null, limit: number): RecordListing {
    const behind = [...this.records.keys()].filter((key) => key.startsWith(prefix) && key > (cursor ?? ''));
    const keys = behind.sort().slice(0, limit);
    const items = keys.map((key) => ({ key, value: this.records.get(key)! }));
    return { cursor: behind.length > limit ? keys.at(-1)! : null, items };
  }

  reserve(slots: readonly ReserveSlot[]): number[] {
    const now = this.#nowMs();
    const waits = slots.map(({ key, delayMs }) => {
      const start = Math.max(now, this.#slots.get(key) ?? now);
      this.#slots.set(key, start + delayMs);
      return start - now;
    });
    if (this.#slots.size > Math.max(SLOTS_KEPT, 2 * this.#slotsAfterSweep)) {
      for (const [key, at] of this.#slots) if (at <= now) this.#slots.delete(key);
      this.#slotsAfterSweep = this.#slots.size;
    }
    return waits;
  }

  readHost(key: HostKey): StoredHost | null {
    const host = this.#byKey.get(key);
    if (host === undefined) return null;
    const { queued, inFlight } = host.entries;
    const { state, leaseEndsAt, isParked } = host;
    const due = this.#due.dueOf(host.number);
    const dueInMs = due === null ? null : Math.max(0, due - this.#nowMs());
    return { state, queued, inFlight, isLeased: leaseEndsAt !== null, isParked, dueInMs };
  }

  stats(): StoreStats {
    return {
      queued: this.#unfinished - this.#inFlight,
      inFlight: this.#inFlight,
      known: this.known.size,
      hosts: this.#hosts.length,
      leased: this.#leased,
      parked: this.#parked,
    };
  }

  /** The cursor is `<number of the host> <id of its last entry listed>`. */
  scan(cursor: string | null, limit: number, only?: HostKey): ScanListing {
    const first = only === undefined ? 0 : (this.#byKey.get(only)?.number ?? this.#hosts.length);
    const end = only === undefined ? this.#hosts.length : Math.min(first + 1, this.#hosts.length);
    let [at = first, after = 0] = cursor === null ? [] : cursor.split(' ').map(Number);
    const items: { host: HostKey; entry: Entry }[] = [];
    for (let steps = limit * SCAN_STEPS_PER_ITEM; at < end && items.length < limit && steps > 0; steps -= 1) {
      const host = this.#hosts[at]!;
      const page = host.entries.scan(after, limit - items.length, steps);
      steps -= page.steps;
      for (const entry of page.items) items.push({ host: host.key, entry });
      if (page.after === null) at += 1;
      after = page.after ?? 0;
    }
    return { cursor: at < end ? `${at} ${after}` : null, items };
  }

  *savedHosts(): Generator<SavedHost> {
    const now = this.#nowMs();
    for (const { number: _number, ...host } of this.#hosts) yield { ...host, entries: host.entries.save(now) };
  }

  /** Adds a host that was saved. Its holder is gone: its lease ends now, and the host is due after its delay (O1). */
  restoreHost({ entries, ...saved }: SavedHost): void {
    const now = this.#nowMs();
    const host = this.#createHost(saved.key, HostEntries.restore(entries, now));
    Object.assign(host, saved, { leaseEndsAt: null });
    if (saved.leaseEndsAt !== null) host.nextAt = Math.max(saved.nextAt, now + saved.delayMs);
    this.#unfinished += host.entries.size;
    if (host.isParked) this.#parked += 1;
    this.#index(host, now);
  }

  #addAll(entries: readonly NewEntry[], now: number): AddOutcome[] {
    const outcomes = entries.map((entry) => this.#remember(entry));
    // By index: an iterator would make a pair for every link.
    for (let at = 0; at < entries.length; at += 1) if (outcomes[at] === 'new') this.#queue(entries[at]!, now);
    return outcomes;
  }

  #remember({ fingerprint, dedupe = true }: NewEntry): AddOutcome {
    if (this.#unfinished >= this.#maxQueued) return dedupe && this.known.has(fingerprint) ? 'known' : 'full';
    if (!this.known.add(fingerprint) && dedupe) return 'known';
    this.#unfinished += 1;
    return 'new';
  }

  #queue({ host: key, lane, priority, body, notBeforeMs = 0 }: NewEntry, now: number): void {
    const host = this.#byKey.get(key) ?? this.#createHost(key, new HostEntries());
    host.entries.add(lane ?? null, priority, body, now + notBeforeMs, now);
    // A leased or parked host is not made due (A3). Neither is one that is due as early as it can be.
    if (host.leaseEndsAt !== null || host.isParked) return;
    const due = this.#due.dueOf(host.number);
    if (due === null || due > Math.max(now, host.nextAt)) this.#index(host, now);
  }

  #createHost(key: HostKey, entries: HostEntries): Host {
    const host = new Host(this.#hosts.length, key, entries);
    this.#hosts.push(host);
    this.#byKey.set(key, host);
    return host;
  }

  #leaseDue(request: LeaseRequest, now: number): Lease[] {
    const leases: Lease[] = [];
    while (leases.length < request.maxHosts && (this.#due.earliest() ?? Number.POSITIVE_INFINITY) <= now) {
      const host = this.#hosts[this.#due.peek()!]!;
      this.#endLapsedLease(host);
      if (host.entries.readyAt(now) === 0) leases.push(this.#grant(host, request, now));
      else this.#index(host, now);
    }
    return leases;
  }

  #leaseNamed(request: LeaseRequest, keys: readonly HostKey[], now: number): Lease[] {
    const leases: Lease[] = [];
    for (const key of keys) {
      if (leases.length >= request.maxHosts) break;
      const host = this.#byKey.get(key) ?? this.#createHost(key, new HostEntries());
      const allowedAt = host.leaseEndsAt === null ? host.nextAt : host.leaseEndsAt + host.delayMs;
      if (host.isParked || allowedAt > now) continue;
      this.#endLapsedLease(host);
      leases.push(this.#grant(host, request, now));
    }
    return leases;
  }

  /** The holder has vanished: what it had in flight comes first, under the same ids (L5). */
  #endLapsedLease(host: Host): void {
    if (host.leaseEndsAt === null) return;
    host.nextAt = host.leaseEndsAt + host.delayMs;
    this.#endLease(host);
  }

  #grant(host: Host, { entriesPerHost, ttlMs, delayMs = 0 }: LeaseRequest, now: number): Lease {
    host.fencingToken += 1;
    host.delayMs = Math.max(host.delayMs, delayMs);
    this.#leased += 1;
    this.#extendLease(host, ttlMs, now);
    const entries = this.#take(host, entriesPerHost, now);
    const { queued } = host.entries;
    const { key, state } = host;
    return { host: key, fencingToken: String(host.fencingToken), ttlMs, notBeforeMs: 0, state, entries, queued };
  }

  #extendLease(host: Host, ttlMs: number, now: number): void {
    host.leaseEndsAt = now + ttlMs;
    this.#due.set(host.number, host.leaseEndsAt + host.delayMs);
  }

  #commitOne(part: HostCommit, now: number): HostCommitAnswer {
    const host = this.#byKey.get(part.host);
    if (host === undefined || host.leaseEndsAt === null || String(host.fencingToken) !== part.fencingToken) {
      return { ok: false, reason: 'lost' };
    }
    this.#settleEntries(host, part, now);
    if (part.state !== undefined) host.state = part.state;
    if (part.delayMs !== undefined) host.delayMs = part.delayMs;
    for (const { lane, ms } of part.blockLanes ?? []) host.entries.block(lane, now + ms);
    if ('keep' in part.then) {
      this.#extendLease(host, part.then.keep.ttlMs, now);
      return { ok: true, entries: this.#take(host, part.then.keep.want, now) };
    }
    this.#release(host, part.then.release.dueInMs, now);
    return { ok: true, entries: [] };
  }

  #settleEntries({ entries }: Host, { done = [], requeue = [] }: HostCommit, now: number): void {
    const { size, inFlight } = entries;
    for (const id of done) entries.finish(id);
    for (const change of requeue) entries.requeue(change, now);
    this.#unfinished += entries.size - size;
    this.#inFlight += entries.inFlight - inFlight;
  }

  #release(host: Host, dueInMs: number | null, now: number): void {
    host.fencingToken += 1;
    this.#endLease(host);
    host.nextAt = now + (dueInMs ?? host.delayMs);
    if (dueInMs === null) {
      host.isParked = true;
      this.#parked += 1;
    }
    this.#index(host, now);
  }

  #endLease(host: Host): void {
    this.#inFlight -= host.entries.inFlight;
    this.#leased -= 1;
    host.entries.release();
    host.leaseEndsAt = null;
  }

  #take(host: Host, count: number, now: number): Entry[] {
    const taken = host.entries.take(count, now);
    this.#inFlight += taken.length;
    return taken;
  }

  /** Puts a host without a lease where it belongs in the time index. */
  #index(host: Host, now: number): void {
    const readyAt = host.isParked ? null : host.entries.readyAt(now);
    if (readyAt === null) this.#due.remove(host.number);
    else this.#due.set(host.number, Math.max(host.nextAt, readyAt));
  }
}
