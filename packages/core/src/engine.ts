// What a crawl asks of the engine it runs on, where the program lets it (`mannerly/lean-engine`).

import { LONG_WAIT_MS } from './limits.js';

/** Settings of a process that has given its engine into the crawl's hands. */
export interface Engine {
  /** Collects all garbage and gives its memory back. */
  collect(): void;
  /** Memory for documents instead of time: each is some twenty times its page, and lives for a moment. */
  makeRoom(): void;
}

let engine: Engine | null = null;

/** Sets the engine of this process. @default what `node --expose-gc` exposes, if it does */
export function setEngine(settings: Engine): void {
  engine = settings;
}

/**
 * One full collection before a wait of `LONG_WAIT_MS` or more, where the process lets it: `mannerly/lean-engine`, or
 * `node --expose-gc`. Some hundred milliseconds of processor time. What a crawl has done leaves garbage that the engine collects
 * when it needs room, and a crawl whose hosts all wait needs none: for an hour it would keep twice what it uses.
 *
 * @param waitMs - How long nothing is going to happen, milliseconds.
 * @throws Never
 */
export function giveMemoryBack(waitMs: number): void {
  if (waitMs < LONG_WAIT_MS) return;
  if (engine === null) globalThis.gc?.();
  else engine.collect();
}

/** Says that handlers make documents of their pages, once they do. @throws Never */
export function makeRoomForDocuments(): void {
  engine?.makeRoom();
}
