// A deny list that grows while the crawl runs: an operator who sees a mistake need not stop a crawl of weeks. URLs that
// are already queued must not be requested either.

import { expect, it } from 'vitest';
import { makeCrawler } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const numbers = Array.from({ length: 20 }, (_, at) => `/shop/${at}`);
const SITE = {
  '/robots.txt': text(''),
  '/': page('front', [...numbers, '/late']),
  ...Object.fromEntries(numbers.map((path) => [path, page(path, ['/deep/1', '/late'])])),
  '/late': page('late'),
  '/deep/1': page('deep'),
};

it('covers what is queued, what is found, and what handlers request', async () => {
  const web = await webForTest({ hosts: { 'a.test': SITE } });
  const crawler = makeCrawler({
    seeds: [web.url('a.test')],
    bounds: { pages: 100, depth: 9 },
    handlers: () => undefined,
  });
  const reasons = new Map<string, string>();
  const requestedUrls: string[] = [];
  const requested = (): string[] => web.log.map(({ path }) => path);
  const shops = (): number => requested().filter((path) => path.startsWith('/shop/')).length;
  let before = 0;
  crawler.events.on('decision', ({ url, status, reason }) => reasons.set(new URL(url).pathname, `${status} ${reason}`));
  crawler.on('html', async (each) => {
    await each.follow();
    if (each.url !== web.url('a.test', '/shop/3')) return;
    before = shops();
    crawler.exclude('/shop/');
    crawler.exclude([/deep/, web.url('a.test', '/other/')]);
    const own = await each.fetch(web.url('a.test', '/shop/19'));
    requestedUrls.push(own.kind, 'reason' in own ? own.reason : '');
  });
  const report = await crawler.run();
  const paths = requested();
  expect(requestedUrls).toEqual(['dropped', 'scope-excluded']);
  // One host, one request at a time: at most the one in flight, and the one that was being prepared.
  expect(shops() - before).toBeLessThanOrEqual(2);
  expect(paths).not.toContain('/shop/19');
  expect(paths).toContain('/late');
  expect([reasons.get('/shop/19'), reasons.get('/late')]).toEqual(['dropped scope-excluded', 'fetched fetched']);
  expect(report.state).toBe('finished');
  // The exclusion also applies to the next run of this crawler.
  await crawler.run();
  expect(
    requested()
      .slice(paths.length)
      .filter((path) => /^\/(?:shop|deep)\//.test(path)),
  ).toEqual([]);
});

it('refuses an invalid pattern', () => {
  const crawler = makeCrawler({ seeds: ['http://a.test/'] });
  for (const wrong of ['shop', '', 7, [7], /x/g] as never[]) {
    expect(() => crawler.exclude(wrong)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
  }
});
