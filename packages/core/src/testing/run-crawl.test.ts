// A crawl in virtual time is a real crawl: it makes the same requests at the same times each time, and ends with a
// reason if it cannot finish.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrawler, readRequests } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pdfOf } from '../../test-support/pdf.js';
import type { CrawlerOptions } from '../options/crawler-options.js';
import { fakePage } from './fake-answer.js';
import { type CrawlerFakes, createFakeWeb, type FakeHost } from './fake-web.js';
import { assertKeepsGap, assertRobotsFirst } from './politeness-assertions.js';
import { crawlInVirtualTime, runCrawl } from './run-crawl.js';
import { createVirtualClock } from './virtual-clock.js';

const SITE: FakeHost = {
  robots: 'User-agent: *\nCrawl-delay: 600\n',
  pages: { '/': fakePage('start', ['/a', '/b', '/c']), '*': fakePage('leaf') },
};

function makeCrawler(fakes: CrawlerFakes, more: Partial<CrawlerOptions> = {}) {
  const crawler = createCrawler({
    identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
    scope: { seeds: ['https://a.test/'] },
    bounds: { pages: 100 },
    maxIdleMs: 86_400_000,
    ...more,
    ...fakes,
  });
  return crawler.on('html', async (page) => page.follow());
}

describe('a crawl on virtual time', () => {
  it('runs on its own clock, with the same steps each time', async () => {
    const crawls = [];
    for (let time = 0; time < 2; time += 1) {
      const web = createFakeWeb({ hosts: { 'a.test': SITE }, delayMs: 90 });
      crawls.push(await crawlInVirtualTime(web, (fakes) => makeCrawler(fakes)));
    }
    const [first, second] = crawls;
    expect(first?.exchanges).toEqual(second?.exchanges);
    expect(first?.exchanges).toHaveLength(5);
    expect(first?.tookMs).toBeGreaterThanOrEqual(4 * 600_000);
    expect(first?.report).toMatchObject({ state: 'finished', pages: 4 });
    assertKeepsGap(first ?? [], 'a.test', 600_000);
    assertRobotsFirst(first ?? [], 'a.test');
  });

  it('reads a PDF, which takes no time', async () => {
    const pages = { '/': fakePage('start', ['/tides.pdf']), '/tides.pdf': { body: pdfOf('High tide at six') } };
    const web = createFakeWeb({ hosts: { 'a.test': { pages } } });
    const texts: string[] = [];
    const { report } = await crawlInVirtualTime(web, (fakes) =>
      makeCrawler(fakes).on('pdf', async (page) => void texts.push((await page.pdfText()).text.trim())),
    );
    expect(report).toMatchObject({ state: 'finished', pages: 2 });
    expect(texts).toEqual(['High tide at six']);
  });

  it('has a crawl directory, whose log agrees with the web', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-kit-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const out = join(folder, 'crawl');
    // Minutes, not hours: a store on disk writes its account as time passes, and virtual time does not speed up the
    // disk.
    const web = createFakeWeb({ hosts: { 'a.test': { ...SITE, robots: 'User-agent: *\nCrawl-delay: 60\n' } } });
    const { exchanges } = await crawlInVirtualTime(web, (fakes) => makeCrawler(fakes), { run: { out } });
    const logged = [];
    for await (const { url, startedAtMs, endedAtMs } of readRequests(join(out, 'requests.jsonl')))
      logged.push({ url, startMs: startedAtMs, endMs: endedAtMs });
    expect(logged).toEqual(exchanges.map(({ url, startMs, endMs }) => ({ url, startMs, endMs })));
    expect(logged).toHaveLength(5);
  });

  it('can be followed step by step', async () => {
    const clock = createVirtualClock();
    onTestFinished(() => clock.end());
    const web = createFakeWeb({ hosts: { 'a.test': SITE } });
    const crawler = makeCrawler(web.fakes(clock));
    const running = crawler.run();
    await clock.advance(1_000);
    expect(web.requested()).toEqual(['https://a.test/robots.txt']);
    await clock.advance(2 * 600_000);
    expect(web.requested()).toHaveLength(3);
    expect((await crawler.explain('a.test')).host?.interval?.ms).toBe(600_000);
    await clock.finish(running);
    expect(web.requested()).toHaveLength(5);
  });

  it('rethrows what a route threw', async () => {
    const web = createFakeWeb({
      hosts: {
        'a.test': {
          pages: () => {
            throw new Error('a mistake in a test');
          },
        },
      },
    });
    await expect(crawlInVirtualTime(web, (fakes) => makeCrawler(fakes))).rejects.toThrow('a mistake in a test');
  });

  it('rethrows a call that its handler did not await and that comes after the crawl', async () => {
    const web = createFakeWeb({ hosts: { 'a.test': { pages: { '/data.json': '{}' } } } });
    const forgetful = (fakes: CrawlerFakes) =>
      makeCrawler(fakes, { scope: { seeds: ['https://a.test/data.json'] } }).on('json', (page) => {
        setTimeout(() => void page.emit({ url: page.url }).catch(() => undefined), 30_000);
      });
    await expect(crawlInVirtualTime(web, forgetful)).rejects.toMatchObject({ code: 'page-over' });
    const { tookMs } = await crawlInVirtualTime(web, forgetful, { mayThrow: true });
    expect(tookMs).toBeLessThan(30_000);
  });

  it('fails with a stack that names the line of the test', async () => {
    try {
      await crawlInVirtualTime(createFakeWeb({ hosts: {} }), () => makeCrawler({} as never));
      expect.unreachable();
    } catch (error) {
      expect((error as Error).stack).toContain('run-crawl.test.ts');
    }
  });

  it('waits for another that was begun before', async () => {
    const crawlOnce = () =>
      crawlInVirtualTime(createFakeWeb({ hosts: { 'a.test': SITE } }), (fakes) => makeCrawler(fakes));
    const failing = crawlInVirtualTime(createFakeWeb({ hosts: {} }), () => {
      throw new Error('no crawler');
    });
    const [first, failed, second] = await Promise.allSettled([crawlOnce(), failing, crawlOnce()]);
    expect([first.status, failed.status, second.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('is stopped when nothing can proceed, and says so', async () => {
    const clock = createVirtualClock({ maxSteps: 500 });
    onTestFinished(() => clock.end());
    const endless = createFakeWeb({ hosts: { 'a.test': { pages: ({ path }) => fakePage(path, [`${path}x`]) } } });
    const crawler = makeCrawler(endless.fakes(clock), { traps: false, bounds: { pages: 1_000_000, depth: 1_000 } });
    await expect(runCrawl(crawler, clock)).rejects.toMatchObject({ code: 'clock-stuck' });
    const requestsBefore = endless.exchanges.length;
    expect(requestsBefore).toBeGreaterThan(1);
    await clock.advance(60_000);
    expect(endless.exchanges).toHaveLength(requestsBefore);
    expect(() => crawler.on('json', () => undefined)).not.toThrow();
  });

  it('is refused if a `network` of its own would look names up for real, and takes one with that of the fakes', async () => {
    const web = createFakeWeb({ hosts: { 'a.test': SITE } });
    const own = { maxBodyBytes: 1_000_000 };
    await expect(
      crawlInVirtualTime(web, (fakes) => makeCrawler({ ...fakes, network: own } as CrawlerFakes)),
    ).rejects.toMatchObject({
      code: 'option-invalid',
      hint: expect.stringContaining('...fakes.network'),
    });
    const { report } = await crawlInVirtualTime(web, (fakes) =>
      makeCrawler({ ...fakes, network: { ...own, ...fakes.network } }),
    );
    expect(report.pages).toBeGreaterThan(0);
  });

  it('restores the platform’s timers, however it ended', async () => {
    const before = globalThis.setTimeout;
    const web = createFakeWeb({ hosts: {} });
    const forgets = crawlInVirtualTime(web, () => makeCrawler({} as never));
    await expect(forgets).rejects.toThrow('created without the fakes');
    const fails = crawlInVirtualTime(web, () => {
      throw new Error('no crawler');
    });
    await expect(fails).rejects.toThrow('no crawler');
    expect(globalThis.setTimeout).toBe(before);
  });
});
