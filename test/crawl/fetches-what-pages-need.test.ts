// An archive that shows pages as they were costs sites more requests, so each request must be as polite as one for a
// page: allowed, spaced, within its budget, and made once. If this breaks, one page loads hundreds of files at once.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuse } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { CONTACT, type CrawlStory, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type Routes, redirect, text, type Web } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const OPEN = text('User-agent: *\nDisallow: /closed\n');
const css = (body: string) => ({ body, headers: { 'content-type': 'text/css' } });
const png = { body: Buffer.alloc(100, 'x'), headers: { 'content-type': 'image/png' } };
const PACE = { profile: { factor: 0, minMs: 30, maxMs: 30 } };

type Requisites = Exclude<NonNullable<Exclude<TestCrawlOptions['archive'], boolean>>['requisites'], undefined>;

function out(): string {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-requisites-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

async function run(
  hosts: Readonly<Record<string, Routes>>,
  requisites: Requisites,
  more: Partial<TestCrawlOptions> = {},
): Promise<CrawlStory & { readonly web: Web }> {
  const web = await webForTest({ hosts });
  const options = { seeds: [web.url('a.test')], archive: { requisites }, politeness: PACE, out: out() };
  return { ...(await crawl({ ...options, ...more })), web };
}

/** The requested paths of a host except robots.txt, sorted. */
const requestedPaths = (web: Web, host = 'a.test'): string[] =>
  web
    .paths(host)
    .filter((path) => path !== '/robots.txt')
    .sort();
const reasonsOf = ({ decisions }: CrawlStory): Record<string, string> =>
  Object.fromEntries(
    decisions
      .filter(({ detail }) => detail === 'needed by an archived page')
      .map(({ url, reason }) => [url.replace(/^.*:\d+/, ''), reason]),
  );

it('files are fetched once for all pages, as politely as pages, and no handler gets them', async () => {
  const hosts: Record<string, Routes> = {};
  const web = await webForTest({ hosts });
  const head = '<link rel=stylesheet href=/style.css>';
  Object.assign(hosts, {
    'a.test': {
      '/robots.txt': OPEN,
      '/': page('a', ['/b', '/closed'], `${head}<link rel=icon href=/closed/icon.png><script src=/moved.js></script>`),
      '/b': page('b', [], `${head}<img src=/b.png><img src=http://cdn.test:${web.port}/far.png><img src=/hooked.png>`),
      '/style.css': css('@import "/deep/more.css"; a { background: url(/closed/bg.png) }'),
      '/deep/more.css': css('@import "../style.css"; @font-face { src: url(font.woff2) }'),
      '/deep/font.woff2': { body: 'font', headers: { 'content-type': 'font/woff2' } },
      '/moved.js': redirect('/closed/moved.js'),
      '/b.png': png,
      '*': text('should not have been asked for'),
    },
    'cdn.test': { '*': text('should not have been asked for') },
  });
  const directory = out();
  const story = await crawl({
    seeds: [web.url('a.test')],
    archive: { requisites: true },
    politeness: PACE,
    out: directory,
    hooks: { beforeFetch: ({ url, purpose }) => (url.endsWith('hooked.png') ? refuse(purpose) : undefined) },
  });
  const rules = { 'a.test': { gapMs: 30, closed: ['/closed', '/hooked'] } };
  expect(judge(web.log, { contact: CONTACT, rules })).toEqual(POLITE);
  expect(requestedPaths(web)).toEqual([
    '/',
    '/b',
    '/b.png',
    '/deep/font.woff2',
    '/deep/more.css',
    '/moved.js',
    '/style.css',
  ]);
  expect(requestedPaths(web, 'cdn.test')).toEqual([]);
  expect(story.report).toMatchObject({ pages: 2, state: 'finished' });
  expect(story.itemUrls).toEqual([web.url('a.test'), web.url('a.test', '/b')]);
  expect(story.requests.filter(({ purpose }) => purpose === 'requisite')).toHaveLength(5);
  expect(reasonsOf(story)).toEqual({
    '/closed/icon.png': 'robots-rule',
    '/closed/bg.png': 'robots-rule',
    '/closed/moved.js': 'robots-rule',
    '/far.png': 'out-of-scope',
    '/hooked.png': 'hook-refused',
  });
});

it('files that the archive holds from an earlier run are not fetched again', async () => {
  const style = '<link rel=stylesheet href=/style.css>';
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': OPEN,
        '/': page('a', ['/b'], style),
        '/b': page('b', [], `${style}<img src=/b.png>`),
        '/style.css': css(''),
        '/b.png': png,
      },
    },
  });
  const options = { seeds: [web.url('a.test')], archive: { requisites: true }, politeness: PACE, out: out() };
  await crawl({ ...options, bounds: { pages: 1 } });
  expect(requestedPaths(web)).toEqual(['/', '/style.css']);
  await crawl({ ...options, bounds: { pages: 2 } });
  expect(requestedPaths(web)).toEqual(['/', '/b', '/b.png', '/style.css']);
});

it('files of other hosts are fetched if enabled, each with its own robots.txt and its own clock', async () => {
  const hosts: Record<string, Routes> = {};
  const web = await webForTest({ hosts });
  const cdn = `http://cdn.test:${web.port}`;
  Object.assign(hosts, {
    'a.test': {
      '/robots.txt': OPEN,
      '/': page('a', [], `<img src=${cdn}/1.png><img src=${cdn}/2.png><img src=${cdn}/closed/3.png>`),
    },
    'cdn.test': { '/robots.txt': OPEN, '/1.png': png, '/2.png': png, '*': text('should not have been asked for') },
  });
  await crawl({ seeds: [web.url('a.test')], archive: { requisites: { hosts: 'any' } }, politeness: PACE, out: out() });
  const rules = { gapMs: 30, closed: ['/closed'] };
  expect(judge(web.log, { contact: CONTACT, rules: { 'a.test': rules, 'cdn.test': rules } })).toEqual(POLITE);
  expect(requestedPaths(web, 'cdn.test')).toEqual(['/1.png', '/2.png']);
});

it.each<[string, Requisites, number]>([
  ['files of a page', { perPage: 3 }, 6],
  ['bytes of a page', { bytesPerPage: 1 }, 2 * 8],
  ['files of the crawl', { total: 4 }, 4],
  ['bytes of the crawl', { totalBytes: 1 }, 8],
])('the budget limits them: %s', async (_, budget, maxRequests) => {
  const images = (from: number) => Array.from({ length: 10 }, (_each, at) => `<img src=/${from + at}.png>`).join('');
  const story = await run(
    { 'a.test': { '/robots.txt': OPEN, '/': page('a', ['/b'], images(0)), '/b': page('b', [], images(10)), '*': png } },
    budget,
  );
  const fetched = story.requests.filter(({ purpose }) => purpose === 'requisite').length;
  expect(fetched).toBeGreaterThan(0);
  expect(fetched).toBeLessThanOrEqual(maxRequests);
  expect(Object.values(reasonsOf(story))).toContain('requisite-limit');
  expect(story.report).toMatchObject({ pages: 2, state: 'finished' });
});

it('none is fetched when the bytes of the crawl are used up', async () => {
  const story = await run(
    { 'a.test': { '/robots.txt': OPEN, '/': page('a', [], '<img src=/1.png>'), '*': png } },
    true,
    { bounds: { pages: 5, bytes: 60 } },
  );
  expect(requestedPaths(story.web)).toEqual(['/']);
  expect(reasonsOf(story)).toEqual({ '/1.png': 'requisite-limit' });
});

it('none is fetched for pages that refuse copies, and no images for pages that refuse those', async () => {
  const meta = (content: string) =>
    `<meta name=robots content=${content}><img src=/${content}.png><script src=/${content}.js></script>`;
  const { web } = await run(
    {
      'a.test': {
        '/robots.txt': OPEN,
        '/': page('a', ['/noarchive', '/noimageindex']),
        '/noarchive': page('b', [], meta('noarchive')),
        '/noimageindex': page('c', [], meta('noimageindex')),
        '*': png,
      },
    },
    true,
  );
  expect(requestedPaths(web)).toEqual(['/', '/noarchive', '/noimageindex', '/noimageindex.js']);
});

it('a page whose files a stop interrupts comes again, and only then goes to its handler', async () => {
  const hosts: Record<string, Routes> = {};
  const web = await webForTest({ hosts });
  let stop = (): void => undefined;
  Object.assign(hosts, {
    'a.test': {
      '/robots.txt': OPEN,
      '/': page('a', [], '<img src=/1.png><img src=/2.png>'),
      '/1.png': () => {
        stop();
        return png;
      },
      '/2.png': png,
    },
  });
  const directory = out();
  const options = { seeds: [web.url('a.test')], archive: { requisites: true }, politeness: PACE, out: directory };
  const handled: string[] = [];
  const handlers: TestCrawlOptions['handlers'] = (crawler) => {
    stop = () => crawler.stop();
    crawler.on('html', (each) => void handled.push(each.url));
  };
  expect((await crawl({ ...options, handlers })).report.state).toBe('stopped');
  expect([handled, requestedPaths(web)]).toEqual([[], ['/', '/1.png']]);
  const { report } = await crawl({
    ...options,
    handlers: (crawler) => crawler.on('html', (each) => void handled.push(each.url)),
  });
  expect(report.state).toBe('finished');
  expect([handled, requestedPaths(web)]).toEqual([[web.url('a.test')], ['/', '/', '/1.png', '/2.png']]);
  // The archive has them as subresources, and not among its pages.
  const items = readFileSync(join(directory, 'requests.jsonl'), 'utf8');
  expect(items).toContain('"purpose":"requisite"');
});
