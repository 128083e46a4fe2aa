// A fetcher of the user's that never answers used to hold its host, and the run, for ever and in silence.

import { createCrawler, type Fetcher, type LogEntry } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';
import { expect, it } from 'vitest';

const PAGES = { '/': fakePage('Start', ['/hangs', '/after']), '/hangs': fakePage('H'), '/after': fakePage('A') };

/** A crawl whose fetcher is changed. */
async function crawl(change: (own: Fetcher) => Partial<Fetcher>) {
  const entries: LogEntry[] = [];
  const crawled = await crawlInVirtualTime(
    createFakeWeb({ hosts: { 'a.test': { robots: 'User-agent: *\nCrawl-delay: 20\n', pages: PAGES } } }),
    (fakes) =>
      createCrawler({
        identity: { name: 'test-bot', contact: 'https://example.org/us' },
        scope: { seeds: ['https://a.test/'] },
        bounds: { pages: 9 },
        log: (entry) => void entries.push(entry),
        ...fakes,
        fetcher: { ...fakes.fetcher, ...change(fakes.fetcher) },
      }).on('html', async (page) => void (await page.follow())),
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
  // The request may still arrive, so the delay counts from the time at which it was given up.
  expect((startedAtMs['/after'] ?? 0) - (startedAtMs['/hangs'] ?? 0)).toBeGreaterThanOrEqual(150_000);
  // What it does later changes nothing: it may not send its request any more.
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
])('whose `close` %s does not cost the run its report', async (_what, close, said) => {
  const { report, errors } = await crawl(() => ({ close }));
  expect(report).toMatchObject({ state: 'finished', pages: 3 });
  expect(errors).toEqual([expect.stringContaining(said)]);
});
