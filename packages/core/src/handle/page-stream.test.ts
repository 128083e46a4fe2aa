// At stake: a slow loop must slow the crawl instead of accumulating pages, and leaving the loop must end the run.
import { expect, it } from 'vitest';
import type { HandledPage } from './handled-page.js';
import { type PageSource, streamPages } from './page-stream.js';

const page = (url: string, signal = new AbortController().signal): HandledPage => ({ url, signal }) as HandledPage;

/** A run that hands over pages, `width` at a time, and records which are done. */
function source(urls: readonly string[], width: number): PageSource & { done: string[]; stops: number } {
  const made = {
    done: [] as string[],
    stops: 0,
    stop: () => {
      made.stops += 1;
    },
    run: async (handler: (page: HandledPage) => Promise<void>) => {
      const queue = [...urls];
      const worker = async (): Promise<void> => {
        for (let url = queue.shift(); url !== undefined && made.stops === 0; url = queue.shift()) {
          await handler(page(url));
          made.done.push(url);
        }
      };
      await Promise.all(Array.from({ length: width }, worker));
    },
  };
  return made;
}

it('yields every page, each done when the loop asks for the next', async () => {
  const run = source(['a', 'b', 'c', 'd'], 2);
  const seen: string[] = [];
  for await (const { url } of streamPages(run)) {
    expect(run.done).not.toContain(url);
    seen.push(url);
  }
  expect(seen.sort()).toEqual(['a', 'b', 'c', 'd']);
  expect(run.done.sort()).toEqual(['a', 'b', 'c', 'd']);
});

it('stops the run when the loop is left', async () => {
  const run = source(['a', 'b', 'c', 'd'], 1);
  for await (const _page of streamPages(run)) break;
  expect([run.stops, run.done]).toEqual([1, ['a']]);
});

it('throws the error that ended the run', async () => {
  const broken: PageSource = { run: () => Promise.reject(new Error('disk full')), stop: () => undefined };
  await expect(async () => {
    for await (const _page of streamPages(broken)) expect.unreachable();
  }).rejects.toThrow('disk full');
});

it('yields no page that was returned to the queue', async () => {
  const stopped = AbortSignal.abort();
  const run: PageSource = { run: async (handler) => void handler(page('a', stopped)), stop: () => undefined };
  for await (const _page of streamPages(run)) expect.unreachable();
});
