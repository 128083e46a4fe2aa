// How often a page is requested again, and when, is the operator's choice; what the site asks comes first. A wait that
// equals `maxIdleMs` would end a run or not by chance.

import { type CrawlerOptions, createCrawler } from 'mannerly';
import { assertKeepsGap, crawlInVirtualTime, createFakeWeb, type FakeHost, fakePage } from 'mannerly/testing';
import { describe, expect, it } from 'vitest';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Crawls one host with default options. @param throws - How often the handler throws. */
async function crawl(host: FakeHost, options: Partial<CrawlerOptions> = {}, throws = 0) {
  let left = throws;
  const story = await crawlInVirtualTime(
    createFakeWeb({ hosts: { 'a.test': host } }),
    (fakes) =>
      createCrawler({
        identity: { name: 'test-bot', contact: 'https://example.org/us' },
        scope: { seeds: ['https://a.test/busy'] },
        bounds: { pages: 20 },
        log: false,
        ...options,
        ...fakes,
      }).on('html', async (page) => {
        left -= 1;
        if (left >= 0) throw new Error('not yet');
        await page.emit({ url: page.url });
      }),
    { mayThrow: true },
  );
  const times = story.exchanges.filter(({ path }) => path === '/busy');
  const gaps = times.slice(1).map(({ startMs }, index) => Math.round((startMs - (times[index]?.endMs ?? 0)) / SECOND));
  return { ...story, gaps, state: story.report.state, outcomes: story.report.outcomes };
}

const always = (status: number, headers: Record<string, string> = {}): FakeHost => ({
  pages: { '/busy': { status, headers } },
});

/** A page that fails `times` times, then answers. */
const failsFirst = (times: number, status: number, headers: Record<string, string> = {}): FakeHost => ({
  pages: { '/busy': ({ before }) => (before < times ? { status, headers } : fakePage('Here')) },
});

describe('retries', () => {
  it.each<[string, FakeHost, CrawlerOptions['retries'], number[]]>([
    ['the defaults after 500', always(500), undefined, [10, 20, 40]],
    ['the defaults after 503', always(503), undefined, [30, 60, 120]],
    ['none', always(500), { failureWaitsMs: [] }, []],
    ['five, as told', always(500), { failureWaitsMs: [5, 5, 5, 5, 300].map((s) => s * SECOND) }, [5, 5, 5, 5, 300]],
    ['no sooner after 503 than the host’s pause', always(503), { throttleWaitsMs: [0, 0] }, [30, 60]],
    ['no sooner than Retry-After', always(503, { 'Retry-After': '90' }), { throttleWaitsMs: [0] }, [90]],
  ])('are %s', async (_, host, retries, waits) => {
    const { gaps, outcomes } = await crawl(host, retries === undefined ? {} : { retries });
    expect(gaps).toHaveLength(waits.length);
    for (const [index, wait] of waits.entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(wait);
      expect(gaps[index]).toBeLessThanOrEqual(Math.ceil(wait * 1.1) + 1);
    }
    expect(outcomes['failed']).toEqual({ 'retries-exhausted': 1 });
  });

  it.each([
    [502, 'server-error: status 502, 4 times', {}],
    [429, 'throttled: status 429, 4 times', {}],
    [500, 'server-error: status 500, 1 time', { failureWaitsMs: [] }],
  ])('that are used up leave the last status in the reason: %i', async (status, detail, retries) => {
    const { crawler } = await crawl(always(status), { retries });
    expect(await crawler.explain('https://a.test/busy')).toMatchObject({ decision: { httpStatus: status, detail } });
  });

  it('keep the Crawl-delay, whatever the waits', async () => {
    const crawled = await crawl(
      { ...always(500), robots: 'User-agent: *\nCrawl-delay: 20\n' },
      { retries: { failureWaitsMs: [0, 0] } },
    );
    assertKeepsGap(crawled, 'a.test', 20 * SECOND);
    expect(crawled.gaps).toHaveLength(2);
  });

  it('are not sooner with a Retry-After of one second', async () => {
    const { gaps } = await crawl(failsFirst(1, 503, { 'Retry-After': '1' }));
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toBeGreaterThanOrEqual(30);
    expect(gaps[0]).toBeLessThanOrEqual(34);
  });

  it('are reported as relaxed if more than three', async () => {
    const { report } = await crawl(failsFirst(0, 200), { retries: { failureWaitsMs: [0, 0, 0, 0] } });
    expect(report.relaxedDefaults).toEqual([expect.stringContaining('`retries.failureWaitsMs`')]);
  });

  it.each([
    [{ failureWaitsMs: [-1] }, /retries\.failureWaitsMs/],
    [{ throttleWaitsMs: Array.from({ length: 21 }, () => 1) }, /retries\.throttleWaitsMs.*at most 20 entries/],
    [{ handler: 21 }, /retries\.handler.*from 0 to 20, got 21/],
  ])('are refused with %j', async (retries, says) => {
    await expect(crawl(failsFirst(0, 200), { retries })).rejects.toThrow(says);
  });
});

describe('a handler that throws', () => {
  it.each([
    [0, 1, 1, { failed: { 'handler-error': 1 } }],
    [2, 1, 2, { fetched: { fetched: 1 } }],
    [2, 9, 3, { failed: { 'handler-error': 1 } }],
  ])('with retries.handler %i and %i throws: %i requests', async (handler, throws, requests, outcomes) => {
    const { gaps, outcomes: ended, report } = await crawl(failsFirst(0, 200), { retries: { handler } }, throws);
    expect(gaps).toHaveLength(requests - 1);
    expect(ended).toEqual(outcomes);
    expect(report.items).toBe('fetched' in outcomes ? 1 : 0);
  });
});

describe('waits that equal `maxIdleMs`', () => {
  it('do not end the run: the default is longer than those of docs/testing.md', async () => {
    const { state, outcomes, tookMs } = await crawl(failsFirst(1, 503, { 'Retry-After': '600' }));
    expect({ state, outcomes }).toEqual({ state: 'finished', outcomes: { fetched: { fetched: 1 } } });
    expect(tookMs).toBeGreaterThan(10 * MINUTE);
  });

  it('do not end the run: a robots.txt after a minute, with a `maxIdleMs` of a minute', async () => {
    const robots: FakeHost['robots'] = ({ before }) => (before === 0 ? { status: 503 } : 'User-agent: *\nDisallow:\n');
    const { state, outcomes } = await crawl({ ...failsFirst(0, 200), robots }, { maxIdleMs: MINUTE });
    expect({ state, outcomes }).toEqual({ state: 'finished', outcomes: { fetched: { fetched: 1 } } });
  });

  it('end the run if they are longer', async () => {
    const { state } = await crawl(failsFirst(1, 503, { 'Retry-After': '900' }));
    expect(state).toBe('waiting');
  });
});
