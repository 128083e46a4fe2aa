// Memory that V8 gives back before a long wait, where the program lets it (`mannerly/v8-flags`).

import { LONG_WAIT_MS } from './limits.js';

let collector: (() => void) | null = null;

/**
 * Sets what collects all garbage of this process and gives its memory back. @default what `node --expose-gc` exposes,
 * if it does
 */
export function setCollector(collect: () => void): void {
  collector = collect;
}

/**
 * One full collection before a wait of `LONG_WAIT_MS` or more, where the process lets it: `mannerly/v8-flags`, or `node
 * --expose-gc`. Some hundred milliseconds of processor time. What a crawl has done leaves garbage that the engine
 * collects when it needs memory, and a crawl whose hosts all wait needs none: for an hour it would keep twice what it
 * uses.
 *
 * @param waitMs - How long nothing is going to happen, milliseconds.
 * @throws Never
 */
export function giveMemoryBack(waitMs: number): void {
  if (waitMs < LONG_WAIT_MS) return;
  if (collector === null) globalThis.gc?.();
  else collector();
}
