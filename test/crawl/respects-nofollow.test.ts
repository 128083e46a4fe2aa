// Links with nofollow, on the page or the link, are not followed, and are counted. The exclusion concerns this
// discovery: the same URL is fetched if another link leads to it (page-level §4).

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, type Reply } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const html = (body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  body: `<!doctype html><html><head><title>t</title></head><body>${body}</body></html>`,
  headers: { 'content-type': 'text/html', ...headers },
});

/** Directives about /a and /b → which of them are requested. */
const CASES: readonly (readonly [title: string, reply: Reply, expected: readonly string[]])[] = [
  ['nothing', html('<a href=/a>a</a><a href=/b>b</a>'), ['/a', '/b']],
  ['rel=nofollow on one', html('<a rel=nofollow href=/a>a</a><a href=/b>b</a>'), ['/b']],
  ['rel among other words', html('<a rel="noopener NoFollow" href=/a>a</a><a href=/b>b</a>'), ['/b']],
  ['rel that only begins so', html('<a rel="nofollow-me" href=/a>a</a><a href=/b>b</a>'), ['/a', '/b']],
  [
    'rel=ugc and sponsored describe, they do not ask',
    html('<a rel=ugc href=/a>a</a><a rel=sponsored href=/b>b</a>'),
    ['/a', '/b'],
  ],
  ['meta nofollow', html('<meta name=robots content=nofollow><a href=/a>a</a><a href=/b>b</a>'), []],
  ['meta none', html('<meta name=robots content=none><a href=/a>a</a><a href=/b>b</a>'), []],
  ['X-Robots-Tag nofollow', html('<a href=/a>a</a><a href=/b>b</a>', { 'x-robots-tag': 'nofollow' }), []],
  [
    'X-Robots-Tag nofollow for another agent',
    html('<a href=/a>a</a><a href=/b>b</a>', { 'x-robots-tag': 'otherbot: nofollow' }),
    ['/a', '/b'],
  ],
  [
    'both, one of them followable elsewhere on the page',
    html('<a rel=nofollow href=/a>a</a><a href=/a>again</a><a rel=nofollow href=/b>b</a>'),
    ['/a'],
  ],
];

it.each(CASES)('%s', async (title, reply, expected) => {
  const web = await webForTest({ hosts: { 'a.test': { '/': reply, '/a': page('a'), '/b': page('b') } } });
  const { decisions } = await crawl({ seeds: [web.url('a.test')] });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/', ...expected]);
  const left = ['/a', '/b'].filter((path) => !expected.includes(path)).map((path) => web.url('a.test', path));
  const reason = /^(meta|X-Robots)/.test(title) ? 'page-nofollow' : 'link-nofollow';
  expect(
    decisions
      // A page with `none` is excluded itself too; respects-noindex tests that.
      .filter((each) => each.status === 'excluded' && each.url !== web.url('a.test'))
      .map((each) => `${each.url} ${each.reason}`)
      .sort(),
  ).toEqual(left.map((url) => `${url} ${reason}`));
});

it('concerns only this discovery: another page may link there', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/': html('<a rel=nofollow href=/a>a</a><a href=/b>b</a>'),
        '/b': page('b', ['/a']),
        '/a': page('a'),
      },
    },
  });
  await crawl({ seeds: [web.url('a.test')] });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/b', '/a']);
});
