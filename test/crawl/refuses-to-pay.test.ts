// Sites that ask for money or for a person: nothing is paid, solved, handled or requested twice, and the price is
// reported.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('treats a price and a challenge as refusals, and reports what was asked', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/': page('a', ['/price', '/challenge', '/person', '/free']),
        '/price': { status: 402, headers: { 'crawler-price': 'USD 0.01' }, body: 'Pay' },
        '/challenge': { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: page('Just a moment') },
        '/person': {
          status: 202,
          headers: { 'x-amzn-waf-action': 'challenge', 'content-type': 'text/html' },
          body: page('Human?', ['/bait']),
        },
        '/free': page('free'),
      },
    },
  });
  const { report, decisions, itemUrls } = await crawl({
    seeds: [web.url('a.test')],
    hooks: { beforeFetch: () => undefined },
    handlers: (crawler) =>
      void crawler.on('html', async (one) => {
        await one.emit({ url: one.url });
        await one.follow();
        if (one.url.endsWith('/free')) await one.fetch('/price?again');
      }),
  });
  expect(report.outcomes['failed']).toEqual({ 'payment-required': 1, challenged: 2 });
  expect(decisions.find(({ reason }) => reason === 'payment-required')?.detail).toBe('pay-per-crawl: USD 0.01');
  expect(report.politeness[0]?.asked).toEqual([{ currency: 'USD', amount: '0.01', pages: 1 }]);
  expect(itemUrls.map((url) => new URL(url).pathname).sort()).toEqual(['/', '/free']);
  // Each was requested once, and no page of a challenge was.
  const paths = web.paths('a.test').filter((path) => path !== '/robots.txt');
  expect(paths.sort()).toEqual(['/', '/challenge', '/free', '/person', '/price', '/price?again']);
  const sent = web.log.flatMap(({ headers }) => Object.keys(headers));
  expect(sent.filter((name) => /price|payment/.test(name))).toEqual([]);
});

it('parks a host that charges although nothing was offered, and the page fails', async () => {
  const charged = {
    headers: { 'crawler-charged': 'USD 0.01', 'content-type': 'text/html' },
    body: page('paid', ['/2']),
  };
  const web = await webForTest({
    hosts: { 'a.test': { '/': page('a', ['/1', '/3']), '/1': charged, '/3': page('3') }, 'b.test': { '/': page('b') } },
  });
  const { report, decisions, itemUrls, notices } = await crawl({ seeds: [web.url('a.test'), web.url('b.test')] });
  expect(report.outcomes['failed']).toEqual({ 'charged-unasked': 1 });
  expect(decisions.find(({ reason }) => reason === 'charged-unasked')?.detail).toBe('USD 0.01');
  expect(report.waiting).toMatchObject([{ host: 'a.test', reason: 'host-parked' }]);
  expect(notices.find(({ code }) => code === 'host-parked')?.detail).toBe('charged USD 0.01, which was not offered');
  expect(web.paths('a.test').filter((path) => path !== '/robots.txt')).toEqual(['/', '/1']);
  expect(itemUrls.map((url) => new URL(url).pathname)).not.toContain('/1');
  expect(web.paths('b.test')).toContain('/');
});

it('counts prices and challenges towards parking, like a 403', async () => {
  const paths = Array.from({ length: 30 }, (_, at) => `/${at}`);
  const closed = (at: number) =>
    at % 2 === 0 ? { status: 402 } : { status: 202, headers: { 'x-amzn-waf-action': 'challenge' } };
  const web = await webForTest({
    hosts: {
      'a.test': { '/': page('a', paths), ...Object.fromEntries(paths.map((path, at) => [path, closed(at)])) },
    },
  });
  const { notices } = await crawl({ seeds: [web.url('a.test')] });
  expect(notices.filter(({ code }) => code === 'host-parked')).toHaveLength(1);
  expect(web.paths('a.test').length).toBeLessThan(25);
});

it('treats a robots.txt that costs money like a 403', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': { '/robots.txt': { status: 402 }, '/': page('a') },
      'b.test': { '/robots.txt': text(''), '/': '' },
    },
  });
  const open = await crawl({ seeds: [web.url('a.test')] });
  expect(open.notices.map(({ code }) => code)).toContain('robots-forbidden');
  const closed = await crawl({ seeds: [web.url('a.test')], robots: { onForbidden: 'deny' } });
  expect(closed.itemUrls).toEqual([]);
});
