// Answers that are not pages reach the handler for their status, once and after the last try. Nothing else about them
// changes: the URL has failed, its host is paused as before, and what may not be kept is not.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const html = (status: number, body: string, headers: Record<string, string> = {}) => ({
  status,
  body: `<!doctype html><title>${body}</title><a href="/linked">x</a>`,
  headers: { 'content-type': 'text/html', ...headers },
});

const SITE = {
  '/robots.txt': text(''),
  '/': page('start', ['/404', '/410', '/500', '/402', '/moved', '/noindex', '/300']),
  '/404': html(404, 'not here'),
  '/410': html(410, 'gone'),
  '/500': html(500, 'broken'),
  '/402': html(402, 'pay'),
  '/300': html(300, 'choose'),
  '/moved': { status: 301, headers: { location: '/404' } },
  '/noindex': html(404, 'hidden', { 'x-robots-tag': 'noindex' }),
  '/linked': page('linked', []),
};

it('each goes to the handler of its status, then of its class, and no page does', async () => {
  const web = await webForTest({ hosts: { 'a.test': SITE } });
  const seen: string[] = [];
  const note = (route: string) => async (answer: { url: string; title: string | null; status: number }) => {
    seen.push(`${route} ${new URL(answer.url).pathname} ${answer.status} ${answer.title}`);
  };
  const { decisions, items } = await crawl({
    seeds: [web.url('a.test')],
    retries: { failureWaitsMs: [0, 0] },
    handlers: (crawler) => {
      crawler.on('html', (each) => each.follow());
      crawler.on('status:404', async (each) => {
        await note('404')(each);
        await each.emit({ missing: each.title });
        await each.follow();
      });
      crawler.on('status:4xx', note('4xx'));
      crawler.on('status:5xx', note('5xx'));
      crawler.on('status:3xx', note('3xx'));
    },
  });
  expect(seen.sort()).toEqual([
    '3xx /300 300 choose',
    '404 /404 404 not here',
    '404 /noindex 404 hidden',
    '4xx /410 410 gone',
    '5xx /500 500 broken',
  ]);
  const statusOf = (path: string) => {
    const found = decisions.filter(({ url }) => new URL(url).pathname === path);
    return found.map(({ status, reason }) => `${status} ${reason}`).join();
  };
  expect([statusOf('/404'), statusOf('/500'), statusOf('/402')]).toEqual([
    'failed status-404',
    'failed retries-exhausted',
    'failed payment-required',
  ]);
  // Followed from an answer as from a page. The page with noindex emits nothing.
  expect(statusOf('/linked')).toBe('fetched fetched');
  expect(items.map(({ data }) => data)).toEqual([{ missing: 'not here' }]);
  expect(web.log.filter(({ path }) => path === '/500')).toHaveLength(3);
});

it('errors of such a handler are reported, and the URL keeps its own reason', async () => {
  const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': text(''), '/': html(404, 'x') } } });
  const errors: unknown[] = [];
  const { decisions } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) => {
      crawler.events.on('handler-error', ({ error }) => errors.push(String(error)));
      crawler.on('status:404', () => {
        throw new Error('of the handler');
      });
    },
  });
  expect(errors).toEqual(['Error: of the handler']);
  expect(decisions.map(({ reason }) => reason)).toContain('status-404');
});
