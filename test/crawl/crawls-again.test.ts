// A recrawl of a site of which it is known what has changed: what is requested, with which conditions, and what is
// handled. Days pass between the runs by the clock of the crawl. It is still one file because all cases share the site.

import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import type { PageChange, UnchangedPage } from 'mannerly';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Crawler, type CrawlStory, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { page, type ReplyParts, type Route, type WebRequest } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const DAY_MS = 86_400_000;
const PAGES = 40;
let place = '';
/** The edition of each page: it changes with the number. */
let edition: number[] = [];
/** Numbers of pages that are no more. */
let gone: Set<number>;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'mannerly-again-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
  edition = Array.from({ length: PAGES }, () => 1);
  gone = new Set();
});

type Answer = (at: number, request: WebRequest) => ReplyParts;

const html = (at: number, more = ''): string => page(`Page ${at}, ${edition[at]}`, links(at), more);
const links = (at: number): string[] => [2 * at + 1, 2 * at + 2].filter((to) => to < PAGES).map((to) => `/${to}`);
const HTML = { 'content-type': 'text/html' };

/** With an ETag by the edition. */
const tagged: Answer = (at, { headers }) => {
  const etag = `"${at}-${edition[at]}"`;
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  return { headers: { ...HTML, etag }, body: html(at) };
};

async function site(answer: Answer) {
  const route =
    (at: number): Route =>
    (request) =>
      gone.has(at) ? { status: 404 } : answer(at, request);
  const routes = Object.fromEntries(edition.map((_, at) => [at === 0 ? '/' : `/${at}`, route(at)]));
  const web = await webForTest({ hosts: { 'a.test': routes } });
  let seen = 0;
  /** One run after so many days. @returns What it told, and the requests for pages that the site has had meanwhile. */
  const run = async (afterDays: number, options: Partial<TestCrawlOptions> = {}) => {
    const clock = createShiftedClock(afterDays * DAY_MS);
    const store = lmdbStore({ path: join(place, 'store'), nowMs: () => clock.nowMs() });
    const story: CrawlStory = await crawl({
      seeds: [web.url('a.test')],
      bounds: { pages: 500 },
      recrawl: true,
      again: afterDays > 0,
      clock,
      store,
      ...options,
    });
    const asked = web.log.slice(seen).filter(({ path }) => path !== '/robots.txt');
    seen = web.log.length;
    return { ...story, asked, paths: asked.map(({ path }) => path) };
  };
  return { web, run };
}

describe('a crawl that is run again', () => {
  it('tells handlers how a page differs, and a handler of their own which pages are as they were', async () => {
    // Every third page has no validators: its text is compared.
    const { web, run } = await site((at, request) =>
      at % 3 === 0 ? { headers: HTML, body: html(at) } : tagged(at, request),
    );
    const [changes, unchanged]: [Map<string, PageChange | null>, UnchangedPage[]] = [new Map(), []];
    const handlers = (crawler: Crawler): void => {
      crawler.on('html', async (one) => {
        changes.set(new URL(one.url).pathname, one.change);
        await one.follow();
      });
      crawler.on('unchanged', (one) => {
        unchanged.push(one);
        if (one.url.endsWith('/5')) throw new Error('not today');
      });
    };
    await run(0, { handlers });
    expect(changes.size).toBe(PAGES);
    expect(new Set([...changes.values()].map((change) => change?.kind))).toEqual(new Set(['new']));
    expect(unchanged).toEqual([]);
    const firstDigest = changes.get('/4')?.digest;

    changes.clear();
    edition[4] = 2;
    edition[9] = 2;
    const { report, decisions } = await run(7, { handlers });
    expect([...changes.keys()].sort()).toEqual(['/4', '/9']);
    const change = changes.get('/4');
    expect(change).toMatchObject({ kind: 'changed', lastDigest: firstDigest });
    expect(change?.digest).not.toBe(firstDigest);
    expect((change?.lastVisitMs ?? 0) + 7 * DAY_MS).toBeLessThan(Date.now() + 8 * DAY_MS);
    expect(unchanged).toHaveLength(PAGES - 2);
    const byPath = new Map(unchanged.map((one) => [new URL(one.url).pathname, one]));
    expect(byPath.get('/7')).toMatchObject({ status: 304, visits: 2, changes: 0, depth: 3 });
    expect(byPath.get('/6')).toMatchObject({ status: 200, visits: 2, changes: 0 });
    const one = byPath.get('/7') as UnchangedPage;
    expect(one.fetchedAtMs - one.lastVisitMs).toBeGreaterThan(6.9 * DAY_MS);
    expect(one.changedAtMs).toBe(one.lastVisitMs);
    // What it throws is heard, and the page stays as it is.
    expect(report.outcomes['failed']).toBeUndefined();
    expect(decisions.find(({ url }) => url === web.url('a.test', '/5'))?.reason).toBe('unchanged');
  });

  it('finds out a site whose ETag does not change with its pages, and asks it without conditions', async () => {
    const lying: Answer = (_at, { headers }) =>
      headers['if-none-match'] === '"same"'
        ? { status: 304 }
        : { headers: { ...HTML, etag: '"same"' }, body: html(_at) };
    const { run } = await site(lying);
    const recrawl = { verify: 0.05 };
    await run(0, { recrawl });
    edition = edition.map(() => 2);
    const second = await run(7, { recrawl });
    // The twentieth request finds it out, and those behind it have no conditions.
    const asked = second.asked.map(({ headers }) => headers['if-none-match'] !== undefined);
    expect(asked.indexOf(false)).toBe(19);
    expect(asked.lastIndexOf(true)).toBeLessThan(26);
    expect(second.notices.map(({ code }) => code)).toContain('validator-lies');
    const third = await run(14, { recrawl });
    expect(third.asked.some(({ headers }) => headers['if-none-match'] !== undefined)).toBe(false);
    expect(third.report.recrawl).toMatchObject({ visits: PAGES, notModified: 0 });
    const changed = (second.report.recrawl?.changed ?? 0) + (third.report.recrawl?.changed ?? 0);
    expect(changed).toBe(PAGES);
    // A month later it is believed again.
    const fourth = await run(50, { recrawl });
    expect(fourth.asked[0]?.headers['if-none-match']).toBe('"same"');
  });

  it('sends no ETag back to a site that makes a new one each time', async () => {
    let answers = 0;
    const { run } = await site((at) => {
      answers += 1;
      return { headers: { ...HTML, etag: `"${answers}"` }, body: html(at) };
    });
    await run(0);
    const { asked, notices } = await run(7);
    expect(asked[0]?.headers['if-none-match']).toBeDefined();
    expect(asked.at(-1)?.headers['if-none-match']).toBeUndefined();
    expect(notices.filter(({ code }) => code === 'validator-restless')).toHaveLength(1);
  });

  it('counts the bounds of a host from its beginning, after a stop too', async () => {
    const { run } = await site(tagged);
    const bounds = { pages: 500, pagesPerHost: 6 };
    const first = await run(0, { bounds });
    expect(first.paths).toHaveLength(6);
    const second = await run(7, { bounds });
    expect([...second.paths].sort()).toEqual([...first.paths].sort());
    expect(second.report.recrawl).toMatchObject({ visits: 6, notModified: 6 });
    // The next run of the crawl goes on counting: the host has given its six pages.
    const third = await run(7, { bounds, again: false });
    expect(third.paths).toEqual([]);
  });

  it('has no change to tell where no visits are kept', async () => {
    const { run } = await site(tagged);
    const told: unknown[] = [];
    const handlers = (crawler: Crawler): void => void crawler.on('html', (one) => void told.push(one.change));
    await run(0, { handlers, recrawl: false } as never);
    expect(told).toEqual([null]);
  });

  it('asks with the validators, handles what has changed, follows its new links, and counts', async () => {
    const { run } = await site(tagged);
    const first = await run(0);
    expect(first.paths).toHaveLength(PAGES);
    expect(first.asked.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
    expect(first.report.recrawl).toBeUndefined();

    edition[3] = 2;
    edition[17] = 2;
    const second = await run(7);
    expect([...second.paths].sort()).toEqual([...first.paths].sort());
    expect(second.asked.map(({ headers }) => headers['if-none-match'])).toEqual(
      second.asked.map(({ path }) => `"${path.slice(1) || 0}-1"`),
    );
    expect(
      second.asked
        .filter(({ status }) => status === 200)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/17', '/3']);
    expect([...second.itemUrls].map((url) => new URL(url).pathname).sort()).toEqual(['/17', '/3']);
    expect(second.report.recrawl).toMatchObject({ visits: PAGES, notModified: PAGES - 2, changed: 2, gone: 0 });
    expect(second.report.recrawl?.bytesSaved).toBeGreaterThan(1_000);
    // Each URL is counted once, as it was decided last.
    expect(second.report.outcomes['fetched']).toEqual({ unchanged: PAGES - 2, fetched: 2 });
    expect(second.report.state).toBe('finished');
    expect(second.report.pages).toBe(2 * PAGES);
  });

  it('says the same in a crawl directory', async () => {
    const { run } = await site(tagged);
    const out = join(place, 'crawl');
    await run(0, { out });
    edition[3] = 2;
    const { report } = await run(7, { out });
    expect(report.outcomes['fetched']).toEqual({ unchanged: PAGES - 1, fetched: 1 });
    expect(report.recrawl).toMatchObject({ visits: PAGES, changed: 1 });
    const kept = (await readFile(join(out, 'items.jsonl'), 'utf8')).trim().split('\n');
    expect(kept).toHaveLength(PAGES + 1);
  });

  it('visits what is due, in a standing crawl, and says when the next page is', async () => {
    const { run } = await site(tagged);
    const standing = { recrawl: { everyDays: 1 } };
    await run(0, standing);
    const early = await run(0.5, standing);
    expect([early.paths, early.report.state]).toEqual([[], 'waiting']);
    const { paths, report } = await run(5, standing);
    expect([report.state, report.waiting]).toEqual(['waiting', []]);
    expect(paths).toHaveLength(PAGES);
    const days = ((report.recrawl?.nextDueAtMs ?? 0) - report.endedAtMs) / DAY_MS;
    expect(days).toBeGreaterThan(4);
    expect(days).toBeLessThan(6);
  });

  it('visits every page at one interval where that is fixed', async () => {
    const { run } = await site(tagged);
    const fixed = { recrawl: { fixedDays: 3 } };
    await run(0, fixed);
    expect((await run(2.9, fixed)).paths).toEqual([]);
    const { paths, report } = await run(3.1, fixed);
    expect(paths).toHaveLength(PAGES);
    expect(((report.recrawl?.nextDueAtMs ?? 0) - report.endedAtMs) / DAY_MS).toBeCloseTo(3, 1);
  });

  it('hands every page to handlers of another version, whole, once', async () => {
    const { run } = await site(tagged);
    await run(0, { recrawl: { version: '1' } });
    const same = await run(1, { recrawl: { version: '1' } });
    expect(same.report.recrawl).toMatchObject({ notModified: PAGES, changed: 0 });
    const other = await run(2, { recrawl: { version: '2' } });
    expect(other.asked.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
    expect(other.items).toHaveLength(PAGES);
    const again = await run(3, { recrawl: { version: '2' } });
    expect(again.report.recrawl).toMatchObject({ notModified: PAGES });
    expect(again.items).toEqual([]);
  });

  it('spends a small bound on the pages that change most often', async () => {
    const { run } = await site(tagged);
    await run(0);
    for (const day of [1, 2, 3]) {
      for (const at of [5, 6, 7]) edition[at] = day + 1;
      await run(day);
    }
    for (const at of [5, 6, 7]) edition[at] = 9;
    const { paths, report } = await run(4, { bounds: { pages: 4 } });
    // A seed counts four times.
    expect(paths.sort()).toEqual(['/', '/5', '/6', '/7']);
    expect(report.recrawl).toMatchObject({ visits: 4, changed: 3, notModified: 1 });
  });

  it('spends it on the pages that the user finds important, by URL and what was handed along', async () => {
    const { run } = await site(tagged);
    const handlers = (crawler: Crawler): void =>
      void crawler.on('html', async (one) => {
        for (const { url } of one.links) await one.add(url, url.endsWith('/30') ? { userData: 'main' } : {});
      });
    await run(0, { handlers });
    const importance = (url: string, userData: unknown): number | undefined =>
      userData === 'main' ? 50 : url.endsWith('/8') ? 9 : undefined;
    const { paths } = await run(1, { bounds: { pages: 3 }, recrawl: { importance } });
    expect(paths).toEqual(['/30', '/8', '/']);
    await expect(run(2, { recrawl: { importance: () => 0 } })).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringContaining('0.01 to 100'),
    });
  });

  it('takes a page for unchanged whose text is, whatever else its body has', async () => {
    let request = 0;
    const { run } = await site((at) => {
      request += 1;
      const hidden = `<script>token = ${request}</script><!-- ${request} --><style>.x${request} {}</style>`;
      return { headers: HTML, body: html(at, hidden) };
    });
    await run(0);
    edition[4] = 2;
    const { report, itemUrls } = await run(1);
    expect(report.recrawl).toMatchObject({
      visits: PAGES,
      notModified: 0,
      sameContent: PAGES - 1,
      cosmetic: PAGES - 1,
      changed: 1,
    });
    expect(itemUrls).toHaveLength(1);
    const strict = { change: 'payload' as const };
    // What was kept is of the text: all bodies differ from it, and then from each other.
    await run(2, { recrawl: strict });
    expect((await run(3, { recrawl: strict })).report.recrawl).toMatchObject({ sameContent: 0, changed: PAGES });
  });

  it('takes a page for unchanged whose items are, where they count as its content, and follows its new links', async () => {
    let [request, more] = [0, false];
    const { web, run } = await site((at) => {
      request += 1;
      const news = `<p>Visitor ${request}</p>${more && at === 3 ? '<a href="/new">new</a>' : ''}`;
      return { headers: HTML, body: html(at).replace('</body>', `${news}</body>`) };
    });
    const handled: string[] = [];
    const handlers = (crawler: Crawler): void =>
      void crawler.on('html', async (one) => {
        handled.push(one.url);
        one.emit({ title: one.title });
        await one.follow();
      });
    const recrawl = { change: 'items' } as const;
    await run(0, { recrawl, handlers });
    edition[4] = 2;
    more = true;
    const { report, items, paths } = await run(1, { recrawl, handlers });
    expect(report.recrawl).toMatchObject({ sameContent: PAGES - 1, cosmetic: PAGES - 1, changed: 1 });
    expect(items.map(({ url }) => url)).toEqual([web.url('a.test', '/4')]);
    expect(handled).toHaveLength(2 * PAGES);
    expect(paths).toContain('/new');
  });

  it('asks the user what counts as content, and hears what the function throws', async () => {
    let request = 0;
    const { run } = await site((at) => {
      request += 1;
      return { headers: HTML, body: html(at).replace('</body>', `<p>Visitor ${request}</p></body>`) };
    });
    const recrawl = {
      change: (one: { readonly title: string | null; readonly url: string }) => {
        if (one.url.endsWith('/7')) throw new Error('no seven');
        return one.title;
      },
    };
    await run(0, { recrawl });
    edition[4] = 2;
    const { report, itemUrls } = await run(1, { recrawl });
    expect(report.recrawl).toMatchObject({ sameContent: PAGES - 2, changed: 2 });
    expect(itemUrls.map((url) => new URL(url).pathname).sort()).toEqual(['/4', '/7']);
  });

  it('takes a page for unchanged that shows two contents in turns, and says so', async () => {
    const { run } = await site((at) => ({ headers: HTML, body: html(at) }));
    const found: (number | undefined)[] = [];
    const told: number[] = [];
    for (const [day, now] of [1, 2, 1, 2, 1, 3].entries()) {
      edition[5] = now;
      const { report, notices } = await run(day);
      found.push(report.recrawl?.changed);
      told.push(notices.filter(({ code }) => code === 'change-flapping').length);
    }
    expect(found).toEqual([undefined, 1, 1, 0, 0, 1]);
    expect(told).toEqual([0, 0, 0, 1, 1, 0]);
  });

  it('leaves alone what says how long it lasts, until then', async () => {
    const lasting: Answer = (at, request) => {
      const reply = tagged(at, request);
      const seconds = at % 2 === 0 ? 3 * 86_400 : 0;
      return { ...reply, headers: { ...reply.headers, 'cache-control': `max-age=${seconds}` } };
    };
    const { run } = await site(lasting);
    await run(0);
    expect((await run(1)).paths).toHaveLength(PAGES / 2);
    expect((await run(4)).paths).toHaveLength(PAGES);
  });

  it('tries a missing page again after a week, and then no more', async () => {
    const { run } = await site(tagged);
    await run(0);
    gone.add(39);
    expect((await run(1)).asked.find(({ path }) => path === '/39')?.status).toBe(404);
    expect((await run(3)).paths).not.toContain('/39');
    const last = await run(9);
    expect(last.paths).toContain('/39');
    expect(last.report.recrawl).toMatchObject({ gone: 1 });
    expect((await run(30)).paths).not.toContain('/39');
  });

  it('visits a page that was gone once more when a page that has changed links to it, once in a month at most', async () => {
    const { run } = await site(tagged);
    await run(0);
    gone.add(39);
    await run(1);
    expect((await run(9)).report.recrawl).toMatchObject({ gone: 1 });
    // Page 19 links to it. It has to change, and the last try to be a month ago.
    edition[19] = 2;
    expect((await run(20)).paths).not.toContain('/39');
    expect((await run(41)).paths).not.toContain('/39');
    edition[19] = 3;
    const tried = await run(45);
    expect(tried.asked.find(({ path }) => path === '/39')).toMatchObject({ status: 404 });
    expect(tried.report.recrawl).toMatchObject({ gone: 0 });
    edition[19] = 4;
    expect((await run(50)).paths).not.toContain('/39');
    edition[19] = 5;
    gone.clear();
    const back = await run(80);
    expect(back.paths.filter((path) => path === '/39')).toHaveLength(1);
    expect(back.asked.find(({ path }) => path === '/39')?.headers['if-none-match']).toBeUndefined();
    expect(back.itemUrls.some((url) => url.endsWith('/39'))).toBe(true);
    // It is a known page again.
    expect((await run(81)).asked.find(({ path }) => path === '/39')).toMatchObject({ status: 304 });
  });

  it('tries a page that failed ever more rarely, and learns nothing from that', async () => {
    let isClosed = false;
    const { run } = await site((at, request) => (at === 7 && isClosed ? { status: 403 } : tagged(at, request)));
    await run(0);
    isClosed = true;
    const asked: number[] = [];
    for (const days of [1, 1.05, 1.1, 1.2, 1.25, 1.4]) if ((await run(days)).paths.includes('/7')) asked.push(days);
    // After two hours, then four.
    expect(asked).toEqual([1, 1.1, 1.4]);
    isClosed = false;
    edition[7] = 2;
    let change: PageChange | null = null;
    const handlers = (crawler: Crawler): void =>
      void crawler.on('html', async (one) => {
        change = one.change;
      });
    const { report } = await run(3, { handlers });
    expect(report.recrawl).toMatchObject({ visits: PAGES, changed: 1 });
    // Three days ago, when it came last.
    expect(change).toMatchObject({ kind: 'changed', lastVisitMs: expect.closeTo(Date.now(), -6) });
  });

  it('asks once more, without conditions, where a 304 is about another tag', async () => {
    const { run } = await site((at, { headers }) =>
      headers['if-none-match'] === undefined
        ? { headers: { ...HTML, etag: `"${at}"` }, body: html(at) }
        : { status: 304, headers: { etag: '"another"' } },
    );
    await run(0);
    const { asked, report } = await run(1, { bounds: { pages: 1 } });
    expect(asked.map(({ status }) => status)).toEqual([304, 200]);
    expect(report.recrawl).toMatchObject({ visits: 1, notModified: 0, sameContent: 1 });
  });

  it('takes a 304 that names a new tag for an answer, where only the date was sent', async () => {
    let answers = 0;
    const { run } = await site((at, { headers }) => {
      answers += 1;
      const fields = { etag: `"${answers}"`, 'last-modified': 'Mon, 02 Nov 2026 10:00:00 GMT' };
      // Knows its dates, and no tag that it has ever sent.
      if (headers['if-none-match'] === undefined && headers['if-modified-since'] !== undefined)
        return { status: 304, headers: fields };
      return { headers: { ...HTML, ...fields }, body: html(at) };
    });
    await run(0);
    const { asked, report } = await run(7);
    // Each page once: none is asked again without conditions.
    expect(asked).toHaveLength(PAGES);
    expect(asked.at(-1)?.status).toBe(304);
    expect(report.recrawl?.notModified).toBeGreaterThan(PAGES / 2);
  });

  it.each([412, 428])('sends no conditions again where they are answered with %i', async (status) => {
    const { run } = await site((at, { headers }) =>
      headers['if-none-match'] === undefined
        ? { headers: { ...HTML, etag: `"${at}"` }, body: html(at) }
        : { status, headers: {} },
    );
    await run(0);
    const second = await run(7);
    expect(second.report.outcomes['failed']).toEqual({ [`status-${status}`]: PAGES });
    const third = await run(14);
    expect(third.asked.map((request) => request.status)).toEqual(third.asked.map(() => 200));
    expect(third.report.recrawl).toMatchObject({ visits: PAGES, sameContent: PAGES });
  });

  it('takes a 304 without a condition for a failure, as ever', async () => {
    const { run } = await site((at) => (at === 1 ? { status: 304 } : { headers: HTML, body: html(at) }));
    const { report } = await run(0);
    expect(report.outcomes['failed']).toEqual({ 'status-304': 1 });
  });

  it('sends no conditions under another name: the site may answer it with another page', async () => {
    const { run } = await site(tagged);
    await run(0);
    const { asked } = await run(1, {
      identity: { name: 'other-bot', contact: 'https://example.org/us', tokens: ['other-bot'] },
    }).catch(() => ({ asked: null }));
    if (asked !== null) expect(asked.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
  });

  it('finds pages that are new, and does not forget them', async () => {
    const { run } = await site(tagged);
    const isKnown = PAGES - 1;
    edition[isKnown] = 0;
    gone.add(isKnown);
    await run(0);
    gone.clear();
    edition[19] = 2;
    edition[isKnown] = 5;
    // Its link is known, and was a failure: a recrawl visits what it has fetched.
    expect((await run(1)).paths).not.toContain(`/${isKnown}`);
  });

  it('continues after a stop, requests nothing twice, and counts its bounds from its beginning', async () => {
    const { run } = await site(tagged);
    await run(0, { bounds: { pages: PAGES } });
    edition = edition.map(() => 2);
    let left = 10;
    const stopped = await run(1, {
      bounds: { pages: PAGES },
      handlers: (crawler) =>
        void crawler.on('html', async () => {
          left -= 1;
          if (left === 0) crawler.stop();
        }),
    });
    expect(stopped.report.state).toBe('stopped');
    const rest = await run(1, { bounds: { pages: PAGES } });
    expect([...stopped.paths, ...rest.paths].sort()).toEqual([...new Set([...stopped.paths, ...rest.paths])].sort());
    expect(stopped.paths.length + rest.paths.length).toBe(PAGES);
    // The next one has its own bound.
    expect((await run(2, { bounds: { pages: 12 } })).paths).toHaveLength(12);
  });

  it('leaves another visit that a handler asks for as it is: the handler gets the page', async () => {
    const { run } = await site(tagged);
    const seen: number[] = [];
    const { asked } = await run(0, {
      maxIdleMs: 5_000,
      handlers: (crawler) =>
        void crawler.on('html', async (one) => {
          seen.push(one.visit);
          if (one.visit < 3) await one.revisit(20);
        }),
    });
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(asked.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
  });

  it('says so where no visit was kept', async () => {
    const { run } = await site(tagged);
    await run(0, { recrawl: false });
    await expect(run(1)).rejects.toMatchObject({ code: 'option-invalid', hint: expect.stringContaining('--recrawl') });
  });
});
