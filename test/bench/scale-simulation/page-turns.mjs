// Pages take turns, as `core/crawl/page-scheduler.ts` has it: one at a time while a request is near, else a few
// together, so that what the store has answered is read after them. How many pages travel with one commit depends on
// it.

/**
 * Milliseconds that pages are worked on together, how many at most, and how far the next request must be:
 * `core/crawl/limits.ts`.
 */
const [WAVE_MS, MOST, MARGIN_MS] = [8, 8, 20];

/** Pieces of work that may wait for the other threads. */
const BEHIND = 4;

/**
 * @param parts `process`, `helper`, `mainShare`, as of a crawl process. @returns `{ next(us), requestDueAt(ms) }`;
 * `next` resolves when the page is done
 */
export function createPageTurns(clock, { process, helper, mainShare }) {
  const waiting = [];
  let dueAtMs = Number.POSITIVE_INFINITY;
  let isServing = false;
  const serve = async () => {
    isServing = true;
    while (waiting.length > 0) {
      const isQuiet = dueAtMs - clock.timeMs() > MARGIN_MS;
      const most = isQuiet ? Math.max(1, Math.min(MOST, Math.floor((1_000 * WAVE_MS) / waiting[0].us))) : 1;
      const pages = waiting.splice(0, most);
      const us = pages.reduce((sum, page) => sum + page.us, 0);
      // What other threads do is not waited for, as long as they keep up.
      const aside = helper.run(us * (1 - mainShare));
      await process.run(us * mainShare);
      if (helper.queued() > BEHIND) await aside;
      for (const { resolve } of pages) resolve();
    }
    isServing = false;
  };
  return {
    next: (us) =>
      new Promise((resolve, reject) => {
        waiting.push({ us, resolve });
        if (!isServing) serve().catch(reject);
      }),
    requestDueAt(atMs) {
      dueAtMs = atMs ?? Number.POSITIVE_INFINITY;
    },
  };
}
