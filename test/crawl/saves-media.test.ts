// `page.saveAll` saves the media of a page: one copy of each content, by requests like any other. At stake: requests
// that ignore robots.txt, spacing or the directives of a file; a disk full of copies.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HandledPage, memorySink, replay } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { type CrawlStory, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { page, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n-a picture', 'latin1');
const JPEG = Buffer.from('\xff\xd8\xff-another', 'latin1');
const image = (body: Buffer, headers: Record<string, string> = {}) => ({
  body,
  headers: { 'content-type': 'image/png', ...headers },
});
const LONG = image(Buffer.concat([PNG, Buffer.alloc(3_000)]));
const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex');

const SITE: Routes = {
  '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
  '/a.png': image(PNG),
  '/same-elsewhere': { body: PNG, headers: { 'content-type': 'application/octet-stream' } },
  '/b.jpg': image(JPEG),
  '/moved.png': redirect('/hop.png'),
  '/hop.png': redirect('/b.jpg'),
  '/round.png': redirect('/round.png'),
  '/later.png': redirect('/a.png', 302, { 'retry-after': '60' }),
  '/to-closed.png': redirect('/closed/x.png'),
  '/noarchive.png': image(Buffer.from('kept out'), { 'x-robots-tag': 'noarchive' }),
  '/gone.png': { status: 404 },
};
const SHOWN = [
  '/a.png',
  '/a.png',
  '/same-elsewhere',
  '/moved.png',
  '/closed/y.png',
  '/to-closed.png',
  '/round.png',
  '/later.png',
  '/noarchive.png',
  '/gone.png',
  'http://other.test/x.png',
];

async function story(
  head: string,
  handle: (page: HandledPage) => Promise<unknown>,
  more: Partial<TestCrawlOptions> = {},
): Promise<CrawlStory & { readonly out: string; readonly requestedPaths: () => string[] }> {
  const shown = SHOWN.map((url) => `<img src="${url}">`).join('');
  const web = await webForTest({
    hosts: { 'a.test': { ...SITE, '/': page('A', [], head).replace('</body>', `${shown}</body>`) } },
  });
  const out = await mkdtemp(join(tmpdir(), 'mannerly-media-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const handlers: TestCrawlOptions['handlers'] = (crawler) => crawler.on('html', handle);
  const crawled = await crawl({ seeds: [web.url('a.test')], out, handlers, ...more });
  return { ...crawled, out, requestedPaths: () => web.paths('a.test') };
}

const saveImages = async (each: HandledPage): Promise<void> => {
  for (const file of await each.saveAll('img')) await each.emit({ ...file });
};
const outcomesOf = (items: CrawlStory['items']) =>
  items.map(({ data }) => {
    const { url, kind, reason, isCopy } = data as Record<string, string | boolean>;
    return [String(url).replace(/^http:\/\/a\.test:\d+/, ''), kind === 'saved' ? isCopy : `${kind}: ${reason}`];
  });

it('saves each content once, and gives a reason for everything else', async () => {
  const { items, out } = await story('', saveImages);
  expect(outcomesOf(items)).toEqual([
    ['/a.png', false],
    ['/same-elsewhere', true],
    ['/moved.png', false],
    ['/closed/y.png', 'excluded: robots-rule'],
    ['/to-closed.png', 'excluded: robots-rule'],
    ['/round.png', 'dropped: redirect-limit'],
    ['/later.png', 'held: not-before'],
    ['/noarchive.png', 'left-alone: noarchive'],
    ['/gone.png', 'failed: status-404'],
    ['http://other.test/x.png', 'dropped: out-of-scope'],
  ]);
  const names = [`${sha256(PNG)}.png`, `${sha256(JPEG)}.jpg`];
  const files = await readdir(join(out, 'files', 'media'), { recursive: true });
  expect(files.filter((name) => name.includes('.')).sort()).toEqual(
    names.map((name) => join(name.slice(0, 2), name)).sort(),
  );
  expect(items[0]?.data).toMatchObject({ sha256: sha256(PNG), bytes: PNG.length, truncated: null });
  expect(await readFile(String((items[1]!.data as { path: string }).path))).toEqual(PNG);
});

it('leaves a file alone if its licence, or robots.txt for one of the purposes, refuses its use', async () => {
  const rsl = '<content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content>';
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nContent-Usage: /b train-ai=n\n'),
        '/.well-known/tdmrep.json': { status: 404 },
        '/': page('A').replace('</body>', '<img src="/a.png"><img src="/b.jpg"><img src="/c.jpg"></body>'),
        '/a.png': image(PNG, { link: '</l.xml>; rel="license"; type="application/rsl+xml"' }),
        '/b.jpg': image(JPEG),
        '/c.jpg': image(JPEG),
        '/l.xml': text(`<rsl xmlns="https://rslstandard.org/rsl">${rsl}</rsl>`),
      },
    },
  });
  const out = await mkdtemp(join(tmpdir(), 'mannerly-media-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const { items } = await crawl({
    seeds: [web.url('a.test')],
    out,
    purposes: ['ai-train', 'search'],
    handlers: (crawler) => crawler.on('html', saveImages),
  });
  expect(outcomesOf(items)).toEqual([
    ['/a.png', 'left-alone: license-prohibits'],
    ['/b.jpg', 'left-alone: preferences'],
    ['/c.jpg', false],
  ]);
});

it('requests nothing if the page refuses its pictures', async () => {
  const { items, requestedPaths } = await story('<meta name="robots" content="noimageindex">', saveImages);
  expect(new Set(outcomesOf(items).map(([, reason]) => reason))).toEqual(new Set(['left-alone: noimageindex']));
  expect(requestedPaths().sort()).toEqual(['/', '/robots.txt']);
});

it('ends at its bounds, and rejects invalid ones', async () => {
  const wrong: string[] = [];
  const { items, requestedPaths } = await story('', async (each) => {
    for (const options of [{ maxFiles: 0 }, { maxFiles: 101 }, { maxBytes: 0.5 }]) {
      await each.saveAll('img', options).catch((error: Error) => wrong.push(error.message));
    }
    for (const file of await each.saveAll('img', { maxFiles: 1 })) await each.emit({ ...file });
    for (const file of await each.saveAll('img', { maxBytes: PNG.length })) await each.emit({ ...file });
  });
  expect(outcomesOf(items).slice(0, 2)).toEqual([
    ['/a.png', false],
    ['/same-elsewhere', 'dropped: page-fetch-limit'],
  ]);
  expect(outcomesOf(items).slice(10, 12)).toEqual([
    ['/a.png', true],
    ['/same-elsewhere', 'dropped: page-fetch-limit'],
  ]);
  expect(requestedPaths().filter((path) => path === '/b.jpg')).toEqual([]);
  expect(wrong).toEqual([
    'expected `saveAll.maxFiles` to be a whole number from 1 to 100, got 0',
    'expected `saveAll.maxFiles` to be a whole number from 1 to 100, got 101',
    'expected `saveAll.maxBytes` to be a whole number from 1 to 68719476736, got 0.5',
  ]);
});

it('waits for the turn of its host between two files', async () => {
  const { report } = await story('', (each) => each.saveAll('img', { maxFiles: 3 }), {
    politeness: { profile: { factor: 0, minMs: 40, maxMs: 40 } },
  });
  const [host] = report.politeness;
  expect(host?.requests).toBeGreaterThanOrEqual(5);
  expect(host?.early).toBe(0);
  expect(host?.smallestGapMs).toBeGreaterThanOrEqual(40);
});

it('saves the same files in a replay, without a request', async () => {
  const { items, out, requestedPaths } = await story('', saveImages, { archive: true });
  const before = requestedPaths().length;
  const again = memorySink();
  const filesPath = join(out, 'replayed');
  await replay({ from: out, filesPath, sinks: [again], handlers: (routes) => routes.on('html', saveImages) });
  // Refused files were not requested, and are not in the archive.
  const saved = (each: CrawlStory['items']) => outcomesOf(each).filter(([, what]) => typeof what === 'boolean');
  expect(saved(again.items)).toEqual(saved(items));
  expect((await readdir(filesPath, { recursive: true })).filter((name) => name.includes('.'))).toHaveLength(2);
  expect(requestedPaths()).toHaveLength(before);
});

it('the log names the first picture that its limit cut', async () => {
  const web = await webForTest({
    hosts: { 'a.test': { '/': page('A', []).replace('</body>', '<img src="/long.png"></body>'), '/long.png': LONG } },
  });
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-media-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const logged: string[] = [];
  const { items } = await crawl({
    seeds: [web.url('a.test')],
    network: { maxBodyBytes: 2_000 },
    log: ({ code, message }) => void (code === 'body-truncated' && logged.push(message)),
    handlers: (crawler) =>
      crawler.on('html', async (each) => {
        for (const file of await each.saveAll('img', { folder })) await each.emit({ ...file });
      }),
  });
  expect(items.map(({ data }) => data)).toEqual([expect.objectContaining({ bytes: 2_000, truncated: 'limit' })]);
  expect(logged).toEqual([expect.stringMatching(/\/long\.png: only 2000 bytes of it were read, the first/)]);
});
