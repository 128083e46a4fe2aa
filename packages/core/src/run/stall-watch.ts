// Measures the longest time for which the event loop was blocked. While one page is read or handled without a break, no
// other host is served.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { STALL_RESOLUTION_MS } from './limits.js';

export class StallWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });

  /** The platform measures from its second sample on. This is how long the first one took, milliseconds. */
  #firstDelayMs = 0;
  #firstSample: NodeJS.Timeout | undefined;

  start(): void {
    this.#delays.enable();
    const startedMs = performance.now();
    this.#firstSample = setTimeout(() => {
      this.#firstDelayMs = performance.now() - startedMs;
    }, STALL_RESOLUTION_MS);
    this.#firstSample.unref();
  }

  stop(): void {
    this.#delays.disable();
    clearTimeout(this.#firstSample);
  }

  /** The longest stall so far, whole milliseconds; 0 if it was too short to measure. */
  longestMs(): number {
    return Math.max(0, Math.round(Math.max(this.#delays.max / 1e6, this.#firstDelayMs)) - STALL_RESOLUTION_MS);
  }
}
