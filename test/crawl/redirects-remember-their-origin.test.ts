// The target of a redirect is a URL of its own that knows its origin. Nothing else is carried over.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it.each([
  ['301', redirect('/there', 301)],
  ['302', redirect('/there', 302)],
  ['303', redirect('/there', 303)],
  ['307', redirect('/there', 307)],
  ['308', redirect('/there', 308)],
  ['a Refresh field', { body: '<p>old', headers: { 'content-type': 'text/html', refresh: '1; url=there' } }],
  ['a meta refresh', page('old', [], '<meta http-equiv="refresh" content="5; url=\'/there\'">')],
])('%s', async (_how, route) => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': page('start', ['/here']),
        '/here': route,
        '/there': page('there', ['/deeper']),
        '/deeper': page('deeper'),
      },
    },
  });
  const { items, decisions } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) =>
      crawler.on('html', async (each) => {
        await each.emit({
          path: new URL(each.url).pathname,
          via: each.via,
          from: each.from,
          depth: each.depth,
          label: each.label,
          userData: each.userData,
        });
        await each.follow('a', { label: 'news', userData: { kept: true } });
      }),
  });
  const there = items.map(({ data }) => data).find((each) => JSON.stringify(each).includes('"/there"'));
  // The depth, label and user data of its origin: it is the same page under another name.
  expect(there).toMatchObject({ via: 'redirect', from: web.url('a.test', '/here'), depth: 1 });
  expect(decisions.find(({ url }) => url.endsWith('/deeper'))).toMatchObject({ status: 'fetched', depth: 2 });
});

it('with a label and user data: both reach the target', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': page('start', ['/here']),
        '/here': redirect('/there'),
        '/there': page('there'),
      },
    },
  });
  const seen: unknown[] = [];
  await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) =>
      crawler
        .on('html', (each) => each.follow(undefined, { label: 'news', userData: { kept: true } }))
        .on('label:news', (each) => {
          seen.push([new URL(each.url).pathname, each.userData]);
        }),
  });
  expect(seen).toEqual([['/there', { kept: true }]]);
});

it('to another origin: neither cookies nor credentials nor a referrer are sent', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': ({ headers }) =>
          redirect(`http://user:secret@b.test:${headers['host']?.split(':')[1]}/x`, 307, {
            'set-cookie': 'a=1; Domain=test',
            'www-authenticate': 'Basic realm="a"',
          }),
      },
      'b.test': { '/robots.txt': text(''), '/x': page('x') },
    },
  });
  const seeds = [web.url('a.test')];
  const { requests } = await crawl({ seeds, scope: { seeds, within: 'list', hosts: ['a.test', 'b.test'] } });
  expect(web.paths('b.test')).toEqual(['/robots.txt', '/x']);
  for (const { headers } of web.log) {
    for (const name of ['cookie', 'authorization', 'referer', 'origin']) expect(headers).not.toHaveProperty(name);
  }
  expect(requests.map(({ url }) => url).join(' ')).not.toContain('secret');
});
