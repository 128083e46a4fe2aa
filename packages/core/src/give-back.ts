// Memory given back before a long wait. What a crawl has done leaves garbage that the engine collects when it needs room, and a crawl
// whose hosts all wait needs none: for an hour it would keep twice what it uses.

import { LONG_WAIT_MS } from './limits.js';

let collect: (() => void) | null = null;

/** Sets what collects the garbage of this process. @default what `node --expose-gc` exposes, if it does */
export function collectBy(collector: () => void): void {
  collect = collector;
}

/**
 * One full collection before a wait of `LONG_WAIT_MS` or more, where the process lets it: `mannerly/lean-engine`, or
 * `node --expose-gc`. Some hundred milliseconds of processor time.
 *
 * @param waitMs - How long nothing is going to happen, milliseconds.
 * @throws Never
 */
export function giveMemoryBack(waitMs: number): void {
  if (waitMs < LONG_WAIT_MS) return;
  if (collect === null) globalThis.gc?.();
  else collect();
}
