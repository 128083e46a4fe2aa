// A crawl that fetches nothing, keeps nothing or ignores a handler's return value looks like one that works. It must be
// reported.

import { createCrawler, type Handler } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';
import { describe, expect, it } from 'vitest';
import { captureStderr, PAGES, SITE } from '../support/throwing-crawl.js';

const captured = captureStderr();

describe('a run', () => {
  /** Runs on the system's clock, as a program does; a test may check the requests only. */
  const emitting = (handler: Handler = (page) => page.emit({ url: page.url })) =>
    createCrawler({
      identity: { name: 'test-bot', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 9 },
      politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
      ...createFakeWeb({ hosts: { 'a.test': SITE } }).fakes(),
    }).on('html', handler);

  it('says that its items go nowhere', async () => {
    await emitting().run();
    expect(captured.printed).toEqual([expect.stringMatching(/Items are written nowhere: .*run\(\{ out \}\).*sinks/)]);
  });

  it('does not say so if they are kept or a listener gets them', async () => {
    await emitting().run({ out: captured.out });
    const crawler = emitting();
    crawler.events.on('item', () => undefined);
    await crawler.run();
    expect(captured.printed).toEqual([]);
  });

  it('says once that an object which a handler returns is ignored', async () => {
    await emitting((page) => page.follow().then(() => ({ url: page.url }))).run({ out: captured.out });
    expect(captured.printed).toEqual([
      expect.stringMatching(/a\.test\/.* returned an object.*await page\.emit\(object\)/),
    ]);
  });

  it('continues after a forgotten await, and reports it, since a rejection would end the process', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    let late: Promise<void> = Promise.resolve();
    let release = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      release = resolve;
    });
    const report = await emitting((page) => {
      late = ended.then(async () => {
        await page.emit({ late: true });
        await page.follow();
      });
    }).run({ out: captured.out });
    release();
    await late;
    process.off('unhandledRejection', onUnhandled);
    expect([report.state, report.items, unhandled]).toEqual(['finished', 0, []]);
    expect(captured.printed.join('')).toMatch(/has ended/);
  });

  it('names the routes of labels that got no page, unless it continues another run', async () => {
    const crawler = () => emitting().on('label:shelf', () => undefined);
    await crawler().run({ out: captured.out });
    expect(captured.printed).toEqual([expect.stringMatching(/No page came to `label:shelf`/)]);
    await crawler().run({ out: captured.out });
    expect(captured.printed.join('').match(/label:shelf/g)).toHaveLength(1);
  });

  it.each([
    [['https://a.test/'], 'option-invalid', /`run`.*out/],
    ['out', 'option-invalid', /"out"/],
    [{ dir: 'x' }, 'option-unknown', /`run\.dir`.*known: out/],
    [{ out: 5 }, 'option-invalid', /`run\.out`.*5/],
  ])('refuses %j', async (options, code, message) => {
    const refused = emitting().run(options as object);
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe('a crawl that fetches nothing', () => {
  it('says in a line that nothing was fetched, and why', async () => {
    await captured.crawl({}, { robots: 'User-agent: *\nDisallow: /\n', pages: {} }, {});
    const messages = captured.printed.filter((text) => text.includes('No page was fetched'));
    expect(messages).toEqual([
      expect.stringMatching(/^mannerly: No page was fetched: robots-rule \(1\): A rule in robots.*\n$/),
    ]);
  });

  it('does not say so for one process among several', async () => {
    const web = createFakeWeb({ hosts: { 'a.test': { robots: 'User-agent: *\nDisallow: /\n' } } });
    const base = { identity: { name: 'test-bot', contact: 'https://example.org/us' }, bounds: { pages: 3 } };
    const scope = { seeds: ['https://a.test/'] };
    await crawlInVirtualTime(web, (fakes) => createCrawler({ ...base, scope, ...fakes }), {
      run: { out: captured.out, shared: true },
    });
    expect(captured.printed).toEqual([]);
  });

  it('says so if every link of the only page is out of scope', async () => {
    await captured.crawl({}, { pages: { '/': fakePage('Start', ['https://b.test/']) } }, {});
    expect(captured.printed).toEqual([
      expect.stringMatching(/^mannerly: Only one page was fetched: out-of-scope \(1\): .*within/),
    ]);
  });

  it('says so if no handler takes the only page', async () => {
    await captured.crawl({}, { pages: { '/': { headers: { 'Content-Type': 'application/json' }, body: '{}' } } }, {});
    expect(captured.printed).toEqual([
      expect.stringMatching(/Only one page was fetched: no-handler \(1\): .*no handler/),
    ]);
  });

  it('is silent if pages were fetched, and says so if they were fetched by an earlier run', async () => {
    const site = { pages: { '/': fakePage('Start', ['/b']), '/b': fakePage('B') } };
    await captured.crawl({}, site);
    expect(captured.printed).toEqual([]);
    await captured.crawl({}, site);
    expect(captured.printed).toEqual([
      expect.stringMatching(/ended before: nothing was requested\. Start over with `reset/),
    ]);
  });

  it('reports a host that only fails, a bounded number of times', async () => {
    await captured.crawl(
      { bounds: { pages: 400, minutes: 600 } },
      { pages: { '/': fakePage('Start', PAGES), '*': { status: 503 } } },
    );
    const all = captured.printed.join('');
    expect(all).toContain('a.test: host-paused: 503, number 1 in a row');
    expect(all).toContain('a.test: 3 requests in a row failed, the last with 503');
    expect(captured.printed.length).toBeLessThan(16);
  });
});
