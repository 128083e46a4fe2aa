// Spacing per address: hosts that share a machine are asked one at a time, and from the end of one exchange to the start
// of the next passes the longer interval of the two hosts. An address is known at the door only, so a host that finds its
// address taken is given a time to come back at, in the order of asking; until then its work is back in its queue.
//
// Processes that share a store share starts and ends through its slots (`reserve`); an exchange that outlasts its own
// interval may be overlapped by another process.

import type { FrontierStore, HostKey } from '../store.js';
import { ADDRESS_LINE_MOST, ADDRESSES_REMEMBERED } from './limits.js';

/** The addresses. All times are epoch milliseconds. */
export interface AddressSlots {
  /**
   * Asks for an address, and takes it when it is free.
   *
   * @returns The time to come back at; `null`: the address is the host's until `free`.
   */
  ask(host: HostKey, address: string, intervalMs: number, nowMs: number): Promise<number | null>;
  /** The host is done with its address, if it has one. `endedAtMs`: of the exchange; `null`: nothing left. */
  free(host: HostKey, endedAtMs: number | null, intervalMs: number): void;
}

interface Slot {
  readonly address: string;
  holder: HostKey | null;
  takenAtMs: number;
  lastEndMs: number;
  /** The interval of the host that was asked last. */
  lastIntervalMs: number;
  /** How long its last exchange took. */
  tookMs: number;
  /** Where the line of those who wait ends. */
  lineEndMs: number;
  /** When each of those who wait may come back; `isReserved`: the store knows it. */
  readonly line: Map<HostKey, { readonly atMs: number; readonly isReserved: boolean }>;
}

/** How much later than reserved a host may still use its time, milliseconds: timers are late. */
const RESERVED_LATE_MS = 50;

/**
 * @param fail - Told of a store that fails where nobody waits for it.
 * @throws Never; `ask` rejects with what the store throws.
 */
export function createAddressSlots(
  store: Pick<FrontierStore, 'capabilities' | 'reserve'>,
  fail: (error: unknown) => void,
): AddressSlots {
  const slots = new Map<string, Slot>();
  const taken = new Map<HostKey, Slot>();
  const reserve = async (address: string, delayMs: number): Promise<number> => {
    const [waitMs = 0] = (await store.reserve?.([{ key: `address ${address}`, delayMs }])) ?? [];
    return waitMs;
  };
  const isShared = store.capabilities.shared && store.reserve !== undefined;

  const slotOf = (address: string, nowMs: number): Slot => {
    let slot = slots.get(address);
    if (slot === undefined) {
      const never = { holder: null, takenAtMs: 0, lastEndMs: Number.NEGATIVE_INFINITY, lastIntervalMs: 0 };
      slot = { address, ...never, tookMs: 0, lineEndMs: 0, line: new Map() };
    }
    slots.delete(address);
    slots.set(address, slot);
    if (slots.size > ADDRESSES_REMEMBERED) forgetIdle(slots, nowMs);
    return slot;
  };

  /** Puts a host into the line. */
  const wait = (slot: Slot, host: HostKey, atMs: number, stepMs: number, isReserved: boolean): number => {
    const at = Math.ceil(atMs);
    if (slot.line.size < ADDRESS_LINE_MOST || slot.line.has(host)) slot.line.set(host, { atMs: at, isReserved });
    slot.lineEndMs = Math.max(slot.lineEndMs, at + stepMs);
    return at;
  };

  return {
    async ask(host, address, intervalMs, nowMs) {
      const slot = slotOf(address, nowMs);
      const stepMs = Math.max(intervalMs, slot.lastIntervalMs) + slot.tookMs;
      const readyMs =
        slot.holder === null
          ? slot.lastEndMs + Math.max(intervalMs, slot.lastIntervalMs)
          : Math.max(nowMs + 1, slot.takenAtMs + stepMs);
      const own = slot.line.get(host);
      if (own === undefined && slot.lineEndMs > nowMs)
        return wait(slot, host, Math.max(slot.lineEndMs, readyMs), stepMs, false);
      if (own !== undefined && own.atMs > nowMs) return own.atMs;
      if (readyMs > nowMs) return wait(slot, host, readyMs, stepMs, false);
      slot.line.delete(host);
      slot.holder = host;
      slot.takenAtMs = nowMs;
      taken.set(host, slot);
      if (!isShared || (own?.isReserved === true && nowMs - own.atMs <= RESERVED_LATE_MS)) return null;
      const waitMs = await reserve(address, intervalMs);
      if (waitMs <= 0) return null;
      slot.holder = null;
      taken.delete(host);
      return wait(slot, host, nowMs + waitMs, stepMs, true);
    },
    free(host, endedAtMs, intervalMs) {
      const slot = taken.get(host);
      if (slot === undefined) return;
      taken.delete(host);
      slot.holder = null;
      if (endedAtMs === null) return;
      slot.tookMs = Math.max(0, endedAtMs - slot.takenAtMs);
      slot.lastEndMs = Math.max(slot.lastEndMs, endedAtMs);
      slot.lastIntervalMs = intervalMs;
      if (!isShared) return;
      // What the start reserved is shorter by the exchange: the rest is added.
      reserve(slot.address, 0)
        .then((leftMs) => (leftMs < intervalMs ? reserve(slot.address, intervalMs - leftMs) : leftMs))
        .catch(fail);
    },
  };
}

/** The address not asked about for longest, of those to which nothing is owed. */
function forgetIdle(slots: Map<string, Slot>, nowMs: number): void {
  let looks = 0;
  for (const [address, slot] of slots) {
    looks += 1;
    if (looks > 16) return;
    if (slot.holder !== null || slot.lineEndMs > nowMs || slot.lastEndMs + slot.lastIntervalMs > nowMs) continue;
    slots.delete(address);
    return;
  }
}
