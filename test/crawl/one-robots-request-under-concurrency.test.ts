// If many URLs of one authority become due at once, robots.txt is requested once, and all of them wait for it.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it.each([
  ['an answer', text('User-agent: *\nDisallow: /no\n')],
  ['a 404', { status: 404 }],
])('requests it once, with %s', async (_what, robots) => {
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': { ...robots, delayMs: 200 }, '*': page('leaf', ['/', '/0', '/1']) } },
  });
  const seeds = Array.from({ length: 60 }, (_, index) => web.url('a.test', `/${index}`));
  const { itemUrls } = await crawl({ seeds });
  expect(itemUrls).toHaveLength(61);
  expect(web.paths('a.test').filter((path) => path === '/robots.txt')).toHaveLength(1);
  expect(web.paths('a.test')[0]).toBe('/robots.txt');
});

it('requests it once per authority if many hosts link to it', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `h${index}.test`);
  const web = await webForTest({
    hosts: {
      ...Object.fromEntries(
        names.map((name) => [
          name,
          {
            '/': ({ headers }: { headers: Readonly<Record<string, string>> }) =>
              page(name, [`http://hub.test:${headers['host']?.split(':')[1]}/${name}`]),
          },
        ]),
      ),
      'hub.test': { '/robots.txt': { ...text('User-agent: *\n'), delayMs: 150 }, '*': page('hub') },
    },
  });
  await crawl({
    seeds: [],
    scope: { seeds: names.map((name) => web.url(name)), within: 'list', hosts: [...names, 'hub.test'] },
  });
  expect(web.paths('hub.test')).toHaveLength(names.length + 1);
  expect(web.paths('hub.test').filter((path) => path === '/robots.txt')).toHaveLength(1);
});
