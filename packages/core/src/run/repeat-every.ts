// Repeats what a run does next to its work: writing totals, checking for orders, comparing clocks.

import { type Clock, FrontierError } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';

/**
 * Acts first after so many milliseconds, and again that long after each time. A failing store or log does not end this:
 * if it is broken, the run's next call fails too.
 * @param action - `isStopped`: whether it was stopped meanwhile.
 * @returns A function that stops it. It resolves once an action that is under way has ended.
 */
export function repeatEvery(
  clock: Pick<Clock, 'after' | 'checkAfter'>,
  everyMs: number,
  action: (isStopped: () => boolean) => Promise<void>,
): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  let cancelTimer = (): void => undefined;
  const wait = (): void => {
    const check = (): void => {
      running = action(() => isStopped)
        .catch((error: unknown) => {
          if (!(error instanceof FrontierError || error instanceof MannerlyError)) throw error;
        })
        .finally(() => {
          if (!isStopped) wait();
        });
    };
    cancelTimer = clock.checkAfter?.(everyMs, check) ?? clock.after(everyMs, check);
  };
  wait();
  return () => {
    isStopped = true;
    cancelTimer();
    return running;
  };
}
