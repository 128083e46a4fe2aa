// A page goes to the handler of its real kind. A PDF that is declared as HTML must not be read for links, and a saved
// file must be complete and in its folder.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedFile } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const PDF = '%PDF-1.7\n<a href="/never">x</a>';
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const typed = (body: string | Uint8Array, type: string) => ({ body, headers: { 'content-type': type } });

it('goes to the handler for its declared type and first bytes', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': page('start', ['/a.pdf', '/liar', '/b.png', '/c.json', '/d.xml', '/feed', '/e.txt', '/f.bin', '/g']),
        '/a.pdf': typed(PDF, 'application/pdf'),
        '/liar': typed(PDF, 'text/html'),
        '/b.png': typed(PNG, 'image/png'),
        '/c.json': typed('{}', 'application/ld+json'),
        '/d.xml': typed('<?xml version="1.0"?><x/>', 'text/xml'),
        '/feed': typed('<rss version="2.0"><channel/></rss>', 'text/html'),
        '/e.txt': typed('words', 'text/plain'),
        '/f.bin': typed('\0\0', 'application/octet-stream'),
        '/g': typed('<!doctype html><title>silent</title>', ''),
      },
    },
  });
  const seen: Record<string, string> = {};
  await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) => {
      crawler.on('html', (each) => each.follow().then(() => note('html', each.url)));
      for (const kind of ['pdf', 'image', 'json', 'xml', 'text', 'other'] as const) {
        crawler.on(kind, (each) => note(kind, each.url));
      }
    },
  });
  function note(kind: string, url: string): void {
    seen[new URL(url).pathname] = kind;
  }
  expect(seen).toEqual({
    '/': 'html',
    '/a.pdf': 'pdf',
    '/liar': 'pdf',
    '/b.png': 'image',
    '/c.json': 'json',
    '/d.xml': 'xml',
    '/feed': 'xml',
    '/e.txt': 'text',
    '/f.bin': 'other',
    '/g': 'html',
  });
});

it('is saved completely, below the crawl directory, whatever its name, unless it asks not to be', async () => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': page('start', ['/docs/paper.pdf', '/noindex.pdf', '/noarchive.pdf']),
        '/docs/paper.pdf': typed(PDF, 'application/pdf'),
        '/noindex.pdf': { ...typed(PDF, 'application/pdf'), headers: { 'x-robots-tag': 'noindex' } },
        '/noarchive.pdf': { ...typed(PDF, 'application/pdf'), headers: { 'x-robots-tag': 'noarchive' } },
      },
    },
  });
  const saved: Record<string, readonly SavedFile[]> = {};
  await crawl({
    seeds: [web.url('a.test')],
    out,
    handlers: (crawler) => {
      crawler.on('html', (each) => each.follow());
      crawler.on('pdf', async (each) => {
        saved[new URL(each.url).pathname] = [await each.save(), await each.save('../../../escape.pdf')];
      });
    },
  });
  const files = join(out, 'files');
  const leftAlone = (reason: string): SavedFile[] => [
    { kind: 'left-alone', reason },
    { kind: 'left-alone', reason },
  ];
  expect(saved).toMatchObject({
    '/docs/paper.pdf': [
      { kind: 'saved', path: join(files, `a.test_${web.port}`, 'docs/paper.pdf'), bytes: PDF.length },
      { kind: 'saved', path: join(files, 'escape.pdf') },
    ],
    '/noindex.pdf': leftAlone('noindex'),
    '/noarchive.pdf': leftAlone('noarchive'),
  });
  expect(await readFile(join(files, 'escape.pdf'), 'utf8')).toBe(PDF);
  expect((await readdir(files, { recursive: true })).filter((name) => name.includes('part'))).toEqual([]);
});

it('without a crawl directory and a folder, a save is refused with a hint', async () => {
  const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': text(''), '/': page('start') } } });
  const errors: unknown[] = [];
  await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) => crawler.on('html', (each) => each.save().catch((error: unknown) => errors.push(error))),
  });
  expect(errors).toMatchObject([{ code: 'file-folder-missing', hint: expect.stringContaining('folder') }]);
});

it('without a handler is reported with its kind and its declared type', async () => {
  const fake = typed('no PDF at all', 'application/pdf');
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text(''), '/': page('a', ['/b']), '/b': fake } },
  });
  const { decisions } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) => {
      crawler.on('html', (each) => each.follow());
      crawler.on('pdf', () => undefined);
    },
  });
  expect(decisions.map(({ reason, detail }) => [reason, detail])).toEqual([
    ['fetched', null],
    ['no-handler', expect.stringMatching(/^its bytes are \w+, and it is served as application\/pdf$/)],
  ]);
});
