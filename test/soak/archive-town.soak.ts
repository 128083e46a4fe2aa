// The demo town is crawled into an archive with everything on, and other programs read the archive: every record is
// valid, every digest correct, and every logged request is there once. A replay yields the items of the crawl.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTown } from '@mannerly/examples/demo/town';
import { createCrawler, type Item, memorySink, readRequests, replay } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asByWarcio, indexedByWarcio, readIndexes, readRecords, recordFaults } from '../support/warc.js';
import { unzipped } from '../support/zip.js';

const byId = (items: readonly Item[]): Item[] => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));

let base: string;
let out: string;
const crawled = memorySink();

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'mannerly-town-'));
  out = join(base, 'crawl');
  const town = await startTown();
  const crawler = createCrawler({
    identity: { name: 'mannerly-demo', contact: 'https://example.org/mannerly-demo' },
    scope: { seeds: town.seeds, within: 'host' },
    bounds: { pages: 100, depth: 4, pagesPerHost: 8, minutes: 30 },
    network: { resolve: town.resolve, allowAddresses: ['127.0.0.0/8'] },
    discover: { sitemaps: true, dataTxt: true },
    maxIdleMs: 3_000,
    archive: { wacz: true },
    sinks: [crawled],
  });
  crawler.on('html', async (page) => {
    await page.emit({ url: page.url, title: page.title, links: page.links.length });
    await page.follow();
  });
  await crawler.run({ out });
  await town.close();
}, 900_000);

afterAll(() => rm(base, { recursive: true, force: true, maxRetries: 10 }));

describe('the archive of the demo town', () => {
  it('is valid, record by record and digest by digest, and holds every request once', async () => {
    const records = await readRecords(join(out, 'archive'));
    expect(recordFaults(records)).toEqual([]);
    const urls = records.filter(({ type }) => type === 'request').map(({ url }) => url);
    const requested: string[] = [];
    for await (const { url } of readRequests(join(out, 'requests.jsonl'))) requested.push(url);
    expect(urls.sort()).toEqual(requested.sort());
    expect(urls.filter((url) => url.endsWith('/robots.txt')).length).toBeGreaterThan(5);
    const lines = (await readIndexes(join(out, 'archive'))).map(asByWarcio);
    expect(lines.sort()).toEqual(await indexedByWarcio(join(out, 'archive')));
    console.info(`town: ${urls.length} exchanges, ${records.length} records`);
  });

  it('is packaged with the digests of its files', async () => {
    const files = await unzipped(join(out, 'archive.wacz'));
    const { resources } = JSON.parse(files.get('datapackage.json')?.bytes.toString() ?? '{}');
    for (const { path, hash } of resources) expect([path, files.get(path)?.hash]).toEqual([path, hash]);
    expect(resources).toHaveLength(3);
  });

  it('replays into the items of the crawl', async () => {
    const replayed = memorySink();
    await replay({
      from: out,
      handlers: (routes) =>
        routes.on('html', (page) => page.emit({ url: page.url, title: page.title, links: page.links.length })),
      sinks: [replayed],
    });
    expect(byId(replayed.items)).toEqual(byId(crawled.items));
    expect(crawled.items.length).toBeGreaterThan(10);
  });
});
