// The loop's only way to wait: until a time, or until something happened. One timer at a time.

import type { Clock } from '@mannerly/frontier';

/** Longest single timer, milliseconds: Node's timers overflow at 2^31 − 1. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Sleeps that end early when woken. */
export class Wakeup {
  readonly #clock: Clock;
  #isWoken = false;
  #endSleep: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something happened: the current sleep ends, or the next one ends at once. */
  wake(): void {
    this.#isWoken = true;
    this.#endSleep?.();
  }

  /** @param atMs - Epoch milliseconds; `null`: only when woken. Timers may fire early: check the clock afterwards. */
  async sleep(atMs: number | null): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        let cancel = (): void => undefined;
        this.#endSleep = () => {
          cancel();
          resolve();
        };
        if (atMs === null) return;
        // At least one millisecond, so that a timer that fires early never turns into a busy loop.
        const ms = Math.min(Math.max(atMs - this.#clock.nowMs(), 1), MAX_TIMER_MS);
        cancel = this.#clock.after(ms, () => this.#endSleep?.());
      });
      this.#endSleep = null;
    }
    this.#isWoken = false;
  }
}
