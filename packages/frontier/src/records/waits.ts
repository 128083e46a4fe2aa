// Why hosts that were released to the store wait, and until when. It is for the operator, never for scheduling. It is
// bounded; forgotten waits are only missing in reports. Each process writes its waits to its own part, so that none
// overwrites another's. A process that opens the crawl reads all parts.

import type { Clock } from '../clock.js';
import { unreadable } from '../errors.js';
import type { HostWait } from '../frontier-event.js';
import type { FrontierStore } from '../store.js';
import { isCount, isText, isTime, readJson } from '../stored-value.js';
import { MAX_KNOWN_WAITS, MAX_STORED_WAITS } from './limits.js';
import type { PartRecords } from './processes.js';

const KEY = 'waits';
const WHAT = 'the list of waiting hosts';
/** How many waits are checked to find one to forget. */
const MAX_FORGET_CANDIDATES = 16;

/** The waits. Promises reject with what the store throws. */
export function createWaits(store: FrontierStore, records: PartRecords, clock: Clock) {
  const waits = new Map<string, HostWait>();

  /** Reads what all processes stored. */
  async function open(): Promise<void> {
    const parts = [...(await records.readAll(KEY)).values()];
    const stored = parts.flatMap((bytes) => readJson(WHAT, bytes) as HostWait[]);
    if (!stored.every(isWait)) throw unreadable(WHAT);
    for (const wait of stored) if (wait.untilMs !== null) note(wait);
    const parked = new Map(stored.filter(({ untilMs }) => untilMs === null).map((wait) => [wait.host, wait]));
    // The part of a process that is gone never changes, and the host may have been unparked since.
    for (const wait of [...parked.values()].slice(0, MAX_STORED_WAITS)) {
      const host = await store.readHost?.(wait.host);
      if (host === undefined || host?.isParked === true) note(wait);
    }
  }

  function save(): Promise<void> {
    const stored = earliest(current(), MAX_STORED_WAITS);
    return records.write(KEY, new TextEncoder().encode(JSON.stringify(stored)));
  }

  function note(wait: HostWait): void {
    waits.delete(wait.host);
    waits.set(wait.host, wait);
    if (waits.size > MAX_KNOWN_WAITS) forgetOne();
  }

  /** One more URL is queued for a waiting host. */
  function countQueued(host: string): void {
    const wait = waits.get(host);
    if (wait !== undefined) waits.set(host, { ...wait, queued: wait.queued + 1 });
  }

  function forget(host: string): void {
    waits.delete(host);
  }

  /** A host was released to the store with `queued` URLs. `wait`: why it waits; `null`: it does not. */
  function noteReleased(host: string, wait: HostWait | null, queued: number): void {
    const known = waits.get(host);
    const isOver = (known?.untilMs ?? 0) <= clock.nowMs();
    // The next lease does not know of an earlier URL that may not be tried yet.
    const isEarlier = wait?.reason === 'not-before' && known?.reason === 'not-before' && !isOver;
    if (isEarlier) note({ ...wait, untilMs: Math.min(known.untilMs ?? 0, wait.untilMs ?? 0) });
    else if (wait !== null) note(wait);
    else if (known?.reason !== 'robots-unreachable' || isOver) forget(host);
    else note({ ...known, queued });
  }

  function get(host: string): HostWait | null {
    return waits.get(host) ?? null;
  }

  /** Waiting hosts with something queued, `others` included: earliest first, parked ones last. */
  function list(limit: number, others: readonly HostWait[]): HostWait[] {
    return earliest([...current(), ...others], limit);
  }

  function current(): HostWait[] {
    const nowMs = clock.nowMs();
    return [...waits.values()].filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
  }

  /** Forgets the oldest wait. Parked hosts go last, because the operator must learn of them. */
  function forgetOne(): void {
    let checked = 0;
    for (const [host, { untilMs }] of waits) {
      checked += 1;
      if (untilMs === null && checked <= MAX_FORGET_CANDIDATES) continue;
      waits.delete(host);
      return;
    }
  }

  return { open, save, note, countQueued, forget, noteReleased, get, list };
}

function isWait(wait: Partial<HostWait> | null): boolean {
  const { host, reason, untilMs, queued } = wait ?? {};
  return isText(host) && isText(reason) && isCount(queued) && (untilMs === null || isTime(untilMs));
}

/** A host with nothing queued keeps its clock, but nothing waits for it. */
function earliest(waits: readonly HostWait[], limit: number): HostWait[] {
  const end = (wait: HostWait) => wait.untilMs ?? Number.MAX_SAFE_INTEGER;
  const queued = waits.filter((wait) => wait.queued > 0);
  return queued.sort((a, b) => end(a) - end(b)).slice(0, limit);
}
