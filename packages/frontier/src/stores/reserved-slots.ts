// Spacing of what is no host: per key, the next time that is not taken yet (R2).

import type { ReserveSlot } from '../store.js';

/** Keys are swept when their number has doubled since the last sweep and is above this. */
const SWEPT_ABOVE = 1_024;

/** Slots on one clock. Keys whose time has passed mean nothing and are swept: O(1) per slot over time. */
export class ReservedSlots {
  readonly #next = new Map<string, number>();
  #leftBySweep = 0;

  /** Takes one slot after the other; answers how long to wait for each. */
  reserve(slots: readonly ReserveSlot[], now: number): number[] {
    const waits = slots.map(({ key, delayMs }) => {
      const start = Math.max(now, this.#next.get(key) ?? now);
      this.#next.set(key, start + delayMs);
      return start - now;
    });
    if (this.#next.size > Math.max(SWEPT_ABOVE, 2 * this.#leftBySweep)) this.#sweep(now);
    return waits;
  }

  #sweep(now: number): void {
    for (const [key, at] of this.#next) if (at <= now) this.#next.delete(key);
    this.#leftBySweep = this.#next.size;
  }
}
