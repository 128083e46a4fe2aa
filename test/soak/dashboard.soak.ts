// The live view in a real Chromium, with a real crawl: an operator must see at a glance what the crawl does and why it
// waits, on a desktop and on a phone, and its buttons must do what they say. What sites send must stay text.
// DASHBOARD_SCREENSHOTS=<folder> keeps screenshots for people to look at.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type CrawlerOptions, createCrawler } from 'mannerly';
import { createDashboard, type Dashboard } from 'mannerly/dashboard';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { HAS_CHROMIUM, launchChromium } from '../support/chromium.js';
import { page as html, type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const CI = process.env['CI'] === 'true';
const PICTURES = process.env['DASHBOARD_SCREENSHOTS'];
/** The most milliseconds for anything on the page: machines are busy. */
const LONG_MS = 60_000;
/** The delay of a host that must be visible while its request is in flight, milliseconds: longer than any test. */
const SLEEPY_MS = 590_000;

vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 });

let browser: Browser;

beforeAll(async () => {
  const launched = HAS_CHROMIUM ? await launchChromium() : null;
  if (launched !== null) browser = launched;
  else if (CI) throw new Error('CI needs a Chromium: apt-get install chromium');
});
afterAll(() => browser?.close());

/** Text that would be markup if it were not escaped. */
const EVIL = '<img src=x onerror="document.title=`owned`">';

const many = (count: number, prefix = ''): string[] => Array.from({ length: count }, (_, at) => `${prefix}/${at}`);

/** Hosts of every kind that an operator meets: open, slow by Crawl-delay, failing, closed, pausing, and hostile. */
function hosts(): Record<string, Routes> {
  const open = (robots: string): Routes => ({
    '/robots.txt': text(robots),
    '/': html('front', many(400)),
    '*': { ...page200(), delayMs: 15 },
  });
  return {
    'tidepools.test': open('User-agent: *\nDisallow: /3\nCrawl-delay: 0.2\n'),
    'lighthouse.test': open(''),
    'slow-press.test': open('User-agent: *\nCrawl-delay: 45\n'),
    'museum-with-a-rather-long-host-name-for-a-narrow-screen.test': open('User-agent: *\nRequest-rate: 1/2\n'),
    'broken.test': { '/robots.txt': text(''), '/': html('broken', many(50)), '*': { status: 500, body: 'no' } },
    'gone.test': { '/robots.txt': text(''), '/': html('gone', many(300)), '*': { status: 404, body: 'no' } },
    'unreachable.test': { '/robots.txt': { status: 503 }, '/': html('never', []) },
    'resting.test': { '/robots.txt': text(''), '/': { status: 429, headers: { 'retry-after': '120' } } },
    'hostile.test': {
      '/robots.txt': text(`User-agent: *\nComment: ${EVIL}\nAllow: /\n`),
      '/': html('hostile', many(200, `/${EVIL}`)),
      '*': html(EVIL, []),
    },
    'sleepy.test': { '/robots.txt': text(''), '/': { ...page200(), delayMs: SLEEPY_MS } },
  };
}

function page200() {
  return { body: html('page', []), headers: { 'content-type': 'text/html; charset=utf-8' } };
}

interface Scene {
  readonly dashboard: Dashboard;
  readonly crawler: ReturnType<typeof createCrawler>;
  readonly run: Promise<unknown>;
  readonly requestCount: () => number;
}

/** A running crawl with its dashboard. */
async function crawling(more: Partial<CrawlerOptions> = {}): Promise<Scene> {
  const web = await webForTest({ hosts: hosts() });
  const crawler = createCrawler({
    identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
    scope: { seeds: Object.keys(hosts()).map((host) => web.url(host)) },
    bounds: { pages: 2_000, minutes: 60 },
    politeness: { profile: { factor: 0, minMs: 100, maxMs: 100 } },
    network: {
      allowAddresses: ['127.0.0.0/8'],
      resolve: async () => ['127.0.0.1'],
      headersTimeoutMs: SLEEPY_MS,
      requestTimeoutMs: SLEEPY_MS,
    },
    ...more,
  });
  crawler.on('html', (page) => page.follow().then(() => page.emit({ url: page.url })));
  const dashboard = await createDashboard(crawler);
  const run = crawler.run();
  onTestFinished(async () => {
    crawler.stop();
    crawler.stop();
    await run;
    await dashboard.close();
  });
  return { dashboard, crawler, run, requestCount: () => web.log.length };
}

/** Another port that leads to the dashboard, like an SSH tunnel. */
async function tunnelTo(port: number): Promise<{ readonly port: number; cut(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(cut);
  return { port: (server.address() as AddressInfo).port, cut };
}

interface Visit {
  readonly page: Page;
  /** The errors of the console and the network. */
  readonly complaints: readonly string[];
  /** Requests to anything but the dashboard. */
  readonly outside: readonly string[];
}

/** Opens the dashboard as an operator would, and watches the page. */
async function visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(LONG_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const outside: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol !== 'data:' && host !== new URL(url).host) outside.push(request.url());
  });
  await page.goto(url);
  await page.locator('#phase[data-phase="running"]').waitFor();
  return { page, complaints, outside };
}

const numberIn = async (page: Page, id: string): Promise<number> =>
  Number(((await page.locator(`#${id}`).textContent()) ?? '').replaceAll(',', ''));

/** Waits until a number on the page is larger than it was. */
async function grows(page: Page, id: string, from: number): Promise<void> {
  await expect.poll(() => numberIn(page, id), { timeout: LONG_MS }).toBeGreaterThan(from);
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

const widthsOf = (page: Page) =>
  page.evaluate(() => {
    const root = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document.documentElement;
    return { needed: root.scrollWidth, given: root.clientWidth };
  });

describe.skipIf(!HAS_CHROMIUM && !CI)('the dashboard in Chromium', () => {
  it('shows requests, waiting hosts and reasons, updates itself, and keeps everything from sites as text', async () => {
    const scene = await crawling();
    const { page, complaints, outside } = await visit(scene.dashboard.url);
    // Checked first, because later notes replace earlier ones.
    await expect.poll(() => page.locator('#notes').textContent(), { timeout: LONG_MS }).toContain('<img src=x');
    await grows(page, 'pages', 10);
    const before = await numberIn(page, 'pages');
    await grows(page, 'pages', before);
    expect(await page.locator('#name').textContent()).toBe('tidepool-study');
    expect(await page.locator('#pages-of').textContent()).toBe('of 2,000');

    const row = (host: string) => page.locator('#hosts tr', { hasText: host });
    await expect.poll(() => row('slow-press.test').textContent(), { timeout: LONG_MS }).toMatch(/its Crawl-delay.*s/);
    await expect
      .poll(() => row('unreachable.test').textContent(), { timeout: LONG_MS })
      .toContain('robots.txt cannot be had');
    await expect.poll(() => row('resting.test').textContent(), { timeout: LONG_MS }).toContain('asked for a pause');
    await expect.poll(() => row('sleepy.test').textContent(), { timeout: LONG_MS }).toContain('being asked');
    expect(await page.locator('#now').textContent()).toContain('http://sleepy.test');
    // The countdown of a host runs by itself.
    const due = async () =>
      Number.parseInt((await row('slow-press.test').locator('td').nth(1).textContent()) ?? '', 10);
    let dueBefore = await due();
    const runsDown = async () => {
      const [before, now] = [dueBefore, await due()];
      dueBefore = now;
      return now < before;
    };
    await expect.poll(runsDown, { timeout: LONG_MS, interval: 1_500 }).toBe(true);

    await expect.poll(() => page.locator('#answers').textContent(), { timeout: LONG_MS }).toMatch(/2xx.*4xx.*5xx/);
    await expect
      .poll(() => page.locator('#outcomes').textContent(), { timeout: LONG_MS })
      .toContain('excluded: robots-rule');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).toMatch(/^[\d,]+ pages · running · tidepool-study$/);

    await page.locator('#filter').fill('SLOW-P');
    await expect.poll(() => page.locator('#hosts tbody tr').count(), { timeout: LONG_MS }).toBe(1);
    await page.locator('#filter').fill('');
    await picture(page, 'light-1280');
    expect(await widthsOf(page)).toEqual({ needed: 1280, given: 1280 });
    expect({ complaints, outside }).toEqual({ complaints: [], outside: [] });
  });

  it('pauses, resumes and stops', async () => {
    const scene = await crawling();
    const { page, complaints } = await visit(scene.dashboard.url);
    await grows(page, 'pages', 5);
    await page.locator('#pause').click();
    await page.locator('#phase[data-phase="paused"]').waitFor();
    await expect.poll(() => scene.crawler.progress().inFlight, { timeout: LONG_MS }).toBeLessThanOrEqual(1);
    // Requests in flight have ended, and the page shows it.
    let pages = -1;
    const isAtRest = async () => {
      const before = pages;
      pages = await numberIn(page, 'pages');
      return pages === before && pages === scene.crawler.progress().pages;
    };
    await expect.poll(isAtRest, { timeout: LONG_MS, interval: 1_500 }).toBe(true);
    const requestCount = scene.requestCount();
    // In two seconds an open crawl requests dozens of pages; here at most one answer was in flight.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(scene.requestCount() - requestCount).toBeLessThanOrEqual(1);
    expect((await numberIn(page, 'pages')) - pages).toBeLessThanOrEqual(1);
    await picture(page, 'paused');

    await page.locator('#resume').click();
    await page.locator('#phase[data-phase="running"]').waitFor();
    await grows(page, 'pages', pages + 5);

    // The first press asks, the second confirms; after some seconds without a second press it asks again.
    const press = () =>
      page.locator('#stop').evaluate((button) => {
        (button as unknown as { click(): void }).click();
        return button.textContent;
      });
    expect(await press()).toBe('Really stop?');
    expect(scene.crawler.activity().phase).toBe('running');
    await expect.poll(press, { timeout: LONG_MS }).not.toBe('Really stop?');
    await page.locator('#phase[data-phase="stopped"]').waitFor();
    // If no request is in flight, the page says why.
    expect(await page.locator('#now-empty:visible').textContent()).toBe('The run has ended.');
    await expect(scene.run).resolves.toMatchObject({ state: 'stopped' });
    await scene.dashboard.close();
    await page.locator('#banner', { hasText: 'last word' }).waitFor();
    expect(await page.locator('#phase').textContent()).toBe('stopped');
    expect(await page.locator('#pause').isDisabled()).toBe(true);
    await picture(page, 'stopped');
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('is readable on a phone of 360 px, %s', async (colorScheme) => {
    const scene = await crawling();
    const { page, complaints, outside } = await visit(scene.dashboard.url, {
      viewport: { width: 360, height: 740 },
      colorScheme,
    });
    await page.locator('#notes', { hasText: '<img' }).waitFor();
    await grows(page, 'pages', 10);
    await page.locator('#hosts tr', { hasText: 'slow-press.test' }).waitFor();
    expect(await widthsOf(page)).toEqual({ needed: 360, given: 360 });
    // Nothing is cut off at the right either.
    const past = await page.evaluate(() => {
      const { document } = globalThis as unknown as {
        document: {
          querySelectorAll(all: string): Iterable<{ getBoundingClientRect(): { right: number }; textContent: string }>;
        };
      };
      return [...document.querySelectorAll('main *')]
        .filter((element) => element.getBoundingClientRect().right > 361)
        .map(({ textContent }) => textContent.slice(0, 40));
    });
    expect(past).toEqual([]);
    const lightness = await page.evaluate(() => {
      const { document, getComputedStyle } = globalThis as unknown as {
        document: { body: unknown };
        getComputedStyle(element: unknown): { backgroundColor: string };
      };
      return Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0]);
    });
    expect(lightness > 128).toBe(colorScheme === 'light');
    await picture(page, `phone-${colorScheme}`);
    expect({ complaints, outside }).toEqual({ complaints: [], outside: [] });
  });

  it('is dark if the system is dark, and says when the crawl has ended', async () => {
    const scene = await crawling();
    // A killed process sends nothing more, like a tunnel that is cut.
    const tunnel = await tunnelTo(scene.dashboard.port);
    const url = scene.dashboard.url.replace(`:${scene.dashboard.port}/`, `:${tunnel.port}/`);
    const { page, complaints } = await visit(url, { colorScheme: 'dark' });
    await grows(page, 'pages', 30);
    await picture(page, 'dark-1280');
    expect(complaints).toEqual([]);
    tunnel.cut();
    await page.locator('#phase[data-phase="lost"]').waitFor();
    expect(await page.locator('#banner').textContent()).toContain('Nothing has been heard');
  });

  it('shows nothing without the token', async () => {
    const scene = await crawling();
    const page = await browser.newPage();
    page.setDefaultTimeout(LONG_MS);
    onTestFinished(() => page.close());
    const answer = await page.goto(`http://127.0.0.1:${scene.dashboard.port}/`);
    expect(answer?.status()).toBe(401);
    expect(await page.textContent('body')).not.toContain('tidepool-study');
  });
});
