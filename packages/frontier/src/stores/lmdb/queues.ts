// The verbs on the file. Each that writes is one synchronous step inside a transaction, on the store's own clock. The
// memory store is the readable reference of what they mean. The letters are the contract's.

import type { AddOutcome, HostCommit, HostCommitAnswer, LeaseRequest, NewEntry, ReserveSlot } from '../../store.js';
import type { StoreQueues } from '../checked-store.js';
import type { CrawlState } from './crawl-state.js';
import { GroupCommit, type Urgency } from './group-commit.js';
import type { Host } from './host.js';
import { listedEntry } from './host-entries.js';
import { LmdbLeases } from './leases.js';
import { addHolder, anchorClock, removeHolder } from './meta.js';
import { LmdbRecords } from './records.js';
import { kindStart } from './rows.js';

const LAST_HOST = 0xffff_ffff;

interface QueuesOptions {
  readonly maxQueued: number;
  readonly firstDelayMs: number;
  readonly commitEveryMs: number;
  readonly nowMs: (() => number) | null;
}

/** The verbs of one client. `now` is the store's clock, milliseconds, never going back. */
export class LmdbQueues implements StoreQueues {
  readonly #crawl: CrawlState;
  readonly #options: QueuesOptions;
  readonly #leases: LmdbLeases;
  readonly #records: LmdbRecords;
  readonly #group: GroupCommit;
  /** Writes of records that are not committed yet. */
  #recordsPending = 0;

  /** @param transact - Runs verbs in one transaction of the crawl. */
  constructor(crawl: CrawlState, options: QueuesOptions, transact: (verbs: () => void) => void) {
    this.#crawl = crawl;
    this.#options = options;
    this.#leases = new LmdbLeases(crawl, options.firstDelayMs);
    this.#records = new LmdbRecords(crawl.tables);
    this.#group = new GroupCommit(transact, options.commitEveryMs);
  }

  /** Registers this client, once the leases of clients that are proven dead have ended (O1). */
  join(owner: string): void {
    const crawl = this.#crawl;
    const { meta } = crawl.tables;
    crawl.transact(() => {
      crawl.clock = this.#options.nowMs ?? anchorClock(meta, crawl.counts.latestMs);
      this.#leases.endThoseOfTheDead();
      crawl.holder = addHolder(meta, owner).number;
      crawl.holdersChanged();
    });
  }

  /** Commits what is pending. */
  flush(): void {
    this.#group.flush();
  }

  /** A client with leases stays registered, so that they can be ended once its process is gone. */
  leave(): void {
    const crawl = this.#crawl;
    crawl.transact(() => {
      if (this.#leases.hasOwn()) return;
      removeHolder(crawl.tables.meta, crawl.holder);
      crawl.holdersChanged();
    });
  }

  closeFile(): Promise<void> {
    return this.#crawl.tables.close();
  }

  commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const commit = () => {
      const now = this.#crawl.now();
      // Links first: a host that is released in the same commit sees its new entries (C4).
      const outcomes = links.map((entry) => this.#addOne(entry, now));
      return { hosts: hosts.map((part) => this.#commitOne(part, now)), links: outcomes };
    };
    return this.#submit(commit, hosts.length + links.length, 'later', hosts.length);
  }

  lease(request: LeaseRequest) {
    return this.#submit(() => this.#leases.lease(request, this.#crawl.now()), request.maxHosts, 'now');
  }

  wake(key: string) {
    const wake = () => {
      const host = this.#crawl.hosts.find(key);
      if (host === undefined || !host.isParked) return;
      host.isParked = false;
      this.#crawl.counts.parked -= 1;
      this.#leases.index(host, this.#crawl.now());
    };
    return this.#submit(wake, 1, 'now');
  }

  /** Perhaps too early, never too late. */
  nextDueInMs() {
    this.#crawl.tables.refresh();
    const isAnyQueued = this.#crawl.freshCounts().unfinished > 0;
    const earliest = isAnyQueued ? this.#leases.earliest() : Number.POSITIVE_INFINITY;
    // A pending verb may make a host due.
    const dueInMs = Math.min(Math.max(0, earliest - this.#crawl.now()), this.#group.dueInMs);
    return Number.isFinite(dueInMs) ? dueInMs : null;
  }

  readRecord(key: string) {
    if (this.#recordsPending > 0) this.#group.flush();
    this.#crawl.tables.refresh();
    return this.#records.read(key);
  }

  writeRecord(key: string, value: Uint8Array | null) {
    this.#recordsPending += 1;
    const write = () => {
      this.#recordsPending -= 1;
      this.#records.write(key, value);
      this.#crawl.changed();
    };
    return this.#submit(write, 1, 'later');
  }

  listRecords(prefix: string, cursor: string | null, limit: number) {
    if (this.#recordsPending > 0) this.#group.flush();
    this.#crawl.tables.refresh();
    return this.#records.list(prefix, cursor, limit);
  }

  reserve(slots: readonly ReserveSlot[]) {
    const reserve = () => {
      this.#crawl.changed();
      return this.#records.reserve(slots, this.#crawl.now());
    };
    return this.#submit(reserve, slots.length, 'now');
  }

  stats() {
    this.#settle();
    const { unfinished, inFlight, known, hosts, leased, parked } = this.#crawl.freshCounts();
    return { queued: unfinished - inFlight, inFlight, known, hosts, leased, parked };
  }

  readHost(key: string) {
    this.#settle();
    this.#crawl.freshCounts();
    const host = this.#crawl.hosts.find(key);
    if (host === undefined) return null;
    const { state, queued, inFlight, leaseEndsAt, isParked, dueAt } = host;
    const dueInMs = dueAt === null ? null : Math.max(0, dueAt - this.#crawl.now());
    return { state, queued, inFlight: inFlight.size, isLeased: leaseEndsAt !== null, isParked, dueInMs };
  }

  /** A walk over the entries by host; the cursor is the last key. */
  scan(cursor: string | null, limit: number, only?: string) {
    this.#settle();
    const { hosts, tables } = this.#crawl;
    this.#crawl.freshCounts();
    const number = only === undefined ? null : hosts.find(only)?.number;
    if (number === undefined) return { cursor: null, items: [] };
    const start = cursor === null ? kindStart(number ?? 0, 0) : Buffer.from(cursor, 'hex');
    const end = kindStart(number === null ? LAST_HOST : number + 1, 0);
    const rows = [...tables.entries.getRange({ start, end, limit, exclusiveStart: cursor !== null })];
    const items = rows.map((row) => {
      const host = hosts.byNumber(row.key.readUInt32BE(0));
      return { host: host.key, entry: listedEntry(host, row) };
    });
    return { cursor: rows.length < limit ? null : (rows.at(-1)?.key.toString('hex') ?? null), items };
  }

  /** Commits what is pending; reads that follow see it, and what other processes have committed. */
  #settle(): void {
    this.#group.flush();
    this.#crawl.tables.refresh();
  }

  #submit<T>(verb: () => T, weight: number, urgency: Urgency, pages = 0): Promise<T> {
    return this.#group.submit(verb, Math.max(1, weight), urgency, pages);
  }

  #addOne(entry: NewEntry, now: number): AddOutcome {
    const { counts, fingerprints, entries, hosts } = this.#crawl;
    const { fingerprint, lane = null, priority, body, notBeforeMs = 0, dedupe = true } = entry;
    if (counts.unfinished >= this.#options.maxQueued) {
      return dedupe && fingerprints.has(fingerprint, counts) ? 'known' : 'full';
    }
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
