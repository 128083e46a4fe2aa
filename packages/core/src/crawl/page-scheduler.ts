// Decides when each page that has arrived is processed: one page, or a few while no request is due soon, then sockets
// and timers, then the next page. Pages wait while a request is due, because a host's turn should not be missed. Many
// responses can arrive in one turn of the event loop. If each page were read at its last byte, due requests would wait
// for all of them. See docs/decisions/0006-pages-take-turns.md.

import {
  MAX_PAGE_WAIT_MS,
  MAX_WAVE_PAGES,
  PAGE_MARGIN_MS,
  RECENT_EXCHANGE_MS,
  WAVE_MARGIN_MS,
  WAVE_MS,
} from './limits.js';

/** A queue in which pages wait for their turn. A page waits at most `MAX_PAGE_WAIT_MS`. */
export class PageScheduler {
  readonly #nowMs: () => number;
  readonly #maxWaiting: number;
  readonly #waiting: { readonly sinceMs: number; readonly resolve: () => void }[] = [];
  #dueAtMs = Number.POSITIVE_INFINITY;
  #isScheduled = false;
  #exchanges = 0;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  /** The group of pages that was started last. Other pages follow at once. */
  #wave = { sinceMs: 0, pages: 0 };
  /** Before the first measurement, each page is assumed to take long. */
  #msPerPage = WAVE_MS;

  /** @param maxWaiting - From this many pages on, they do not wait for requests, or the queue would only grow. */
  constructor(nowMs: () => number, maxWaiting: number) {
    this.#nowMs = nowMs;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when it is the caller's turn, in order of the calls. Sockets and timers run in between. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ sinceMs: this.#nowMs(), resolve });
      this.#schedule();
    });
  }

  /** @param atMs - When the next request is due, epoch milliseconds; `null`: none is. Pages let it leave first. */
  requestDueAt(atMs: number | null): void {
    this.#dueAtMs = atMs ?? Number.POSITIVE_INFINITY;
  }

  /** A request was sent to a host that pauses after its answer. Pages wait for that answer. @returns Ends the wait */
  exchangeStarted(): () => void {
    this.#exchanges += 1;
    this.#lastStartMs = this.#nowMs();
    let hasEnded = false;
    return () => {
      if (!hasEnded) this.#exchanges -= 1;
      hasEnded = true;
    };
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#serve);
  }

  readonly #serve = (): void => {
    this.#isScheduled = false;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const now = this.#nowMs();
    const mayWait = this.#waiting.length < this.#maxWaiting && now - first.sinceMs < MAX_PAGE_WAIT_MS;
    const isAnswerExpected = this.#exchanges > 0 && now - this.#lastStartMs < RECENT_EXCHANGE_MS;
    // A page takes a few milliseconds, so a request that is due by then also goes first.
    if (mayWait && (isAnswerExpected || this.#dueAtMs - now <= PAGE_MARGIN_MS)) {
      this.#isScheduled = true;
      setTimeout(this.#serve, 1);
      return;
    }
    // Pages that are processed together cost less each, and the requests that follow from them leave together.
    if (this.#wave.pages > 0) this.#msPerPage = Math.max(0, now - this.#wave.sinceMs) / this.#wave.pages;
    const isQuiet = this.#dueAtMs - now > WAVE_MARGIN_MS && !isAnswerExpected;
    const maxPages = isQuiet ? Math.max(1, Math.min(MAX_WAVE_PAGES, Math.floor(WAVE_MS / this.#msPerPage))) : 1;
    const pages = this.#waiting.splice(0, maxPages);
    for (const page of pages) page.resolve();
    this.#wave = { sinceMs: now, pages: this.#waiting.length > 0 ? pages.length : 0 };
    if (this.#waiting.length > 0) this.#schedule();
  };
}
