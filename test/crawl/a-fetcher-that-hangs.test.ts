// A user's fetcher that never answers used to block its host and the run for ever, without a message.

import { type Crawler, createCrawler, type Fetcher, type LogEntry } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';
import { describe, expect, it } from 'vitest';

type Render = NonNullable<Fetcher['renderer']>['render'];

const PAGES = { '/': fakePage('Start', ['/hangs', '/after']), '/hangs': fakePage('H'), '/after': fakePage('A') };

/** A crawl with a changed fetcher. */
async function crawl(change: (own: Fetcher) => Partial<Fetcher>, made = (_crawler: Crawler): void => undefined) {
  const entries: LogEntry[] = [];
  const crawled = await crawlInVirtualTime(
    createFakeWeb({ hosts: { 'a.test': { robots: 'User-agent: *\nCrawl-delay: 20\n', pages: PAGES } } }),
    (fakes) => {
      const crawler = createCrawler({
        identity: { name: 'test-bot', contact: 'https://example.org/us' },
        scope: { seeds: ['https://a.test/'] },
        bounds: { pages: 9 },
        log: (entry) => void entries.push(entry),
        ...fakes,
        fetcher: { ...fakes.fetcher, ...change(fakes.fetcher) },
      }).on('html', async (page) => void (await page.follow()));
      made(crawler);
      return crawler;
    },
    { mayThrow: true },
  );
  return { ...crawled, errors: entries.filter(({ level }) => level === 'error').map(({ message }) => message) };
}

it('fails its page with a reason, and the host goes on after its delay', async () => {
  const startedAtMs: Record<string, number> = {};
  let late = (): void => undefined;
  const { report, errors, crawler, exchanges } = await crawl((own) => ({
    fetch(request) {
      startedAtMs[new URL(request.url).pathname] = Date.now();
      if (!request.url.endsWith('/hangs')) return own.fetch(request);
      return new Promise((resolve) => {
        late = () => void own.fetch(request).then(resolve);
      });
    },
  }));
  expect(report).toMatchObject({ state: 'finished', pages: 3, outcomes: { failed: { internal: 1 } } });
  expect(errors).toEqual([
    expect.stringMatching(
      /^https:\/\/a\.test\/hangs: the hook fetcher failed: Error: `fetch` of the fetcher did not end/,
    ),
  ]);
  expect(await crawler.explain('https://a.test/hangs')).toMatchObject({
    decision: { reason: 'internal', detail: '`fetch` of the fetcher did not end within 130 s' },
  });
  // The request may still arrive, so the delay counts from the time when it was given up.
  expect((startedAtMs['/after'] ?? 0) - (startedAtMs['/hangs'] ?? 0)).toBeGreaterThanOrEqual(150_000);
  // Its later calls change nothing: it may no longer send its request.
  late();
  await new Promise(setImmediate);
  expect(exchanges.map(({ url }) => new URL(url).pathname)).toEqual(['/robots.txt', '/', '/after']);
});

it.each([
  ['throws', () => Promise.reject(new TypeError('no socket')), 'the hook fetcher failed: TypeError: no socket'],
  [
    'never ends',
    () => new Promise<void>(() => undefined),
    'the hook fetcher failed: Error: `close` of the fetcher did not end within 180 s',
  ],
])('whose `close` %s does not cost the run its report', async (_what, close, message) => {
  const { report, errors } = await crawl(() => ({ close }));
  expect(report).toMatchObject({ state: 'finished', pages: 3 });
  expect(errors).toEqual([expect.stringContaining(message)]);
});

describe('whose renderer', () => {
  const none = Promise.resolve(undefined as never);

  it.each<[string, Render, string]>([
    ['rejects', () => Promise.reject(new TypeError('no browser')), 'no browser'],
    ['answers with no rendering', () => none, '`render` of the fetcher answered with no `Rendering`: it is undefined'],
  ])('%s fails its pages, and the crawl goes on', async (_what, render, detail) => {
    const { report, errors, crawler } = await crawl(() => ({ renderer: { wants: () => true, render } }));
    expect(report).toMatchObject({ state: 'finished', outcomes: { failed: { 'render-failed': 1 } } });
    expect(errors).toEqual([expect.stringContaining(`https://a.test/: the hook fetcher failed: TypeError: ${detail}`)]);
    expect(await crawler.explain('https://a.test/')).toMatchObject({ decision: { detail: `internal: ${detail}` } });
  });

  it('throws instead of answering `wants` leaves the page unchanged', async () => {
    const wants = (): boolean => {
      throw new TypeError('no list');
    };
    const { report, errors } = await crawl(() => ({ renderer: { wants, render: () => none } }));
    expect(report).toMatchObject({ state: 'finished', pages: 3, outcomes: { fetched: { fetched: 3 } } });
    expect(errors).toHaveLength(3);
  });

  it('never ends does not outlast a stop', async () => {
    let stop = (): void => undefined;
    const render: Render = () => {
      stop();
      return new Promise(() => undefined);
    };
    const { report, errors } = await crawl(
      () => ({ renderer: { wants: () => true, render } }),
      (crawler) => {
        stop = crawler.stop;
      },
    );
    expect(report).toMatchObject({ state: 'stopped', outcomes: {} });
    expect(errors).toEqual([expect.stringContaining('`render` of the fetcher did not end within 20 s')]);
  });
});
