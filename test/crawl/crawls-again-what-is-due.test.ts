// A recrawl of a site whose changes the test knows: which pages are requested, when, and within which bounds.

import { join } from 'node:path';
import type { PageChange } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { type Answer, changingSite, DAY_MS, PAGES } from '../support/changing-site.js';
import type { Crawler, TestCrawlOptions } from '../support/crawl.js';
import type { ReplyParts } from '../support/web.js';

const { edition, gonePages, answerWithEtag, site, folder } = changingSite();

describe('a recrawl', () => {
  it('counts the bounds of a host from the start of the recrawl, also after a stop', async () => {
    const { run } = await site(answerWithEtag);
    const bounds = { pages: 500, pagesPerHost: 6 };
    const first = await run(0, { bounds });
    expect(first.paths).toHaveLength(6);
    const second = await run(7, { bounds });
    expect([...second.paths].sort()).toEqual([...first.paths].sort());
    expect(second.report.recrawl).toMatchObject({ visits: 6, notModified: 6 });
    // A run that is not a recrawl continues the count: the host has used up its six pages.
    const third = await run(7, { bounds, again: false });
    expect(third.paths).toEqual([]);
  });

  it('explains a stopped crawl by the bounds of its latest recrawl', async () => {
    const { web, run } = await site(answerWithEtag);
    const out = join(folder(), 'explained');
    const bounds = { pages: PAGES + 5 };
    for (const days of [0, 7]) await run(days, { bounds, out, store: undefined } as never);
    const { crawler } = await run(14, { bounds, out, store: undefined } as never);
    expect((await crawler.explain(web.url('a.test', '/3'))).bound).toBeNull();
  });

  it('visits what is due, in a standing crawl, and says when the next page is due', async () => {
    const { run } = await site(answerWithEtag);
    const standing = { recrawl: { everyDays: 1 } };
    await run(0, standing);
    const early = await run(0.5, standing);
    expect([early.paths, early.report.state]).toEqual([[], 'waiting']);
    expect(early.report.recrawl?.nextDueAtMs).toSatisfy(Number.isInteger);
    const { paths, report } = await run(5, standing);
    expect([report.state, report.waiting]).toEqual(['waiting', []]);
    expect(paths).toHaveLength(PAGES);
    const days = ((report.recrawl?.nextDueAtMs ?? 0) - report.endedAtMs) / DAY_MS;
    expect(days).toBeGreaterThan(4);
    expect(days).toBeLessThan(6);
  });

  it('visits once more what a clock dates more than a day ahead, and then as before', async () => {
    const { run } = await site(answerWithEtag);
    const standing = { recrawl: { everyDays: 7 } };
    for (const days of [0, 400]) expect((await run(days, standing)).paths).toHaveLength(PAGES);
    expect((await run(399.5, standing)).paths).toEqual([]);
    expect((await run(20, standing)).paths).toHaveLength(PAGES);
    expect((await run(21, standing)).paths).toEqual([]);
    expect((await run(120, standing)).paths).toHaveLength(PAGES);
  });

  // A service runs the same program each night. On the first night, or after one without the site, nothing is known.
  it.each<[string, Partial<TestCrawlOptions>[]]>([
    ['is new', []],
    ['could not reach its site', [{ network: { resolve: async () => [] }, maxIdleMs: 1_000 }]],
  ])('begins as a first run if it %s', async (_, before) => {
    const { run } = await site(answerWithEtag);
    for (const options of before) expect((await run(0, options)).paths).toEqual([]);
    const first = await run(1);
    expect(first.paths).toHaveLength(PAGES);
    expect(first.report).toMatchObject({ state: 'finished', pages: PAGES });
    const second = await run(8);
    expect(second.report.recrawl).toMatchObject({ visits: PAGES, notModified: PAGES });
  });

  it('visits every page at one interval if that is fixed', async () => {
    const { run } = await site(answerWithEtag);
    const fixed = { recrawl: { fixedDays: 3 } };
    await run(0, fixed);
    expect((await run(2.9, fixed)).paths).toEqual([]);
    const { paths, report } = await run(3.1, fixed);
    expect(paths).toHaveLength(PAGES);
    expect(((report.recrawl?.nextDueAtMs ?? 0) - report.endedAtMs) / DAY_MS).toBeCloseTo(3, 1);
  });

  it('spends a small bound on the pages that change most often', async () => {
    const { run } = await site(answerWithEtag);
    await run(0);
    for (const day of [1, 2, 3]) {
      for (const at of [5, 6, 7]) edition[at] = day + 1;
      await run(day);
    }
    for (const at of [5, 6, 7]) edition[at] = 9;
    const { paths, report } = await run(4, { bounds: { pages: 4 } });
    // A seed has four times the weight.
    expect(paths.sort()).toEqual(['/', '/5', '/6', '/7']);
    expect(report.recrawl).toMatchObject({ visits: 4, changed: 3, notModified: 1 });
  });

  it('spends it on the pages that the user’s function calls important, by URL and user data', async () => {
    const { run } = await site(answerWithEtag);
    const handlers = (crawler: Crawler): void =>
      void crawler.on('html', async (one) => {
        for (const { url } of one.links) await one.add(url, url.endsWith('/28') ? { userData: 'main' } : {});
      });
    await run(0, { handlers });
    const importance = (url: string, userData: unknown): number | undefined =>
      userData === 'main' ? 50 : url.endsWith('/8') ? 9 : undefined;
    const { paths } = await run(1, { bounds: { pages: 3 }, recrawl: { importance } });
    expect(paths).toEqual(['/28', '/8', '/']);
    await expect(run(2, { recrawl: { importance: () => 0 } })).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringContaining('0.01 to 100'),
    });
  });

  it('does not request a page within its declared lifetime', async () => {
    const lasting: Answer = (at, request) => {
      const reply = answerWithEtag(at, request);
      const seconds = at % 2 === 0 ? 3 * 86_400 : 0;
      return { ...reply, headers: { ...reply.headers, 'cache-control': `max-age=${seconds}` } };
    };
    const { run } = await site(lasting);
    await run(0);
    expect((await run(1)).paths).toHaveLength(PAGES / 2);
    expect((await run(4)).paths).toHaveLength(PAGES);
  });

  it('tries a missing page once more after a week', async () => {
    const { run } = await site(answerWithEtag);
    await run(0);
    gonePages.add(29);
    expect((await run(1)).exchanges.find(({ path }) => path === '/29')?.status).toBe(404);
    expect((await run(3)).paths).not.toContain('/29');
    const last = await run(9);
    expect(last.paths).toContain('/29');
    expect(last.report.recrawl).toMatchObject({ gone: 1 });
    expect((await run(30)).paths).not.toContain('/29');
  });

  it('visits a gone page once more if a changed page links to it, at most once a month', async () => {
    const { run } = await site(answerWithEtag);
    await run(0);
    gonePages.add(29);
    await run(1);
    expect((await run(9)).report.recrawl).toMatchObject({ gone: 1 });
    // Page 14 links to it. Page 14 must have changed, and the last try must be a month ago.
    edition[14] = 2;
    expect((await run(20)).paths).not.toContain('/29');
    expect((await run(41)).paths).not.toContain('/29');
    edition[14] = 3;
    const tried = await run(45);
    expect(tried.exchanges.find(({ path }) => path === '/29')).toMatchObject({ status: 404 });
    expect(tried.report.recrawl).toMatchObject({ gone: 0 });
    edition[14] = 4;
    expect((await run(50)).paths).not.toContain('/29');
    edition[14] = 5;
    gonePages.clear();
    const back = await run(80);
    expect(back.paths.filter((path) => path === '/29')).toHaveLength(1);
    expect(back.exchanges.find(({ path }) => path === '/29')?.headers['if-none-match']).toBeUndefined();
    expect(back.itemUrls.some((url) => url.endsWith('/29'))).toBe(true);
    // Now it is a known page again.
    expect((await run(81)).exchanges.find(({ path }) => path === '/29')).toMatchObject({ status: 304 });
  });

  it('tries a failing page ever more rarely, and does not count that as a visit', async () => {
    let isClosed = false;
    const { run } = await site((at, request) => (at === 7 && isClosed ? { status: 403 } : answerWithEtag(at, request)));
    await run(0);
    isClosed = true;
    const daysWithRequest: number[] = [];
    for (const days of [1, 1.05, 1.1, 1.2, 1.25, 1.4])
      if ((await run(days)).paths.includes('/7')) daysWithRequest.push(days);
    // Retried after two hours, then after four.
    expect(daysWithRequest).toEqual([1, 1.1, 1.4]);
    isClosed = false;
    edition[7] = 2;
    let change: PageChange | null = null;
    const handlers = (crawler: Crawler): void =>
      void crawler.on('html', async (one) => {
        change = one.change;
      });
    const { report } = await run(3, { handlers });
    expect(report.recrawl).toMatchObject({ visits: PAGES, changed: 1 });
    // Three days ago, at the last successful visit.
    expect(change).toMatchObject({ kind: 'changed', lastVisitMs: expect.closeTo(Date.now(), -6) });
  });

  it('continues to visit a page that failed once, whatever it answered since', async () => {
    let answer: ReplyParts | null = null;
    const { run } = await site((at, request) => (at === 7 && answer !== null ? answer : answerWithEtag(at, request)));
    await run(0);
    const daysWithRequest: number[] = [];
    for (const days of [1, 2, 3, 4]) {
      answer = days === 1 ? { status: 403 } : { status: 302, headers: { location: '/' } };
      if ((await run(days)).paths.includes('/7')) daysWithRequest.push(days);
    }
    expect(daysWithRequest).toEqual([1, 2, 3, 4]);
  });

  it('finds new pages, and does not forget them', async () => {
    const { run } = await site(answerWithEtag);
    const isKnown = PAGES - 1;
    edition[isKnown] = 0;
    gonePages.add(isKnown);
    await run(0);
    gonePages.clear();
    edition[14] = 2;
    edition[isKnown] = 5;
    // Its link is known, and it failed: a recrawl visits only pages that were fetched.
    expect((await run(1)).paths).not.toContain(`/${isKnown}`);
  });

  // Forty days later its visits are queued again, with the number of another month.
  it.each([1, 41])(
    'continues on day %d, requests nothing and calls no hook twice, and counts bounds from its start',
    async (day) => {
      const { run } = await site(answerWithEtag);
      await run(0, { bounds: { pages: PAGES } });
      edition.fill(2);
      let left = 10;
      const hookUrls: string[] = [];
      const hooks = { beforeFetch: ({ url }: { readonly url: string }) => void hookUrls.push(url) };
      const stopped = await run(1, {
        bounds: { pages: PAGES },
        hooks,
        handlers: (crawler) =>
          void crawler.on('html', async () => {
            left -= 1;
            if (left === 0) crawler.stop();
          }),
      });
      expect(stopped.report.state).toBe('stopped');
      const rest = await run(day, { bounds: { pages: PAGES }, hooks });
      expect(hookUrls).toHaveLength(PAGES);
      expect([...stopped.paths, ...rest.paths].sort()).toEqual([...new Set([...stopped.paths, ...rest.paths])].sort());
      expect(stopped.paths.length + rest.paths.length).toBe(PAGES);
      // The next recrawl has its own bound.
      expect((await run(day + 1, { bounds: { pages: 12 } })).paths).toHaveLength(12);
    },
  );
});
