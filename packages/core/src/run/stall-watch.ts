// How long the program stood still at the longest: while one page is read or handled in one piece, no other host is
// served, and nothing else is heard.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { STALL_RESOLUTION_MS } from './limits.js';

export class StallWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });

  /** The platform measures from its second look on. This is how long the first one took, milliseconds. */
  #firstLookMs = 0;
  #firstLook: NodeJS.Timeout | undefined;

  start(): void {
    this.#delays.enable();
    const beganMs = performance.now();
    this.#firstLook = setTimeout(() => {
      this.#firstLookMs = performance.now() - beganMs;
    }, STALL_RESOLUTION_MS);
    this.#firstLook.unref();
  }

  stop(): void {
    this.#delays.disable();
    clearTimeout(this.#firstLook);
  }

  /** The longest stop so far, whole milliseconds; 0 of what is shorter than can be told. */
  longestMs(): number {
    return Math.max(0, Math.round(Math.max(this.#delays.max / 1e6, this.#firstLookMs)) - STALL_RESOLUTION_MS);
  }
}
