// A site whose changes are known, for recrawls. The crawl's clock moves by days between the runs.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { beforeEach, onTestFinished } from 'vitest';
import { type CrawlStory, crawl, type TestCrawlOptions } from './crawl.js';
import { createShiftedClock } from './test-clocks.js';
import { page, type ReplyParts, type Route, type WebRequest } from './web.js';
import { webForTest } from './web-for-test.js';

export const DAY_MS = 86_400_000;
export const PAGES = 30;
export const HTML = { 'content-type': 'text/html' };

export type Answer = (at: number, request: WebRequest) => ReplyParts;

/** The site of a test file, reset before each test. */
export function changingSite() {
  /** The edition of each page; a page changes with it. */
  const edition = Array.from({ length: PAGES }, () => 1);
  /** Numbers of pages that are gone. */
  const gonePages = new Set<number>();
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mannerly-again-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    edition.fill(1);
    gonePages.clear();
  });

  const links = (at: number): string[] => [2 * at + 1, 2 * at + 2].filter((to) => to < PAGES).map((to) => `/${to}`);
  const html = (at: number, more = ''): string => page(`Page ${at}, ${edition[at]}`, links(at), more);
  /** Answers with an ETag for the edition. */
  const answerWithEtag: Answer = (at, { headers }) => {
    const etag = `"${at}-${edition[at]}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
    return { headers: { ...HTML, etag }, body: html(at) };
  };
  const site = async (answer: Answer) => {
    const route =
      (at: number): Route =>
      (request) =>
        gonePages.has(at) ? { status: 404 } : answer(at, request);
    const routes = Object.fromEntries(edition.map((_, at) => [at === 0 ? '/' : `/${at}`, route(at)]));
    const web = await webForTest({ hosts: { 'a.test': routes } });
    let seen = 0;
    /**
     * Runs the crawl after so many days. @returns The crawl's story, and the requests for pages since the run before.
     */
    const run = async (afterDays: number, options: Partial<TestCrawlOptions> = {}) => {
      const clock = createShiftedClock(afterDays * DAY_MS);
      const story: CrawlStory = await crawl({
        seeds: [web.url('a.test')],
        bounds: { pages: 500 },
        recrawl: true,
        again: afterDays > 0,
        clock,
        store: lmdbStore({ path: join(folder, 'store'), nowMs: () => clock.nowMs() }),
        ...options,
      });
      const exchanges = web.log.slice(seen).filter(({ path }) => path !== '/robots.txt');
      seen = web.log.length;
      return { ...story, exchanges, paths: exchanges.map(({ path }) => path) };
    };
    return { web, run };
  };
  return { edition, gonePages, html, answerWithEtag, site, folder: () => folder };
}
