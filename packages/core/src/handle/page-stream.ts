// `for await (const page of crawler.pages())`: the crawl as a loop. A page is held until the loop takes the next one,
// so a slow loop slows the crawl and nothing piles up.

import type { HandledPage } from './handled-page.js';

export interface PageSource {
  /** Runs to the end. Rejects with what broke. */
  readonly run: (handler: (page: HandledPage) => Promise<void>) => Promise<unknown>;
  /** Ends the run at once: what no loop has seen yet goes back into the queue. */
  readonly stop: () => void;
}

/** The pages of a run in a loop, one at a time. Leaving the loop early stops the run; its end is the end of the run. */
export async function* streamPages(source: PageSource): AsyncGenerator<HandledPage, void, undefined> {
  const waiting: { readonly page: HandledPage; readonly done: () => void }[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  const run = source
    .run(
      (page) =>
        new Promise<void>((done) => {
          waiting.push({ page, done });
          wake();
        }),
    )
    .finally(() => {
      isOver = true;
      wake();
    });
  // Taken up by the `await` at the end; until then a rejection must not count as unhandled.
  run.catch(() => undefined);
  try {
    while (!isOver || waiting.length > 0) {
      const next = waiting.shift();
      // The run was stopped at once, and the page has gone back.
      if (next?.page.signal.aborted === true) continue;
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      try {
        yield next.page;
      } finally {
        next.done();
      }
    }
  } finally {
    if (!isOver) source.stop();
    await run;
  }
}
