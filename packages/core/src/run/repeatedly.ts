// What a run does again and again next to its work: it writes its totals, looks for orders, compares clocks.

import { type Clock, FrontierError } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';

/**
 * Acts, for the first time after so many milliseconds, and again so long after each time. A store or a log that
 * fails ends nothing here: the next call of the run fails too if it is broken.
 * @returns What ends it, also while it acts: resolves when it has acted for the last time.
 */
export function repeatedly(
  clock: Pick<Clock, 'after'>,
  everyMs: number,
  act: () => Promise<void>,
): () => Promise<void> {
  let isOver = false;
  let acting = Promise.resolve();
  let cancelTimer = (): void => undefined;
  const wait = (): void => {
    cancelTimer = clock.after(everyMs, () => {
      acting = act()
        .catch((error: unknown) => {
          if (!(error instanceof FrontierError || error instanceof MannerlyError)) throw error;
        })
        .finally(() => {
          if (!isOver) wait();
        });
    });
  };
  wait();
  return () => {
    isOver = true;
    cancelTimer();
    return acting;
  };
}
