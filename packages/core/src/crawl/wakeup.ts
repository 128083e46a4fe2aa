// The loop's only way to wait: until a time, or until something happened. One timer at a time.

import type { Clock } from '@mannerly/frontier';

/** Sleeps that end early when woken. */
export interface Wakeup {
  /** Something happened: the running sleep ends, or the next one ends at once. */
  wake(): void;
  /** Until `atMs` (epoch milliseconds; `null`: only when woken). Timers may fire early: the caller looks at the clock again. */
  sleep(atMs: number | null): Promise<void>;
}

/** Longest single timer, milliseconds: Node's timers overflow at 2^31 − 1. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Makes the loop's alarm clock. */
export function createWakeup(clock: Clock): Wakeup {
  let woken = false;
  let end: (() => void) | null = null;
  return {
    wake() {
      woken = true;
      end?.();
    },
    async sleep(atMs) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          let cancel = (): void => undefined;
          end = () => {
            cancel();
            resolve();
          };
          // At least one millisecond, so that a timer that fires early never turns into a busy loop.
          if (atMs !== null)
            cancel = clock.after(Math.min(Math.max(atMs - clock.nowMs(), 1), MAX_TIMER_MS), () => end?.());
        });
        end = null;
      }
      woken = false;
    },
  };
}
