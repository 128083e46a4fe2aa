// A researcher who changes a handler must not request the pages again, and an unchanged handler must yield the same
// items. So a replay sees what the crawl saw: pages, labels, rules, large files, and the requests of handlers.

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type HandledPage, type Item, memorySink, type ReplayRoutes, replay } from 'mannerly';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type CrawlStory, crawl } from '../support/crawl.js';
import { page, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const LARGE = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(3 * 1024 * 1024, 'a page of a large file ')]);
const html = { 'content-type': 'text/html; charset=utf-8' };

const SITE: Routes = {
  '/robots.txt': text(
    'User-agent: *\nDisallow: /closed\nNoindex: /quiet\nContent-Signal: ai-train=no\nLicense: /license.xml',
  ),
  '/license.xml': text(
    `<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><payment type="attribution"/></license></content></rsl>`,
  ),
  '/': page('a', [
    '/b',
    '/c',
    '/moved',
    '/coded',
    '/noindex',
    '/quiet',
    '/late',
    '/large.pdf',
    '/coded.pdf',
    '/data.json',
    '/kept-out',
    '/flaky',
    '/latin',
  ]),
  '/b': page('same', ['/closed']),
  '/c': page('same', ['/closed']),
  '/moved': redirect('/target'),
  '/target': page('target'),
  '/coded': { body: gzipSync(page('coded', ['/b'])), headers: { ...html, 'content-encoding': 'gzip' } },
  '/noindex': page('noindex', [], '<meta name="robots" content="noindex">'),
  '/quiet': page('closed to indexes by robots.txt'),
  '/late': { body: page('late'), headers: { ...html, 'x-robots-tag': 'unavailable_after: 25 Jun 2087 15:00:00 GMT' } },
  '/large.pdf': { body: LARGE, headers: { 'content-type': 'application/pdf' } },
  '/coded.pdf': { body: gzipSync(LARGE), headers: { 'content-type': 'application/pdf', 'content-encoding': 'gzip' } },
  '/data.json': { body: '{"a":[1,2]}', headers: { 'content-type': 'application/json' } },
  '/kept-out': page('kept out', [], '<meta name="robots" content="noarchive">'),
  '/flaky': ({ before }) => (before === 0 ? { misbehave: 'reset' } : page('at the second try')),
  '/latin': {
    body: Buffer.from('<title>caf\u00e9</title>', 'latin1'),
    headers: { 'content-type': 'text/html; charset=latin1' },
  },
  '/extra': text('asked for by a handler'),
};

/** A handler for each kind, which reads everything that a page offers. */
function routes(on: (...args: Parameters<ReplayRoutes['on']>) => unknown): void {
  on('html', async (page) => {
    const extra = page.title === 'target' ? await page.fetch('/extra') : null;
    await page.emit({ ...seen(page), links: page.links.map(({ url }) => url), heading: page.$('title').text() });
    await page.emit({
      text: await page.text(),
      extra: extra?.kind === 'response' ? Buffer.from(extra.body).toString() : null,
    });
    await page.follow(undefined, {
      label: page.title === 'same' ? 'labelled' : 'other',
      userData: { from: page.title },
    });
  });
  on(
    'label:other',
    async (page) => {
      const extra = page.title === 'target' ? await page.fetch('/extra') : null;
      await page.emit({ ...seen(page), extra: extra?.kind === 'response' ? Buffer.from(extra.body).toString() : null });
      if (page.kind === 'html') await page.follow();
    },
    { maxBodyBytes: 10_000_000 },
  );
  on('pdf', (page) => page.emit(seen(page)));
  on('json', async (page) => page.emit({ ...seen(page), json: await page.json() }));
}

function seen(page: HandledPage) {
  const { url, status, kind, title, depth, via, from, label, userData, attempt, visit, truncated, bodyBytes } = page;
  const headers = page.headers.filter(([name]) => name !== 'Date').map(([name, value]) => `${name}: ${value}`);
  return {
    url,
    status,
    kind,
    title,
    depth,
    via,
    from,
    label,
    userData,
    attempt,
    visit,
    truncated,
    bodyBytes,
    headers,
  };
}

const byId = (items: readonly Item[]): Item[] => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));

async function crawled(): Promise<{ story: CrawlStory; out: string; requestCount: () => number }> {
  const out = await mkdtemp(join(tmpdir(), 'test-out-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const web = await webForTest({ hosts: { 'a.test': SITE } });
  const story = await crawl({
    seeds: [web.url('a.test')],
    out,
    archive: { warcBytes: 1_048_576 },
    network: { maxBodyBytes: 1_048_576 },
    purposes: ['ai-train', 'search'],
    preferences: 'observe',
    handlers: (crawler) => routes(crawler.on),
  });
  return { story, out, requestCount: () => web.log.length };
}

it('the same handlers yield the same items, without a request: data, ids, expiry, preferences and licences', async () => {
  const { story, out, requestCount } = await crawled();
  const before = requestCount();
  const sink = memorySink();
  const report = await replay({ from: out, handlers: ({ on }) => routes(on), sinks: [sink] });
  const archived = story.items.filter(({ url }) => !url.endsWith('/kept-out'));
  expect(byId(sink.items)).toEqual(byId(archived));
  expect(archived.length).toBeGreaterThan(10);
  expect(archived.some(({ expiresAtMs }) => expiresAtMs !== null)).toBe(true);
  expect(archived.some(({ preferences }) => preferences['train-ai'] === 'disallow')).toBe(true);
  expect(archived.every(({ license }) => license?.outcome === 'attribution')).toBe(true);
  expect(JSON.stringify(archived)).toContain('asked for by a handler');
  expect(report).toMatchObject({ items: archived.length, withheld: 1, excluded: 2, failures: 0 });
  expect(requestCount()).toBe(before);
  // A replay is the same each time, including the order.
  const again = memorySink();
  await replay({ from: out, handlers: ({ on }) => routes(on), sinks: [again] });
  expect(again.items).toEqual(sink.items);
});

it('other handlers get the same pages, including large files, and one that fails affects only its page', async () => {
  const { out } = await crawled();
  const hashes = new Map<string, string>();
  const failing = (): never => {
    throw new Error('no');
  };
  const items = await readFile(join(out, 'items.jsonl'), 'utf8');
  const report = await replay({
    from: out,
    handlers: (on) =>
      on.on(
        'label:other',
        async (page) => {
          if (page.kind === 'json') failing();
          const hash = createHash('sha256');
          for await (const bytes of page.body) hash.update(bytes);
          hashes.set(new URL(page.url).pathname, hash.digest('hex'));
          await page.emit({ answer: (await page.fetch('/never-asked')).kind });
        },
        { maxBodyBytes: 10_000_000 },
      ),
  });
  const large = createHash('sha256').update(LARGE).digest('hex');
  expect([hashes.get('/large.pdf'), hashes.get('/coded.pdf')]).toEqual([large, large]);
  expect(report.failures).toBe(1);
  expect(report.failed[0]?.url).toMatch(/data\.json$/);
  expect(await readFile(join(out, 'items.jsonl'), 'utf8')).toBe(items);
});

it('what a handler emits after its end is a failure of its page', async () => {
  const { out } = await crawled();
  const pages: HandledPage[] = [];
  const report = await replay({
    from: out,
    handlers: ({ on }) =>
      on('html', (page) => {
        void pages.at(-1)?.emit('late');
        pages.push(page);
      }),
  });
  expect(pages.length).toBeGreaterThan(2);
  expect(report).toMatchObject({ items: 0, failures: pages.length - 1 });
  expect(report.failed[0]).toMatchObject({ detail: expect.stringContaining('has ended') });
});

it('ends soon after it is stopped, even if a sink does not, and names the sink', async () => {
  const { out } = await crawled();
  const stop = new AbortController();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  /** A sink that never finishes. Time passes once somebody waits for it. */
  const never = (): Promise<void> => {
    stop.abort();
    setImmediate(() => vi.advanceTimersByTime(5_000));
    return new Promise(() => undefined);
  };
  const stuck = { name: 'stuck', open: async () => undefined, write: never, close: never };
  const replayed = replay({ from: out, handlers: ({ on }) => routes(on), sinks: [stuck], signal: stop.signal });
  await expect(replayed).rejects.toThrow('sink "stuck" could not close: Error: it had not ended 5 s after a stop');
});

it('says when there is no archive to replay', async () => {
  const out = await mkdtemp(join(tmpdir(), 'test-out-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': text(''), '/': page('a') } } });
  await crawl({ seeds: [web.url('a.test')], out });
  await expect(replay({ from: out, handlers: () => undefined })).rejects.toMatchObject({ code: 'archive-missing' });
});
