// Spacing that hosts share: per address, and for the whole crawl. Processes that share a store share both through its
// slots (`reserve`).
//
// Hosts of one address are requested one at a time, and the longer interval of the two hosts passes from the end of one
// exchange to the start of the next. The address is known only at egress, so a host that finds its address taken gets a
// time to come back at, in the order of asking. Until then its work is back in its queue. An address is shared by all
// hosts, or by those of one registrable domain: then the slot's name contains the domain too. Another process may
// overlap an exchange that takes longer than its own interval. Within a domain it may also overlap an exchange of a
// process that knows only one host there.
//
// A process that continues a crawl does not know which addresses were requested last. Each one rests for the shortest
// interval (`restMs`) from when the store was opened. Longer intervals are reserved in the store, and looked up once.
//
// The crawl makes no more requests per second than the operator allows, evenly spaced: planned when work is taken, and
// checked again right before the socket.

import type { FrontierStore, HostKey } from '../store.js';
import { MAX_ADDRESS_REST_MS, MAX_HOSTS_WAITING_PER_ADDRESS, MAX_KNOWN_ADDRESSES } from './limits.js';

type SlotStore = Pick<FrontierStore, 'capabilities' | 'reserve'>;

interface Slot {
  readonly address: string;
  holder: HostKey | null;
  /** Whether other processes are asked. */
  isShared: boolean;
  /** Whether an earlier process may have reserved it, and the store has not been asked. */
  mayBeReserved: boolean;
  /** The host that used it last, which keeps its own pause by its own clock. */
  lastHost: HostKey | null;
  takenAtMs: number;
  lastEndMs: number;
  /** The interval of the host that was requested last. */
  lastIntervalMs: number;
  /** How long its last exchange took. */
  lastExchangeMs: number;
  /** Where the line of waiting hosts ends. */
  queueEndMs: number;
  /** When each waiting host may come back; `isReserved`: whether the store knows the time. */
  readonly waiting: Map<HostKey, { readonly atMs: number; readonly isReserved: boolean }>;
}

/** How much later than reserved a host may still use its time, milliseconds, because timers are late. */
const RESERVATION_TOLERANCE_MS = 50;
/** How long an address may be free before a waiting host notices, milliseconds. */
const MAX_NOTICE_DELAY_MS = 1_000;
/** How many addresses are checked to find one to forget. */
const MAX_FORGET_CANDIDATES = 16;

/**
 * The spacing of addresses. All times are epoch milliseconds.
 *
 * @param isForAllDomains - Whether hosts of all domains are spaced by address. If not, most addresses have one host
 *   here, and the store is asked only about addresses with two: asking costs a commit.
 * @param minMs - The shortest interval.
 * @param fail - Called when the store fails and no caller waits for it.
 */
export function createAddressSlots(
  store: SlotStore,
  isForAllDomains: boolean,
  minMs: number,
  fail: (error: unknown) => void,
) {
  const slots = new Map<string, Slot>();
  /** How long addresses rest when a crawl is continued. Longer intervals are reserved in the store. */
  const restMs = Math.min(minMs, MAX_ADDRESS_REST_MS);
  /** When every address has rested since the crawl was continued; 0: the crawl is new. */
  let restedAtMs = 0;
  /** By the host that has it. */
  const taken = new Map<HostKey, Slot>();

  /** The crawl is continued: an earlier process may just have made a request to any address. */
  function restAll(nowMs: number): void {
    restedAtMs = nowMs + restMs;
  }

  /**
   * Takes an address for a host if it is free.
   *
   * @returns When to come back; `null`: the address is the host's until `free`. A promise only if the store is asked;
   *   it rejects with what the store throws.
   */
  function tryTake(
    host: HostKey,
    address: string,
    intervalMs: number,
    nowMs: number,
  ): number | null | Promise<number | null> {
    const slot = slotOf(address, nowMs);
    slot.isShared ||= isShared(host, slot);
    const gapMs = Math.max(intervalMs, slot.lastIntervalMs);
    const stepMs = gapMs + slot.lastExchangeMs;
    const freeMs = slot.lastHost === host ? nowMs : slot.lastEndMs + gapMs;
    const readyMs = slot.holder === null ? freeMs : retryTimeMs(slot, gapMs, nowMs);
    const ownTurn = slot.waiting.get(host);
    if (ownTurn === undefined && slot.queueEndMs > nowMs)
      return enqueue(slot, host, Math.max(slot.queueEndMs, readyMs), stepMs, false);
    if (ownTurn !== undefined && ownTurn.atMs > nowMs) return ownTurn.atMs;
    if (readyMs > nowMs) return enqueue(slot, host, readyMs, stepMs, false);
    slot.waiting.delete(host);
    slot.holder = host;
    slot.takenAtMs = nowMs;
    taken.set(host, slot);
    const { mayBeReserved } = slot;
    const isAlone = !slot.isShared;
    slot.mayBeReserved = false;
    const hasReserved = ownTurn?.isReserved === true && nowMs - ownTurn.atMs <= RESERVATION_TOLERANCE_MS;
    if (isAlone ? !mayBeReserved && intervalMs <= restMs : hasReserved) return null;
    return (isAlone ? extend(address, intervalMs) : reserve(address, intervalMs)).then((waitMs) => {
      // The host's own reservation ends a little after its own pause. A host that is alone here has no other.
      if (waitMs <= (slot.lastHost === host ? RESERVATION_TOLERANCE_MS : 0) || (isAlone && !mayBeReserved)) return null;
      slot.holder = null;
      taken.delete(host);
      return enqueue(slot, host, nowMs + waitMs, stepMs, !isAlone);
    });
  }

  /** Releases the host's address, if it has one. `endedAtMs`: the end of the exchange; `null`: no request was sent. */
  function free(host: HostKey, endedAtMs: number | null, intervalMs: number): void {
    const slot = taken.get(host);
    if (slot === undefined) return;
    taken.delete(host);
    slot.holder = null;
    if (endedAtMs === null) return;
    slot.lastHost = host;
    slot.lastExchangeMs = Math.max(0, endedAtMs - slot.takenAtMs);
    slot.lastEndMs = Math.max(slot.lastEndMs, endedAtMs);
    slot.lastIntervalMs = intervalMs;
    // The reservation made at the start lacks the duration of the exchange: add the rest.
    if (slot.isShared || intervalMs > restMs) extend(slot.address, intervalMs).catch(fail);
  }

  function isShared(host: HostKey, { holder, lastHost }: Slot): boolean {
    const hasOther = [holder, lastHost].some((other) => other !== null && other !== host);
    return (hasOther || isForAllDomains) && store.capabilities.shared && store.reserve !== undefined;
  }

  async function reserve(address: string, delayMs: number): Promise<number> {
    const [waitMs = 0] = (await store.reserve?.([{ key: `address ${address}`, delayMs }])) ?? [];
    return waitMs;
  }

  /** Reserves an address until this long from now. @returns How long it was reserved. */
  async function extend(address: string, ms: number): Promise<number> {
    const waitMs = await reserve(address, 0);
    if (waitMs < ms) await reserve(address, ms - waitMs);
    return waitMs;
  }

  function slotOf(address: string, nowMs: number): Slot {
    const slot = slots.get(address) ?? newSlot(address, restedAtMs);
    slots.delete(address);
    slots.set(address, slot);
    if (slots.size > MAX_KNOWN_ADDRESSES) forgetIdle(nowMs);
    return slot;
  }

  /** Forgets the least recently used of the addresses that no host waits for. */
  function forgetIdle(nowMs: number): void {
    let checked = 0;
    for (const [address, slot] of slots) {
      checked += 1;
      if (checked > MAX_FORGET_CANDIDATES) return;
      if (slot.holder !== null || slot.queueEndMs > nowMs || slot.lastEndMs + slot.lastIntervalMs > nowMs) continue;
      slots.delete(address);
      return;
    }
  }

  return { restAll, tryTake, free };
}

function newSlot(address: string, restedAtMs: number): Slot {
  const free = { holder: null, isShared: false, mayBeReserved: restedAtMs > 0, lastHost: null };
  const never = { takenAtMs: 0, lastEndMs: Number.NEGATIVE_INFINITY, lastIntervalMs: 0 };
  return { address, ...free, ...never, lastExchangeMs: 0, queueEndMs: restedAtMs, waiting: new Map() };
}

/**
 * When a taken slot is worth asking for again. Its exchange has not ended, so the gap after it begins now or later. A
 * slot with a short gap or none is asked for at intervals that grow with the wait.
 */
function retryTimeMs({ takenAtMs, lastExchangeMs }: Slot, gapMs: number, nowMs: number): number {
  return Math.max(
    takenAtMs + lastExchangeMs + gapMs,
    nowMs + Math.max(1, gapMs, Math.min(MAX_NOTICE_DELAY_MS, (nowMs - takenAtMs) / 8)),
  );
}

/** Puts a host in line. @returns When it may come back. */
function enqueue(slot: Slot, host: HostKey, atMs: number, stepMs: number, isReserved: boolean): number {
  const at = Math.ceil(atMs);
  if (slot.waiting.size < MAX_HOSTS_WAITING_PER_ADDRESS || slot.waiting.has(host))
    slot.waiting.set(host, { atMs: at, isReserved });
  slot.queueEndMs = Math.max(slot.queueEndMs, at + stepMs);
  return at;
}

/** The key under which processes share the pace. */
const PACE_KEY = 'pace of the crawl';

/**
 * The crawl's pace. All times are epoch milliseconds.
 *
 * @param intervalMs - Between two requests, from start to start; `null`: no limit.
 */
export function createCrawlPace(intervalMs: number | null, store: SlotStore) {
  let lastTakenMs = Number.NEGATIVE_INFINITY;
  let lastStartMs = Number.NEGATIVE_INFINITY;
  let plannedMs: number | null = null;

  /** Makes sure that the next time is planned. Rejects with what the store throws. */
  async function prepare(nowMs: number): Promise<void> {
    if (intervalMs === null) return;
    // A time that was not used for an interval is planned again: others may have relied on it.
    if (plannedMs !== null && plannedMs > nowMs - intervalMs) return;
    const ownMs = Math.max(nowMs, lastTakenMs + intervalMs);
    plannedMs = ownMs;
    if (!store.capabilities.shared || store.reserve === undefined) return;
    const [waitMs = 0] = await store.reserve([{ key: PACE_KEY, delayMs: intervalMs }]);
    plannedMs = Math.max(ownMs, nowMs + waitMs);
  }

  /** When the next work may be taken; 0: no limit. */
  function nextAtMs(): number {
    if (intervalMs === null) return 0;
    return Math.ceil(plannedMs ?? lastTakenMs + intervalMs);
  }

  function noteTaken(nowMs: number): void {
    lastTakenMs = nowMs;
    plannedMs = null;
  }

  /** When the next request may be sent; 0: no limit. */
  function mayStartAtMs(): number {
    return intervalMs === null ? 0 : Math.ceil(lastStartMs + intervalMs);
  }

  function noteStarted(nowMs: number): void {
    lastStartMs = nowMs;
  }

  return { prepare, nextAtMs, noteTaken, mayStartAtMs, noteStarted };
}
