// How long the program stood still at the longest: while one page is read or handled in one piece, no other host is
// served, and nothing else is heard.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { STALL_RESOLUTION_MS } from './limits.js';

/** Watches the event loop of one run. */
export class StallWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });

  start(): void {
    this.#delays.enable();
  }

  stop(): void {
    this.#delays.disable();
  }

  /** The longest stop so far, whole milliseconds; 0 of what is shorter than can be told. */
  longestMs(): number {
    return Math.max(0, Math.round(this.#delays.max / 1e6) - STALL_RESOLUTION_MS);
  }
}
