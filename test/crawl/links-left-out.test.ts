// What limits cut off a page is reported. The limits are there because links and bodies use memory and disk.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCrawlDirectory, reportFromLogs } from 'mannerly';
import { expect, it } from 'vitest';
import { crawlVirtually } from '../support/virtual-crawl.js';

it('a long base with many short links stays within the limits, and the decision says what was left out', async () => {
  const base = `http://a.test/${'x'.repeat(8_000)}/`;
  const links = Array.from({ length: 5_000 }, (_, at) => `<a href="${at}">${at}</a>`).join('');
  const { report, decisions } = await crawlVirtually({
    seeds: ['http://a.test/'],
    bounds: { pages: 1 },
    hosts: { 'a.test': { pages: { '/': `<!doctype html><base href="${base}">${links}`, '*': 'leaf' } } },
  });
  const [page] = decisions.filter(({ status }) => status === 'fetched');
  const leftOut = Number(/^(\d+) links left out/.exec(page?.detail ?? '')?.[1] ?? 0);
  expect(leftOut).toBeGreaterThan(0);
  expect(report.queued + leftOut).toBe(5_000);
  expect(report.queued * base.length).toBeLessThan(16 * 1024 * 1024);
});

it('a truncated body is counted in the report, and its handler, decision and log say so', async () => {
  const seen: unknown[] = [];
  const logged: string[] = [];
  const { report, decisions } = await crawlVirtually({
    seeds: ['http://a.test/'],
    network: { maxBodyBytes: 2_000 },
    log: ({ code, message }) => void (code === 'body-truncated' && logged.push(message)),
    handlers: (crawler) =>
      crawler.on('html', async (page) => {
        seen.push([new URL(page.url).pathname, page.truncated]);
        await page.follow();
      }),
    hosts: {
      'a.test': {
        pages: {
          '/': '<a href="/long">long</a><a href="/longer">longer</a>',
          '/long': `<p>${'x'.repeat(3_000)}`,
          '/longer': `<p>${'x'.repeat(4_000)}`,
        },
      },
    },
  });
  expect(report.truncated).toBe(2);
  const limits = '`maxBodyBytes` of its handler, or `network.maxBodyBytes`';
  expect(logged).toEqual([
    `http://a.test/long: only 2000 bytes of it were read, the first such page of this run. Raise ${limits}`,
  ]);
  expect(seen).toEqual([
    ['/', null],
    ['/long', 'limit'],
    ['/longer', 'limit'],
  ]);
  expect(decisions.map(({ url, detail }) => [new URL(url).pathname, detail ?? null])).toEqual([
    ['/', null],
    ['/long', expect.stringMatching(/^the body was cut: .*`network\.maxBodyBytes`/)],
    ['/longer', expect.stringMatching(/^the body was cut: /)],
  ]);
});

it('a body that no handler takes is not read, and the report of the logs does not count it as truncated', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-unread-'));
  try {
    const pdf = { headers: { 'Content-Type': 'application/pdf' }, body: '%PDF-1.4 and more' };
    const { report } = await crawlVirtually({
      seeds: ['http://a.test/'],
      network: { maxBodyBytes: 2_000 },
      out: join(folder, 'crawl'),
      handlers: (crawler) => crawler.on('html', async (page) => void (await page.follow())),
      hosts: {
        'a.test': {
          pages: {
            '/': '<a href="/brochure">brochure</a><a href="/long">long</a>',
            '/brochure': pdf,
            '/long': `<p>${'x'.repeat(3_000)}`,
          },
        },
      },
    });
    expect(report.outcomes['dropped']).toEqual({ unwanted: 1 });
    const logged = await reportFromLogs(await readCrawlDirectory(join(folder, 'crawl')));
    expect([report.truncated, logged.truncated]).toEqual([1, 1]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('links whose user data is too large are left out, and the log names the first', async () => {
  const logged: string[] = [];
  const { report } = await crawlVirtually({
    seeds: ['http://a.test/'],
    log: ({ code, message }) => void (code === 'user-data-too-large' && logged.push(message)),
    handlers: (crawler) => crawler.on('html', (page) => page.follow('a', { userData: 'x'.repeat(17_000) })),
    hosts: { 'a.test': { pages: { '/': '<a href="/b">b</a><a href="/c">c</a>' } } },
  });
  expect(report.outcomes['dropped']).toEqual({ 'user-data-too-large': 2 });
  expect(logged).toEqual([expect.stringMatching(/^http:\/\/a\.test\/b: left out, .* found on http:\/\/a\.test\/$/)]);
});
