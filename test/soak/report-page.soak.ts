// report.html in a real Chromium, opened from the file system: its content, that its tables sort, that it makes no
// request, that it is readable on a phone and in dark mode, and that a site's text stays text. SCREENSHOTS=DIR keeps
// screenshots there for people to look at.

// Code that runs in the page is written here too, and uses the names of a browser.
/// <reference lib="dom" />

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCrawlDirectory, writeReport } from 'mannerly';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { HAS_CHROMIUM, launchChromium } from '../support/chromium.js';
import { crawl } from '../support/crawl.js';
import { createFastClock } from '../support/test-clocks.js';
import { page as html, type Routes, redirect, startWeb, text, type Web } from '../support/web.js';

vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 });
/** The most milliseconds for anything on the page: machines are busy. */
const LONG_MS = 60_000;

/** What a hostile site would try to run. */
const HOSTILE = '/closed/\'"><img src=x onerror=alert(1)></script><script>alert(2)</script>';
const PICTURES = process.env['SCREENSHOTS'] ?? null;
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 740 };

let web: Web;
let directory: string;
let browser: Browser;
const scratch: string[] = [];

function site(pages: number, robots: Routes[string], more: Routes = {}): Routes {
  const routes: Record<string, Routes[string]> = { '/robots.txt': robots, ...more };
  for (let at = 0; at < pages; at += 1) {
    const path = at === 0 ? '/' : `/page-${at}`;
    const body = `<p>${'words of this page '.repeat(10 + ((at * 7919) % 900))}${at}</p>`;
    const links = [`/page-${2 * at + 1}`, `/page-${2 * at + 2}`, `/closed/${at}`, at % 5 === 0 ? '/moved' : '/gone'];
    routes[path] ??= html(`Page ${at}`, links) + body;
  }
  return { '/moved': redirect('/page-1'), '/gone': { status: 404, body: 'gone' }, ...routes };
}

const CLOSED = text('User-agent: *\nDisallow: /closed\n');
const LATER: Routes = {
  '/page-2': ({ before }) =>
    before === 0 ? { status: 429, headers: { 'retry-after': '20' } } : html('later', ['/page-5']),
};
const HOSTS: Readonly<Record<string, Routes>> = {
  'docs.example.test': site(60, CLOSED, { '/page-3': html('links', [HOSTILE.replaceAll('"', '&quot;')]) }),
  'slow.example.test': site(8, text('User-agent: *\nDisallow: /closed\nCrawl-delay: 0.3\n')),
  'rated.example.test': site(8, text('User-agent: *\nRequest-rate: 4/1s\nDisallow: /closed\n')),
  'busy.example.test': site(25, CLOSED, LATER),
  'open.example.test': site(40, { status: 404 }),
  'moved.example.test': site(12, redirect('/rules.txt'), { '/rules.txt': CLOSED }),
  'failing.example.test': site(15, CLOSED, { '/page-1': { status: 500 } }),
  'silent.example.test': { '/robots.txt': { status: 503 }, '/': html('never') },
  'single.example.test': { '/robots.txt': text(''), '/': html('one page', []) },
  'archive-of-long-names.department.university.example.test': site(20, CLOSED),
};

describe.skipIf(!HAS_CHROMIUM && process.env['CI'] === undefined)('report.html in Chromium', () => {
  beforeAll(async () => {
    const clock = createFastClock(100);
    web = await startWeb({ hosts: HOSTS, nowMs: clock.exactMs });
    directory = await folder();
    await crawl({
      seeds: Object.keys(HOSTS).map((host) => web.url(host)),
      clock,
      politeness: { profile: { factor: 1, minMs: 1_000, maxMs: 10_000 } },
      maxIdleMs: 50_000,
      // The clock is fast, so on a busy machine the crawl takes many of its minutes.
      bounds: { pages: 1_000, minutes: 600, depth: 8 },
      traps: false,
      out: directory,
    });
    await writeReport(await readCrawlDirectory(directory));
    if (PICTURES !== null) await cp(directory, join(PICTURES, 'crawl'), { recursive: true });
    const launched = await launchChromium();
    if (launched === null) throw new Error('there is no chromium: apt-get install chromium');
    browser = launched;
  });

  afterAll(async () => {
    await browser?.close();
    await web.close();
    for (const path of scratch) await rm(path, { recursive: true, force: true, maxRetries: 10 });
  });

  it('says what happened', async () => {
    await opened({ viewport: WIDE }, async (page) => {
      expect(await page.title()).toBe('Crawl report: test-bot');
      expect(await page.textContent('.verdict')).toMatch(/Polite\s*[\d,]+ requests judged .*no violation/s);
      for (const host of Object.keys(HOSTS)) expect(await page.textContent('#hosts-table')).toContain(host);
      expect(await page.textContent('#figures')).toMatch(
        /^Fetched\d+of [\d,]+ URLs, \d+ failed, \d+ still queuedRequests/,
      );
      expect(await page.textContent('#pauses-table')).toMatch(/busy\.example\.test.*429, Retry-After: 20.*kept/s);
      expect(await page.textContent('#pauses-table')).toMatch(
        /silent\.example\.test.*robots\.txt could not be fetched/s,
      );
      expect(await page.textContent('#rules-table')).toMatch(/docs\.example\.test.*\/closed/s);
      const statuses = await page.textContent('#statuses-table');
      for (const status of ['200', '302', '404', '429', '503']) expect(statuses).toContain(status);
      expect(await page.textContent('#methods-text')).toMatch(
        /^We crawled from 10 seed URLs between .* found no violation\.$/s,
      );
      expect(await page.textContent('#audit-table')).toMatch(/too-early\s*none/);
    });
  });

  it('says without its script where the text is', async () => {
    await opened({ viewport: WIDE, javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('noscript p').textContent()).toMatch(/mannerly report DIR prints them as text/);
      expect(await page.locator('noscript p').isVisible()).toBe(true);
    });
  });

  it('prints what it shows, without its controls', async () => {
    await opened({ viewport: { width: 720, height: 1000 } }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      for (const selector of ['.verdict', '#hosts-table', '.plot canvas', '#methods-text', '#audit-table'])
        expect(await page.locator(selector).first().isVisible(), selector).toBe(true);
      expect(await page.locator('.tools:visible, nav:visible').count()).toBe(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720);
      const larger = await page.$$eval('table :is(small, .tag)', (notes) =>
        notes.filter((note) => getComputedStyle(note).fontSize !== getComputedStyle(note.closest('td')!).fontSize),
      );
      expect(larger, 'notes larger than their table').toEqual([]);
    });
  });

  it('tells answers apart without colours', async () => {
    await opened({ viewport: WIDE }, async (page) => {
      const marks = await page.$$eval('[data-plot="lanes"] + .key .dot', (keys) =>
        keys.map((key) => getComputedStyle(key, '::before').content),
      );
      expect(marks).toHaveLength(5);
      expect(new Set(marks).size).toBe(5);
    });
  });

  it('sorts its tables by mouse and by keyboard, numbers as numbers', async () => {
    await opened({ viewport: WIDE }, async (page) => {
      const column = (at: number) =>
        page.$$eval(
          `#hosts-table tbody tr`,
          (rows, index) => rows.map((row) => (row as HTMLTableRowElement).cells[index]?.textContent ?? ''),
          at,
        );
      const requests = async () => (await column(1)).map((cell) => Number(cell.replace(',', '')));
      const head = page.locator('#hosts-table thead th').nth(1);
      await head.locator('button').click();
      expect(await head.getAttribute('aria-sort')).toBe('descending');
      expect(await requests()).toEqual((await requests()).toSorted((a, b) => b - a));
      await head.locator('button').press('Enter');
      expect(await head.getAttribute('aria-sort')).toBe('ascending');
      expect(await requests()).toEqual((await requests()).toSorted((a, b) => a - b));
      await page.locator('#hosts-table thead th').nth(0).locator('button').press('Space');
      expect(await column(0)).toEqual((await column(0)).toSorted());
      expect(await head.getAttribute('aria-sort')).toBeNull();
      await page.fill('#host-search', 'docs');
      expect(await page.locator('#hosts-table tbody tr:visible').count()).toBe(1);
    });
  });

  it('draws every plot, and draws the host that is chosen', async () => {
    await opened({ viewport: WIDE }, async (page) => {
      expect(await page.locator('.plot canvas').count()).toBe(5);
      const painted = (selector: string) =>
        page.$eval(selector, (canvas) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const data = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
          let sum = 0;
          for (let at = 0; at < data.length; at += 4) if ((data[at + 3] ?? 0) > 0) sum += at % 9_973;
          return sum;
        });
      for (const name of ['lanes', 'gaps', 'growth', 'depths', 'sizes'])
        expect(await painted(`[data-plot="${name}"] canvas`), name).toBeGreaterThan(0);
      // A dot on the axis would be cut off: the lowest rows of the drawing must not have its colour.
      const lowest = (await gapDots(page)).filter(({ y }) => y > 0.96);
      expect(lowest, 'pixels of dots at the axis').toEqual([]);
      const before = await painted('[data-plot="gaps"] canvas');
      await page.selectOption('#gap-host', 'slow.example.test');
      await expect.poll(() => painted('[data-plot="gaps"] canvas'), { timeout: LONG_MS }).not.toBe(before);
      // A host with a single gap: its dot is in the middle, not at the beginning of years.
      await page.selectOption('#gap-host', 'single.example.test');
      const middle = async () => {
        const dots = await gapDots(page);
        return Math.round(dots.reduce((sum, { x }) => sum + (10 * x) / dots.length, 0));
      };
      await expect.poll(middle, { timeout: LONG_MS }).toBe(5);
      await page.hover('[data-plot="growth"] .u-over');
      await expect
        .poll(() => page.textContent('[data-plot="growth"] .tip'), { timeout: LONG_MS })
        .toMatch(/requests \d+/);
    });
  });

  it.each([
    ['light', WIDE],
    ['dark', WIDE],
    ['light', NARROW],
    ['dark', NARROW],
  ] as const)('reads in the %s at %o: nothing to the side, and enough contrast', async (colorScheme, viewport) => {
    await opened({ viewport, colorScheme }, async (page) => {
      const [scroll, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(scroll).toBeLessThanOrEqual(width ?? 0);
      // Tables fit, or become cards: they have no scroll bars either.
      const wide = await page.$$eval('.scroll', (boxes) =>
        boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.firstElementChild?.id),
      );
      expect(wide).toEqual([]);
      const shade = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const dark = (shade.match(/\d+/g) ?? []).slice(0, 3).every((channel) => Number(channel) < 60);
      expect(dark).toBe(colorScheme === 'dark');
      for (const selector of [
        'body',
        '.soft',
        '.tag.good',
        'thead th',
        'caption',
        'nav a',
        '.verdict p',
        '.figures dt',
        '.figures small',
        'figcaption',
      ])
        expect(await contrast(page, selector), selector).toBeGreaterThanOrEqual(4.5);
    });
  });

  it('has names for what is drawn, captions for tables and one heading after the other', async () => {
    await opened({ viewport: WIDE }, async (page) => {
      const faults = await page.evaluate(() => {
        const found: string[] = [];
        for (const each of document.querySelectorAll('[role=img]'))
          if (!each.getAttribute('aria-label')) found.push('an image without a name');
        for (const each of document.querySelectorAll('table')) {
          if ((each.caption?.textContent ?? '') === '') found.push('a table without a caption');
          for (const th of each.querySelectorAll('th'))
            if (!th.getAttribute('scope')) found.push('a heading without a scope');
        }
        for (const each of document.querySelectorAll('input, select'))
          if (each.closest('label') === null) found.push('a control without a label');
        const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
        if (new Set(ids).size < ids.length) found.push('an id twice');
        let level = 0;
        for (const each of document.querySelectorAll('h1, h2, h3')) {
          const next = Number(each.tagName[1]);
          if (next > level + 1) found.push(`a heading too deep: ${each.textContent}`);
          level = next;
        }
        if (document.documentElement.lang !== 'en' || document.querySelectorAll('main, header, footer, nav').length < 4)
          found.push('a landmark');
        return found;
      });
      expect(faults).toEqual([]);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the report');
    });
  });

  it('says where it has nothing to show: of a crawl without a request', async () => {
    const empty = await folder();
    await cp(directory, empty, { recursive: true });
    for (const log of ['requests.jsonl', 'decisions.jsonl', 'warnings.jsonl']) await writeFile(join(empty, log), '');
    await writeReport(await readCrawlDirectory(empty));
    const look = async (page: Page) => {
      expect(await page.textContent('#answers')).toContain('No request was sent.');
      const plots = await page.$$eval('.plot', (boxes) => boxes.map((box) => box.textContent));
      expect(plots).toEqual(Array.from({ length: 5 }, () => 'Nothing to show.'));
    };
    await opened({ viewport: WIDE }, look, empty, 'empty');
  });

  it('takes a site’s text for text', async () => {
    const damagedReport = await folder();
    await cp(directory, damagedReport, { recursive: true });
    const path = join(damagedReport, 'requests.jsonl');
    const lines = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const last = lines.findLast((line) => String(line['url']).includes('docs.example.test'));
    const evil = {
      ...last,
      url: `${web.url('docs.example.test').replace(/\/$/, '')}${HOSTILE}`,
      startedAtMs: Number(last?.['endedAtMs']) + 500,
    };
    const later = { ...evil, endedAtMs: evil.startedAtMs + 10 };
    await writeFile(path, [...lines, later].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { data } = await writeReport(await readCrawlDirectory(damagedReport));
    expect(data.audit.counts).toMatchObject({ excluded: 1, 'too-early': 1 });
    await opened(
      { viewport: WIDE },
      async (page) => {
        expect(await page.textContent('.verdict')).toMatch(/2 violations/);
        expect(await page.textContent('#violations-table')).toContain('<img src=x onerror=alert(1)>');
        expect(await page.locator('#violations-table img').count()).toBe(0);
      },
      damagedReport,
      'violated',
    );
  });
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mannerly-report-'));
  scratch.push(path);
  return path;
}

/** Opens the report from its file and runs a check; then there must be no request and no error. */
async function opened(
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
  from = directory,
  name: string | null = null,
): Promise<void> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LONG_MS);
  const wrong: string[] = [];
  const requested: string[] = [];
  try {
    const page = await context.newPage();
    page.on('console', (message) => {
      // Only this test reads pixels back.
      if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Canvas2D'))
        wrong.push(message.text());
    });
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('dialog', (dialog) => {
      wrong.push(`dialog ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    page.on('request', (request) => requested.push(request.url()));
    const url = pathToFileURL(join(from, 'report.html')).href;
    await page.goto(url);
    if (options.javaScriptEnabled !== false) await page.waitForSelector('html[data-drawn]', { state: 'attached' });
    const { colorScheme = 'light', viewport } = options;
    if (PICTURES !== null) {
      const script = options.javaScriptEnabled === false ? 'bare' : colorScheme;
      await page.screenshot({
        path: join(PICTURES, `${name ?? `report-${viewport?.width}-${script}`}.png`),
        fullPage: true,
      });
    }
    await look(page);
    expect(wrong).toEqual([]);
    expect(requested.filter((each) => each !== url && !each.startsWith('data:'))).toEqual([]);
  } finally {
    await context.close();
  }
}

/** The places of pixels that have the colour of dots, in the plot of gaps: 0 to 1 from its left and its top. */
function gapDots(page: Page): Promise<{ x: number; y: number }[]> {
  return page.evaluate(() => {
    const canvas = document.querySelector('[data-plot="gaps"] canvas') as HTMLCanvasElement;
    const over = document.querySelector('[data-plot="gaps"] .u-over') as HTMLElement;
    const shade = getComputedStyle(document.documentElement).getPropertyValue('--good').trim();
    const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(shade.slice(at, at + 2), 16));
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const dots: { x: number; y: number }[] = [];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] !== r || data[at + 1] !== g || data[at + 2] !== b) continue;
      const [left, top] = [(at / 4) % canvas.width, Math.floor(at / 4 / canvas.width)];
      const x = (left / devicePixelRatio - over.offsetLeft) / over.offsetWidth;
      dots.push({ x, y: (top / devicePixelRatio - over.offsetTop) / over.offsetHeight });
    }
    return dots;
  });
}

/** The contrast of an element's text with its background, by WCAG 2. */
function contrast(page: Page, selector: string): Promise<number> {
  return page.$eval(selector, (element) => {
    const channels = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (text: string) => {
      const [r = 0, g = 0, b = 0] = channels(text).map((channel) => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    let behind: Element | null = element;
    while (behind !== null && (channels(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0)
      behind = behind.parentElement;
    const [a, b] = [
      luminance(getComputedStyle(element).color),
      luminance(getComputedStyle(behind ?? document.body).backgroundColor),
    ];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}
