// Pages take turns: one is worked on, or a few while no request falls due soon, then sockets and timers get theirs, then the
// next; and a page waits while a request is due, because a page can wait and a host's turn should not be missed.
//
// Many responses can come in one turn of the event loop. Were each page read the moment its last byte is in, the other
// responses would wait behind it, and so would the requests that have fallen due: a burst of two hundred pages makes every
// host of it late by the time that all of them take.

import {
  FRESH_EXCHANGE_MS,
  MAX_PAGE_WAIT_MS,
  MAX_WAVE_PAGES,
  PAGE_MARGIN_MS,
  WAVE_MARGIN_MS,
  WAVE_MS,
} from './limits.js';

/** A line in which pages wait for their turn. */
export interface Turns {
  /** Resolves when it is the caller's turn, in the order of the calls; sockets and timers have been looked after in between. */
  next(): Promise<void>;
  /** The time at which the next request falls due, epoch milliseconds; `null`: none does. Pages let it go first. */
  requestDueAt(atMs: number | null): void;
  /**
   * A request of a host that waits after each exchange has left: what that host waits is counted from when we read its
   * answer, so pages let the answer come first, for a moment. @returns What tells that it is over.
   */
  exchangeStarted(): () => void;
}

/**
 * Makes an empty line. Its length is bounded by the work in hand, a page's wait by `MAX_PAGE_WAIT_MS`.
 *
 * @param maxWaiting - With as many pages in the line, they no longer give way: what is in hand is bounded, and a line that
 *   only grows would stop the requests it makes way for.
 * @throws Never
 */
export function createTurns(nowMs: () => number, maxWaiting: number): Turns {
  const waiting: { readonly sinceMs: number; readonly resolve: () => void }[] = [];
  let dueAtMs = Number.POSITIVE_INFINITY;
  let isScheduled = false;
  let underway = 0;
  let lastStartMs = Number.NEGATIVE_INFINITY;
  /** The last pages that were let on, where the next ones follow at once. Before any is known: as if each took long. */
  let wave = { sinceMs: 0, pages: 0 };
  let msPerPage = WAVE_MS;
  const serve = (): void => {
    isScheduled = false;
    const [first] = waiting;
    if (first === undefined) return;
    const now = nowMs();
    // A page takes a few milliseconds, the first ones more: a request that is due by then goes first too.
    const mayWait = waiting.length < maxWaiting && now - first.sinceMs < MAX_PAGE_WAIT_MS;
    const isAnswerNear = underway > 0 && now - lastStartMs < FRESH_EXCHANGE_MS;
    if (mayWait && (isAnswerNear || dueAtMs - now <= PAGE_MARGIN_MS)) {
      isScheduled = true;
      setTimeout(serve, 1);
      return;
    }
    // With no request near, a few pages go together, as many as took a moment last time: the requests that come of them are
    // then taken together too, and work of one kind at a time costs less.
    if (wave.pages > 0) msPerPage = Math.max(0, now - wave.sinceMs) / wave.pages;
    const isQuiet = dueAtMs - now > WAVE_MARGIN_MS && !isAnswerNear;
    const most = isQuiet ? Math.max(1, Math.min(MAX_WAVE_PAGES, Math.floor(WAVE_MS / msPerPage))) : 1;
    const pages = waiting.splice(0, most);
    for (const page of pages) page.resolve();
    wave = { sinceMs: now, pages: waiting.length > 0 ? pages.length : 0 };
    if (waiting.length > 0) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(serve);
  };
  return {
    next: () =>
      new Promise((resolve) => {
        waiting.push({ sinceMs: nowMs(), resolve });
        schedule();
      }),
    requestDueAt(atMs) {
      dueAtMs = atMs ?? Number.POSITIVE_INFINITY;
    },
    exchangeStarted() {
      underway += 1;
      lastStartMs = nowMs();
      let isOver = false;
      return () => {
        if (!isOver) underway -= 1;
        isOver = true;
      };
    },
  };
}
