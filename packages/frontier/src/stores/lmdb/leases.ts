// Who holds which host: leases granted and ended, and the host's place in the time index. A leased host stands there at
// its lease end + delay or earlier, any other host at the time from which it can be leased.

import type { Entry, HostKey, Lease, LeaseRequest } from '../../store.js';
import { deadForMs } from '../processes/process-identity.js';
import { type CrawlState, listHolders, removeHolder } from './crawl-state.js';
import { FREE, type Host } from './hosts.js';

/** Leases of one crawl. `now` is the store's clock, milliseconds. */
export class LmdbLeases {
  readonly #crawl: CrawlState;
  readonly #firstDelayMs: number;

  /** @param firstDelayMs - A host's wait after the death of a holder that had not said the delay. */
  constructor(crawl: CrawlState, firstDelayMs: number) {
    this.#crawl = crawl;
    this.#firstDelayMs = firstDelayMs;
  }

  lease(request: LeaseRequest, now: number): Lease[] {
    return request.hosts === undefined ? this.#leaseDue(request, now) : this.#leaseNamed(request, request.hosts, now);
  }

  keep(host: Host, ttlMs: number, want: number, now: number): Entry[] {
    host.leaseEndsAt = now + ttlMs;
    host.holder = this.#crawl.holder;
    const at = host.leaseEndsAt + host.delayMs;
    // A row that is too early is corrected when its time has come: most renewals move nothing.
    if (host.dueAt === null || at < host.dueAt) this.#crawl.hosts.setDue(host, at);
    return this.#take(host, want, now);
  }

  /** The lease ends. `null` parks the host. */
  release(host: Host, dueInMs: number | null, now: number): void {
    host.fencingToken += 1;
    this.#endLease(host);
    host.nextAt = now + (dueInMs ?? host.delayMs);
    if (dueInMs === null) {
      host.isParked = true;
      this.#crawl.counts.parked += 1;
    }
    this.index(host, now);
  }

  /** Puts a host without a lease where it belongs in the time index. */
  index(host: Host, now: number): void {
    const readyAt = host.isParked ? null : this.#crawl.entries.readyAt(host, now);
    this.#crawl.hosts.setDue(host, readyAt === null ? null : Math.max(host.nextAt, readyAt));
  }

  /**
   * Leases of proven dead clients end at the time of the proof (O1). A holder may have sent a request before its first
   * commit: where no delay is known yet, the first delay takes its place.
   */
  endThoseOfTheDead(): void {
    const { hosts, tables } = this.#crawl;
    const goneMs = new Map(listHolders(tables.meta).map((holder) => [holder.number, deadForMs(holder)]));
    const dead = new Set([...goneMs.keys()].filter((number) => goneMs.get(number) !== null));
    if (dead.size === 0) return;
    for (const number of hosts.leasedBy(dead)) {
      const host = hosts.byNumber(number);
      // Read after the proof: counted back from an earlier reading, the end would be before the proof.
      const goneAt = this.#crawl.now() - (goneMs.get(host.holder) ?? 0);
      const endsAt = goneAt + (host.delayMs === 0 ? this.#firstDelayMs : 0);
      host.leaseEndsAt = Math.min(host.leaseEndsAt ?? endsAt, endsAt);
      host.holder = FREE;
      hosts.setDue(host, host.leaseEndsAt + host.delayMs);
    }
    for (const number of dead) removeHolder(tables.meta, number);
    this.#crawl.changed();
    hosts.syncIndex();
  }

  #leaseDue(request: LeaseRequest, now: number): Lease[] {
    const { hosts, entries } = this.#crawl;
    const { maxHosts } = request;
    const leases: Lease[] = [];
    hosts.syncIndex();
    while (leases.length < maxHosts) {
      // Each of these hosts leaves its place: it is granted, or due later.
      const numbers = hosts.due(now, maxHosts - leases.length);
      if (numbers.length === 0) break;
      for (const number of numbers) {
        const host = hosts.byNumber(number);
        const dueAt = host.leaseEndsAt === null ? host.dueAt : host.leaseEndsAt + host.delayMs;
        if (dueAt !== host.dueAt) {
          hosts.setDue(host, dueAt);
          continue;
        }
        this.#endLapsedLease(host);
        if (entries.readyAt(host, now) === 0) leases.push(this.#grant(host, request, now));
        else this.index(host, now);
      }
      hosts.syncIndex();
    }
    return leases;
  }

  #leaseNamed(request: LeaseRequest, keys: readonly HostKey[], now: number): Lease[] {
    const leases: Lease[] = [];
    for (const key of keys) {
      if (leases.length >= request.maxHosts) break;
      const host = this.#crawl.hostOf(key);
      const allowedAt = host.leaseEndsAt === null ? host.nextAt : host.leaseEndsAt + host.delayMs;
      if (host.isParked || allowedAt > now) continue;
      this.#endLapsedLease(host);
      leases.push(this.#grant(host, request, now));
    }
    return leases;
  }

  /** The entries of the vanished holder come first, under the same ids (L5). */
  #endLapsedLease(host: Host): void {
    if (host.leaseEndsAt === null) return;
    host.nextAt = host.leaseEndsAt + host.delayMs;
    this.#endLease(host);
  }

  #grant(host: Host, { entriesPerHost, ttlMs, delayMs = 0 }: LeaseRequest, now: number): Lease {
    host.fencingToken += 1;
    host.delayMs = Math.max(host.delayMs, delayMs);
    this.#crawl.counts.leased += 1;
    host.leaseEndsAt = now + ttlMs;
    host.holder = this.#crawl.holder;
    this.#crawl.hosts.setDue(host, host.leaseEndsAt + host.delayMs);
    const entries = this.#take(host, entriesPerHost, now);
    const { key, state, queued } = host;
    return { host: key, fencingToken: String(host.fencingToken), ttlMs, notBeforeMs: 0, state, entries, queued };
  }

  #endLease(host: Host): void {
    this.#crawl.counts.inFlight -= host.inFlight.size;
    this.#crawl.counts.leased -= 1;
    this.#crawl.entries.giveBack(host);
    host.leaseEndsAt = null;
    host.holder = FREE;
  }

  #take(host: Host, count: number, now: number): Entry[] {
    const taken = this.#crawl.entries.take(host, count, now);
    this.#crawl.counts.inFlight += taken.length;
    return taken;
  }
}
