// The same text at many URLs counts as one text. If this breaks, an operator counts copies as pages, or loses pages.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memorySink } from 'mannerly';
import { expect, it } from 'vitest';
import { crawl, makeCrawler } from '../support/crawl.js';
import { type Routes, text, type Web } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const SENTENCES = [
  'The tide comes in twice a day, and leaves pools between the rocks where crabs wait for it to return.',
  'Anemones close when the water goes, and open again with the first wave that reaches their ledge.',
  'People who walk there should put each stone back as it lay, since something lives below most of them.',
  'Limpets return to the same place on the same rock, which their shells have worn to their shape.',
];
const page = (title: string, sentences: readonly string[], links: readonly string[] = []) =>
  `<title>${title}</title>${links.map((href) => `<a href="${href}">-</a>`).join('')}<p>${sentences.join(' ')}</p>`;
const LINKS = ['/tides', '/tides?print=1', '/tides?session=77', '/birds', '/short'];
const ROUTES: Routes = {
  '/robots.txt': text(''),
  '/': page(
    'start',
    ['A list of what there is to read about the shore, in the order in which it was written down.'],
    LINKS,
  ),
  '/tides': page('Tides', SENTENCES),
  '/tides?print=1': page('Tides', [...SENTENCES, 'Printed in 2026.']),
  '/tides?session=77': page('Tides', SENTENCES, ['/only-from-here']),
  '/birds': page(
    'Birds',
    SENTENCES.map((each) => each.replaceAll(/\b(\w)(\w+)\b/g, 'gull$2 $1ern')),
  ),
  '/short': page('Short', ['Closed.']),
  '*': page('other', ['Closed.']),
};

const of = (web: Web, seeds = [web.url('a.test')]) => ({ seeds, scope: { seeds, within: 'host' as const } });
const first = '/tides';

it('names the first page with nearly the same text: to handlers, in the decisions and in the report', async () => {
  const web = await webForTest({ hosts: { 'a.test': ROUTES } });
  const seen: [string, string | null][] = [];
  const { decisions, report } = await crawl({
    ...of(web),
    nearDuplicates: 'tell',
    handlers: (crawler) =>
      crawler.on('html', async (each) => {
        seen.push([each.url, each.similarTo]);
        await each.follow();
      }),
  });
  const copies = [web.url('a.test', '/tides?print=1'), web.url('a.test', '/tides?session=77')];
  const original = web.url('a.test', first);
  expect(seen.filter(([, similarTo]) => similarTo !== null)).toEqual(copies.map((url) => [url, original]));
  expect(decisions.filter(({ similarTo }) => similarTo === original).map(({ url }) => url)).toEqual(copies);
  expect(decisions.find(({ url }) => url === original)?.simhash).toMatch(/^[0-9a-f]{16}$/);
  expect(decisions.find(({ url }) => url.endsWith('/short'))?.simhash).toBeUndefined();
  expect(report.duplicateText).toEqual({ pages: 2, groups: [{ url: original, pages: 2 }] });
  expect(web.paths('a.test')).toContain('/only-from-here');
});

it('drops them if an option says so, and their links with them', async () => {
  const web = await webForTest({ hosts: { 'a.test': ROUTES } });
  const { itemUrls, report, decisions } = await crawl({ ...of(web), nearDuplicates: 'drop' });
  expect(itemUrls.map((url) => new URL(url).pathname + new URL(url).search).toSorted()).toEqual([
    '/',
    '/birds',
    '/short',
    first,
  ]);
  expect(report.outcomes['dropped']).toEqual({ 'duplicate-text': 2 });
  const [dropped] = decisions.filter(({ reason }) => reason === 'duplicate-text');
  expect(dropped).toMatchObject({ detail: web.url('a.test', first), httpStatus: 200, isPage: true });
  expect(web.paths('a.test')).not.toContain('/only-from-here');
});

it('drops no page for one that is not kept: its print view says noindex, or its old URL has moved to it', async () => {
  let hasMoved = false;
  const noindex = '<meta name="robots" content="noindex">';
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': page('start', ['Closed.'], ['/print', '/tides', '/old']),
        '/print': noindex + page('Tides', SENTENCES),
        '/tides': page('Tides', SENTENCES),
        '/old': () =>
          hasMoved ? { status: 301, headers: { location: '/new' } } : page('Gulls', SENTENCES.toReversed()),
        '/new': page('Gulls', SENTENCES.toReversed()),
      },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-near-'));
  try {
    const run = async () => {
      const sink = memorySink();
      const options = { ...of(web), nearDuplicates: 'drop', recrawl: true, sinks: [sink] } as const;
      await makeCrawler(options).run({ out: join(folder, 'crawl'), again: true });
      return sink.items.map(({ url, removed }) => [new URL(url).pathname, removed ?? 'kept']);
    };
    expect((await run()).toSorted()).toEqual(['/', '/old', '/tides'].map((path) => [path, 'kept']));
    hasMoved = true;
    expect(await run()).toEqual([
      ['/old', 'moved'],
      ['/new', 'kept'],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('knows the pages of earlier runs from the decision log', async () => {
  const web = await webForTest({ hosts: { 'a.test': ROUTES } });
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-near-'));
  try {
    const out = join(folder, 'crawl');
    const crawler = makeCrawler({ ...of(web, [web.url('a.test', first)]), nearDuplicates: 'tell' });
    await crawler.run({ out });
    const more = of(web, [web.url('a.test', first), web.url('a.test', '/tides?print=1')]);
    const { report } = await crawl({ ...more, nearDuplicates: 'tell', out });
    expect(report.duplicateText).toEqual({ pages: 1, groups: [{ url: web.url('a.test', first), pages: 1 }] });
    const again = await makeCrawler({ ...more, nearDuplicates: 'tell' }).run({ out });
    expect(again.duplicateText).toEqual(report.duplicateText);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('compares nothing by default', async () => {
  const web = await webForTest({ hosts: { 'a.test': ROUTES } });
  const { decisions, report } = await crawl(of(web));
  expect(decisions.some(({ simhash, similarTo }) => simhash !== undefined || similarTo !== undefined)).toBe(false);
  expect(report.duplicateText).toBeUndefined();
});
