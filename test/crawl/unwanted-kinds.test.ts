// Files without a handler are not downloaded: they are not requested if the extension shows their kind, and not read if
// only the answer does. At stake: a crawl of 200 pages that spends 47 of them on PDFs that no handler reads.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, type Routes } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const MIB = 1024 * 1024;
const PDF = { headers: { 'content-type': 'application/pdf' }, body: `%PDF-1.7\n${'x'.repeat(8 * MIB)}` };
const PAGES = ['/', '/one', '/two', '/three'];

const site: Routes = {
  '/robots.txt': { status: 404 },
  '/': page('front', ['/a.pdf', '/b.PDF?download=1', '/photo.jpeg', '/setup.exe', '/print?id=1', ...PAGES]),
  '/one': page('one', ['/print?id=2']),
  '/two': page('two'),
  '/three': page('three'),
  '*': PDF,
};

const html = (crawler: Parameters<NonNullable<Parameters<typeof crawl>[0]['handlers']>>[0]) =>
  crawler.on('html', (fetched) => fetched.follow());

it('links are left out by extension, bodies by their type, and neither counts as a page', async () => {
  const web = await webForTest({ hosts: { 'a.test': site } });
  const bounds = { pages: PAGES.length };
  const { report, requests } = await crawl({ seeds: [web.url('a.test')], bounds, handlers: html });
  const paths = web.paths('a.test').filter((path) => path !== '/robots.txt');
  expect(paths.filter((path) => !path.startsWith('/print')).sort()).toEqual([...PAGES].sort());
  expect(report.pages).toBe(PAGES.length);
  expect(report.politeness.map(({ pages }) => pages)).toEqual([PAGES.length]);
  expect(report.outcomes['dropped']).toEqual({ unwanted: 4 + paths.length - PAGES.length });
  const prints = requests.filter(({ url }) => url.includes('/print'));
  expect(prints.length).toBeGreaterThan(0);
  for (const { encodedBytes, status } of prints) {
    expect(status).toBe(200);
    expect(encodedBytes).toBeLessThan(MIB);
  }
});

it.each([
  // An image URL may turn out to be a PDF, and here it does.
  ['a handler for PDFs', 'pdf', 5],
  ['a handler for anything', 'any', 6],
  // A handler for a media type may want any file.
  ['a handler for the media type', 'application/pdf', 6],
] as const)('%s gets them completely', async (_title, route, files) => {
  const web = await webForTest({ hosts: { 'a.test': site } });
  const sizes: number[] = [];
  const { report } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) => {
      html(crawler);
      crawler.on(route, async (file) => {
        if (file.kind === 'pdf') sizes.push((await file.bytes()).length);
      });
    },
  });
  expect(sizes).toEqual(Array.from({ length: files }, () => PDF.body.length));
  expect(report.outcomes['dropped']?.['unwanted'] ?? 0).toBe(6 - files);
});

it('a link with a label is wanted if its route accepts it', async () => {
  const web = await webForTest({ hosts: { 'a.test': site } });
  const seen: string[] = [];
  await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) => {
      crawler.on('html', (fetched) => fetched.follow('a[href="/a.pdf"]', { label: 'paper' }));
      crawler.on('label:paper', (file) => void seen.push(file.url));
    },
  });
  expect(seen).toEqual([web.url('a.test', '/a.pdf')]);
});

it('an archive wants everything', async () => {
  const web = await webForTest({ hosts: { 'a.test': site } });
  const out = await mkdtemp(join(tmpdir(), 'mannerly-unwanted-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const { report } = await crawl({ seeds: [web.url('a.test')], out, archive: true, handlers: html });
  expect(report.outcomes['dropped']?.['unwanted'] ?? 0).toBe(0);
  expect(report.bytes).toBeGreaterThan(6 * PDF.body.length);
});

it('bytes that came before the end of an unwanted body count for `bounds.bytes`', async () => {
  const links = Array.from({ length: 40 }, (_, at) => `/print?id=${at}`);
  const web = await webForTest({ hosts: { 'a.test': { ...site, '/': page('front', links) } } });
  const bounds = { pages: 100, bytes: 500_000 };
  const { report } = await crawl({ seeds: [web.url('a.test')], bounds, handlers: html });
  expect(report).toMatchObject({ state: 'bounded', bound: 'bytes' });
  expect(web.paths('a.test').length).toBeLessThan(links.length);
});
