// The verbs on the file. Each is one synchronous step inside a transaction, on the store's own clock. The memory store
// is the readable reference of what they mean. The letters are the contract's.

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
import type { CrawlState } from './crawl-state.js';
import type { Row } from './environment.js';
import type { Host } from './host.js';
import { listedEntry } from './host-entries.js';
import { LmdbLeases } from './leases.js';

/** Most items of one page of a scan. */
const SCAN_LIMIT = 10_000;
const LAST_HOST = 0xffff_ffff;

/** The verbs of one client. `now` is the store's clock, milliseconds, never going back. */
export class LmdbQueues {
  readonly #crawl: CrawlState;
  readonly #maxQueued: number;
  readonly #leases: LmdbLeases;

  /** @param firstDelayMs - A host's wait after the death of a holder that had not said the delay. */
  constructor(crawl: CrawlState, { maxQueued, firstDelayMs }: { maxQueued: number; firstDelayMs: number }) {
    this.#crawl = crawl;
    this.#maxQueued = maxQueued;
    this.#leases = new LmdbLeases(crawl, firstDelayMs);
  }

  /** Ends the leases of clients that are proven dead (O1). */
  endLeasesOfTheDead(clock: () => number): void {
    this.#leases.endThoseOfTheDead(clock);
  }

  /** Whether this client has a lease that has not ended. */
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
    const host = this.#crawl.hosts.find(key);
    if (host === undefined || !host.isParked) return;
    host.isParked = false;
    this.#crawl.counts.parked -= 1;
    this.#leases.index(host, now);
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[], now: number): CommitAnswer {
    // Links first: a host that is released in the same commit sees its new entries (C4).
    const outcomes = this.add(links, now);
    return { hosts: hosts.map((part) => this.#commitOne(part, now)), links: outcomes };
  }

  /** Outside of a transaction. Perhaps too early, never too late. */
  nextDueInMs(now: number): number | null {
    if (this.#crawl.freshCounts().unfinished === 0) return null;
    const earliest = this.#leases.earliest();
    return Number.isFinite(earliest) ? Math.max(0, earliest - now) : null;
  }

  /** One page of a scan, a walk over the entries by host; the cursor is the last key. Outside of a transaction. */
  scan(cursor: string | null, most: number, only?: HostKey): ScanListing {
    const { hosts, tables } = this.#crawl;
    this.#crawl.freshCounts();
    const number = only === undefined ? null : hosts.find(only)?.number;
    if (number === undefined) return { cursor: null, items: [] };
    const start = cursor === null ? hostPrefix(number ?? 0) : Buffer.from(cursor, 'hex');
    const end = hostPrefix(number === null ? LAST_HOST : number + 1);
    const limit = Math.min(most, SCAN_LIMIT);
    const rows: Row[] = [...tables.entries.getRange({ start, end, limit, exclusiveStart: cursor !== null })];
    const items = rows.map((row) => {
      const host = hosts.byNumber(row.key.readUInt32BE(0));
      return { host: host.key, entry: listedEntry(host, row) };
    });
    return { cursor: rows.length < limit ? null : (rows.at(-1)?.key.toString('hex') ?? null), items };
  }

  /** One host, outside of a transaction. */
  readHost(key: HostKey, now: number): StoredHost | null {
    this.#crawl.freshCounts();
    const host = this.#crawl.hosts.find(key);
    if (host === undefined) return null;
    const { state, queued, inFlight, leaseEndsAt, isParked, dueAt } = host;
    const dueInMs = dueAt === null ? null : Math.max(0, dueAt - now);
    return { state, queued, inFlight: inFlight.size, isLeased: leaseEndsAt !== null, isParked, dueInMs };
  }

  #addOne(entry: NewEntry, now: number): AddOutcome {
    const { counts, fingerprints, entries, hosts } = this.#crawl;
    const { fingerprint, lane = null, priority, body, notBeforeMs = 0, dedupe = true } = entry;
    if (counts.unfinished >= this.#maxQueued) return dedupe && fingerprints.has(fingerprint, counts) ? 'known' : 'full';
    if (!fingerprints.add(fingerprint, counts) && dedupe) return 'known';
    counts.unfinished += 1;
    const host = this.#crawl.hostOf(entry.host);
    const readyAt = notBeforeMs > 0 ? now + notBeforeMs : 0;
    if (entries.add(host, lane, priority, body, readyAt, now)) hosts.changed(host);
    this.#crawl.changed();
    // A leased or parked host is not made due (A3), and one that is due as early as it can be stays where it is.
    const isIdle = host.leaseEndsAt === null && !host.isParked;
    if (isIdle && (host.dueAt === null || host.dueAt > Math.max(now, host.nextAt))) this.#leases.index(host, now);
    return 'new';
  }

  #commitOne(part: HostCommit, now: number): HostCommitAnswer {
    const host = this.#crawl.hosts.find(part.host);
    if (host === undefined || host.leaseEndsAt === null || String(host.fencingToken) !== part.fencingToken) {
      return { ok: false, reason: 'lost' };
    }
    this.#crawl.hosts.changed(host);
    this.#settleEntries(host, part, now);
    if (part.state !== undefined) host.state = part.state;
    if (part.delayMs !== undefined) host.delayMs = part.delayMs;
    for (const { lane, ms } of part.blockLanes ?? []) this.#crawl.entries.block(host, lane, now + ms, now);
    if ('keep' in part.then) {
      const { ttlMs, want } = part.then.keep;
      return { ok: true, entries: this.#leases.keep(host, ttlMs, want, now) };
    }
    this.#leases.release(host, part.then.release.dueInMs, now);
    return { ok: true, entries: [] };
  }

  #settleEntries(host: Host, { done, requeue }: HostCommit, now: number): void {
    const { counts, entries } = this.#crawl;
    const before = host.inFlight.size;
    for (const id of done ?? []) if (entries.finish(host, id)) counts.unfinished -= 1;
    for (const change of requeue ?? []) entries.requeue(host, change, now);
    counts.inFlight += host.inFlight.size - before;
  }
}

function hostPrefix(number: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(number);
  return key;
}
