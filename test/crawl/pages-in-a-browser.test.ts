// A browser page may load anything; its hosts must still see a polite crawl. Here the browser is a function that makes
// requests; test/soak/browser.soak.ts uses a real one. If this breaks, one page can send a thousand requests at once,
// or load what robots.txt closes.
// It is one file because all of its cases need the same browser.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import {
  createUndiciFetcher,
  type Fetcher,
  type HandledPage,
  type LogEntry,
  memorySink,
  refuse,
  replay,
} from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONTACT, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { readRecords } from '../support/warc.js';
import { page, type Routes, redirect, text, type Web } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

type Renderer = NonNullable<Fetcher['renderer']>;
type RenderRequest = Parameters<Renderer['render']>[0];
type Rendering = Awaited<ReturnType<Renderer['render']>>;
type RenderedPage = Extract<Rendering, { kind: 'rendered' }>;
type SubresourceAnswer = Awaited<ReturnType<RenderRequest['load']>>;

const OPEN = text('User-agent: *\nDisallow: /closed\n');
const QUIET = { endedBy: 'quiet', subresources: { loaded: 0, bytes: 0, refused: {}, refusals: [] } } as const;

interface Asking {
  readonly type?: string;
  readonly anywhere?: boolean;
}

/** A fetcher whose browser runs the given function. */
function fetcherWith(
  render: (
    request: RenderRequest,
    ask: (url: string, how?: Asking) => Promise<SubresourceAnswer>,
  ) => Promise<Rendering | string>,
  wants: (url: string) => boolean = () => true,
): Fetcher {
  const fetcher = createUndiciFetcher();
  return {
    ...fetcher,
    renderer: {
      wants: ({ url }) => wants(url),
      async render(request) {
        const ask = (url: string, { type = 'script', anywhere = false }: Asking = {}): Promise<SubresourceAnswer> =>
          request.load({
            url: new URL(url, request.url).href,
            type,
            headers: {},
            anywhere,
            waitMs: 30_000,
            maxBodyBytes: 1_000,
            signal: request.signal,
          });
        const rendering = await render(request, ask);
        return typeof rendering === 'string' ? renderedPage(request, rendering) : rendering;
      },
    },
  };
}

function renderedPage({ url }: Pick<RenderRequest, 'url'>, html: string): RenderedPage {
  return { kind: 'rendered', html, url, ...QUIET };
}

async function run(hosts: Readonly<Record<string, Routes>>, fetcher: Fetcher, more: Partial<TestCrawlOptions> = {}) {
  const web: Web = await webForTest({ hosts });
  const seeds = [web.url('a.test')];
  const story = await crawl({ seeds, fetcher, politeness: { profile: { factor: 0, minMs: 30, maxMs: 30 } }, ...more });
  return { ...story, web };
}

const wordOf = (answer: SubresourceAnswer): string =>
  answer.kind === 'response' ? String(answer.status) : answer.kind === 'failed' ? answer.failure : answer.reason;

describe('a page in a browser', () => {
  it('sends requests through gate, clock and egress, to its own host and others, hop by hop', async () => {
    const answers: string[] = [];
    const fetcher = fetcherWith(async ({ url }, ask) => {
      const cdn = new URL(url).port;
      const wanted = await Promise.all([
        ask('/1.js'),
        ask('/2.js'),
        ask('/closed/x.js'),
        ask('/to-closed'),
        ask('/to-cdn', { anywhere: true }),
        ask('/round', { anywhere: true }),
        ask(`http://cdn.test:${cdn}/x.js`),
        ask(`http://cdn.test:${cdn}/closed/x.js`, { anywhere: true }),
        ask(`http://private.test:${cdn}/x.js`, { anywhere: true }),
        ask('/excluded.js'),
        ask('/hooked.js'),
      ]);
      answers.push(...wanted.map(wordOf));
      return '<title>made</title>';
    });
    const hosts: Record<string, Routes> = {};
    const web = await webForTest({ hosts });
    Object.assign(hosts, {
      'a.test': {
        '/robots.txt': OPEN,
        '/': page('raw'),
        '/1.js': text('1'),
        '/2.js': text('2'),
        '/to-closed': redirect('/closed/y.js'),
        '/to-cdn': redirect(`http://cdn.test:${web.port}/moved.js`),
        '/round': redirect('/round'),
        '*': text('should not have been asked for'),
      },
      'cdn.test': { '/robots.txt': OPEN, '/moved.js': text('moved'), '*': text('should not have been asked for') },
    });
    const seeds = [web.url('a.test')];
    const { requests, report, items, decisions } = await crawl({
      seeds,
      scope: { seeds, within: 'host', exclude: ['/excluded.js'] },
      fetcher,
      politeness: { profile: { factor: 0, minMs: 30, maxMs: 30 } },
      network: {
        allowAddresses: ['127.0.0.1/32'],
        ports: 'any',
        resolve: async (name) => [name === 'private.test' ? '127.0.0.2' : '127.0.0.1'],
      },
      hooks: { beforeFetch: ({ url, purpose }) => (url.endsWith('hooked.js') ? refuse(purpose) : undefined) },
    });
    expect(answers).toEqual([
      '200',
      '200',
      'robots-rule',
      'robots-rule',
      '200',
      'redirect-limit',
      'out-of-scope',
      'robots-rule',
      // Its address is not allowed, so its robots.txt cannot be requested.
      'address-forbidden',
      'scope-excluded',
      'hook-refused',
    ]);
    const rules = { gapMs: 30, closed: ['/closed', '/excluded', '/hooked'] };
    expect(judge(web.log, { contact: CONTACT, rules: { 'a.test': rules, 'cdn.test': rules } })).toEqual(POLITE);
    expect(web.paths('cdn.test')).toEqual(['/robots.txt', '/moved.js']);
    expect(web.paths('a.test').filter((path) => path === '/round')).toHaveLength(6);
    expect(requests.filter(({ purpose }) => purpose === 'subresource')).toHaveLength(2 + 1 + 2 + 6);
    expect(report).toMatchObject({ pages: 1, state: 'finished' });
    expect(items.map(({ data }) => data)).toMatchObject([{ title: 'made' }]);
    const held = decisions.filter(({ detail }) => detail === 'asked for by a page in a browser');
    expect(held.map(({ url, status, reason, line }) => [new URL(url).pathname, status, reason, line])).toContainEqual([
      '/closed/y.js',
      'excluded',
      'robots-rule',
      2,
    ]);
  });

  it('is what its DOM shows, with the directives of both document and DOM (page-level §2)', async () => {
    const meta = (content: string) => `<meta name=robots content=${content}>`;
    const made: Record<string, string> = {
      '/': '<a href="/noindex-made">x</a><a href="/noindex-raw">x</a>',
      '/noindex-made': meta('noindex'),
      '/noindex-raw': meta('index'),
    };
    const fetcher = fetcherWith(async ({ url }) => made[new URL(url).pathname] ?? '');
    const { itemUrls, decisions, web } = await run(
      {
        'a.test': {
          '/robots.txt': OPEN,
          '/': page('raw', ['/only-raw']),
          '/noindex-made': page('raw'),
          '/noindex-raw': page('raw', [], meta('noindex')),
        },
      },
      fetcher,
    );
    expect(itemUrls).toEqual([web.url('a.test')]);
    expect(decisions.map(({ url, reason }) => [new URL(url).pathname, reason])).toEqual([
      ['/', 'fetched'],
      ['/noindex-made', 'noindex'],
      ['/noindex-raw', 'noindex'],
    ]);
  });

  it('costs nothing without a handler, without `renders`, or when a hook refuses it', async () => {
    let opened = 0;
    const fetcher = fetcherWith(
      async () => {
        opened += 1;
        return '';
      },
      (url) => !url.endsWith('/plain'),
    );
    const { decisions } = await run(
      {
        'a.test': {
          '/robots.txt': OPEN,
          '/': redirect('/plain'),
          '/plain': page('raw', ['/hooked', '/data.json']),
          '/hooked': page('raw'),
          '/data.json': text('{}'),
        },
      },
      fetcher,
      { hooks: { afterFetch: ({ url }) => (url.endsWith('/hooked') ? refuse('no') : undefined) } },
    );
    expect(opened).toBe(0);
    expect(decisions.map(({ reason }) => reason)).toEqual(['redirect', 'fetched', 'hook-refused', 'no-handler']);
  });

  it('that fails has a code, and its links are not taken', async () => {
    const fetcher = fetcherWith(async () => ({ kind: 'failed', failure: 'page-crashed', detail: 'of a test' }));
    const { decisions, report } = await run(
      { 'a.test': { '/robots.txt': OPEN, '/': page('raw', ['/next']) } },
      fetcher,
    );
    expect(decisions).toMatchObject([
      { status: 'failed', reason: 'render-failed', layer: 'page', detail: 'page-crashed: of a test' },
    ]);
    expect(report.pages).toBe(1);
  });

  it('does not request a script again that another page has loaded, and requests data each time', async () => {
    const fetcher = fetcherWith(async (_request, ask) => {
      const answers = [await ask('/x.js'), await ask('/data.json', { type: 'fetch' })];
      return `<a href=/next>${answers.map(wordOf).join()}</a>`;
    });
    const { items, web } = await run(
      {
        'a.test': {
          '/robots.txt': OPEN,
          '/': page('raw'),
          '/next': page('raw'),
          '/x.js': text('x'),
          '/data.json': text('{}'),
        },
      },
      fetcher,
      {
        handlers: (crawler) =>
          crawler.on('html', async (each) => {
            await each.emit(each.$('a').text());
            await each.follow();
          }),
      },
    );
    expect(items.map(({ data }) => data)).toEqual(['200,200', '200,200']);
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/x.js', '/data.json', '/next', '/data.json']);
  });

  it('performs the steps of its route, and fails with what they throw', async () => {
    const steps: string[] = [];
    const fetcher = fetcherWith(async ({ url, steps: given }) => {
      const step = async (what: string) => {
        steps.push(`${new URL(url).pathname} ${what}`);
        return 'done' as const;
      };
      const tab = {
        waitFor: (selector: string) => step(selector),
        click: (selector: string) => step(selector),
        scroll: () => step('scroll'),
        screenshot: () => step('screenshot'),
      };
      try {
        await given?.(tab);
      } catch (error) {
        return { kind: 'failed', failure: 'steps-threw', detail: String(error) };
      }
      return '<a href=/throws>made</a>';
    });
    const logged: LogEntry[] = [];
    const { decisions } = await run(
      { 'a.test': { '/robots.txt': OPEN, '/': page('raw'), '/throws': page('raw') } },
      fetcher,
      {
        log: (entry) => logged.push(entry),
        handlers: (crawler) =>
          crawler.on('html', (each) => each.follow(), {
            async inBrowser(tab) {
              await tab.click('.more');
              if (steps.length > 1) throw new Error('of a test');
            },
          }),
      },
    );
    expect(steps).toEqual(['/ .more', '/throws .more']);
    expect(decisions.map(({ reason, detail }) => [reason, detail ?? null])).toEqual([
      ['fetched', null],
      ['render-failed', 'steps-threw: Error: of a test'],
    ]);
    expect(logged.map(({ level, message }) => `${level} ${message}`).join()).toMatch(/of a test/);
  });

  it('stops the crawl if there is no browser: its pages stay queued, and no more are requested', async () => {
    const fetcher = fetcherWith(async () => ({ kind: 'failed', failure: 'no-browser', detail: 'none starts' }));
    const paths = Object.fromEntries(['/1', '/2', '/3', '/4'].map((path) => [path, page(path)]));
    const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': OPEN, ...paths } } });
    const seeds = Object.keys(paths).map((path) => web.url('a.test', path));
    const politeness = { profile: { factor: 0, minMs: 2_000, maxMs: 2_000 } };
    const { report } = await crawl({ seeds, fetcher, politeness });
    expect(report).toMatchObject({ state: 'stopped', stopReason: 'no-browser: none starts', queued: 4, pages: 0 });
    expect(Object.keys(report.outcomes)).toEqual(['held']);
    expect(web.paths('a.test')).toHaveLength(2);
  });

  it('is the same page again in a replay, without a browser', async () => {
    const out = mkdtempSync(join(tmpdir(), 'mannerly-browser-replay-'));
    onTestFinished(() => rmSync(out, { recursive: true, force: true, maxRetries: 5 }));
    const noarchive = '<meta name=robots content=noarchive>';
    const fetcher = fetcherWith(async ({ url }, ask) => {
      if (url.endsWith('/broken')) return { kind: 'failed', failure: 'page-crashed', detail: 'of a test' };
      if (url.endsWith('/kept-out')) await ask('/x.js');
      const head = url.endsWith('/kept-out') ? noarchive : '<title>made \u00e9\ud800</title>';
      const made = renderedPage({ url }, `${head}<a href=/broken>x</a><a href=/kept-out>x</a>`);
      return { ...made, screenshot: Buffer.from('PNG') };
    });
    const seen = (items: unknown[]) => async (each: HandledPage) => {
      const { title, rendering, links } = each;
      items.push({ title, rendering, links: links.map(({ url }) => url), shot: await each.screenshot() });
      await each.emit({ title });
      await each.follow();
    };
    const live: unknown[] = [];
    const sent = page('raw');
    const { items, web } = await run(
      { 'a.test': { '/robots.txt': OPEN, '/': sent, '/broken': sent, '/kept-out': sent, '/x.js': text('1') } },
      fetcher,
      { out, archive: true, handlers: (crawler) => crawler.on('html', seen(live)) },
    );
    const records = await readRecords(join(out, 'archive'));
    const about = records.find(({ type, url }) => type === 'metadata' && url.endsWith('/x.js'));
    expect(about?.payload.toString()).toMatch(`via: ${web.url('a.test', '/kept-out')}\r\n`);
    const again: unknown[] = [];
    const written = memorySink();
    const report = await replay({
      from: out,
      filesPath: join(out, 'files'),
      handlers: (routes) => routes.on('html', seen(again)),
      sinks: [written],
    });
    expect(live).toHaveLength(2);
    expect(live[0]).toMatchObject({ title: 'made \u00e9\ufffd', shot: { kind: 'saved', bytes: 3 } });
    expect(live[1]).toMatchObject({ shot: { kind: 'left-alone', reason: 'noarchive' } });
    expect(again).toEqual(live.slice(0, 1));
    expect(written.items.map(({ id }) => id)).toEqual(items.slice(0, 1).map(({ id }) => id));
    expect(report).toMatchObject({ pages: 1, withheld: 1, failures: 1 });
    expect(report.failed[0]?.url).toMatch(/broken$/);
  });

  it('that is done gives up what it waits for, and aborts what is in flight', async () => {
    const results: Promise<string>[] = [];
    const fetcher = fetcherWith(async ({ url, load, signal }, ask) => {
      await ask('/now.js');
      const over = new AbortController();
      const wanted = { type: 'script', headers: {}, anywhere: true, waitMs: 600_000, maxBodyBytes: 1 };
      const late = (href: string) =>
        load({ ...wanted, url: href, signal: AbortSignal.any([signal, over.signal]) }).then(wordOf);
      // The first is in flight for up to an hour; the second waits for its host's five minutes.
      results.push(late(new URL('/silent.js', url).href), late(`http://slow.test:${new URL(url).port}/2.js`));
      while (!requested.includes('/silent.js')) await new Promise((resolve) => setTimeout(resolve, 5));
      over.abort();
      return '<title>made</title>';
    });
    const requested: string[] = [];
    const { items, requests, report, web } = await run(
      {
        'a.test': {
          '/robots.txt': OPEN,
          '/': page('raw'),
          '/now.js': text('x'),
          '/silent.js': ({ path }) => {
            requested.push(path);
            return { misbehave: 'silent' };
          },
        },
        'slow.test': { '/robots.txt': text('User-agent: *\nCrawl-delay: 300\n') },
      },
      fetcher,
    );
    expect(await Promise.all(results)).toEqual(['aborted', 'stopping']);
    expect(items.map(({ data }) => data)).toMatchObject([{ title: 'made' }]);
    expect(report.state).toBe('finished');
    expect(requests.filter(({ purpose }) => purpose === 'subresource').map(({ failure }) => failure)).toEqual([
      null,
      'aborted',
    ]);
    expect(web.paths('slow.test').filter((path) => path !== '/robots.txt')).toEqual([]);
  });

  it('that a stop interrupts goes back into the queue', async () => {
    let stop = (): void => undefined;
    const fetcher = fetcherWith(async (_request, ask) => {
      stop();
      return wordOf(await ask('/1.js'));
    });
    const { decisions, items, report, web } = await run(
      { 'a.test': { '/robots.txt': OPEN, '/': page('raw'), '/1.js': text('1') } },
      fetcher,
      {
        handlers: (crawler) => {
          stop = () => crawler.stop();
          crawler.on('html', (each) => each.emit({ text: each.title }));
        },
      },
    );
    expect(report.state).toBe('stopped');
    expect(items).toEqual([]);
    expect(decisions.filter(({ status }) => status !== 'held')).toEqual([]);
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/']);
  });

  it('is requested conditionally in a recrawl if all its text and links are in the document', async () => {
    const route =
      (etag: string): Routes[string] =>
      (request) =>
        request.headers['if-none-match'] === etag
          ? { status: 304, headers: { etag } }
          : { body: page('raw', ['/filled', '/same']), headers: { 'content-type': 'text/html', etag } };
    const hosts = {
      'a.test': { '/robots.txt': OPEN, '/': route('"s"'), '/filled': route('"f"'), '/same': route('"e"') },
    };
    const web = await webForTest({ hosts });
    const fetcher = fetcherWith(async ({ url, document }) =>
      url.endsWith('/filled') ? '<title>prices of today</title>' : Buffer.from(document.body).toString(),
    );
    const place = mkdtempSync(join(tmpdir(), 'mannerly-browser-again-'));
    onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
    const options = { seeds: [web.url('a.test')], fetcher, recrawl: true };
    await crawl({ ...options, store: lmdbStore({ path: place }) });
    const requestsBefore = web.log.length;
    await crawl({ ...options, again: true, store: lmdbStore({ path: place }) });
    const statuses = web.log.slice(requestsBefore).map(({ path, status }) => [path, status]);
    expect(Object.fromEntries(statuses)).toEqual({ '/': 304, '/filled': 200, '/same': 304 });
  });
});
