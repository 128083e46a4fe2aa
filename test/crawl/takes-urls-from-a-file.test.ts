// `mannerly add` appends URLs to a file of a crawl directory, and any run of that directory takes them, each line
// once. Otherwise an added page is silently never requested.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogEntry, UrlDecision } from 'mannerly';
import { createPoliteFetch } from 'mannerly/fetch';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CONTACT, makeCrawler } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const SITE = {
  '/robots.txt': text('User-agent: *\nDisallow: /private/'),
  '/': page('start', []),
  '/late': page('late', []),
  '/later': page('later', []),
};

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'mannerly-added-'));
});
afterEach(() => rmSync(out, { recursive: true }));

const append = (...lines: unknown[]): void =>
  appendFileSync(join(out, 'added.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** A site, and crawlers of it with all that they log and decide. */
async function siteForTest() {
  const web = await webForTest({ hosts: { 'a.test': SITE } });
  const entries: LogEntry[] = [];
  const decisions: UrlDecision[] = [];
  const crawlerOf = () => {
    const log = (entry: LogEntry): void => void entries.push(entry);
    const crawler = makeCrawler({ seeds: [web.url('a.test')], log });
    crawler.events.on('decision', (decision) => decisions.push(decision));
    return crawler;
  };
  const paths = (): string[] => web.log.map(({ path }) => path);
  return { web, entries, decisions, crawlerOf, paths };
}

it('while a program runs, and when it starts', { timeout: 60_000 }, async () => {
  const { web, entries, decisions, crawlerOf, paths } = await siteForTest();
  await crawlerOf().run({ out });
  append({ url: web.url('a.test', '/late'), label: 'x' }, { url: 7 });
  const crawler = crawlerOf();
  const running = crawler.run({ out, keepOpen: true });
  await vi.waitFor(() => expect(paths()).toContain('/late'), 30_000);
  append({ url: web.url('a.test', '/later') }, { url: web.url('a.test', '/private/x') });
  await vi.waitFor(() => expect(paths()).toContain('/later'), 30_000);
  crawler.stop();
  await running;
  expect(paths()).toEqual(['/robots.txt', '/', '/late', '/later']);
  expect(decisions.map(({ reason }) => reason)).toContain('robots-rule');
  const logged = entries.filter(({ code }) => code === 'added').map(({ level, message }) => `${level}: ${message}`);
  const refused = `warn: Added, and refused: "${web.url('a.test', '/private/x')}" (robots-rule)`;
  expect(logged).toEqual(['info: 1 added URL queued', refused, 'info: 1 added URL queued']);
});

it('that were added in the last second of a run, before it ends', async () => {
  const { web, crawlerOf, paths } = await siteForTest();
  const crawler = crawlerOf();
  crawler.events.on('decision', ({ url }) => {
    if (url === web.url('a.test')) append({ url: web.url('a.test', '/late') });
  });
  expect(await crawler.run({ out })).toMatchObject({ state: 'finished', pages: 2 });
  expect(paths()).toEqual(['/robots.txt', '/', '/late']);
});

it('once, if several processes share the directory', { timeout: 60_000 }, async () => {
  const { web, decisions, crawlerOf, paths } = await siteForTest();
  await crawlerOf().run({ out });
  append({ url: web.url('a.test', '/late') }, { url: web.url('a.test', '/private/x') });
  const crawlers = [crawlerOf(), crawlerOf()];
  const running = crawlers.map((crawler) => crawler.run({ out, shared: true, keepOpen: true }));
  await vi.waitFor(() => expect(paths()).toContain('/late'), 30_000);
  await vi.waitFor(() => expect(decisions.some(({ reason }) => reason === 'robots-rule')).toBe(true), 30_000);
  for (const crawler of crawlers) crawler.stop();
  await Promise.all(running);
  expect(decisions.filter(({ reason }) => reason === 'robots-rule')).toHaveLength(1);
  expect(paths().filter((path) => path === '/late')).toHaveLength(1);
});

it('but not from a folder in its place, which the log names once', async () => {
  const { entries, crawlerOf } = await siteForTest();
  const crawler = crawlerOf();
  crawler.events.on('request', () => mkdirSync(join(out, 'added.jsonl'), { recursive: true }));
  expect(await crawler.run({ out })).toMatchObject({ state: 'finished' });
  const logged = entries.filter(({ code }) => code === 'added').map(({ message }) => message);
  expect(logged).toEqual([expect.stringContaining('added.jsonl cannot be taken: Error: EISDIR')]);
});

it('but not by a polite fetch, which requests only what it is given', async () => {
  const { web, paths } = await siteForTest();
  const fetch = createPoliteFetch({
    identity: { name: 'test-bot', contact: CONTACT },
    network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
    directory: out,
  });
  for (let calls = 0; calls < 2; calls += 1) {
    await fetch(web.url('a.test'));
    await fetch.close();
    append({ url: web.url('a.test', '/late') });
  }
  expect(paths()).toEqual(['/robots.txt', '/', '/']);
});
