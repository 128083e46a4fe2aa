// A crawl may take several runs: the next run continues after a stop, bounds count over all runs, and a finished crawl
// makes no request until it is reset.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogEntry, reportFromLogs } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl, makeCrawler } from '../support/crawl.js';
import { smallestGapMs } from '../support/politeness.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const PAGES = 12;
const PATHS = Array.from({ length: PAGES }, (_, number) => (number === 0 ? '/' : `/${number}`));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-resume-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'crawl');
}

/** Every page links to the next two. */
const siteOf = (links = true) =>
  webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': { status: 404 },
        ...Object.fromEntries(
          PATHS.map((path, number) => [path, page(path, links ? PATHS.slice(number + 1, number + 3) : [])]),
        ),
        '/late': page('late'),
      },
    },
  });

const pagesAsked = (paths: readonly string[]) => paths.filter((path) => path !== '/robots.txt');

describe('the same command', () => {
  it('continues after a stop: no page twice, no item twice, totals of both runs', async () => {
    const web = await siteOf();
    const out = folder();
    const options = { seeds: [web.url('a.test')], out };
    const first = makeCrawler(options);
    let pages = 0;
    first.events.on('decision', ({ status }) => {
      pages += status === 'fetched' ? 1 : 0;
      if (pages === 4) first.stop();
    });
    const stopped = await first.run({ out });
    expect(stopped).toMatchObject({ state: 'stopped', resumed: false, alreadyFinished: false });
    expect(stopped.pages).toBeLessThan(PAGES);
    const { report, requests } = await crawl(options);
    expect(report).toMatchObject({
      state: 'finished',
      resumed: true,
      alreadyFinished: false,
      pages: PAGES,
      items: PAGES,
    });
    expect(report.requests).toBe(PAGES + 1);
    expect(requests).toHaveLength(PAGES + 1 - stopped.requests);
    expect(report.outcomes).toEqual({ fetched: { fetched: PAGES } });
    expect(report.politeness).toMatchObject([{ host: 'a.test', requests: PAGES + 1, early: 0 }]);
    expect(report.politenessOf).toBe('crawl');
    expect(pagesAsked(web.paths('a.test')).sort()).toEqual([...PATHS].sort());
    const ids = readFileSync(join(out, 'items.jsonl'), 'utf8').trim().split('\n');
    expect(new Set(ids).size).toBe(PAGES);
    expect(ids).toHaveLength(PAGES);
  });

  it('counts a URL once that each of its runs excludes or drops, in its progress and in its report', async () => {
    const elsewhere = ['http://b.test/', 'http://c.test/'];
    const pages = PATHS.map((path, number) => [
      path,
      page(path, [...elsewhere, ...PATHS.slice(number + 1, number + 3)]),
    ]);
    const web = await webForTest({
      hosts: { 'a.test': { '/robots.txt': { status: 404 }, ...Object.fromEntries(pages) } },
    });
    const options = { seeds: [web.url('a.test')], out: folder() };
    const first = makeCrawler(options);
    first.events.on('decision', ({ status }) => {
      if (status === 'fetched') first.stop();
    });
    await first.run({ out: options.out });
    expect(first.progress().dropped).toBe(2);
    const { report, crawler, decisions } = await crawl(options);
    expect(decisions.filter(({ status }) => status === 'dropped')).toHaveLength(2);
    expect(report.outcomes['dropped']).toEqual({ 'out-of-scope': 2 });
    expect(crawler.progress().dropped).toBe(2);
  });

  it('does nothing when its bounds are used up, says so, and continues with larger ones', async () => {
    const web = await siteOf();
    const out = folder();
    const options = { seeds: [web.url('a.test')], out, bounds: { pages: 5 } };
    expect((await crawl(options)).report).toMatchObject({
      state: 'bounded',
      bound: 'pages',
      pages: 5,
      alreadyFinished: false,
    });
    const requestsBefore = web.log.length;
    expect((await crawl(options)).report).toMatchObject({
      state: 'bounded',
      bound: 'pages',
      pages: 5,
      alreadyFinished: true,
    });
    expect(web.log).toHaveLength(requestsBefore);
    const { report } = await crawl({ ...options, bounds: { pages: 8 } });
    expect(report).toMatchObject({ state: 'bounded', pages: 8, items: 8, alreadyFinished: false });
    expect(new Set(pagesAsked(web.paths('a.test'))).size).toBe(8);
    expect(pagesAsked(web.paths('a.test'))).toHaveLength(8);
  });

  it('counts the minutes of all runs', async () => {
    const web = await siteOf();
    const out = folder();
    const options = { seeds: [web.url('a.test')], out, bounds: { minutes: 0.000_01 } };
    const { report } = await crawl(options);
    expect(report).toMatchObject({ state: 'bounded', bound: 'minutes' });
    expect((await crawl(options)).report).toMatchObject({ state: 'bounded', bound: 'minutes', pages: report.pages });
    expect((await crawl({ ...options, bounds: { minutes: 5 } })).report).toMatchObject({
      state: 'finished',
      pages: PAGES,
    });
  });

  it('does nothing when it is finished, takes an additional seed, and starts over with reset', async () => {
    const web = await siteOf();
    const out = folder();
    const seeds = [web.url('a.test')];
    expect((await crawl({ seeds, out })).report).toMatchObject({
      state: 'finished',
      alreadyFinished: false,
      items: PAGES,
    });
    const requestsBefore = web.log.length;
    const again = await crawl({ seeds, out });
    expect(again.report).toMatchObject({
      state: 'finished',
      alreadyFinished: true,
      resumed: true,
      pages: PAGES,
      items: PAGES,
    });
    expect(again.requests).toEqual([]);
    expect(web.log).toHaveLength(requestsBefore);
    const more = [...seeds, web.url('a.test', '/late')];
    expect((await crawl({ seeds: more, out })).report).toMatchObject({ alreadyFinished: false, pages: PAGES + 1 });
    expect(web.paths('a.test').slice(requestsBefore)).toEqual(['/late']);
    // With one seed less it is another crawl.
    await expect(crawl({ seeds, out })).rejects.toMatchObject({ code: 'directory-taken' });
    const over = await makeCrawler({ seeds }).run({ out, reset: true });
    expect(over).toMatchObject({ state: 'finished', resumed: false, pages: PAGES, items: PAGES });
    expect(pagesAsked(web.paths('a.test'))).toHaveLength(2 * PAGES + 1);
    const logged = await reportFromLogs({
      requestsPath: join(out, 'requests.jsonl'),
      decisionsPath: join(out, 'decisions.jsonl'),
      warningsPath: join(out, 'warnings.jsonl'),
    });
    expect(logged.requests).toBe(PAGES + 1);
  });

  it('drops queued URLs outside of a narrower scope, and requests none of them', async () => {
    const web = await siteOf();
    const out = folder();
    const options = { seeds: [web.url('a.test')], out };
    await crawl({ ...options, bounds: { pages: 1 } });
    const scope = { seeds: options.seeds, exclude: ['/2'] };
    const { report, decisions } = await crawl({ ...options, scope, bounds: { pages: 500, depth: 2 } });
    const dropped = decisions.filter(({ reason }) => reason === 'bound-depth').length;
    expect(report).toMatchObject({ state: 'bounded', bounds: [{ bound: 'bounds.depth', dropped, left: 0 }] });
    // The first page links to /1 and /2, and /1 to /2 and /3.
    expect(pagesAsked(web.paths('a.test'))).toEqual(['/', '/1', '/3']);
    expect(decisions.filter(({ status }) => status === 'dropped')).toMatchObject([
      { url: web.url('a.test', '/2'), reason: 'scope-excluded', layer: 'scope', detail: 'queued by an earlier run' },
      { url: web.url('a.test', '/4'), reason: 'bound-depth', layer: 'bounds' },
      { url: web.url('a.test', '/5'), reason: 'bound-depth', layer: 'bounds' },
    ]);
  });

  it('fetches nothing that an earlier scope dropped, says so once, and takes what is added', async () => {
    const web = await siteOf();
    const out = folder();
    const seeds = [web.url('a.test')];
    const codes: string[] = [];
    const log = ({ code, level }: LogEntry): unknown => level === 'warn' && codes.push(code);
    await crawl({ seeds, out, log, scope: { seeds, exclude: ['/1'] } });
    expect(codes).toEqual([]);
    expect((await crawl({ seeds, out, log })).requests).toEqual([]);
    expect(codes).toEqual(['scope-changed', 'nothing-fetched']);
    writeFileSync(join(out, 'added.jsonl'), `${JSON.stringify({ url: web.url('a.test', '/1') })}\n`);
    expect((await crawl({ seeds, out, log })).requests).toMatchObject([{ url: web.url('a.test', '/1') }]);
    expect(codes).toHaveLength(2);
  });

  it('a URL held at the end of one run does not count as held when the next one fetches it', async () => {
    let isOpen = false;
    const web = await webForTest({
      hosts: { 'a.test': { '/robots.txt': () => (isOpen ? { status: 404 } : { status: 503 }), '/': page('start') } },
    });
    const out = folder();
    const options = { seeds: [web.url('a.test')], out, maxIdleMs: 0 };
    expect((await crawl(options)).report).toMatchObject({
      state: 'waiting',
      outcomes: { held: { 'robots-unreachable': 1 } },
    });
    isOpen = true;
    // A run that is too early: the host still waits, and is reported once.
    expect((await crawl(options)).report).toMatchObject({
      state: 'waiting',
      outcomes: { held: { 'robots-unreachable': 1 } },
    });
    expect(web.paths('a.test')).toEqual(['/robots.txt']);
  });
});

it('a crawl that starts over at once keeps the interval of its hosts', async () => {
  const web = await siteOf(false);
  const out = folder();
  const options = { seeds: [web.url('a.test')], politeness: { profile: { factor: 0, minMs: 700, maxMs: 700 } } };
  await crawl({ ...options, out });
  const requestsBefore = web.log.length;
  await makeCrawler(options).run({ out, reset: true });
  expect(web.log.length).toBe(2 * requestsBefore);
  expect(smallestGapMs(web.log, 'a.test')).toBeGreaterThanOrEqual(700);
});

describe('a directory that is not this crawl’s', () => {
  it.each([
    ['another name', { identity: { name: 'other-bot', contact: 'https://example.org/us' } }],
    [
      'other tokens',
      { identity: { name: 'test-bot', contact: 'https://example.org/us', tokens: ['test-bot', 'test'] } },
    ],
  ])('is refused before any request: %s', async (_, differs) => {
    const web = await siteOf();
    const out = folder();
    const options = { seeds: [web.url('a.test')], out };
    await crawl(options);
    const requestsBefore = web.log.length;
    await expect(crawl({ ...options, ...differs })).rejects.toMatchObject({ code: 'directory-taken' });
    expect(web.log).toHaveLength(requestsBefore);
  });

  it('cannot be reset, and is not changed', async () => {
    const out = folder();
    const web = await siteOf();
    const { report } = await crawl({ seeds: [web.url('a.test')], out });
    expect(report.state).toBe('finished');
    rmSync(join(out, 'crawl.json'));
    writeFileSync(join(out, 'thesis.txt'), 'years of work');
    const again = makeCrawler({ seeds: [web.url('a.test')] });
    await expect(again.run({ out, reset: true })).rejects.toMatchObject({ code: 'directory-taken' });
    await expect(again.run({ reset: true })).rejects.toMatchObject({ code: 'option-invalid' });
    expect(existsSync(join(out, 'items.jsonl'))).toBe(true);
    expect(existsSync(join(out, 'thesis.txt'))).toBe(true);
  });

  it('is refused while another run has it open', async () => {
    const out = folder();
    const web = await siteOf();
    const options = { seeds: [web.url('a.test')], out };
    let refused: unknown = null;
    await crawl({
      ...options,
      handlers: (crawler) =>
        crawler.on('html', async () => {
          refused = await crawl(options).catch((error: unknown) => error);
        }),
    });
    expect(refused).toMatchObject({ code: 'directory-in-use' });
    // The lock has been released.
    expect((await crawl(options)).report).toMatchObject({ state: 'finished', alreadyFinished: true });
  });
});
