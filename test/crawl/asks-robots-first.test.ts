// No URL of an authority is requested before its robots.txt was answered: no seed, no link, no redirect target, on no
// port. The file of one authority says nothing about another.

import { expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const OPEN = text('User-agent: *\nDisallow:\n');

it('requests every host’s file before anything else, however slow the answer', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `h${index}.test`);
  const web = await webForTest({
    hosts: Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          '/robots.txt': { ...OPEN, delayMs: (index % 4) * 80 },
          '/': page(name, ['/a', '/b']),
          '/a': page('a'),
          '/b': redirect('/c'),
          '/c': page('c'),
        },
      ]),
    ),
  });
  const { itemUrls } = await crawl({ seeds: names.flatMap((name) => [web.url(name), web.url(name, '/b')]) });
  expect(itemUrls).toHaveLength(names.length * 3);
  for (const name of names) expect(web.paths(name)[0]).toBe('/robots.txt');
  expect(judge(web.log, { contact: CONTACT })).toEqual(POLITE);
});

it('requests the file of a host that is first found by a link or a redirect', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': OPEN,
        '/': page('a', ['/go']),
        '/go': ({ headers }) => redirect(`http://${headers['host']?.replace('a.test', 'b.test')}/in`),
      },
      'b.test': { '/robots.txt': { ...OPEN, delayMs: 100 }, '/in': page('in') },
    },
  });
  await crawl({
    seeds: [web.url('a.test')],
    scope: { seeds: [web.url('a.test')], within: 'list', hosts: ['a.test', 'b.test'] },
  });
  expect(web.paths('b.test')).toEqual(['/robots.txt', '/in']);
  expect(judge(web.log, { contact: CONTACT })).toEqual(POLITE);
});

it('treats two ports of one name as two authorities and one host (access §1, §9)', async () => {
  const second = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text('User-agent: *\nDisallow: /x\n'), '/x': page('x'), '/y': page('y') } },
  });
  const first = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': { ...OPEN, delayMs: 50 },
        '/': page('a', ['/x', second.url('a.test', '/x'), second.url('a.test', '/y')]),
        '/x': page('x'),
      },
    },
  });
  await crawl({ seeds: [first.url('a.test')], politeness: { profile: { factor: 0, minMs: 60, maxMs: 60 } } });
  expect(first.paths('a.test').sort()).toEqual(['/', '/robots.txt', '/x']);
  expect(second.paths('a.test')).toEqual(['/robots.txt', '/y']);
  expect(judge([...first.log, ...second.log], { contact: CONTACT, rules: { 'a.test': { gapMs: 60 } } })).toEqual(
    POLITE,
  );
});
