// Who has which host: leases granted and ended, and the host's place in the time index. A lease stands there under its
// holder, at its end + delay or earlier; a host that nobody has, at the time from which somebody may have it.

import type { Entry, HostKey, Lease, LeaseRequest } from '../../store.js';
import { deadForMs } from '../processes/process-identity.js';
import type { CrawlView } from './crawl-view.js';
import { listHolders, removeHolder } from './holders.js';
import type { HostState } from './host-state.js';
import { DEAD, type DueRow, FREE } from './host-table.js';

/** Leases of one crawl. `now` is the store's clock, milliseconds. */
export class LmdbLeases {
  readonly #view: CrawlView;
  readonly #firstDelayMs: number;

  /** @param firstDelayMs - What a host waits after the death of a holder that had not said its delay. */
  constructor(view: CrawlView, firstDelayMs: number) {
    this.#view = view;
    this.#firstDelayMs = firstDelayMs;
  }

  /** Leases that can be granted now. */
  lease(request: LeaseRequest, now: number): Lease[] {
    return request.hosts === undefined ? this.#leaseDue(request, now) : this.#leaseNamed(request, request.hosts, now);
  }

  /** The lease goes on, and up to `want` more entries come into hand. */
  keep(host: HostState, ttlMs: number, want: number, now: number): Entry[] {
    host.leaseEndsAt = now + ttlMs;
    const at = host.leaseEndsAt + host.delayMs;
    // A row that is too early is put right when its time has come: most renewals move nothing.
    if (host.dueHolder !== this.#view.holder || host.dueAt === null || at < host.dueAt) {
      this.#view.hosts.setDue(host, this.#view.holder, at);
    }
    return this.#take(host, want, now);
  }

  /** The lease is given back; `null` parks the host. */
  release(host: HostState, dueInMs: number | null, now: number): void {
    host.fencingToken += 1;
    this.#endLease(host);
    host.nextAt = now + (dueInMs ?? host.delayMs);
    if (dueInMs === null) {
      host.isParked = true;
      this.#view.counts.parked += 1;
    }
    this.index(host, now);
  }

  /** Puts a host without a lease where it belongs in the time index. */
  index(host: HostState, now: number): void {
    const readyAt = host.isParked ? null : this.#view.rows.readyAt(host, now);
    this.#view.hosts.setDue(host, FREE, readyAt === null ? null : Math.max(host.nextAt, readyAt));
  }

  /**
   * Leases of clients that are proven dead end at the moment of the proof; their hosts are due at that moment + delay (O1). A
   * holder may have sent its first request before its first commit was kept: where no delay is known yet, the first delay
   * stands in for it.
   *
   * @param clock - Read after each proof: a time counted back from an earlier reading would be before the proof.
   */
  endThoseOfTheDead(clock: () => number): void {
    for (const holder of listHolders(this.#view.tables.meta)) {
      const goneMs = deadForMs(holder);
      if (goneMs === null) continue;
      const goneAt = clock() - goneMs;
      for (const { number } of this.#view.hosts.due(holder.number, Number.POSITIVE_INFINITY, 0xffff_ffff)) {
        const host = this.#view.hosts.byNumber(number);
        const endsAt = goneAt + (host.delayMs === 0 ? this.#firstDelayMs : 0);
        host.leaseEndsAt = Math.min(host.leaseEndsAt ?? endsAt, endsAt);
        this.#view.hosts.setDue(host, DEAD, host.leaseEndsAt + host.delayMs);
      }
      removeHolder(this.#view.tables.meta, holder.number);
      this.#view.holdersChanged();
    }
    this.#view.hosts.syncIndex();
  }

  /** Whether this client has a lease that has not been given back. */
  hasOwn(): boolean {
    return this.#view.hosts.due(this.#view.holder, Number.POSITIVE_INFINITY, 1).length > 0;
  }

  /** The earliest time of the time index, outside of a transaction; `Infinity`: none. A renewed lease may stand too early. */
  earliest(): number {
    return [FREE, ...this.#view.holders()]
      .flatMap((holder) => this.#view.hosts.due(holder, Number.POSITIVE_INFINITY, 1))
      .reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  }

  #leaseDue(request: LeaseRequest, now: number): Lease[] {
    const { maxHosts } = request;
    const leases: Lease[] = [];
    this.#view.hosts.syncIndex();
    this.#endLapsedLeases(now, maxHosts);
    while (leases.length < maxHosts) {
      // Every host of these leaves the rows up to now: granted, or due later.
      const rows = this.#view.hosts.due(FREE, now, maxHosts - leases.length);
      if (rows.length === 0) break;
      for (const { number } of rows) {
        const host = this.#folded(number, now);
        if (this.#view.rows.readyAt(host, now) === 0) leases.push(this.#grant(host, request, now));
        else this.index(host, now);
      }
      this.#view.hosts.syncIndex();
    }
    return leases;
  }

  /** As many leases whose time has passed as could be granted now, oldest first. Rows of renewed ones are put right. */
  #endLapsedLeases(now: number, most: number): void {
    const lapsed: DueRow[] = [];
    for (const holder of this.#view.holders()) {
      const found: DueRow[] = [];
      for (;;) {
        const rows = this.#view.hosts.due(holder, now, most);
        let moved = 0;
        for (const { number } of rows) {
          const host = this.#view.hosts.byNumber(number);
          const at = (host.leaseEndsAt ?? now) + host.delayMs;
          if (at <= now) found.push({ at, number });
          else {
            this.#view.hosts.setDue(host, holder, at);
            moved += 1;
          }
        }
        if (moved === 0) break;
        this.#view.hosts.syncIndex();
        found.length = 0;
      }
      lapsed.push(...found);
    }
    lapsed.sort((a, b) => a.at - b.at);
    for (const { number } of lapsed.slice(0, most)) {
      const host = this.#folded(number, now);
      this.#endLapsedLease(host);
      this.index(host, now);
    }
    this.#view.hosts.syncIndex();
  }

  #leaseNamed(request: LeaseRequest, keys: readonly HostKey[], now: number): Lease[] {
    const leases: Lease[] = [];
    for (const key of keys) {
      if (leases.length >= request.maxHosts) break;
      const host = this.#view.hostOf(key);
      this.#view.hosts.keep(host);
      if (host.isParked) continue;
      const allowedAt = host.leaseEndsAt === null ? host.nextAt : host.leaseEndsAt + host.delayMs;
      if (allowedAt > now) continue;
      this.#view.fold(host, now);
      this.#endLapsedLease(host);
      leases.push(this.#grant(host, request, now));
    }
    return leases;
  }

  /** The host of a number, with all it has in its rows. */
  #folded(number: number, now: number): HostState {
    const host = this.#view.hosts.byNumber(number);
    this.#view.fold(host, now);
    return host;
  }

  /** The holder has not been heard of: what it had in hand comes first, under the same ids (L5). */
  #endLapsedLease(host: HostState): void {
    if (host.leaseEndsAt === null) return;
    host.nextAt = host.leaseEndsAt + host.delayMs;
    this.#endLease(host);
  }

  #grant(host: HostState, { entriesPerHost, ttlMs, delayMs = 0 }: LeaseRequest, now: number): Lease {
    host.fencingToken += 1;
    host.delayMs = Math.max(host.delayMs, delayMs);
    this.#view.counts.leased += 1;
    host.leaseEndsAt = now + ttlMs;
    this.#view.hosts.setDue(host, this.#view.holder, host.leaseEndsAt + host.delayMs);
    const entries = this.#take(host, entriesPerHost, now);
    const { key, state, queued } = host;
    return { host: key, fencingToken: String(host.fencingToken), ttlMs, notBeforeMs: 0, state, entries, queued };
  }

  #endLease(host: HostState): void {
    this.#view.counts.inFlight -= host.hand.size;
    this.#view.counts.leased -= 1;
    this.#view.rows.giveBack(host);
    host.leaseEndsAt = null;
  }

  #take(host: HostState, count: number, now: number): Entry[] {
    const taken = this.#view.rows.take(host, count, now);
    this.#view.counts.inFlight += taken.length;
    return taken;
  }
}
