// A crawl declares its purposes: what robots.txt refuses for all of them is not fetched; what tdmrep.json or a page
// reserves is fetched and kept out of the sinks.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('does not fetch what robots.txt refuses for every declared purpose', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /free/ train-ai=y\n'),
        '/': page('start'),
        '/free/': page('free', ['/kept/x', '/free/y']),
        '/free/y': page('free too'),
        '*': page('never asked for'),
      },
    },
  });
  const { report, itemUrls } = await crawl({
    seeds: [web.url('a.test', '/free/')],
    purposes: ['ai-train'],
    tdm: 'off',
  });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/free/', '/free/y']);
  expect(report.outcomes['excluded']).toEqual({ 'robots-preferences': 1 });
  expect(itemUrls).toHaveLength(2);
});

it('asks for tdmrep.json before the first page, and keeps what it reserves out of the sinks', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /x\n'),
        '/.well-known/tdmrep.json': text(
          '[{"location":"/art/","tdm-reservation":1},{"location":"/","tdm-reservation":0}]',
        ),
        '/': page('start', ['/art/1', '/news/1']),
        '/art/1': page('reserved'),
        '/news/1': page('free'),
      },
    },
  });
  const { report, itemUrls } = await crawl({ seeds: [web.url('a.test')], purposes: ['tdm'] });
  expect(web.paths('a.test').slice(0, 3)).toEqual(['/robots.txt', '/.well-known/tdmrep.json', '/']);
  expect([...itemUrls].sort()).toEqual([web.url('a.test'), web.url('a.test', '/news/1')].sort());
  expect(report.outcomes['excluded']).toEqual({ 'tdm-reserved': 1 });
});

it('requests no file besides robots.txt when no purpose needs it', async () => {
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text('User-agent: *\nDisallow: /x\n'), '/': page('start') } },
  });
  await crawl({ seeds: [web.url('a.test')], purposes: ['search'] });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/']);
});

it('keeps everything out while the reservation is unknown: a tdmrep.json that fails', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /x\n'),
        '/.well-known/tdmrep.json': { status: 500 },
        '/': page('start'),
      },
    },
  });
  const { itemUrls } = await crawl({ seeds: [web.url('a.test')], purposes: ['tdm'], maxIdleMs: 0 });
  expect(web.paths('a.test')).toContain('/');
  expect(itemUrls).toEqual([]);
});
