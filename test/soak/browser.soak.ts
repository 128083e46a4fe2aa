// Pages in a real Chromium, judged by the servers' logs: what a page loads must be requested as politely as the page
// itself, by the crawl and under its name, and the browser must reach no server. If this breaks, a crawl with a browser
// is a crawl without rules: a single page requests fifty files at once. It is one file because all of its cases need
// the same browser.

import { execFile } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { auditCrawl, type HandledPage, memorySink, readCrawlDirectory, replay, type SavedFile } from 'mannerly';
import { type BrowserFetcherOptions, browserFetcher, SEALED_FLAGS } from 'mannerly/browser';
import type { Browser } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, CONTAINER_FLAGS, HAS_CHROMIUM, launchChromium } from '../support/chromium.js';
import { COMMAND } from '../support/command.js';
import { CONTACT, type CrawlStory, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { type Routes, redirect, text, type Web } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const CI = process.env['CI'] === 'true';
/** Milliseconds that a page may be open: enough for everything that it loads, on a busy machine. */
const PATIENT_MS = 300_000;
const SLOW = { timeout: 600_000 };

const script = (body: string) => ({ body, headers: { 'content-type': 'text/javascript' } });
const json = (value: unknown) => ({ body: JSON.stringify(value), headers: { 'content-type': 'application/json' } });
const html = (head: string, body = '') =>
  `<!doctype html><html><head><title>raw</title>${head}</head><body><p id="out">raw</p>${body}</body></html>`;
/** A script that adds a word to the page. */
const appendsWord = (word: string) => `document.body.append(" [${word}]");`;

async function launch(flags: string[]): Promise<Browser> {
  const browser = await launchChromium(flags);
  if (browser === null) throw new Error('CI needs a Chromium: apt-get install chromium');
  return browser;
}

interface Scene extends CrawlStory {
  readonly pages: readonly {
    readonly url: string;
    readonly text: string;
    readonly rendering: HandledPage['rendering'];
  }[];
}

async function crawlWithBrowser(
  seeds: readonly string[],
  options: BrowserFetcherOptions,
  more: Partial<TestCrawlOptions> = {},
): Promise<Scene> {
  const pages: Scene['pages'][number][] = [];
  const story = await crawl({
    seeds,
    bounds: { pages: 20, minutes: 9 },
    maxIdleMs: PATIENT_MS,
    fetcher: browserFetcher({ launch, pageMs: PATIENT_MS, ...options }),
    handlers: (crawler) =>
      crawler.on('html', async (page) => {
        pages.push({ url: page.url, text: page.$('body').text(), rendering: page.rendering });
        await page.emit({ url: page.url, title: page.title });
      }),
    ...more,
  });
  return { ...story, pages };
}

/** A server at another address that counts its clients. */
async function countingServer(address: string): Promise<{ readonly port: number; readonly connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.address() as AddressInfo).port, connections: () => count };
}

/** The same for datagrams, which a browser sends without its proxy. */
async function countingDatagramSocket(): Promise<{ readonly port: number; readonly connections: () => number }> {
  let count = 0;
  const socket: Socket = createSocket('udp4');
  socket.on('message', () => {
    count += 1;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { port: socket.address().port, connections: () => count };
}

/** Requested paths of a host without robots.txt, sorted: their order does not matter here. */
const requestedPaths = (web: Web, host: string): string[] =>
  web
    .paths(host)
    .filter((path) => path !== '/robots.txt')
    .sort();

describe.skipIf(!HAS_CHROMIUM && !CI)('pages in Chromium', () => {
  it('load what they need as politely as the pages themselves, and send no other request', SLOW, async () => {
    const outside = await countingServer('127.0.0.2');
    const datagrams = await countingDatagramSocket();
    const hosts: Record<string, Routes> = {};
    const web = await webForTest({ hosts });
    const cdn = `http://cdn.test:${web.port}`;
    const tricks = `
      navigator.sendBeacon('/beacon', 'x');
      fetch('/posted', { method: 'POST', body: 'x' }).catch(() => {});
      try { new WebSocket('ws://shop.test:${web.port}/socket') } catch {}
      try { new EventSource('/events') } catch {}
      navigator.serviceWorker?.register('/worker.js').catch(() => {});
      try { new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${datagrams.port}' }] }).createDataChannel('x') } catch {}
      new Worker(URL.createObjectURL(new Blob(["fetch('http://shop.test:${web.port}/closed/by-worker')"])));
      open('/window');
      const frame = document.createElement('iframe'); frame.src = '/frame'; document.body.append(frame);
      const rules = document.createElement('script'); rules.type = 'speculationrules';
      rules.textContent = JSON.stringify({ prefetch: [{ urls: ['/guessed'], eagerness: 'immediate' }], prerender: [{ urls: ['/prerendered'], eagerness: 'immediate' }] });
      document.head.append(rules);`;
    Object.assign(hosts, {
      'shop.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /closed\nCrawl-delay: 1\n'),
        '/': html(
          `<link rel="stylesheet" href="/style.css"><link rel="icon" href="/favicon.ico"><link rel="prefetch" href="/prefetched">
           <link rel="preload" as="image" href="/preloaded.png"><link rel="preconnect" href="http://127.0.0.2:${outside.port}">
           <link rel="dns-prefetch" href="//leak.test">
           <script src="/app.js" defer></script><script src="/closed/tracker.js" defer></script>
           <script src="/moved.js" defer></script><script src="/moved-to-closed.js" defer></script>
           <script src="${cdn}/closed/ad.js" defer></script><script src="http://unreachable.test:${web.port}/u.js" defer></script>
           <script src="http://outside.test:${outside.port}/o.js" defer></script>
           <script src="http://127.0.0.2:${outside.port}/literal.js" defer></script>`,
          `<img src="/pixel.png"><img src="http://127.0.0.2:${outside.port}/pixel.png">`,
        ),
        '/app.js': script(`fetch('/data.json').then((r) => r.json()).then((d) => {
          document.querySelector('#out').textContent = d.word; document.title = 'shown';
          history.replaceState(null, '', '/shown'); ${tricks} });`),
        '/data.json': json({ word: 'rendered' }),
        '/moved.js': redirect(`${cdn}/library.js`),
        '/moved-to-closed.js': redirect(`${cdn}/closed/library.js`),
        '*': text('should not have been asked for'),
      },
      'cdn.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /closed\nCrawl-delay: 2\n'),
        // A page that navigates away runs no later scripts in Chromium, although it stays, so this comes last.
        '/library.js': script(`${appendsWord('library')} setTimeout(() => { location.href = '/elsewhere' }, 0);`),
        '*': text('should not have been asked for'),
      },
      'unreachable.test': { '/robots.txt': { status: 503 }, '*': text('should not have been asked for') },
    });
    const out = await mkdtemp(join(tmpdir(), 'mannerly-browser-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    // A page waits for an unavailable robots.txt as long as it is open.
    const { pages, requests, report, decisions } = await crawlWithBrowser(
      [web.url('shop.test')],
      { hosts: 'any', pageMs: 60_000 },
      {
        out,
        network: {
          allowAddresses: ['127.0.0.1/32'],
          ports: 'any',
          resolve: async (name) => [name === 'outside.test' ? '127.0.0.2' : '127.0.0.1'],
        },
      },
    );

    // What the servers saw.
    const rules = {
      'shop.test': { gapMs: 1_000, closed: ['/closed'] },
      'cdn.test': { gapMs: 2_000, closed: ['/closed'] },
    };
    expect(judge(web.log, { contact: CONTACT, rules })).toEqual(POLITE);
    expect(requestedPaths(web, 'shop.test')).toEqual([
      '/',
      '/app.js',
      '/data.json',
      '/moved-to-closed.js',
      '/moved.js',
    ]);
    expect(requestedPaths(web, 'cdn.test')).toEqual(['/library.js']);
    expect(requestedPaths(web, 'unreachable.test')).toEqual([]);
    expect(web.paths('cdn.test').filter((path) => path === '/robots.txt')).toHaveLength(1);
    expect(new Set(web.log.map(({ host }) => host))).toEqual(new Set(['shop.test', 'cdn.test', 'unreachable.test']));
    expect([outside.connections(), datagrams.connections()]).toEqual([0, 0]);
    for (const { method, headers } of web.log) {
      expect(method).toBe('GET');
      expect(Object.keys(headers).filter((name) => /^(cookie|referer|authorization|sec-|upgrade)/.test(name))).toEqual(
        [],
      );
    }
    expect(new Set(web.log.map(({ userAgent }) => userAgent)).size).toBe(1);

    // What the handler got.
    expect(pages).toHaveLength(1);
    const [page] = pages;
    expect(page?.text).toContain('rendered');
    expect(page?.text).toContain('[library]');
    expect(page?.rendering).toMatchObject({ url: web.url('shop.test', '/shown'), subresources: { loaded: 3 } });
    const refused = page?.rendering?.subresources.refused ?? {};
    expect(refused).toMatchObject({
      'robots-rule': 4,
      'address-forbidden': 2,
      navigation: 1,
      window: expect.any(Number),
    });
    expect(refused['type']).toBeGreaterThanOrEqual(4);

    // The reports: every request in the log, every refusal with its rule, and an audit without violations.
    const subresources = requests.filter(({ purpose }) => purpose === 'subresource');
    expect(subresources.map(({ url }) => new URL(url).pathname).sort()).toEqual([
      '/app.js',
      '/data.json',
      '/library.js',
      '/moved-to-closed.js',
      '/moved.js',
    ]);
    expect(report.pages).toBe(1);
    expect(decisions.find(({ url }) => url.endsWith('/closed/tracker.js'))).toMatchObject({
      status: 'excluded',
      reason: 'robots-rule',
      line: 2,
      pattern: '/closed',
      dialect: 'rfc9309',
      from: web.url('shop.test'),
    });
    const audited = await auditCrawl(await readCrawlDirectory(out));
    expect(audited.violations).toEqual([]);
  });

  it('reach no server by themselves if requests are not intercepted', SLOW, async () => {
    const web = await webForTest({ hosts: { '127.0.0.1': { '*': html('') }, localhost: { '*': html('') } } });
    const browser = await launch([...SEALED_FLAGS]);
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    for (const host of ['127.0.0.1', 'localhost']) await expect(page.goto(web.url(host))).rejects.toThrow(/net::ERR_/);
    expect(web.log).toEqual([]);
  });

  it('have the directives of document and DOM and the links of the DOM, and fail as values', SLOW, async () => {
    const links = ['/by-script', '/taken-back', '/leaves', '/download', '/large', '/plain?x'].map(
      (path) => `<a href="${path}">x</a>`,
    );
    const inline = (body: string, head = '') => html(head, `<script>${body}</script>`);
    const noindex = '<meta name="robots" content="noindex">';
    const web = await webForTest({
      hosts: {
        'shop.test': {
          '/robots.txt': text(''),
          '/': inline(`document.body.innerHTML = ${JSON.stringify(links.join(''))}; document.title = 'shown';`),
          '/by-script': inline(`document.head.innerHTML += ${JSON.stringify(noindex)};`),
          '/taken-back': inline(`document.querySelector('meta').remove();`, noindex),
          '/leaves': inline(`location.href = 'about:blank';`),
          '/download': {
            body: html(''),
            headers: { 'content-type': 'text/html', 'content-disposition': 'attachment' },
          },
          '/large': inline(`document.body.append('x'.repeat(200_000));`),
          '/plain?x': inline(`document.body.append('not opened');`),
        },
      },
    });
    const { pages, items, decisions } = await crawlWithBrowser(
      [web.url('shop.test')],
      { domChars: 100_000, renders: ({ url }) => !url.includes('?') },
      {
        handlers: (crawler) =>
          crawler.on('html', async (page) => {
            await page.emit({ url: page.url, title: page.title, rendering: page.rendering });
            await page.follow();
          }),
      },
    );
    expect(pages).toEqual([]);
    const verdicts = Object.fromEntries(
      decisions.map(({ url, status, reason, detail }) => [
        url.slice(web.url('shop.test', '').length),
        `${status} ${reason} ${reason === 'render-failed' ? detail?.split(':')[0] : ''}`.trim(),
      ]),
    );
    expect(verdicts).toEqual({
      '/': 'fetched fetched',
      '/by-script': 'excluded noindex',
      '/taken-back': 'excluded noindex',
      '/leaves': 'failed render-failed navigation-refused',
      '/download': 'failed render-failed navigation-refused',
      '/large': 'failed render-failed dom-too-large',
      '/plain?x': 'fetched fetched',
    });
    // Pages that forbid it are not kept, and pages that no browser opened say so.
    expect(items.map(({ data }) => data)).toMatchObject([
      { title: 'shown', rendering: { url: web.url('shop.test'), endedBy: 'quiet' } },
      { title: 'raw', rendering: null },
    ]);
  });

  it('may hang or lose their browser, and the next page gets a new one, a bounded number of times', SLOW, async () => {
    const browsers: Browser[] = [];
    const web = await webForTest({
      hosts: {
        'shop.test': {
          '/robots.txt': text(''),
          '/hangs': html('', '<script>for (;;) {}</script>'),
          '*': html('', `<script>${appendsWord('shown')}</script>`),
        },
      },
    });
    const { pages, decisions, report } = await crawlWithBrowser(
      [web.url('shop.test', '/1')],
      {
        restarts: 1,
        launch: async (flags) => {
          const browser = await launch(flags);
          browsers.push(browser);
          return browser;
        },
      },
      {
        // Each page is found by the one before it, so no page is open when its browser is lost.
        handlers: (crawler) =>
          crawler.on('html', async (page) => {
            await browsers.at(-1)?.close();
            await page.add(`/${browsers.length + 1}`);
          }),
      },
    );
    expect(pages).toEqual([]);
    expect(browsers).toHaveLength(2);
    // The third page stays queued.
    expect(report.stopReason).toMatch(/^no-browser: /);
    expect(decisions.map(({ status }) => status).sort()).toEqual(['fetched', 'fetched', 'held']);

    const hung = await crawlWithBrowser([web.url('shop.test', '/hangs')], { pageMs: 5_000 });
    expect(hung.decisions).toMatchObject([{ status: 'failed', reason: 'render-failed' }]);
    expect(hung.decisions[0]?.detail).toMatch(/^page-hung: /);
  });

  it('perform steps within a budget, take screenshots, and never submit a form', SLOW, async () => {
    const web = await webForTest({
      hosts: {
        'shop.test': {
          '/robots.txt': text('User-agent: *\nDisallow: /closed\nCrawl-delay: 1\n'),
          '/': html(
            '',
            `<ul id="list"></ul><button class="more" onclick="more()">more</button><a class="away" href="/away">away</a>
             <form action="/submitted"><button class="buy"><b>buy</b></button><input name="q" onchange="form.submit()"></form>
             <button class="sly" onclick="document.forms[0].requestSubmit(); document.forms[0].submit()">sly</button>
             <button class="hidden" style="display: none">x</button>
             <div style="height: 2000px; background: teal"></div>
             <script>
               let count = 0;
               const more = () => fetch(count === 2 ? '/closed/3' : '/items/' + (count + 1)).then((r) => r.text()).then((t) => {
                 count += 1; list.innerHTML += '<li>' + t + '</li>';
               });
               addEventListener('scroll', () => fetch('/scrolled').then(() => { document.title = 'scrolled'; }), { once: true });
             </script>`,
          ),
          '/items/1': text('one'),
          '/items/2': text('two'),
          '/scrolled': text(''),
          '*': text('should not have been asked for'),
        },
      },
    });
    const out = await mkdtemp(join(tmpdir(), 'mannerly-steps-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const results: Record<string, unknown> = {};
    const shots: SavedFile[] = [];
    const { decisions, items } = await crawlWithBrowser(
      [web.url('shop.test')],
      { steps: 14 },
      {
        out,
        archive: true,
        handlers: (crawler) =>
          crawler.on(
            'html',
            async (page) => {
              shots.push(await page.screenshot());
              const entries = page.$('#list li').map((_, each) => page.$(each).text());
              await page.emit({ title: page.title, entries: entries.get(), rendering: page.rendering });
            },
            {
              async inBrowser(tab) {
                results['more'] = [await tab.click('.more'), await tab.click('.more'), await tab.click('.more')];
                results['waited'] = await tab.waitFor('#list li:nth-child(2)');
                results['none'] = await tab.waitFor('.never', { timeoutMs: 100 });
                results['clicks'] = [
                  await tab.click('.nowhere'),
                  await tab.click('.hidden'),
                  await tab.click('.buy b'),
                  await tab.click('.sly'),
                  await tab.click('.away'),
                ];
                results['scrolled'] = [await tab.scroll(), await tab.scroll()];
                results['shot'] = await tab.screenshot({ fullPage: true });
                results['last'] = [await tab.scroll(), await tab.scroll()];
              },
            },
          ),
      },
    );
    expect(decisions[0]).toMatchObject({ status: 'fetched', isPage: true });
    expect(results).toEqual({
      more: ['done', 'done', 'done'],
      waited: 'done',
      none: 'not-found',
      clicks: ['not-found', 'not-clickable', 'submits', 'done', 'done'],
      scrolled: ['done', 'done'],
      shot: 'done',
      last: ['done', 'step-limit'],
    });
    expect(items[0]?.data).toMatchObject({ title: 'scrolled', entries: ['one', 'two'] });
    const rendering = (items[0]!.data as { rendering: NonNullable<HandledPage['rendering']> }).rendering;
    expect(rendering).toMatchObject({ endedBy: 'quiet', subresources: { loaded: 3 } });
    expect(rendering.subresources.refused).toMatchObject({ 'robots-rule': 1, navigation: 1 });
    expect(requestedPaths(web, 'shop.test')).toEqual(['/', '/items/1', '/items/2', '/scrolled']);
    const rules = { 'shop.test': { gapMs: 1_000, closed: ['/closed', '/away', '/submitted'] } };
    expect(judge(web.log, { contact: CONTACT, rules })).toEqual(POLITE);
    // The screenshot is a PNG of the whole page, in its colour.
    const [shot] = shots;
    if (shot?.kind !== 'saved') throw new Error(JSON.stringify(shot));
    expect(shot.path).toContain(join('files', 'shop.test'));
    const png = await readFile(shot.path);
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20) > 2_000]).toEqual([1_280, true]);

    // The same page again without a browser.
    const again = memorySink();
    const replayed = await replay({
      from: out,
      handlers: (routes) => routes.on('html', (page) => page.emit({ title: page.title, rendering: page.rendering })),
      sinks: [again],
    });
    expect(replayed).toMatchObject({ pages: 1, failures: 0 });
    expect(again.items[0]?.data).toEqual({ title: 'scrolled', rendering });
  });

  it('are opened by the command if it names them', SLOW, async () => {
    const routes = {
      '/robots.txt': text(''),
      '/': html('', '<a href="/app/1">app</a>'),
      '/app/1': html('', '<script src="/app.js"></script>'),
      '/app.js': script(`document.title = 'made';`),
    };
    const web = await webForTest({ hosts: { '127.0.0.1': routes } });
    const out = await mkdtemp(join(tmpdir(), 'mannerly-command-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const flags = ['--browser-for', '/app/', '--browser-program', CHROMIUM ?? ''];
    const own = CONTAINER_FLAGS.map((flag) => `--browser-flag=${flag}`);
    const who = ['--name', 'tidepool-study', '--contact', 'https://example.org/us', '--interval', '0'];
    await promisify(execFile)(process.execPath, [
      ...[COMMAND, 'crawl', web.url('127.0.0.1'), ...who, ...flags, ...own],
      ...['--allow-address', '127.0.0.0/8', '--no-config', '--out', join(out, 'crawl')],
    ]);
    const items = await readFile(join(out, 'crawl', 'items.jsonl'), 'utf8');
    const titles = items
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { title: string }).title);
    expect(titles.sort()).toEqual(['made', 'raw']);
    expect(web.paths('127.0.0.1')).toEqual(['/robots.txt', '/', '/app/1', '/app.js']);
  });

  it('are opened by the unchanged example', SLOW, async () => {
    const built = fileURLToPath(new URL('../../examples/dist/pages-in-a-browser.js', import.meta.url));
    const source = fileURLToPath(new URL('../../examples/src/pages-in-a-browser.ts', import.meta.url));
    expect((await readFile(source, 'utf8')).split('\n').length).toBeLessThan(60);
    const web = await webForTest({
      hosts: {
        'shop.test': {
          '/robots.txt': text(''),
          '/': html('', `<script src="/app.js"></script>`),
          '/app.js': script(appendsWord('x')),
        },
      },
    });
    const cwd = await mkdtemp(join(tmpdir(), 'mannerly-example-'));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const { stdout } = await promisify(execFile)(process.execPath, [built], {
      cwd,
      env: {
        ...process.env,
        CHROMIUM: CHROMIUM ?? '',
        CHROMIUM_OWN_FLAGS: CONTAINER_FLAGS.join(' '),
        MANNERLY_EXAMPLE_SEED: web.url('shop.test'),
        MANNERLY_EXAMPLE_LOOPBACK: '1',
      },
    });
    expect(stdout).toContain('raw  quiet, 1 things loaded');
    expect(stdout).toMatch(/pictures\/shop\.test_?\d*\/index\.png {2}\d+ bytes/);
    expect(web.paths('shop.test')).toEqual(['/robots.txt', '/', '/app.js']);
  });
});
