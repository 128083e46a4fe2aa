// The verbs on the file, each one synchronous step inside a transaction on the store's own clock. The readable reference
// of what they mean is `memory-queues.ts`; what differs here is where things stand. The letters are the contract's.

import type {
  AddOutcome,
  CommitAnswer,
  HostCommit,
  HostCommitAnswer,
  HostKey,
  Lease,
  LeaseRequest,
  NewEntry,
  ScanListing,
  StoredHost,
} from '../../store.js';
import type { CrawlView } from './crawl-view.js';
import type { HostState } from './host-state.js';
import { LmdbLeases } from './leases.js';
import { scanEntries } from './scan-entries.js';

/** What bounds the queues. */
export interface QueueBounds {
  /** Entries unfinished at a time. */
  readonly maxQueued: number;
  /** What a host waits after the death of a holder that had not said its delay, milliseconds. */
  readonly firstDelayMs: number;
}

/** The verbs of one client. `now` is the store's clock, milliseconds, never going back. */
export class LmdbQueues {
  readonly #view: CrawlView;
  readonly #maxQueued: number;
  readonly #leases: LmdbLeases;

  constructor(view: CrawlView, { maxQueued, firstDelayMs }: QueueBounds) {
    this.#view = view;
    this.#maxQueued = maxQueued;
    this.#leases = new LmdbLeases(view, firstDelayMs);
  }

  /** Leases of clients that are proven dead end (O1). */
  endLeasesOfTheDead(clock: () => number): void {
    this.#leases.endThoseOfTheDead(clock);
  }

  /** Whether this client has a lease that has not been given back. */
  hasLeases(): boolean {
    return this.#leases.hasOwn();
  }

  add(entries: readonly NewEntry[], now: number): AddOutcome[] {
    return entries.map((entry) => this.#addOne(entry, now));
  }

  lease(request: LeaseRequest, now: number): Lease[] {
    return this.#leases.lease(request, now);
  }

  wake(key: HostKey, now: number): void {
    const host = this.#view.hosts.find(key);
    if (host === undefined || !host.isParked) return;
    this.#view.fold(host, now);
    host.isParked = false;
    this.#view.counts.parked -= 1;
    this.#leases.index(host, now);
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[], now: number): CommitAnswer {
    // Links first: a host that is released in the same commit sees those it was given (C4).
    const outcomes = this.add(links, now);
    return { hosts: hosts.map((part) => this.#commitOne(part, now)), links: outcomes };
  }

  /** Outside of a transaction. Perhaps too early, never too late. */
  nextDueInMs(now: number): number | null {
    if (this.#view.freshen().unfinished === 0) return null;
    const earliest = this.#leases.earliest();
    return Number.isFinite(earliest) ? Math.max(0, earliest - now) : null;
  }

  /** One page of a scan, outside of a transaction. */
  scan(cursor: string | null, limit: number, only?: HostKey): ScanListing {
    this.#view.freshen();
    const number = only === undefined ? null : this.#view.hosts.find(only)?.number;
    if (number === undefined) return { cursor: null, items: [] };
    return scanEntries(this.#view, cursor, limit, number);
  }

  /** One host, outside of a transaction. */
  readHost(key: HostKey, now: number): StoredHost | null {
    this.#view.freshen();
    const host = this.#view.hosts.find(key);
    if (host === undefined) return null;
    const { state, hand, leaseEndsAt, isParked, dueAt } = host;
    const queued = host.queued + this.#view.inbox.countOf(host.number, host.foldedTo);
    const dueInMs = dueAt === null ? null : Math.max(0, dueAt - now);
    return { state, queued, inFlight: hand.size, isLeased: leaseEndsAt !== null, isParked, dueInMs };
  }

  #addOne(entry: NewEntry, now: number): AddOutcome {
    const { counts, seen, rows, hosts } = this.#view;
    const isDeduped = entry.dedupe !== false;
    if (counts.unfinished >= this.#maxQueued) {
      return isDeduped && seen.has(entry.fingerprint, counts) ? 'known' : 'full';
    }
    if (!seen.add(entry.fingerprint, counts) && isDeduped) return 'known';
    counts.unfinished += 1;
    this.#view.changed();
    const readyAt = (entry.notBeforeMs ?? 0) > 0 ? now + entry.notBeforeMs! : 0;
    if (readyAt === 0 && this.#view.logSettled(entry)) return 'new';
    const host = this.#view.hostOf(entry.host, true);
    if (host.holdCount > 0) {
      // Whether its lane is held decides when it can be handed out: that is known of rows.
      this.#view.fold(host, now);
      rows.add(host, entry.lane ?? null, entry.priority, entry.body, readyAt, now);
      hosts.changed(host);
      if (isFree(host) && isDueAfter(host, Math.max(now, host.nextAt))) this.#leases.index(host, now);
      return 'new';
    }
    const dueAt = Math.max(host.nextAt, readyAt);
    this.#view.log(host, entry, readyAt, isFree(host) && isDueAfter(host, Math.max(now, dueAt)) ? dueAt : null);
    return 'new';
  }

  #commitOne(part: HostCommit, now: number): HostCommitAnswer {
    const host = this.#view.hosts.find(part.host);
    if (host === undefined || host.leaseEndsAt === null || String(host.fencingToken) !== part.fencingToken) {
      return { ok: false, reason: 'lost' };
    }
    this.#view.fold(host, now);
    this.#view.hosts.changed(host);
    this.#settleEntries(host, part, now);
    if (part.state !== undefined) host.state = part.state;
    if (part.delayMs !== undefined) host.delayMs = part.delayMs;
    for (const { lane, ms } of part.blockLanes ?? []) this.#view.rows.hold(host, lane, now + ms, now);
    if ('keep' in part.then) {
      const { ttlMs, want } = part.then.keep;
      return { ok: true, entries: this.#leases.keep(host, ttlMs, want, now) };
    }
    this.#leases.release(host, part.then.release.dueInMs, now);
    return { ok: true, entries: [] };
  }

  #settleEntries(host: HostState, { done, requeue }: HostCommit, now: number): void {
    const before = host.hand.size;
    for (const id of done ?? []) if (this.#view.rows.finish(host, id)) this.#view.counts.unfinished -= 1;
    for (const change of requeue ?? []) this.#view.rows.requeue(host, change, now);
    this.#view.counts.inFlight += host.hand.size - before;
  }
}

/** A leased or parked host is not made due (A3). */
function isFree({ leaseEndsAt, isParked }: HostState): boolean {
  return leaseEndsAt === null && !isParked;
}

/** A host cannot become due earlier that has entries ready now. */
function isDueAfter({ dueAt }: HostState, at: number): boolean {
  return dueAt === null || dueAt > at;
}
