// The state machine of host queues, for the stores whose verbs run in this process (memory, file, lmdb): who holds a
// host, when it is due, what a commit changes. Every verb is one synchronous step, which makes it atomic. A store
// provides its hosts, entries and due times. This file is the readable reference of the contract, whose letters name
// the invariants.
//
// A host is in one of four states. In the first two it is in the time index:
//   leased   at lease end + delay: if its holder vanishes, the host is due then (L4)
//   due      at max(next allowed time, earliest entry); something is queued
//   idle     nothing is queued; the next allowed time is kept (C3)
//   parked   whether anything is queued or not; only `wake` ends this state (C6)

import type {
  AddOutcome,
  CommitAnswer,
  Entry,
  EntryId,
  HostCommit,
  HostCommitAnswer,
  HostKey,
  Lease,
  LeaseRequest,
  ListedHost,
  NewEntry,
  Requeue,
  StoredHost,
  StoreStats,
} from '../store.js';
import type { FingerprintSet } from './fingerprint-set.js';

/** What the state machine keeps about a host. Times are on the store's clock, milliseconds. */
export interface HostQueue {
  readonly key: HostKey;
  /** The next allowed time. */
  nextAt: number;
  /** Added to the lease end if the holder dies. */
  delayMs: number;
  /** Increases at every lease and every release. */
  fencingToken: number;
  /** `null`: no lease. */
  leaseEndsAt: number | null;
  isParked: boolean;
  state: Uint8Array | null;
  /** Its place in the time index; `null`: none. Only `setDue` changes it. */
  readonly dueAt: number | null;
  readonly entries: QueueEntries;
}

export interface QueueEntries {
  /** Entries that are neither finished nor in flight. */
  readonly queued: number;
  readonly inFlight: number;
  /** `readyAt`: the entry is not handed out before this time; 0 if that time has passed. */
  add(lane: string | null, priority: number, body: Uint8Array, readyAt: number, now: number): void;
  /** When an entry can be handed out; 0: now, `null`: none is queued. Never later than true. */
  readyAt(now: number): number | null;
  take(count: number, now: number): Entry[];
  /** Finishes an entry in flight. @returns Whether it was in flight. */
  finish(id: EntryId): boolean;
  /** Puts an entry in flight back at its priority. Ignores any other id. */
  requeue(change: Requeue, now: number): void;
  /** Puts all entries in flight back in front of the queue, in the order in which they were handed out. */
  requeueInFlight(): void;
  /** Blocks a lane until a time. Replaces an earlier block. */
  block(lane: string, until: number, now: number): void;
}

/** Counts of the crawl. `unfinished`: entries queued or in flight. */
export interface HostQueueCounts {
  unfinished: number;
  inFlight: number;
  leased: number;
}

export abstract class HostQueues<Host extends HostQueue> {
  readonly #maxQueued: number;

  constructor(maxQueued: number) {
    this.#maxQueued = maxQueued;
  }

  // ── What a store keeps ─────────────────────────────────────────────────────────────────────────────────────────────

  /** The store's clock, milliseconds. It never goes back. */
  protected abstract now(): number;
  protected abstract get counts(): HostQueueCounts;
  protected abstract readonly fingerprints: Pick<FingerprintSet, 'has' | 'add'>;
  protected abstract find(key: HostKey): Host | undefined;
  /** The host with that key, created if it does not exist. */
  protected abstract hostOf(key: HostKey): Host;
  /** At most `limit` of the due hosts, earliest first. Each leaves its place in the index before the next call. */
  protected abstract due(now: number, limit: number): Host[];
  protected abstract setDue(host: Host, at: number | null): void;
  /** A lease was extended. The host may keep its place in the index if that is earlier. */
  protected renew(host: Host, at: number): void {
    this.setDue(host, at);
  }

  // ── Verbs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  lease(request: LeaseRequest): Lease[] {
    const now = this.now();
    return request.hosts === undefined ? this.#leaseDue(request, now) : this.#leaseNamed(request, request.hosts, now);
  }

  wake(key: HostKey): void {
    const host = this.find(key);
    if (host === undefined || !host.isParked) return;
    host.isParked = false;
    this.index(host, this.now());
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []): CommitAnswer {
    const now = this.now();
    // Links first: a host that is released in the same commit sees the entries it was given (C4).
    const outcomes = links.map((link) => this.#remember(link));
    // By index, because an iterator would create a pair for every link.
    for (let at = 0; at < links.length; at += 1) if (outcomes[at] === 'new') this.#queue(links[at]!, now);
    return { hosts: hosts.map((hostCommit) => this.#commitOne(hostCommit, now)), links: outcomes };
  }

  readHost(key: HostKey): StoredHost | null {
    const host = this.find(key);
    if (host === undefined) return null;
    const { state, leaseEndsAt, isParked } = host;
    const { queued, inFlight } = host.entries;
    const due = leaseEndsAt === null ? host.dueAt : leaseEndsAt + host.delayMs;
    const dueInMs = due === null ? null : Math.max(0, due - this.now());
    return { state, queued, inFlight, isLeased: leaseEndsAt !== null, isParked, dueInMs };
  }

  isKnown(fingerprint: Uint8Array): boolean {
    return this.fingerprints.has(fingerprint);
  }

  know(fingerprints: readonly Uint8Array[]): void {
    for (const fingerprint of fingerprints) this.fingerprints.add(fingerprint);
  }

  protected toListedHost({ key: host, state, delayMs, nextAt, leaseEndsAt, isParked }: HostQueue): ListedHost {
    const at = leaseEndsAt === null ? nextAt : leaseEndsAt + delayMs;
    return { host, state, delayMs, waitMs: Math.max(0, at - this.now()), isParked };
  }

  // ── Adding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #remember({ fingerprint, dedupe = true }: NewEntry): AddOutcome {
    if (this.counts.unfinished >= this.#maxQueued)
      return dedupe && this.fingerprints.has(fingerprint) ? 'known' : 'full';
    if (!this.fingerprints.add(fingerprint) && dedupe) return 'known';
    this.counts.unfinished += 1;
    return 'new';
  }

  #queue({ host: key, lane, priority, body, notBeforeMs = 0 }: NewEntry, now: number): void {
    const host = this.hostOf(key);
    host.entries.add(lane ?? null, priority, body, notBeforeMs > 0 ? now + notBeforeMs : 0, now);
    // A leased or parked host is not made due (A3), nor is one that is due as early as possible.
    if (host.leaseEndsAt !== null || host.isParked) return;
    if (host.dueAt === null || host.dueAt > Math.max(now, host.nextAt)) this.index(host, now);
  }

  // ── Leases ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #leaseDue(request: LeaseRequest, now: number): Lease[] {
    const leases: Lease[] = [];
    while (leases.length < request.maxHosts) {
      const hosts = this.due(now, request.maxHosts - leases.length);
      if (hosts.length === 0) break;
      for (const host of hosts) {
        const endsAt = host.leaseEndsAt === null ? null : host.leaseEndsAt + host.delayMs;
        if (endsAt !== null && endsAt > now) {
          this.setDue(host, endsAt);
          continue;
        }
        this.#endExpiredLease(host);
        if (host.entries.readyAt(now) === 0) leases.push(this.#grant(host, request, now));
        else this.index(host, now);
      }
    }
    return leases;
  }

  #leaseNamed(request: LeaseRequest, keys: readonly HostKey[], now: number): Lease[] {
    const leases: Lease[] = [];
    for (const key of keys) {
      if (leases.length >= request.maxHosts) break;
      const host = this.hostOf(key);
      const allowedAt = host.leaseEndsAt === null ? host.nextAt : host.leaseEndsAt + host.delayMs;
      if (host.isParked || allowedAt > now) continue;
      this.#endExpiredLease(host);
      leases.push(this.#grant(host, request, now));
    }
    return leases;
  }

  /** The holder has vanished: the entries it had in flight come first, under the same ids (L5). */
  #endExpiredLease(host: Host): void {
    if (host.leaseEndsAt === null) return;
    host.nextAt = host.leaseEndsAt + host.delayMs;
    this.#endLease(host);
  }

  #grant(host: Host, { entriesPerHost, ttlMs, delayMs = 0 }: LeaseRequest, now: number): Lease {
    host.fencingToken += 1;
    host.delayMs = Math.max(host.delayMs, delayMs);
    host.leaseEndsAt = now + ttlMs;
    this.counts.leased += 1;
    this.setDue(host, host.leaseEndsAt + host.delayMs);
    const entries = this.#take(host, entriesPerHost, now);
    const { key, state } = host;
    const { queued } = host.entries;
    return { host: key, fencingToken: String(host.fencingToken), state, entries, queued };
  }

  #endLease(host: Host): void {
    this.counts.inFlight -= host.entries.inFlight;
    this.counts.leased -= 1;
    host.entries.requeueInFlight();
    host.leaseEndsAt = null;
  }

  #take({ entries }: Host, count: number, now: number): Entry[] {
    const taken = entries.take(count, now);
    this.counts.inFlight += taken.length;
    return taken;
  }

  // ── Commits ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #commitOne(hostCommit: HostCommit, now: number): HostCommitAnswer {
    const host = this.find(hostCommit.host);
    if (host === undefined || host.leaseEndsAt === null || String(host.fencingToken) !== hostCommit.fencingToken) {
      return { ok: false, reason: 'lost' };
    }
    this.#settleEntries(host, hostCommit, now);
    if (hostCommit.state !== undefined) host.state = hostCommit.state;
    if (hostCommit.delayMs !== undefined) host.delayMs = hostCommit.delayMs;
    for (const { lane, ms } of hostCommit.blockLanes ?? []) host.entries.block(lane, now + ms, now);
    if ('keep' in hostCommit.then) {
      const { ttlMs, want } = hostCommit.then.keep;
      host.leaseEndsAt = now + ttlMs;
      this.renew(host, host.leaseEndsAt + host.delayMs);
      return { ok: true, entries: this.#take(host, want, now) };
    }
    this.#release(host, hostCommit.then.release.dueInMs, now);
    return { ok: true, entries: [] };
  }

  #settleEntries({ entries }: Host, { done = [], requeue = [] }: HostCommit, now: number): void {
    const { counts } = this;
    const before = entries.inFlight;
    for (const id of done) if (entries.finish(id)) counts.unfinished -= 1;
    for (const change of requeue) entries.requeue(change, now);
    counts.inFlight += entries.inFlight - before;
  }

  #release(host: Host, dueInMs: number | null, now: number): void {
    host.fencingToken += 1;
    this.#endLease(host);
    host.nextAt = now + (dueInMs ?? host.delayMs);
    host.isParked = dueInMs === null;
    this.index(host, now);
  }

  /** Puts a host without a lease in its place in the time index. */
  protected index(host: Host, now: number): void {
    const readyAt = host.isParked ? null : host.entries.readyAt(now);
    this.setDue(host, readyAt === null ? null : Math.max(host.nextAt, readyAt));
  }
}

export function statsOf({ unfinished, inFlight }: HostQueueCounts, known: number, hosts: number): StoreStats {
  return { queued: unfinished - inFlight, inFlight, known, hosts };
}
