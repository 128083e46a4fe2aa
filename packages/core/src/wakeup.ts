// The loop's only way to wait: until a time, or until something happens, with one timer at a time. Also releases memory
// before a long wait, if the program permits it (`mannerly/v8-flags`).

import type { Clock } from '@mannerly/frontier';
import { LONG_WAIT_MS } from './limits.js';

/** Longest single timer, milliseconds: Node's timers overflow at 2^31 − 1. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Sleeps that end early when woken. */
export class Wakeup {
  readonly #clock: Clock;
  #wasWoken = false;
  #endSleep: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something happened: the current sleep ends, or the next one ends at once. */
  wake(): void {
    this.#wasWoken = true;
    this.#endSleep?.();
  }

  /** @param atMs - Epoch milliseconds; `null`: only when woken. Timers may fire early: check the clock afterwards. */
  async sleep(atMs: number | null): Promise<void> {
    if (!this.#wasWoken) {
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
    this.#wasWoken = false;
  }
}

let collector: (() => void) | null = null;

/** Sets the function that collects all garbage of this process. @default `gc` of `node --expose-gc`, else nothing */
export function setCollector(collect: () => void): void {
  collector = collect;
}

/**
 * Runs a full collection before a wait of `LONG_WAIT_MS` or more; it takes some hundred milliseconds of processor time.
 * V8 collects only when it needs memory, and a crawl whose hosts all wait needs none: it would keep twice what it uses
 * for an hour.
 */
export function releaseMemory(waitMs: number): void {
  if (waitMs < LONG_WAIT_MS) return;
  if (collector === null) globalThis.gc?.();
  else collector();
}
