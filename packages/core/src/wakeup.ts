// The loop's only way to wait: until a time, or until something happened, on one timer at a time. And the release of
// memory before a long wait, where the program allows it (`mannerly/v8-flags`).

import type { Clock } from '@mannerly/frontier';
import { LONG_WAIT_MS } from './limits.js';

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

let collector: (() => void) | null = null;

/** Sets what collects all garbage of this process. @default `gc` of `node --expose-gc`, else nothing */
export function setCollector(collect: () => void): void {
  collector = collect;
}

/**
 * One full collection before a wait of `LONG_WAIT_MS` or more, some hundred milliseconds of processor time. V8 collects
 * when it needs memory, and a crawl whose hosts all wait needs none: for an hour it would keep twice what it uses.
 */
export function giveMemoryBack(waitMs: number): void {
  if (waitMs < LONG_WAIT_MS) return;
  if (collector === null) globalThis.gc?.();
  else collector();
}
