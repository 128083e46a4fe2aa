// A packaged crawl shows its pages as they were, without a network: a real Chromium opens a page from the records of
// the WACZ alone. If this breaks, people keep archives without styles and pictures, and notice when the site is gone.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { SEALED_FLAGS } from 'mannerly/browser';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rootPath } from '../house/source-tree.js';
import { HAS_CHROMIUM, launchChromium } from '../support/chromium.js';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { type ReadRecord, readRecords } from '../support/warc.js';
import { type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';
import { unzipped } from '../support/zip.js';

const CI = process.env['CI'] === 'true';
const SLOW = { timeout: 600_000 };
const FONT = `${rootPath}docs/node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2`;
/** A picture of one pixel, with a text that makes its bytes unique. */
const png = (name: string) => ({
  body: Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    ),
    Buffer.from(name),
  ]),
  headers: { 'content-type': 'image/png' },
});
const of = (type: string, body: string | Buffer) => ({ body, headers: { 'content-type': type } });

/** Opens a page from the records; requests for anything else are aborted and counted. */
async function opened(records: readonly ReadRecord[], url: string): Promise<{ page: Page; missing: string[] }> {
  const browser = await launchChromium(SEALED_FLAGS);
  if (browser === null) throw new Error('CI needs a Chromium: apt-get install chromium');
  onTestFinished(() => browser.close());
  const responses = new Map(records.filter(({ type }) => type === 'response').map((each) => [each.url, each]));
  const missing: string[] = [];
  const page = await browser.newPage();
  await page.route(/.*/, async (route) => {
    const found = responses.get(route.request().url());
    if (found === undefined) {
      missing.push(route.request().url());
      return route.abort();
    }
    const head = found.block.subarray(0, found.block.length - found.payload.length).toString('latin1');
    const type = /\r\ncontent-type: ([^\r]+)/i.exec(head)?.[1] ?? '';
    const headers = { 'content-type': type, 'access-control-allow-origin': '*' };
    return route.fulfill({ status: Number(head.split(' ')[1]), headers, body: found.payload });
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  return { page, missing };
}

/** What the browser knows of a page, as far as this test reads it. */
interface Shown {
  readonly document: {
    readonly title: string;
    readonly body: unknown;
    readonly fonts: Iterable<{ readonly family: string; readonly status: string }>;
    querySelectorAll(selector: string): Iterable<{ readonly naturalWidth: number; readonly currentSrc: string }>;
  };
  getComputedStyle(element: unknown): { readonly color: string; readonly backgroundImage: string };
}

describe.skipIf(!HAS_CHROMIUM && !CI)('a page of a WACZ', () => {
  it('has its style, its pictures and its font, with the network cut', SLOW, async () => {
    const hosts: Record<string, Routes> = {};
    const web = await webForTest({ hosts });
    const files = `http://static.test:${web.port}`;
    Object.assign(hosts, {
      'a.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
        '/': of(
          'text/html',
          `<!doctype html><html><head><title>raw</title><link rel="stylesheet" href="${files}/style.css">
           <script src="/app.js" defer></script></head><body>
           <p>as it was</p><img class="one" src="/one.png">
           <picture><source srcset="/wide.png 1x, /wider.png 2x"><img class="two" src="/narrow.png"></picture>
           <img class="closed" src="/closed/no.png"></body></html>`,
        ),
        '/app.js': of('text/javascript', `document.title = 'by a script';`),
        ...Object.fromEntries(['one', 'wide', 'wider', 'narrow'].map((name) => [`/${name}.png`, png(name)])),
        '*': text('should not have been asked for'),
      },
      'static.test': {
        '/robots.txt': text(''),
        '/style.css': of('text/css', `@import "more.css"; body { background-image: url(bg.png); font-family: Kept }`),
        '/more.css': of(
          'text/css',
          `@font-face { font-family: Kept; src: url(kept.woff2) } body { color: rgb(1, 2, 3) }`,
        ),
        '/kept.woff2': of('font/woff2', await readFile(FONT)),
        '/bg.png': png('bg'),
      },
    });
    const base = await mkdtemp(join(tmpdir(), 'mannerly-shown-'));
    onTestFinished(() => rm(base, { recursive: true, force: true }));
    await crawl({
      seeds: [web.url('a.test')],
      out: join(base, 'crawl'),
      archive: { wacz: true, requisites: { hosts: 'any' } },
      politeness: { profile: { factor: 0, minMs: 50, maxMs: 50 } },
    });
    const rules = { gapMs: 50, closed: ['/closed'] };
    expect(judge(web.log, { contact: CONTACT, rules: { 'a.test': rules, 'static.test': rules } })).toEqual(POLITE);

    const requestsBefore = web.log.length;
    await mkdir(join(base, 'unpacked'));
    for (const [name, { bytes }] of await unzipped(join(base, 'crawl', 'archive.wacz')))
      if (name.endsWith('.warc.gz')) await writeFile(join(base, 'unpacked', basename(name)), bytes);
    const { page, missing } = await opened(await readRecords(join(base, 'unpacked')), web.url('a.test'));
    const shown = await page.evaluate(async () => {
      const { document, getComputedStyle } = globalThis as unknown as Shown;
      const { color, backgroundImage } = getComputedStyle(document.body);
      return {
        title: document.title,
        color,
        background: backgroundImage.replace(/.*\//, ''),
        fonts: [...document.fonts].map(({ family, status }) => `${family} ${status}`),
        pictures: [...document.querySelectorAll('img')].map(
          ({ naturalWidth, currentSrc }) => `${currentSrc.replace(/.*\//, '')} ${naturalWidth}`,
        ),
      };
    });
    expect(shown).toEqual({
      title: 'by a script',
      color: 'rgb(1, 2, 3)',
      background: 'bg.png")',
      fonts: ['Kept loaded'],
      pictures: ['one.png 1', 'wide.png 1', 'no.png 0'],
    });
    // Files that robots.txt closes are not in the archive; the page did not name the icon.
    expect(missing.filter((url) => !url.endsWith('/favicon.ico'))).toEqual([web.url('a.test', '/closed/no.png')]);
    expect(web.log).toHaveLength(requestsBefore);
  });
});
