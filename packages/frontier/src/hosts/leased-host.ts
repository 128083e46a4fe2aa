// A host under our lease: its clock, its authorities' requirements, its slot (the one request that may be in flight),
// the counters of what it has served, and its entries.
//
//   store ──lease──▶ entries ──takeSlot──▶ slot ──exchanged──▶ unsettled ──endWork──▶ changes ──commit──▶ store

import type { HostWait } from '../frontier-event.js';
import { ENTRIES_PER_LEASE } from '../limits.js';
import type { HostSettings } from '../options/host-settings.js';
import {
  afterExchange,
  type ClockWarning,
  type EarliestStart,
  earliestStart,
  type HostClock,
  requestInterval,
} from '../politeness/host-clock.js';
import type { HeapMember } from '../ready-heap.js';
import {
  type AuthorityRules,
  type ClosedTime,
  type RequirementsNow,
  SpacingRequirements,
} from '../robots/authority-rules.js';
import type { EntryId, FencingToken, HostCommit, HostKey, Lease } from '../store.js';
import type { Exchange } from '../work.js';
import { decodeHostState, encodeHostState, type HostUse, newHostState, usedSince } from './host-state.js';
import { LeasedEntries } from './leased-entries.js';

/**
 * `arriving`: its authorities' requirements are still being read, so no request is sent and nothing is committed.
 * `leaving`: its release is under way. `lost`: another process holds it, or may hold it.
 */
export type LeaseStatus = 'arriving' | 'leased' | 'leaving' | 'lost';

/**
 * A host under our lease. All times are epoch milliseconds. Its fields are for reading; its methods change them, and
 * the flow sets `status` to `leased` and `lost`, `late`, `closed`, and what waits in `chains`.
 */
export class LeasedHost implements HeapMember {
  readonly key: HostKey;
  readonly fencingToken: FencingToken;
  readonly leasedAtMs: number;
  readonly settings: HostSettings;
  readonly entries = new LeasedEntries();
  /** What its authorities require. */
  readonly requirements: SpacingRequirements;
  /** Authorities that had requirements at the last commit. Their rules are read when the lease begins. */
  readonly spacingAuthorities: readonly string[];
  status: LeaseStatus = 'arriving';
  /** Counted from a time before the request for the lease was sent. */
  leaseEndMs: number;
  /** Whether the store had no more entries for us at the last commit. */
  isDrained: boolean;
  clock: HostClock;
  /** What counts against the host's bounds. */
  used: HostUse;
  /** Pages in flight that may still count against the bound. */
  pagesInFlight = 0;
  /** Works that are handed out and not settled. */
  unsettled = 0;
  exchanges = 0;
  /** The authority whose robots.txt the last exchange was for; `null`: it was for something else, or is unknown. */
  lastRobotsAuthority: string | null;
  /** Redirect chains of its authorities that wait at other hosts: authority → when they count as failed. */
  readonly chains = new Map<string, number>();
  /** The entries of the commit that lost the lease, and whether it took effect after all; `null`: it did not. */
  late: { readonly done: readonly EntryId[]; readonly answer: Promise<boolean> } | null = null;
  /** A closed time that a page fell into: no page before its end. */
  closed: ClosedTime | null = null;

  heapIndex = -1;
  /** Its virtual time. Only `HostOrder` changes this field and the next. */
  virtualTime = 0;
  /** The weight of its last turn; 0: the host is not ours. */
  turnWeight = 0;

  /** The time before which no request may start, besides its interval, and why. */
  #notBefore: EarliestStart = { atMs: 0, reason: 'not-before' };
  #slot: object | null = null;
  #queued: number;
  #retryAtMs: number | null = null;

  /**
   * @param leaseEndMs - Counted from a time before the request for the lease was sent.
   * @param nowMs - A time after the answer; ages count from here. Unreadable state counts as "a request was made just
   *   now", the slower reading.
   */
  constructor(lease: Lease, settings: HostSettings, leaseEndMs: number, nowMs: number, countSinceMs = 0) {
    const stored = lease.state === null ? newHostState() : decodeHostState(lease.state, nowMs);
    const { clock, used, spacingAuthorities, minDelayMs, lastRobotsAuthority } = stored ?? newHostState();
    this.key = lease.host;
    this.fencingToken = lease.fencingToken;
    this.leasedAtMs = nowMs;
    this.settings = settings;
    this.spacingAuthorities = spacingAuthorities;
    this.leaseEndMs = leaseEndMs;
    this.clock = clock;
    this.lastRobotsAuthority = lastRobotsAuthority;
    if (stored === null) this.restartClock(nowMs);
    this.used = usedSince(used, countSinceMs);
    this.requirements = new SpacingRequirements(minDelayMs);
    this.isDrained = lease.entries.length < ENTRIES_PER_LEASE;
    this.#queued = lease.queued;
  }

  // ── Lease ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The lease was renewed. The store gave `received` of `requested` entries. */
  renewed(leaseEndMs: number, received: number, requested: number): void {
    this.leaseEndMs = leaseEndMs;
    this.#queued -= received;
    this.isDrained = received < requested;
  }

  /** What the commit about to be sent reports, state included. A host that is released leaves with it. */
  commit(then: HostCommit['then'], delayMs: number, nowMs: number): HostCommit {
    if ('release' in then) this.status = 'leaving';
    // The state is as of the time before which no other process can get the host: if its holder vanishes, the store
    // grants it `delayMs` after the end of the lease.
    const freeInMs = 'release' in then ? (then.release.dueInMs ?? delayMs) : delayMs;
    const { key: host, fencingToken, clock, used, lastRobotsAuthority } = this;
    const stored = { clock, used, lastRobotsAuthority, ...this.requirements.toStore() };
    const state = encodeHostState(stored, nowMs + freeInMs);
    return { host, fencingToken, ...this.entries.takeChanges(nowMs), state, delayMs, then };
  }

  // ── Entries and counters ───────────────────────────────────────────────────────────────────────────────────────────

  /** Entries in this process and in the store that are not handed out. */
  get queued(): number {
    return Math.max(0, this.#queued) + this.entries.count;
  }

  /** Notes that an entry was queued for the host in the store. @returns Whether there is something to fetch again. */
  noteQueued(): boolean {
    this.#queued += 1;
    const wasDrained = this.isDrained;
    this.isDrained = false;
    return wasDrained;
  }

  /** Whether its pages in flight may use up the rest of its pages. */
  get mayReachBound(): boolean {
    const { pagesPerHost } = this.settings.limits;
    return pagesPerHost !== null && this.used.pages + this.pagesInFlight >= pagesPerHost;
  }

  countPage(): void {
    this.used = { ...this.used, pages: this.used.pages + 1 };
  }

  /** Returns an entry to the store's queue, to be retried `waitMs` from now. */
  retryLater(id: string, body: Uint8Array, waitMs: number, nowMs: number): void {
    this.noteDelayedEntry(waitMs, nowMs);
    this.entries.requeue({ id, body, notBeforeMs: Math.ceil(waitMs) });
    this.#queued += 1;
  }

  /** Notes that the store gets an entry of the host that may be tried `waitMs` from now. */
  noteDelayedEntry(waitMs: number, nowMs: number): void {
    const other = this.#retryAtMs;
    const atMs = nowMs + waitMs;
    this.#retryAtMs = other !== null && other > nowMs ? Math.min(other, atMs) : atMs;
  }

  // ── Slot ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether a request may be in flight. */
  get isBusy(): boolean {
    return this.#slot !== null;
  }

  /** Whether none of its work is in flight or waits elsewhere. */
  get isIdle(): boolean {
    return this.unsettled === 0 && this.#slot === null && this.chains.size === 0 && !this.entries.hasHeldLanes;
  }

  hasSlot(work: object): boolean {
    return this.#slot === work;
  }

  /** Gives the slot to the work. `isPage`: a queued page, which may count against the bound of pages. */
  takeSlot(work: object, isPage: boolean): void {
    this.#slot = work;
    this.unsettled += 1;
    if (isPage) this.pagesInFlight += 1;
  }

  /** The work is settled or released. @returns Whether it still had the slot. */
  endWork(work: object, isPage: boolean): boolean {
    const hadSlot = this.#slot === work;
    if (hadSlot) this.#slot = null;
    this.unsettled -= 1;
    if (isPage) this.pagesInFlight -= 1;
    return hadSlot;
  }

  /**
   * Ends the exchange of the work that has the slot: the slot is free, the clock starts.
   *
   * @param robotsAuthority - The authority whose robots.txt it was for; `null`: for something else.
   * @param runningMs - The crawl's running time at the start of the exchange.
   */
  exchanged(exchange: Exchange, robotsAuthority: string | null, runningMs: number, nowMs: number): ClockWarning[] {
    const after = afterExchange(this.clock, exchange, this.intervalMs(nowMs), robotsAuthority !== null);
    this.clock = after.clock;
    this.lastRobotsAuthority = robotsAuthority;
    this.exchanges += 1;
    const bytes = this.used.bytes + exchange.bytes;
    const firstRequestRunningMs = this.used.firstRequestRunningMs ?? runningMs;
    this.used = { ...this.used, bytes, firstRequestRunningMs };
    this.#slot = null;
    return after.warnings;
  }

  // ── Time ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A request may just have been made, so the interval counts from now. */
  restartClock(nowMs: number): void {
    this.clock = { ...this.clock, lastStartMs: nowMs, lastEndMs: nowMs };
    this.lastRobotsAuthority = null;
  }

  unpark(): void {
    this.clock = { ...this.clock, parked: false, refusedInARow: 0 };
  }

  /** No request may start before this time: work was returned with it, or its IP address is shared and not free. */
  delayUntil(untilMs: number, reason: 'not-before' | 'address-shared' = 'not-before'): void {
    if (untilMs > this.#notBefore.atMs) this.#notBefore = { atMs: untilMs, reason };
  }

  /** When the next request may start, ignoring closed times, and what sets that time (access §9 and §10). */
  nextStart(required: RequirementsNow): EarliestStart {
    const start = earliestStart(this.clock, required.spacing, this.settings.politeness);
    return this.#notBefore.atMs <= start.atMs ? start : this.#notBefore;
  }

  /** When the next page may start, closed times included. */
  nextPageStart(nowMs: number): EarliestStart {
    const start = this.nextStart(this.requirements.at(nowMs));
    const { closed } = this;
    return closed !== null && closed.untilMs > start.atMs ? { atMs: closed.untilMs, reason: closed.reason } : start;
  }

  intervalMs(nowMs: number): number {
    const { spacing } = this.requirements.at(nowMs);
    const { fromEndMs, fromStartMs } = requestInterval(this.clock, spacing, this.settings.politeness);
    return Math.max(fromEndMs, fromStartMs);
  }

  /** Why it waits; `null`: it does not wait. */
  waitAt(nowMs: number): HostWait | null {
    const { key: host, queued } = this;
    if (this.clock.parked) return { host, reason: 'host-parked', untilMs: null, queued };
    const start = this.nextPageStart(nowMs);
    let wait: HostWait | null = start.atMs > nowMs ? { host, reason: start.reason, untilMs: start.atMs, queued } : null;
    if (this.#slot !== null || this.entries.readyCount(nowMs) > 0) return wait;
    // The later time is what the host waits for; the rest of its interval may be a millisecond. A pause stays the
    // reason even if a retry comes a little after it.
    const isPaused = wait?.reason === 'host-paused';
    if (!isPaused && this.#retryAtMs !== null && this.#retryAtMs > Math.max(nowMs, wait?.untilMs ?? 0)) {
      wait = { host, reason: 'not-before', untilMs: this.#retryAtMs, queued };
    }
    // If it has nothing else to hand out, the host waits for the lane that opens first.
    const block = this.entries.firstBlock(nowMs);
    return block === null ? wait : { host, ...block, queued };
  }

  // ── Authorities ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The robots.txt of an authority was answered. @returns Whether this opened a blocked lane. */
  robotsArrived(authority: string, rules: AuthorityRules | null): boolean {
    this.chains.delete(authority);
    this.closed = null;
    this.isDrained = false;
    this.requirements.note(authority, rules?.requirements ?? null);
    return this.entries.openLane(authority);
  }
}
