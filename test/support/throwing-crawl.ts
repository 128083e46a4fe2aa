// A crawl whose handler throws, with the captured output on standard error.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlerOptions, createCrawler } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, type FakeHost, fakePage } from 'mannerly/testing';
import { afterEach, beforeEach, vi } from 'vitest';

export const PAGES = Array.from({ length: 8 }, (_, index) => `/p${index}`);
export const SITE: FakeHost = {
  pages: { '/': fakePage('Start', PAGES), ...Object.fromEntries(PAGES.map((path) => [path, fakePage(path)])) },
};

/** A new directory for each test of a file, and the output of its crawls. */
export function captureStderr() {
  const captured = { out: '', printed: [] as string[], crawl };

  beforeEach(async () => {
    captured.out = await mkdtemp(join(tmpdir(), 'mannerly-heard-'));
    captured.printed = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      captured.printed.push(String(text));
      return true;
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(captured.out, { recursive: true });
  });

  /** A crawl of a site whose handler throws on every page except the first. */
  async function crawl(
    options: Partial<CrawlerOptions> = {},
    host: FakeHost = SITE,
    where: { out?: string } = { out: captured.out },
  ) {
    return crawlInVirtualTime(
      createFakeWeb({ hosts: { 'a.test': host } }),
      (fakes) =>
        createCrawler({
          identity: { name: 'test-bot', contact: 'https://example.org/us' },
          scope: { seeds: ['https://a.test/'] },
          bounds: { pages: 20, minutes: 60 },
          ...options,
          ...fakes,
        }).on('html', async (page) => {
          if (page.url.includes('/p')) throw new TypeError('no price\u001b[31m', { cause: new Error('deeper') });
          await page.follow();
        }),
      { run: where, mayThrow: true },
    );
  }

  return captured;
}
