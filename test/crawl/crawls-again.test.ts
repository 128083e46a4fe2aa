// A recrawl of a site whose changes the test knows: with which conditions pages are requested, what is a change, and
// what is handled.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageChange, UnchangedPage } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { type Answer, changingSite, DAY_MS, HTML, PAGES } from '../support/changing-site.js';
import type { Crawler } from '../support/crawl.js';

const { edition, html, answerWithEtag, site, folder } = changingSite();

describe('a recrawl', () => {
  it('tells handlers how a page differs, and an `unchanged` handler which pages have not changed', async () => {
    // Every third page has no validators, so its text is compared.
    const { web, run } = await site((at, request) =>
      at % 3 === 0 ? { headers: HTML, body: html(at) } : answerWithEtag(at, request),
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
    // The handler's error is reported, and the page stays unchanged.
    expect(report.outcomes['failed']).toBeUndefined();
    expect(decisions.find(({ url }) => url === web.url('a.test', '/5'))?.reason).toBe('unchanged');
  });

  it('notices a site whose ETag does not change with its pages, and requests it without conditions', async () => {
    const lying: Answer = (_at, { headers }) =>
      headers['if-none-match'] === '"same"'
        ? { status: 304 }
        : { headers: { ...HTML, etag: '"same"' }, body: html(_at) };
    const { run } = await site(lying);
    const recrawl = { verify: 0.05 };
    await run(0, { recrawl });
    edition.fill(2);
    const second = await run(7, { recrawl });
    // The twentieth request detects it; later ones have no conditions.
    const hasCondition = second.exchanges.map(({ headers }) => headers['if-none-match'] !== undefined);
    expect(hasCondition.indexOf(false)).toBe(19);
    expect(hasCondition.lastIndexOf(true)).toBeLessThan(26);
    expect(second.notices.map(({ code }) => code)).toContain('validator-lies');
    const third = await run(14, { recrawl });
    expect(third.exchanges.some(({ headers }) => headers['if-none-match'] !== undefined)).toBe(false);
    expect(third.report.recrawl).toMatchObject({ visits: PAGES, notModified: 0 });
    const changed = (second.report.recrawl?.changed ?? 0) + (third.report.recrawl?.changed ?? 0);
    expect(changed).toBe(PAGES);
    // A month later the validator is trusted again.
    const fourth = await run(50, { recrawl });
    expect(fourth.exchanges[0]?.headers['if-none-match']).toBe('"same"');
  });

  it('sends no ETag back to a site that makes a new one each time', async () => {
    let answers = 0;
    const { run } = await site((at) => {
      answers += 1;
      return { headers: { ...HTML, etag: `"${answers}"` }, body: html(at) };
    });
    await run(0);
    const { exchanges, notices } = await run(7);
    expect(exchanges[0]?.headers['if-none-match']).toBeDefined();
    expect(exchanges.at(-1)?.headers['if-none-match']).toBeUndefined();
    expect(notices.filter(({ code }) => code === 'validator-restless')).toHaveLength(1);
  });

  it('reports no change if no visits are kept', async () => {
    const { run } = await site(answerWithEtag);
    const changes: unknown[] = [];
    const handlers = (crawler: Crawler): void => void crawler.on('html', (one) => void changes.push(one.change));
    await run(0, { handlers, recrawl: false } as never);
    expect(changes).toEqual([null]);
  });

  it('sends validators, handles what has changed, follows its new links, and counts', async () => {
    const { run } = await site(answerWithEtag);
    const first = await run(0);
    expect(first.paths).toHaveLength(PAGES);
    expect(first.exchanges.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
    expect(first.report.recrawl).toBeUndefined();

    edition[3] = 2;
    edition[17] = 2;
    const second = await run(7);
    expect([...second.paths].sort()).toEqual([...first.paths].sort());
    expect(second.exchanges.map(({ headers }) => headers['if-none-match'])).toEqual(
      second.exchanges.map(({ path }) => `"${path.slice(1) || 0}-1"`),
    );
    expect(
      second.exchanges
        .filter(({ status }) => status === 200)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/17', '/3']);
    expect([...second.itemUrls].map((url) => new URL(url).pathname).sort()).toEqual(['/17', '/3']);
    expect(second.report.recrawl).toMatchObject({ visits: PAGES, notModified: PAGES - 2, changed: 2, gone: 0 });
    expect(second.report.recrawl?.bytesSaved).toBeGreaterThan(1_000);
    // Each URL counts once, by its last decision.
    expect(second.report.outcomes['fetched']).toEqual({ unchanged: PAGES - 2, fetched: 2 });
    expect(second.report.state).toBe('finished');
    expect(second.report.pages).toBe(2 * PAGES);
  });

  it('does the same in a crawl directory', async () => {
    const { run } = await site(answerWithEtag);
    const out = join(folder(), 'crawl');
    await run(0, { out });
    edition[3] = 2;
    const { report } = await run(7, { out });
    expect(report.outcomes['fetched']).toEqual({ unchanged: PAGES - 1, fetched: 1 });
    expect(report.recrawl).toMatchObject({ visits: PAGES, changed: 1 });
    const kept = (await readFile(join(out, 'items.jsonl'), 'utf8')).trim().split('\n');
    expect(kept).toHaveLength(PAGES + 1);
  });

  it('passes every page, complete, to changed handlers, once', async () => {
    const { run } = await site(answerWithEtag);
    await run(0, { recrawl: { version: '1', verify: 0 } });
    const same = await run(1, { recrawl: { version: '1', verify: 0 } });
    expect(same.report.recrawl).toMatchObject({ notModified: PAGES, changed: 0 });
    const other = await run(2, { recrawl: { version: '2', verify: 0 } });
    expect(other.exchanges.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
    expect(other.items).toHaveLength(PAGES);
    const again = await run(3, { recrawl: { version: '2', verify: 0 } });
    expect(again.report.recrawl).toMatchObject({ notModified: PAGES });
    expect(again.items).toEqual([]);
  });

  it('treats a page as unchanged if its text is, whatever else its body has', async () => {
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
    // The stored digest is that of the text: all bodies differ from it, and then from each other.
    await run(2, { recrawl: strict });
    expect((await run(3, { recrawl: strict })).report.recrawl).toMatchObject({ sameContent: 0, changed: PAGES });
  });

  it('treats a page as unchanged if its items are, where they count as its content, and follows its new links', async () => {
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

  it('lets the user’s function say what counts as content, and reports what it throws', async () => {
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

  it('treats a page that alternates between two contents as unchanged, and reports it', async () => {
    const { run } = await site((at) => ({ headers: HTML, body: html(at) }));
    const found: (number | undefined)[] = [];
    const flappingWarnings: number[] = [];
    for (const [day, now] of [1, 2, 1, 2, 1, 3].entries()) {
      edition[5] = now;
      const { report, notices } = await run(day);
      found.push(report.recrawl?.changed);
      flappingWarnings.push(notices.filter(({ code }) => code === 'change-flapping').length);
    }
    expect(found).toEqual([undefined, 1, 1, 0, 0, 1]);
    expect(flappingWarnings).toEqual([0, 0, 0, 1, 1, 0]);
  });

  it('requests once more, without conditions, if a 304 is about another tag', async () => {
    const { run } = await site((at, { headers }) =>
      headers['if-none-match'] === undefined
        ? { headers: { ...HTML, etag: `"${at}"` }, body: html(at) }
        : { status: 304, headers: { etag: '"another"' } },
    );
    await run(0);
    const { exchanges, report } = await run(1, { bounds: { pages: 1 } });
    expect(exchanges.map(({ status }) => status)).toEqual([304, 200]);
    expect(report.recrawl).toMatchObject({ visits: 1, notModified: 0, sameContent: 1 });
    // Each page has two requests once, and not at every visit.
    await run(7);
    expect((await run(14)).exchanges).toHaveLength(PAGES);
    await run(60);
    expect((await run(67)).exchanges.map(({ headers }) => headers['if-none-match'])).toContain('"0"');
  });

  it('accepts a 304 with a new tag if only the date was sent', async () => {
    let answers = 0;
    const { run } = await site((at, { headers }) => {
      answers += 1;
      const fields = { etag: `"${answers}"`, 'last-modified': 'Mon, 02 Nov 2026 10:00:00 GMT' };
      // Accepts its dates, but no tag that it has sent.
      if (headers['if-none-match'] === undefined && headers['if-modified-since'] !== undefined)
        return { status: 304, headers: fields };
      return { headers: { ...HTML, ...fields }, body: html(at) };
    });
    await run(0);
    const { exchanges, report } = await run(7);
    // Each page once: none is requested again without conditions.
    expect(exchanges).toHaveLength(PAGES);
    expect(exchanges.at(-1)?.status).toBe(304);
    expect(report.recrawl?.notModified).toBeGreaterThan(PAGES / 2);
  });

  it.each([412, 428])('sends no conditions any more if they are answered with %i', async (status) => {
    const { run } = await site((at, { headers }) =>
      headers['if-none-match'] === undefined
        ? { headers: { ...HTML, etag: `"${at}"` }, body: html(at) }
        : { status, headers: {} },
    );
    await run(0);
    const second = await run(7);
    expect(second.report.outcomes['failed']).toEqual({ [`status-${status}`]: PAGES });
    const third = await run(14);
    expect(third.exchanges.map((request) => request.status)).toEqual(third.exchanges.map(() => 200));
    expect(third.report.recrawl).toMatchObject({ visits: PAGES, sameContent: PAGES });
  });

  it('treats a 304 to an unconditional request as a failure', async () => {
    const { run } = await site((at) => (at === 1 ? { status: 304 } : { headers: HTML, body: html(at) }));
    const { report } = await run(0);
    expect(report.outcomes['failed']).toEqual({ 'status-304': 1 });
  });

  it('sends no conditions under another name, since the site may answer it with another page', async () => {
    const { run } = await site(answerWithEtag);
    await run(0);
    const { exchanges } = await run(1, {
      identity: { name: 'other-bot', contact: 'https://example.org/us', tokens: ['other-bot'] },
    }).catch(() => ({ exchanges: null }));
    if (exchanges !== null) expect(exchanges.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
  });

  it('does not treat a visit that a handler asks for as a recrawl: the handler gets the page', async () => {
    const { run } = await site(answerWithEtag);
    const seen: number[] = [];
    const { exchanges } = await run(0, {
      maxIdleMs: 5_000,
      handlers: (crawler) =>
        void crawler.on('html', async (one) => {
          seen.push(one.visit);
          if (one.visit < 3) await one.revisit(20);
        }),
    });
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(exchanges.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
  });

  it('reports it if no visit was kept', async () => {
    const { run } = await site(answerWithEtag);
    await run(0, { recrawl: false });
    await expect(run(1)).rejects.toMatchObject({ code: 'option-invalid', hint: expect.stringContaining('--recrawl') });
  });
});
