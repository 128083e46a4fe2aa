// A crawl of a crawl's archive gets the same answers as the first one.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type CrawlerOptions, createCrawler, headerValue, memorySink } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { fakePage, fakeRedirect } from './fake-answer.js';
import { hostsFromArchive } from './fake-archive.js';
import { createFakeWeb, type FakeWeb } from './fake-web.js';
import { crawlInVirtualTime } from './run-crawl.js';

async function crawlOf(web: FakeWeb, more: Partial<CrawlerOptions>, out?: string) {
  const sink = memorySink();
  const crawl = await crawlInVirtualTime(
    web,
    (fakes) =>
      createCrawler({
        identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
        scope: { seeds: ['https://a.test/', 'http://b.test/'] },
        bounds: { pages: 100 },
        maxIdleMs: 3_600_000,
        sinks: [sink],
        ...more,
        ...fakes,
      }).on('any', async (page) => {
        await page.emit({ url: page.url, text: await page.text(), server: headerValue(page.headers, 'x-server') });
        await page.follow();
      }),
    out === undefined ? {} : { run: { out } },
  );
  return {
    requested: crawl.exchanges.map(({ url }) => url).sort(),
    items: sink.items.map(({ data }) => JSON.stringify(data)).sort(),
  };
}

it('answers as the sites did, visit by visit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-archive-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const web = createFakeWeb({
    hosts: {
      'a.test': {
        robots: 'User-agent: *\nDisallow: /closed\n',
        pages: {
          '/': fakePage('start', ['/gzip', '/moved', '/closed', '/busy', '/reset', '/missing', '/q?a=1']),
          '/gzip': { body: gzipSync(fakePage('coded')), headers: { 'Content-Encoding': 'gzip', 'X-Server': 'one' } },
          '/moved': fakeRedirect('/target'),
          '/target': fakePage('target'),
          '/busy': ({ before }) => (before === 0 ? { status: 503 } : fakePage('here')),
          '/reset': { failure: 'reset' },
          '/q': ({ path }) => fakePage(path),
        },
      },
      'b.test': { pages: { '/': fakePage('b') } },
    },
  });
  const first = await crawlOf(web, { archive: true }, join(folder, 'crawl'));
  const hosts = await hostsFromArchive(join(folder, 'crawl', 'archive'));
  expect(Object.keys(hosts).sort()).toEqual(['http://b.test', 'https://a.test']);
  const second = await crawlOf(createFakeWeb({ hosts }), {});
  expect(first.items).toHaveLength(6);
  expect(second.items).toEqual(first.items);
  expect(second.requested).toEqual(first.requested);
});

it('says what is wrong with a folder without an archive', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-archive-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await expect(hostsFromArchive(folder)).rejects.toMatchObject({ code: 'option-invalid' });
});
