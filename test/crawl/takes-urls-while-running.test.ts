// A program adds URLs to its running crawl, and a run that is kept open waits for them. They pass the same checks as
// any URL: otherwise they would be requested without permission.

import type { UrlDecision } from 'mannerly';
import { expect, it } from 'vitest';
import { makeCrawler } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const SITE = {
  '/robots.txt': text('User-agent: *\nDisallow: /private/\nCrawl-delay: 0.2'),
  '/': page('start', []),
  '/more': page('more', ['/deeper']),
  '/deeper': page('deeper', []),
  '/again': page('again', []),
  '/slow': { body: page('slow', []), delayMs: 300 },
};

const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');

/** A crawler of the site, with its decisions. */
async function siteCrawler(options: { pages?: number } = {}) {
  const web = await webForTest({ hosts: { 'a.test': SITE, 'b.test': SITE } });
  const crawler = makeCrawler({ seeds: [web.url('a.test')], bounds: { pages: options.pages ?? 50, depth: 5 } });
  const decided = new Map<string, UrlDecision>();
  const waiting = new Map<string, () => void>();
  crawler.events.on('decision', (decision) => {
    const path = pathOf(decision.url);
    decided.set(path, decision);
    waiting.get(path)?.();
  });
  /** Resolves with the reason of a URL's decision. */
  const reasonOf = async (path: string): Promise<string> => {
    if (!decided.has(path)) await new Promise<void>((resolve) => waiting.set(path, resolve));
    return decided.get(path)?.reason ?? '';
  };
  return { web, crawler, reasonOf };
}

it('with an answer for each, and one decision', async () => {
  const { web, crawler, reasonOf } = await siteCrawler();
  const run = crawler.run({ keepOpen: true });
  // The run is still starting.
  expect(await crawler.add(web.url('a.test', '/again'))).toMatchObject([{ kind: 'queued', reason: null }]);
  expect(await reasonOf('/')).toBe('fetched');
  expect(await reasonOf('/again')).toBe('fetched');
  // Nothing is left to fetch, and the run stays open.
  const answers = await crawler.add(
    [
      web.url('a.test', '/more'),
      web.url('a.test', '/private/x'),
      web.url('b.test'),
      web.url('a.test', '/again'),
      'mailto:x@a.test',
      'no url',
    ],
    { label: 'added', depth: 2 },
  );
  expect(answers.map(({ kind, reason }) => [kind, reason])).toEqual([
    ['queued', null],
    ['refused', 'robots-rule'],
    ['refused', 'out-of-scope'],
    ['known', null],
    ['refused', 'url-scheme'],
    ['refused', 'url-invalid'],
  ]);
  expect(await reasonOf('/more')).toBe('fetched');
  expect(await reasonOf('/deeper')).toBe('fetched');
  const again = await crawler.add(web.url('a.test', '/again'), { allowDuplicate: true });
  expect(again).toMatchObject([{ kind: 'queued' }]);
  await crawler.add(web.url('a.test', '/slow'));
  expect(await reasonOf('/slow')).toBe('fetched');
  crawler.stop();
  const report = await run;
  expect(report.state).toBe('stopped');
  const paths = web.log.map(({ path }) => path);
  expect(paths).toEqual(['/robots.txt', '/', '/again', '/more', '/deeper', '/again', '/slow']);
  // Added URLs wait for their host like found ones.
  const gaps = web.log.slice(2).map(({ startMs }, at) => startMs - (web.log[at + 1]?.endMs ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
});

it('until a bound ends the run', async () => {
  const { web, crawler } = await siteCrawler({ pages: 2 });
  const run = crawler.run({ keepOpen: true });
  await crawler.add([web.url('a.test', '/more'), web.url('a.test', '/again')]);
  expect(await run).toMatchObject({ state: 'bounded', bound: 'pages', pages: 2 });
});

it('and a request of another crawler in place of a URL leads to the options of the call', async () => {
  const { crawler } = await siteCrawler();
  const running = crawler.run({ keepOpen: true });
  const request = { url: 'http://a.test/', label: 'list' } as unknown as string;
  await expect(crawler.add(request)).rejects.toMatchObject({ hint: expect.stringContaining('`label`') });
  crawler.stop();
  await running;
});

it('and reports it if there is no run, or the URL is invalid', async () => {
  const { web, crawler } = await siteCrawler();
  const notRunning = expect.objectContaining({ code: 'not-running' });
  await expect(crawler.add(web.url('a.test'))).rejects.toThrow(notRunning);
  await crawler.run();
  await expect(crawler.add(web.url('a.test'))).rejects.toThrow(notRunning);
  for (const [urls, options, code] of [
    [7, {}, 'option-invalid'],
    [[7], {}, 'option-invalid'],
    ['http://a.test/', { priority: 8 }, 'option-invalid'],
    ['http://a.test/', { depth: -1 }, 'option-invalid'],
    ['http://a.test/', { label: 7 }, 'option-invalid'],
    ['http://a.test/', { userData: 1n }, 'item-invalid'],
  ] as [string, object, string][]) {
    await expect(crawler.add(urls, options)).rejects.toThrow(expect.objectContaining({ code }));
  }
});
