// How a run is asked to stop: first politely (what is in hand comes to its end), then at once.

import { setMaxListeners } from 'node:events';
import type { Clock } from '@mannerly/frontier';
import { MAX_CONCURRENCY } from '../limits.js';
import { MAX_HANDLING, STOP_GRACE_MS } from './limits.js';

/** The stop of one run. */
export interface RunStop {
  /** The first call stops handing out work, and aborts what is left after `STOP_GRACE_MS`; the second aborts at once. */
  request(): void;
  /** As the first `request`, with a reason of the user's code; once a stop is asked for, nothing. */
  requestFor(reason: string): void;
  /** The reason of the user's code that the run stopped for; `null`: none. */
  reason(): string | null;
  isRequested(): boolean;
  /** Aborted when nothing may wait any longer. */
  readonly signal: AbortSignal;
  /** The run is over: no timer is left behind, and a later request asks for nothing. */
  over(): void;
}

/** @param onRequest - Called once, when the stop is asked for. */
export function createRunStop(clock: Clock, onRequest: () => void): RunStop {
  const controller = new AbortController();
  // Every handler listens, every look-up, and the fetcher: the platform would take more than ten for a leak.
  setMaxListeners(MAX_HANDLING + MAX_CONCURRENCY + 1, controller.signal);
  let requested = false;
  let isOver = false;
  let why: string | null = null;
  let cancel = (): void => undefined;
  const stop: RunStop = {
    signal: controller.signal,
    isRequested: () => requested,
    reason: () => why,
    requestFor(reason) {
      if (isOver || requested) return;
      why = reason;
      stop.request();
    },
    request() {
      if (isOver) return;
      if (requested) {
        controller.abort(new DOMException('the crawl was stopped', 'AbortError'));
        return;
      }
      requested = true;
      cancel = clock.after(STOP_GRACE_MS, () =>
        controller.abort(new DOMException('the crawl was stopped', 'AbortError')),
      );
      onRequest();
    },
    over() {
      isOver = true;
      cancel();
    },
  };
  return stop;
}
