// Nothing is kept of a page with noindex: its handler runs, its items stay out of every sink, and the report says so.
// Its links are followed unless it says nofollow too (page-level §7).

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, type Reply } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const html = (head: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  body: page('page', ['/next'], head),
  headers: { 'content-type': 'text/html', ...headers },
});

const meta = (name: string, content: string): string => `<meta name="${name}" content="${content}">`;

/** Directives of the page → whether its items are kept. */
const CASES: readonly (readonly [title: string, reply: Reply, isKept: boolean])[] = [
  ['nothing', html(''), true],
  ['meta robots noindex', html(meta('robots', 'noindex')), false],
  ['meta ROBOTS NOINDEX', html(meta('ROBOTS', 'NOINDEX')), false],
  ['meta robots "noarchive, noindex"', html(meta('robots', 'noarchive, noindex')), false],
  ['meta robots none', html(meta('robots', 'none')), false],
  ['meta for us', html(meta('test-bot', 'noindex')), false],
  ['meta for somebody else', html(meta('otherbot', 'noindex')), true],
  ['a permission for us next to a general noindex', html(meta('robots', 'noindex') + meta('test-bot', 'index')), false],
  ['X-Robots-Tag', html('', { 'x-robots-tag': 'noindex' }), false],
  ['X-Robots-Tag for us', html('', { 'x-robots-tag': 'test-bot: noindex' }), false],
  ['X-Robots-Tag for somebody else', html('', { 'x-robots-tag': 'otherbot: noindex' }), true],
  ['X-Robots-Tag for both', html('', { 'x-robots-tag': 'otherbot: nofollow, test-bot: noindex' }), false],
  ['unavailable_after, passed', html('', { 'x-robots-tag': 'unavailable_after: 25 Jun 2010 15:00:00 GMT' }), false],
  ['unavailable_after, to come', html('', { 'x-robots-tag': 'unavailable_after: 25 Jun 2090 15:00:00 GMT' }), true],
  ['a meta in a comment', html(`<!-- ${meta('robots', 'noindex')} -->`), true],
  ['a meta in a script', html(`<script>'${meta('robots', 'noindex')}'</script>`), true],
  ['a meta in a template', html(`<template>${meta('robots', 'noindex')}</template>`), true],
];

it.each(CASES)('%s: kept %s', async (title, reply, isKept) => {
  const web = await webForTest({ hosts: { 'a.test': { '/': reply, '/next': page('next') } } });
  let handled = 0;
  const { itemUrls, decisions, report } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) =>
      crawler.on('html', async (context) => {
        handled += 1;
        await context.emit({ url: context.url });
        await context.follow();
      }),
  });
  const isFollowed = !title.endsWith('none');
  expect(web.paths('a.test')).toEqual(isFollowed ? ['/robots.txt', '/', '/next'] : ['/robots.txt', '/']);
  expect(handled).toBe(isFollowed ? 2 : 1);
  expect(itemUrls.includes(web.url('a.test'))).toBe(isKept);
  const decision = decisions.find((each) => each.url === web.url('a.test'));
  expect(decision?.status).toBe(isKept ? 'fetched' : 'excluded');
  if (!isKept) expect(decision?.reason).toBe(title.startsWith('unavailable') ? 'unavailable-after' : 'noindex');
  if (!isKept) expect(report.outcomes['excluded']?.[decision?.reason ?? '']).toBe(1);
});
