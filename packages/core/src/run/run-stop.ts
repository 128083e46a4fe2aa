// Stops a run: the first time politely (requests in flight are completed), then at once.

import { setMaxListeners } from 'node:events';
import type { Clock } from '@mannerly/frontier';
import { MAX_CONCURRENCY } from '../limits.js';
import { MAX_HANDLED_PAGES, STOP_GRACE_MS } from './limits.js';

export class RunStop {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  /** Aborted when nothing may wait any longer. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Whether no more work is handed out. */
  isRequested = false;
  /** The reason that the user's code gave for the stop; `null`: none. */
  reason: string | null = null;
  #isClosing = false;
  #isOver = false;
  #cancelTimer = (): void => undefined;
  /** Called once, when the stop is requested. */
  onRequest = (): void => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Every handler, every lookup and the fetcher listens: by default the platform reports a leak from the eleventh on.
    setMaxListeners(MAX_HANDLED_PAGES + MAX_CONCURRENCY + 1, this.signal);
  }

  /** The first call ends handing out work, and aborts the rest after `STOP_GRACE_MS`; the second aborts at once. */
  request(): void {
    if (this.#isOver) return;
    const abort = (): void => this.#controller.abort(new DOMException('the crawl was stopped', 'AbortError'));
    if (this.isRequested) {
      abort();
      return;
    }
    this.isRequested = true;
    if (this.#isClosing) return;
    this.#cancelTimer = this.#clock.after(STOP_GRACE_MS, abort);
    this.onRequest();
  }

  /** Like the first `request`, with a reason from the user's code. Does nothing if a stop was already requested. */
  requestFor(reason: string): void {
    if (this.#isClosing || this.isRequested) return;
    this.reason = reason;
    this.request();
  }

  /** All work has ended, and the run closes its parts: they have their own time limits. No timer is left behind. */
  closing(): void {
    this.#isClosing = true;
    this.#cancelTimer();
  }

  /** Marks the run as over: a later request does nothing. */
  markOver(): void {
    this.closing();
    this.#isOver = true;
  }
}
