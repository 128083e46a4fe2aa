// Releases memory before a long wait, where the program allows it (`mannerly/v8-flags`).

import { LONG_WAIT_MS } from './limits.js';

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
