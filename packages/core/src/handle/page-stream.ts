// `for await (const page of crawler.pages())`: the crawl as a loop. A page is held until the loop takes the next one,
// so a slow loop slows the crawl and nothing accumulates.

import { EventEmitter, on } from 'node:events';
import type { HandledPage } from './handled-page.js';

export interface PageSource {
  /** Runs to the end. Rejects with the error that ended it. */
  readonly run: (handler: (page: HandledPage) => Promise<void>) => Promise<unknown>;
  /** Ends the run at once. Pages that no loop has seen yet return to the queue. */
  readonly stop: () => void;
}

/** The pages of a run in a loop, one at a time. Leaving the loop early stops the run; the loop ends with the run. */
export async function* streamPages(source: PageSource): AsyncGenerator<HandledPage, void, undefined> {
  const emitter = new EventEmitter();
  const pages = on(emitter, 'page', { close: ['over'] });
  let hasEnded = false;
  let finishPage = (): void => undefined;
  const run = source
    .run((page) => new Promise<void>((done) => void emitter.emit('page', page, done)))
    .finally(() => {
      hasEnded = true;
      emitter.emit('over');
    });
  // Awaited at the end; until then a rejection must not count as unhandled.
  run.catch(() => undefined);
  try {
    for await (const [page, done] of pages as AsyncIterable<readonly [HandledPage, () => void]>) {
      // The run was stopped at once, and the page has returned to the queue.
      if (page.signal.aborted) continue;
      finishPage = done;
      yield page;
      done();
    }
  } finally {
    if (!hasEnded) source.stop();
    // Only now, since a continuing run passes one more page.
    finishPage();
    await run;
  }
}
