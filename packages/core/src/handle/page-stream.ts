// `for await (const page of crawler.pages())`: the crawl as a loop. A page is held until the loop takes the next one,
// so a slow loop slows the crawl and nothing piles up.

import { EventEmitter, on } from 'node:events';
import type { HandledPage } from './handled-page.js';

export interface PageSource {
  /** Runs to the end. Rejects with what broke. */
  readonly run: (handler: (page: HandledPage) => Promise<void>) => Promise<unknown>;
  /** Ends the run at once: what no loop has seen yet goes back into the queue. */
  readonly stop: () => void;
}

/** The pages of a run in a loop, one at a time. Leaving the loop early stops the run; its end is the end of the run. */
export async function* streamPages(source: PageSource): AsyncGenerator<HandledPage, void, undefined> {
  const emitter = new EventEmitter();
  const pages = on(emitter, 'page', { close: ['over'] });
  let isOver = false;
  let leave = (): void => undefined;
  const run = source
    .run((page) => new Promise<void>((done) => void emitter.emit('page', page, done)))
    .finally(() => {
      isOver = true;
      emitter.emit('over');
    });
  // Taken up by the `await` at the end; until then a rejection must not count as unhandled.
  run.catch(() => undefined);
  try {
    for await (const [page, done] of pages as AsyncIterable<readonly [HandledPage, () => void]>) {
      // The run was stopped at once, and the page has gone back.
      if (page.signal.aborted) continue;
      leave = done;
      yield page;
      done();
    }
  } finally {
    if (!isOver) source.stop();
    // Only now: a run that goes on hands over one more page.
    leave();
    await run;
  }
}
