// Every request shows who sends it and whom to contact: pages, robots.txt, redirect hops and retries. Nothing else that
// identifies is sent: no cookie, no referrer, no credentials.

import { expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, redirect, text, type Web } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('names the crawler and its contact on every request, and nothing more', async () => {
  const cookie = { 'set-cookie': 'id=1; Path=/' };
  const web: Web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': redirect('/moved', 301, cookie),
        '/moved': text('User-agent: *\n', cookie),
        '/': () => ({
          body: page('a', ['/go', web.url('a.test', '/b').replace('//', '//user:secret@')]),
          headers: { 'content-type': 'text/html', ...cookie },
        }),
        '/go': redirect('/c', 302, cookie),
        '/c': page('c'),
        '/b': page('b'),
      },
    },
  });
  await crawl({
    seeds: [web.url('a.test')],
    identity: { name: 'tide-bot', version: '2.1', contact: CONTACT },
  });
  expect(web.log).toHaveLength(6);
  expect(judge(web.log, { contact: CONTACT, robotsHops: ['/moved'] })).toEqual(POLITE);
  for (const exchange of web.log) {
    expect(exchange.userAgent).toContain('tide-bot/2.1');
    expect(Object.keys(exchange.headers).filter((name) => /cookie|referer|authorization|forwarded/.test(name))).toEqual(
      [],
    );
    expect(exchange.method).toBe('GET');
  }
  expect(web.log[0]?.headers['accept']).toContain('text/plain');
});

it('requests robots.txt with the identity whose rules it obeys', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: tide-bot\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n'),
        '/': page('a', ['/b', '/c']),
        '/c': page('c'),
      },
    },
  });
  await crawl({ seeds: [web.url('a.test')], identity: { name: 'tide-bot', contact: CONTACT } });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/c']);
});

it('adds fields of the operator to pages and redirect hops, and not to robots.txt', async () => {
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text(''), '/': page('a', ['/go']), '/go': redirect('/b'), '/b': page('b') } },
  });
  await crawl({
    seeds: [web.url('a.test')],
    network: { headers: ['Accept-Language: de, en;q=0.5', 'X-Study: tide pools'] },
  });
  const sent = web.log.map(({ path, headers }) => [path, headers['accept-language'], headers['x-study']]);
  expect(sent).toEqual([
    ['/robots.txt', undefined, undefined],
    ...['/', '/go', '/b'].map((path) => [path, 'de, en;q=0.5', 'tide pools']),
  ]);
});
