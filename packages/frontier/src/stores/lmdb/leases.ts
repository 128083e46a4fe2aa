// Who holds which host: leases granted and ended, and the host's place in the time index. A leased host stands there
// under its holder, at its lease end + delay or earlier; any other host under `FREE`, at the time from which it can be
// leased.

import type { Entry, HostKey, Lease, LeaseRequest } from '../../store.js';
import { deadForMs } from '../processes/process-identity.js';
import type { CrawlState } from './crawl-state.js';
import type { Host } from './host.js';
import type { DueRow } from './host-table.js';
import { DEAD, FREE, listHolders, removeHolder } from './meta.js';

const ALL = 0xffff_ffff;

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
    const at = host.leaseEndsAt + host.delayMs;
    // A row that is too early is corrected when its time has come: most renewals move nothing.
    if (host.dueHolder !== this.#crawl.holder || host.dueAt === null || at < host.dueAt) {
      this.#crawl.hosts.setDue(host, this.#crawl.holder, at);
    }
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
    this.#crawl.hosts.setDue(host, FREE, readyAt === null ? null : Math.max(host.nextAt, readyAt));
  }

  /**
   * Leases of proven dead clients end at the time of the proof (O1). A holder may have sent a request before its first
   * commit: where no delay is known yet, the first delay takes its place.
   */
  endThoseOfTheDead(): void {
    const { hosts, tables } = this.#crawl;
    for (const holder of listHolders(tables.meta)) {
      const goneMs = deadForMs(holder);
      if (goneMs === null) continue;
      // Read after the proof: counted back from an earlier reading, the end would be before the proof.
      const goneAt = this.#crawl.now() - goneMs;
      for (const { number } of hosts.due(holder.number, Number.POSITIVE_INFINITY, ALL)) {
        const host = hosts.byNumber(number);
        const endsAt = goneAt + (host.delayMs === 0 ? this.#firstDelayMs : 0);
        host.leaseEndsAt = Math.min(host.leaseEndsAt ?? endsAt, endsAt);
        hosts.setDue(host, DEAD, host.leaseEndsAt + host.delayMs);
      }
      removeHolder(tables.meta, holder.number);
      this.#crawl.holdersChanged();
    }
    hosts.syncIndex();
  }

  hasOwn(): boolean {
    return this.#crawl.hosts.due(this.#crawl.holder, Number.POSITIVE_INFINITY, 1).length > 0;
  }

  /** The earliest time in the index; `Infinity`: none. Too early where a lease was renewed. Outside a transaction. */
  earliest(): number {
    const firsts = [FREE, ...this.#crawl.holders()].flatMap((holder) =>
      this.#crawl.hosts.due(holder, Number.POSITIVE_INFINITY, 1),
    );
    return Math.min(Number.POSITIVE_INFINITY, ...firsts.map(({ at }) => at));
  }

  #leaseDue(request: LeaseRequest, now: number): Lease[] {
    const { hosts, entries } = this.#crawl;
    const { maxHosts } = request;
    const leases: Lease[] = [];
    hosts.syncIndex();
    this.#endLapsedLeases(now, maxHosts);
    while (leases.length < maxHosts) {
      // Each of these hosts leaves the rows up to now: it is granted, or due later.
      const rows = hosts.due(FREE, now, maxHosts - leases.length);
      if (rows.length === 0) break;
      for (const { number } of rows) {
        const host = hosts.byNumber(number);
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

  /** Ends as many lapsed leases as could be granted now, oldest first. */
  #endLapsedLeases(now: number, most: number): void {
    const { hosts } = this.#crawl;
    const lapsed = this.#crawl.holders().flatMap((holder) => this.#lapsedOf(holder, now, most));
    lapsed.sort((a, b) => a.at - b.at);
    for (const { number } of lapsed.slice(0, most)) {
      const host = hosts.byNumber(number);
      this.#endLapsedLease(host);
      this.index(host, now);
    }
    hosts.syncIndex();
  }

  /** Up to `most` lapsed leases of a holder. Rows of renewed leases are moved to their time. */
  #lapsedOf(holder: number, now: number, most: number): DueRow[] {
    const { hosts } = this.#crawl;
    for (;;) {
      const lapsed: DueRow[] = [];
      const rows = hosts.due(holder, now, most);
      for (const { number } of rows) {
        const host = hosts.byNumber(number);
        const at = (host.leaseEndsAt ?? now) + host.delayMs;
        if (at <= now) lapsed.push({ at, number });
        else hosts.setDue(host, holder, at);
      }
      if (lapsed.length === rows.length) return lapsed;
      hosts.syncIndex();
    }
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
    this.#crawl.hosts.setDue(host, this.#crawl.holder, host.leaseEndsAt + host.delayMs);
    const entries = this.#take(host, entriesPerHost, now);
    const { key, state, queued } = host;
    return { host: key, fencingToken: String(host.fencingToken), ttlMs, notBeforeMs: 0, state, entries, queued };
  }

  #endLease(host: Host): void {
    this.#crawl.counts.inFlight -= host.inFlight.size;
    this.#crawl.counts.leased -= 1;
    this.#crawl.entries.giveBack(host);
    host.leaseEndsAt = null;
  }

  #take(host: Host, count: number, now: number): Entry[] {
    const taken = this.#crawl.entries.take(host, count, now);
    this.#crawl.counts.inFlight += taken.length;
    return taken;
  }
}
