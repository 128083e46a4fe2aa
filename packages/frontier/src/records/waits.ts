// Why hosts that were released to the store wait, and until when. It is for the operator, never for scheduling. It is
// bounded; forgotten waits are only missing in reports. Each process writes its waits to its own part, so that none
// overwrites another's. A process that opens the crawl reads all parts.

import type { Clock } from '../clock.js';
import type { HostWait } from '../frontier-event.js';
import type { FrontierStore } from '../store.js';
import { MAX_KNOWN_WAITS, MAX_STORED_WAITS } from './limits.js';
import type { PartRecords } from './processes.js';

const KEY = 'waits';
/** How many waits are checked to find one to forget. */
const MAX_FORGET_CANDIDATES = 16;

/** The waits. Promises reject with what the store throws. */
export class Waits {
  readonly #store: FrontierStore;
  readonly #records: PartRecords;
  readonly #clock: Clock;
  readonly #waits = new Map<string, HostWait>();

  constructor(store: FrontierStore, records: PartRecords, clock: Clock) {
    this.#store = store;
    this.#records = records;
    this.#clock = clock;
  }

  /** Reads what all processes stored. */
  async open(): Promise<void> {
    const parts = [...(await this.#records.readAll(KEY)).values()];
    const stored = parts.flatMap((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as HostWait[]);
    for (const wait of stored) if (wait.untilMs !== null) this.note(wait);
    const parked = new Map(stored.filter(({ untilMs }) => untilMs === null).map((wait) => [wait.host, wait]));
    // The part of a process that is gone never changes, and the host may have been unparked since.
    for (const wait of [...parked.values()].slice(0, MAX_STORED_WAITS)) {
      const host = await this.#store.readHost?.(wait.host);
      if (host === undefined || host?.isParked === true) this.note(wait);
    }
  }

  save(): Promise<void> {
    const waits = earliest(this.#current(), MAX_STORED_WAITS);
    return this.#records.write(KEY, new TextEncoder().encode(JSON.stringify(waits)));
  }

  note(wait: HostWait): void {
    this.#waits.delete(wait.host);
    this.#waits.set(wait.host, wait);
    if (this.#waits.size > MAX_KNOWN_WAITS) this.#forgetOne();
  }

  /** One more URL is queued for a waiting host. */
  countQueued(host: string): void {
    const wait = this.#waits.get(host);
    if (wait !== undefined) this.#waits.set(host, { ...wait, queued: wait.queued + 1 });
  }

  forget(host: string): void {
    this.#waits.delete(host);
  }

  /** A host was released to the store with `queued` URLs. `wait`: why it waits; `null`: it does not. */
  noteReleased(host: string, wait: HostWait | null, queued: number): void {
    const known = this.#waits.get(host);
    const isOver = (known?.untilMs ?? 0) <= this.#clock.nowMs();
    // The next lease does not know of an earlier URL that may not be tried yet.
    const isEarlier = wait?.reason === 'not-before' && known?.reason === 'not-before' && !isOver;
    if (isEarlier) this.note({ ...wait, untilMs: Math.min(known.untilMs ?? 0, wait.untilMs ?? 0) });
    else if (wait !== null) this.note(wait);
    else if (known?.reason !== 'robots-unreachable' || isOver) this.forget(host);
    else this.note({ ...known, queued });
  }

  get(host: string): HostWait | null {
    return this.#waits.get(host) ?? null;
  }

  /** Waiting hosts with something queued, `others` included: earliest first, parked ones last. */
  list(limit: number, others: readonly HostWait[]): HostWait[] {
    return earliest([...this.#current(), ...others], limit);
  }

  #current(): HostWait[] {
    const nowMs = this.#clock.nowMs();
    return [...this.#waits.values()].filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
  }

  /** Forgets the oldest wait. Parked hosts go last, because the operator must learn of them. */
  #forgetOne(): void {
    let checked = 0;
    for (const [host, { untilMs }] of this.#waits) {
      checked += 1;
      if (untilMs === null && checked <= MAX_FORGET_CANDIDATES) continue;
      this.#waits.delete(host);
      return;
    }
  }
}

/** A host with nothing queued keeps its clock, but nothing waits for it. */
function earliest(waits: readonly HostWait[], limit: number): HostWait[] {
  const end = (wait: HostWait) => wait.untilMs ?? Number.MAX_SAFE_INTEGER;
  const queued = waits.filter((wait) => wait.queued > 0);
  return queued.sort((a, b) => end(a) - end(b)).slice(0, limit);
}
