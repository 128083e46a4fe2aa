// A host under our lease: its clock, what its authorities ask for, the entries that came with the lease, the one request
// that may be under way (its slot), and what the next commit has to say about it. Plain state with a few readings.
//
//   store ──lease──▶ buffer ──take──▶ slot ──exchanged──▶ unsettled ──settle──▶ changes ──commit──▶ store

import type { HostWait } from '../frontier-event.js';
import { ENTRIES_PER_LEASE, LANES_REMEMBERED } from '../limits.js';
import type { HostClock } from '../politeness/host-clock.js';
import { earliestStart, requestInterval } from '../politeness/interval.js';
import type { Politeness } from '../politeness/profile.js';
import type { QueueItem } from '../records/record.js';
import { type AskedNow, askedNow, type HostAsks, rankAskers } from '../robots/host-asks.js';
import type { EntryId, FencingToken, HostKey, Lease, Requeue } from '../store.js';
import { decodeHostState, encodeHostState, newHostState } from './host-state.js';

/** An entry that came with the lease. */
export interface QueuedEntry {
  readonly id: EntryId;
  readonly priority: number;
  readonly item: QueueItem;
  /** The authority that answers it: whose rules and lane count. */
  readonly authority: string;
}

/** What the next commit says of the host. */
export interface HostChanges {
  done: EntryId[];
  requeue: Requeue[];
  /** Lane → epoch milliseconds until which it is held; a time that has passed opens it. */
  lanes: Map<string, number>;
}

/** A host under our lease. */
export interface LeasedHost {
  readonly key: HostKey;
  readonly fencingToken: FencingToken;
  /** Its place among the hosts that may be asked next; written by the heap only. */
  heapAt: number;
  /** Epoch milliseconds, counted from before the request for the lease left. */
  leaseEndMs: number;
  readonly leasedAtMs: number;
  /**
   * `arriving`: what its authorities ask for is still being read, so nothing may be asked or said of it yet.
   * `leaving`: its release is under way. `lost`: another holder has it, or may have.
   */
  status: 'arriving' | 'held' | 'leaving' | 'lost';

  clock: HostClock;
  /** Pages that count against the bound, and those handed out that may. */
  pages: number;
  pagesInHand: number;
  /** Decoded bytes it has sent. */
  bytes: number;
  /** The crawl's running time at its first request, milliseconds; `null` before it. */
  firstRunMs: number | null;
  readonly asks: Map<string, HostAsks>;
  floorDelayMs: number;
  /** No request before this time: work came back with it. */
  notBeforeMs: number;
  /** The time at which its address is to be asked for again, where that is why work came back. */
  addressAtMs: number | null;

  /** Leased, not handed out, in the order in which they go. */
  readonly buffer: QueuedEntry[];
  /** Pieces of work handed out and not settled. */
  unsettled: number;
  /** The piece of work whose request may be under way. */
  slot: object | null;
  /** Redirect chains of our authorities that wait elsewhere: authority → epoch milliseconds at which they count as failed. */
  readonly chains: Map<string, number>;
  /** Exchanges since it was leased. */
  exchanges: number;
  /** The store had nothing more for us when last asked. */
  isDry: boolean;
  /** Entries that the store keeps back, as it said at the lease. */
  queued: number;
  changes: HostChanges;
  /** Lanes held during this lease: authority → epoch milliseconds. */
  readonly lanesHeld: Map<string, number>;
  /** The earliest retry that this lease put back into the queue, epoch milliseconds; `null`: none. */
  retryAtMs: number | null;
  /** A closed time was met: no page before this time. `null`: none. */
  closed: AskedNow['closed'];
  /** Until when it was told to be closed: told once per closing. */
  closedToldMs: number;
}

/** Nothing to say. Never throws. */
export function noChanges(): HostChanges {
  return { done: [], requeue: [], lanes: new Map() };
}

/**
 * A host as it comes with a lease.
 *
 * @param sentAtMs - Before the request for the lease left.
 * @param nowMs - After it was answered: ages count from here.
 * @throws Never. State that cannot be read counts as "asked just now", the slower reading.
 */
export function leasedHost(
  lease: Lease,
  sentAtMs: number,
  nowMs: number,
): LeasedHost & { readonly askers: readonly string[] } {
  const fresh = newHostState();
  const kept = lease.state === null ? fresh : decodeHostState(lease.state, nowMs);
  const state = kept ?? { ...fresh, clock: { ...fresh.clock, lastStartMs: nowMs, lastEndMs: nowMs } };
  return {
    key: lease.host,
    fencingToken: lease.fencingToken,
    heapAt: -1,
    leaseEndMs: sentAtMs + lease.ttlMs,
    leasedAtMs: nowMs,
    status: 'arriving',
    clock: state.clock,
    pages: state.pages,
    pagesInHand: 0,
    bytes: state.bytes,
    firstRunMs: state.firstRunMs,
    asks: new Map(),
    floorDelayMs: state.floorDelayMs,
    notBeforeMs: nowMs + lease.notBeforeMs,
    addressAtMs: null,
    buffer: [],
    unsettled: 0,
    slot: null,
    chains: new Map(),
    exchanges: 0,
    isDry: false,
    queued: lease.queued,
    changes: noChanges(),
    lanesHeld: new Map(),
    retryAtMs: null,
    closed: null,
    closedToldMs: 0,
    askers: state.askers,
  };
}

/** What its authorities ask for now. Never throws. */
export function hostAsksNow(host: LeasedHost, nowMs: number): AskedNow {
  return askedNow(host.asks, host.floorDelayMs, nowMs);
}

/**
 * When the host's next request may start, without regard to closed times.
 *
 * @throws Never.
 * @see specification, access §9 and §10
 */
export function nextStart(
  host: LeasedHost,
  asked: AskedNow,
  politeness: Politeness,
): { atMs: number; reason: HostWait['reason'] } {
  const start = earliestStart(host.clock, asked, politeness);
  if (host.notBeforeMs <= start.atMs) return start;
  return { atMs: host.notBeforeMs, reason: host.addressAtMs === host.notBeforeMs ? 'address-shared' : 'not-before' };
}

/** The longest interval in force, milliseconds. Never throws. */
export function currentIntervalMs(host: LeasedHost, asked: AskedNow, politeness: Politeness): number {
  const { lastRetrievalMs, adaptiveMs } = host.clock;
  const { fromEndMs, fromStartMs } = requestInterval({ politeness, lastRetrievalMs, ...asked, adaptiveMs });
  return Math.max(fromEndMs, fromStartMs);
}

/** Whether nothing of it is in hand. Never throws. */
export function isIdle(host: LeasedHost): boolean {
  return host.unsettled === 0 && host.slot === null && host.chains.size === 0;
}

/**
 * The state to keep with the lease.
 *
 * @param asOfMs - The time before which nobody else can have the host.
 * @throws Never.
 */
export function stateOf(host: LeasedHost, asOfMs: number): Uint8Array {
  const { askers, restDelayMs } = rankAskers(host.asks);
  const floorDelayMs = Math.max(host.floorDelayMs, restDelayMs);
  const { clock, pages, bytes, firstRunMs } = host;
  return encodeHostState({ clock, pages, bytes, firstRunMs, askers, floorDelayMs }, asOfMs);
}

/** Puts entries where they belong: by priority, behind those of the same priority. Never throws. */
export function enqueue(host: LeasedHost, entries: readonly QueuedEntry[]): void {
  for (const entry of entries) {
    let at = host.buffer.length;
    while (at > 0 && host.buffer[at - 1]!.priority > entry.priority) at -= 1;
    host.buffer.splice(at, 0, entry);
  }
}

/**
 * Holds a lane here and, with the next commit, in the store. Its entries stay in hand, so that a release puts them back
 * where they were; past a bound they go back into the queue at once, to make room for the host's other lanes.
 *
 * @throws Never.
 */
export function holdLane(host: LeasedHost, lane: string, untilMs: number): void {
  host.changes.lanes.set(lane, untilMs);
  host.lanesHeld.set(lane, untilMs);
  if (host.lanesHeld.size > LANES_REMEMBERED) host.lanesHeld.delete(host.lanesHeld.keys().next().value ?? '');
  if (host.buffer.length <= 2 * ENTRIES_PER_LEASE) return;
  const isOfLane = (entry: QueuedEntry) => entry.item.kind === 'page' && entry.authority === lane;
  for (const { id } of host.buffer.filter(isOfLane)) host.changes.requeue.push({ id });
  host.buffer.splice(0, host.buffer.length, ...host.buffer.filter((entry) => !isOfLane(entry)));
}

/** Whether an entry stands in a lane that is held. Never throws. */
export function isHeldBack(host: LeasedHost, entry: QueuedEntry, nowMs: number): boolean {
  return entry.item.kind === 'page' && (host.lanesHeld.get(entry.authority) ?? 0) > nowMs;
}

/** Entries in the buffer that no held lane keeps back. Never throws. */
export function readyEntries(host: LeasedHost, nowMs: number): number {
  if (host.lanesHeld.size === 0) return host.buffer.length;
  return host.buffer.reduce((count, entry) => count + (isHeldBack(host, entry, nowMs) ? 0 : 1), 0);
}

/** Opens a lane that is held, if it is. @returns Whether it was. Never throws. */
export function openLane(host: LeasedHost, lane: string): boolean {
  if (!host.lanesHeld.delete(lane)) return false;
  host.changes.lanes.set(lane, 0);
  return true;
}
