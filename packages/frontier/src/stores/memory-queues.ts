// The store in memory, every verb as one synchronous step on the store's own clock: atomicity comes from there.
// This is the readable reference of the contract; the letters are its invariants (store.ts).
//
// A host is in one of four situations, and in the time index (`#due`) in the first two of them:
//   leased   at lease end + delay: a holder that vanishes is a host that comes due later (L4)
//   due      at max(next allowed time, earliest entry), something being queued
//   idle     nothing queued; the next allowed time is kept (C3)
//   parked   whatever is queued; only `wake` ends it (C6)
//
// A host that something has happened to is told when it rests (`#hosts.rest`): it takes less room then.

import type {
  AddOutcome,
  CommitAnswer,
  Entry,
  HostCommit,
  HostCommitAnswer,
  HostKey,
  Lease,
  LeaseRequest,
  NewEntry,
  ScanListing,
  StoreCapabilities,
  StoredHost,
  StoreStats,
} from '../store.js';
import { FingerprintSet } from './fingerprint-set.js';
import type { HostQueueState } from './host-queue-state.js';
import { LeasedHosts } from './leased-hosts.js';
import { MemoryHosts } from './memory-hosts.js';
import { checkBatch, checkCommits } from './size-checks.js';
import { TimeIndex } from './time-index.js';

/** Most items one page of a scan may ask for. */
const SCAN_LIMIT = 10_000;
/** Hosts and places of entries, together, that one page of a scan may look at, per item asked for. */
const SCAN_STEPS_PER_ITEM = 4;

/** Queues, leases and fingerprints. `now` is the store's clock, milliseconds, never going back. */
export class MemoryQueues {
  readonly known = new FingerprintSet();
  /** A scan goes by their numbers. */
  readonly #hosts: MemoryHosts;
  /** Those under a lease: a commit finds its host among these few. */
  readonly #leased = new LeasedHosts();
  readonly #due = new TimeIndex();
  #unfinished = 0;
  #inFlight = 0;
  #parked = 0;
  readonly #capabilities: StoreCapabilities;
  readonly #maxQueued: number;

  constructor(capabilities: StoreCapabilities, maxQueued: number, restingAwake: number | null = null) {
    this.#hosts = new MemoryHosts(restingAwake);
    this.#capabilities = capabilities;
    this.#maxQueued = maxQueued;
  }

  add(entries: readonly NewEntry[], now: number): AddOutcome[] {
    checkBatch(entries, this.#capabilities);
    return this.#addAll(entries, now);
  }

  lease(request: LeaseRequest, now: number): Lease[] {
    return request.hosts === undefined ? this.#leaseDue(request, now) : this.#leaseNamed(request, request.hosts, now);
  }

  wake(key: HostKey, now: number): void {
    const number = this.#hosts.numberOf(key);
    if (number < 0 || !this.#hosts.isParked(number)) return;
    const host = this.#hosts.wakeUp(number, now);
    host.isParked = false;
    this.#parked -= 1;
    this.#index(host, now);
    this.#hosts.rest(host, now);
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[], now: number): CommitAnswer {
    // Everything that can be refused is refused before anything changes (X3).
    checkBatch(links, this.#capabilities);
    checkCommits(hosts, this.#capabilities);
    // Links first: a host that is released in the same commit sees those it was given (C4).
    const outcomes = this.#addAll(links, now);
    return { hosts: hosts.map((part) => this.#commitOne(part, now)), links: outcomes };
  }

  nextDueInMs(now: number): number | null {
    const earliest = this.#due.earliest();
    return earliest === null || this.#unfinished === 0 ? null : Math.max(0, earliest - now);
  }

  readHost(key: HostKey, now: number): StoredHost | null {
    const number = this.#hosts.numberOf(key);
    if (number < 0) return null;
    const { state, entries, leaseEndsAt, isParked } = this.#hosts.view(number);
    const due = this.#due.dueOf(number);
    const dueInMs = due === null ? null : Math.max(0, due - now);
    const { queued, inFlight } = entries;
    return { state, queued, inFlight, isLeased: leaseEndsAt !== null, isParked, dueInMs };
  }

  stats(): StoreStats {
    return {
      queued: this.#unfinished - this.#inFlight,
      inFlight: this.#inFlight,
      known: this.known.size,
      hosts: this.#hosts.size,
      leased: this.#leased.size,
      parked: this.#parked,
    };
  }

  /** The cursor is `<number of the host> <id of its last entry listed>`. */
  scan(cursor: string | null, limit: number, only?: HostKey): ScanListing {
    const found = only === undefined ? 0 : this.#hosts.numberOf(only);
    const first = found < 0 ? this.#hosts.size : found;
    const end = only === undefined ? this.#hosts.size : Math.min(first + 1, this.#hosts.size);
    const wanted = Math.min(limit, SCAN_LIMIT);
    let [at = first, after = 0] = cursor === null ? [] : cursor.split(' ').map(Number);
    const items: { host: HostKey; entry: Entry }[] = [];
    for (let steps = wanted * SCAN_STEPS_PER_ITEM; at < end && items.length < wanted && steps > 0; steps -= 1) {
      const host = this.#hosts.view(at);
      const page = host.entries.scan(after, wanted - items.length, steps);
      steps -= page.steps;
      for (const entry of page.items) items.push({ host: host.key, entry });
      if (page.after === null) at += 1;
      after = page.after ?? 0;
    }
    return { cursor: at < end ? `${at} ${after}` : null, items };
  }

  /** All hosts, to be looked at only. */
  *views(): Generator<HostQueueState> {
    for (let number = 0; number < this.#hosts.size; number += 1) yield this.#hosts.view(number);
  }

  /** Puts a host in as it was saved, its lease ended, due after its delay; its number is the count of hosts. */
  restore(host: HostQueueState, now: number): void {
    this.#hosts.keep(host);
    this.#unfinished += host.entries.size;
    if (host.isParked) this.#parked += 1;
    this.#index(host, now);
    this.#hosts.rest(host, now);
  }

  /** First what is new, then where it belongs: what either step needs is reached for at once. */
  #addAll(entries: readonly NewEntry[], now: number): AddOutcome[] {
    this.known.reachFor(entries);
    const outcomes = entries.map((entry) => this.#outcomeOf(entry));
    const added = entries.filter((_, at) => outcomes[at] === 'new');
    const numbers = this.#hosts.numbersOf(added);
    for (const [at, entry] of added.entries()) this.#queue(entry, numbers[at]!, now);
    return outcomes;
  }

  /** Counts what is new. */
  #outcomeOf(entry: NewEntry): AddOutcome {
    const isFull = this.#unfinished >= this.#maxQueued;
    const isDeduped = entry.dedupe !== false;
    if (isFull) return isDeduped && this.known.has(entry.fingerprint) ? 'known' : 'full';
    if (!this.known.add(entry.fingerprint) && isDeduped) return 'known';
    this.#unfinished += 1;
    return 'new';
  }

  /** @param known - The number of its host, -1 where none was known before these entries. */
  #queue(entry: NewEntry, known: number, now: number): void {
    const { lane = null, priority, body } = entry;
    const readyAt = now + (entry.notBeforeMs ?? 0);
    const number = known < 0 ? this.#hosts.numberOf(entry.host) : known;
    if (readyAt <= now) {
      const arrival = { lane, priority, body };
      if (number >= 0) {
        if (this.#hosts.arrive(number, entry.host, arrival, now)) return;
      } else {
        const created = this.#hosts.createWith(entry.host, arrival);
        if (created >= 0) {
          this.#due.set(created, 0);
          this.#hosts.settle(created, true);
          return;
        }
      }
    }
    const host = number < 0 ? this.#hosts.create(entry.host) : this.#hosts.wakeUp(number, now);
    host.entries.add(lane, priority, body, readyAt, now);
    // A leased or parked host is not made due (A3); neither can one become due earlier that has entries ready now.
    if (host.leaseEndsAt === null && !host.isParked) {
      if (this.#isDueNowOrAllowed(host, now)) this.#hosts.settle(host.number, true);
      else this.#index(host, now);
    }
    this.#hosts.rest(host, now);
  }

  /** Whether the host stands in the index no later than it could with any further entry. */
  #isDueNowOrAllowed(host: HostQueueState, now: number): boolean {
    const due = this.#due.dueOf(host.number);
    return due !== null && due <= Math.max(now, host.nextAt);
  }

  #leaseDue(request: LeaseRequest, now: number): Lease[] {
    const leases: Lease[] = [];
    while (leases.length < request.maxHosts) {
      const due = this.#takeDue(request.maxHosts - leases.length, now);
      if (due.length === 0) break;
      this.#hosts.reachFor(due);
      for (const number of due) {
        const host = this.#hosts.wakeUp(number, now, 0);
        this.#endLapsedLease(host);
        if (this.#hosts.readyAt(host, now) === 0) leases.push(this.#grant(host, request, now));
        else {
          this.#index(host, now);
          this.#hosts.rest(host, now);
        }
      }
    }
    return leases;
  }

  /** Takes the hosts that are due out of the index, oldest first. */
  #takeDue(most: number, now: number): number[] {
    const due: number[] = [];
    while (due.length < most && (this.#due.earliest() ?? Number.POSITIVE_INFINITY) <= now) {
      due.push(this.#due.take()!);
    }
    return due;
  }

  #leaseNamed(request: LeaseRequest, keys: readonly HostKey[], now: number): Lease[] {
    const leases: Lease[] = [];
    for (const key of keys) {
      if (leases.length >= request.maxHosts) break;
      const host = this.#hosts.find(key, now, 0) ?? this.#hosts.create(key);
      if (host.isParked) continue;
      const allowedAt = host.leaseEndsAt === null ? host.nextAt : host.leaseEndsAt + host.delayMs;
      if (allowedAt > now) continue;
      this.#endLapsedLease(host);
      leases.push(this.#grant(host, request, now));
    }
    return leases;
  }

  /** The holder has not been heard of: what it had in hand comes first, under the same ids (L5). */
  #endLapsedLease(host: HostQueueState): void {
    if (host.leaseEndsAt === null) return;
    host.nextAt = host.leaseEndsAt + host.delayMs;
    this.#endLease(host);
  }

  #grant(host: HostQueueState, { entriesPerHost, ttlMs, delayMs = 0 }: LeaseRequest, now: number): Lease {
    host.fencingToken += 1;
    host.delayMs = Math.max(host.delayMs, delayMs);
    this.#leased.add(host);
    this.#holdFor(host, ttlMs, now);
    const entries = this.#take(host, entriesPerHost, now);
    const queued = host.entries.queued + this.#hosts.arrived(host.number);
    return {
      host: host.key,
      fencingToken: String(host.fencingToken),
      ttlMs,
      notBeforeMs: 0,
      state: host.state,
      entries,
      queued,
    };
  }

  #holdFor(host: HostQueueState, ttlMs: number, now: number): void {
    host.leaseEndsAt = now + ttlMs;
    this.#due.set(host.number, host.leaseEndsAt + host.delayMs);
    this.#hosts.settle(host.number, true);
  }

  #commitOne(part: HostCommit, now: number): HostCommitAnswer {
    const { requeue = [], blockLanes = [] } = part;
    const host = this.#leased.find(part.host);
    if (host === undefined || String(host.fencingToken) !== part.fencingToken) return { ok: false, reason: 'lost' };
    // What goes back into its priority stands behind those that have arrived; so does what a lane that is held has.
    this.#hosts.receive(host, requeue.length > 0 || blockLanes.length > 0 ? Number.POSITIVE_INFINITY : 0);
    this.#settleEntries(host, part, now);
    if (part.state !== undefined) host.state = part.state;
    if (part.delayMs !== undefined) host.delayMs = part.delayMs;
    for (const { lane, ms } of blockLanes) host.entries.hold(lane, now + ms, now);
    if ('keep' in part.then) {
      this.#holdFor(host, part.then.keep.ttlMs, now);
      return { ok: true, entries: this.#take(host, part.then.keep.want, now) };
    }
    this.#release(host, part.then.release.dueInMs, now);
    return { ok: true, entries: [] };
  }

  #settleEntries(host: HostQueueState, { done, requeue }: HostCommit, now: number): void {
    const { size, inFlight } = host.entries;
    for (const id of done ?? []) host.entries.finish(id);
    for (const change of requeue ?? []) host.entries.requeue(change, now);
    this.#unfinished += host.entries.size - size;
    this.#inFlight += host.entries.inFlight - inFlight;
  }

  #release(host: HostQueueState, dueInMs: number | null, now: number): void {
    host.fencingToken += 1;
    this.#endLease(host);
    host.nextAt = now + (dueInMs ?? host.delayMs);
    if (dueInMs === null) {
      host.isParked = true;
      this.#parked += 1;
    }
    this.#index(host, now);
    this.#hosts.rest(host, now);
  }

  #endLease(host: HostQueueState): void {
    this.#inFlight -= host.entries.inFlight;
    this.#leased.remove(host);
    host.entries.giveBack();
    host.leaseEndsAt = null;
  }

  #take(host: HostQueueState, count: number, now: number): Entry[] {
    const taken = this.#hosts.take(host, count, now);
    this.#inFlight += taken.length;
    return taken;
  }

  /** Where a host without a lease belongs in the index. */
  #index(host: HostQueueState, now: number): void {
    const readyAt = host.isParked ? null : this.#hosts.readyAt(host, now);
    if (readyAt === null) this.#due.remove(host.number);
    else this.#due.set(host.number, Math.max(host.nextAt, readyAt));
    const isDueAsEarlyAsItCan = readyAt !== null && readyAt <= Math.max(now, host.nextAt);
    this.#hosts.settle(host.number, host.isParked || isDueAsEarlyAsItCan);
  }
}
