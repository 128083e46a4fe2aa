// Pages take turns as in `core/crawl/page-scheduler.ts`: one at a time while a request is near, else a few together,
// after which the store's answers are read. This decides how many pages share a commit.

/**
 * Milliseconds of work on pages together, the most pages together, and how far away the next request must be:
 * `core/crawl/limits.ts`.
 */
const [WAVE_MS, MAX_PAGES, MARGIN_MS] = [8, 8, 20];

/** Jobs that may wait for the other threads. */
const MAX_QUEUED_JOBS = 4;

/**
 * @param parts `process`, `helper`, `mainShare`, as for a crawl process. @returns `{ next(us), requestDueAt(ms) }`;
 *   `next` resolves when the page is done
 */
export function createPageTurns(clock, { process, helper, mainShare }) {
  const waiting = [];
  let dueAtMs = Number.POSITIVE_INFINITY;
  let isServing = false;
  const serve = async () => {
    isServing = true;
    while (waiting.length > 0) {
      const isQuiet = dueAtMs - clock.timeMs() > MARGIN_MS;
      const count = isQuiet ? Math.max(1, Math.min(MAX_PAGES, Math.floor((1_000 * WAVE_MS) / waiting[0].us))) : 1;
      const pages = waiting.splice(0, count);
      const us = pages.reduce((sum, page) => sum + page.us, 0);
      // Work of other threads is not awaited as long as they keep up.
      const otherThreads = helper.run(us * (1 - mainShare));
      await process.run(us * mainShare);
      if (helper.queued() > MAX_QUEUED_JOBS) await otherThreads;
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
