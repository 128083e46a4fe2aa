// The host queues of the file: where the state machine of host queues finds hosts, fingerprints and the time index. A
// leased host stands in the index at its lease end + delay or earlier, any other host at the time from which it can be
// leased.

import type { HostKey, ListedHost, Listing } from '../../store.js';
import { HostQueues } from '../host-queues.js';
import { deadForMs } from '../processes/process-identity.js';
import { type CrawlState, listHolders, removeHolder } from './crawl-state.js';
import { FREE, type StoredHost } from './hosts.js';

/** Verbs inside a transaction. */
export class LmdbHosts extends HostQueues<StoredHost> {
  readonly #crawl: CrawlState;

  constructor(crawl: CrawlState, maxQueued: number) {
    super(maxQueued);
    this.#crawl = crawl;
  }

  /**
   * Leases of proven dead clients end at the time of the proof (O1). A holder may have sent a request before its first
   * commit: where no delay is known yet, `firstDelayMs` takes its place.
   */
  endLeasesOfTheDead(firstDelayMs: number): void {
    const { hosts, tables } = this.#crawl;
    const goneMs = new Map(listHolders(tables.meta).map((holder) => [holder.number, deadForMs(holder)]));
    const dead = new Set([...goneMs.keys()].filter((number) => goneMs.get(number) !== null));
    if (dead.size === 0) return;
    for (const number of hosts.leasedBy(dead)) {
      const host = hosts.byNumber(number);
      // Read after the proof: counted back from an earlier reading, the end would be before the proof.
      const goneAt = this.#crawl.now() - (goneMs.get(host.holder) ?? 0);
      const endsAt = goneAt + (host.delayMs === 0 ? firstDelayMs : 0);
      host.leaseEndsAt = Math.min(host.leaseEndsAt ?? endsAt, endsAt);
      host.holder = FREE;
      hosts.setDue(host, host.leaseEndsAt + host.delayMs);
    }
    for (const number of dead) removeHolder(tables.meta, number);
    this.#crawl.changed();
    hosts.syncIndex();
  }

  /** A page of all hosts, which are numbered from 1. The cursor is the next number. */
  list(from: number, limit: number, last: number): Listing<ListedHost> {
    const to = Math.min(last, from + limit - 1);
    const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    const items = numbers.map((number) => this.listed(this.#crawl.hosts.byNumber(number)));
    return { cursor: to < last ? String(to + 1) : null, items };
  }

  protected now(): number {
    return this.#crawl.now();
  }

  protected get counts() {
    return this.#crawl.counts;
  }

  protected isKnown(fingerprint: Uint8Array): boolean {
    return this.#crawl.fingerprints.has(fingerprint, this.counts);
  }

  protected learn(fingerprint: Uint8Array): boolean {
    return this.#crawl.fingerprints.add(fingerprint, this.counts);
  }

  protected find(key: HostKey): StoredHost | undefined {
    return this.#crawl.hosts.find(key);
  }

  protected hostOf(key: HostKey): StoredHost {
    return this.#crawl.hostOf(key);
  }

  protected due(now: number, most: number): StoredHost[] {
    const { hosts } = this.#crawl;
    hosts.syncIndex();
    return hosts.due(now, most).map((number) => hosts.byNumber(number));
  }

  protected dueAt({ dueAt }: StoredHost): number | null {
    return dueAt;
  }

  protected setDue(host: StoredHost, at: number | null): void {
    host.holder = host.leaseEndsAt === null ? FREE : this.#crawl.holder;
    this.#crawl.hosts.setDue(host, at);
  }

  /** A place that is too early is corrected when its time has come: most renewals move nothing. */
  protected renew(host: StoredHost, at: number): void {
    this.setDue(host, host.dueAt === null ? at : Math.min(host.dueAt, at));
  }
}
