// The archive of a recrawl: requests are conditional, and from each answer 304 any reader finds the bytes that the site
// had at that time, over three runs and in the package.

import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { memorySink, packageArchive, replay } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl, type TestCrawlOptions } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { asByWarcio, indexedByWarcio, payloadAt, readIndexes, readRecords, recordFaults } from '../support/warc.js';
import { page, type Route, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';
import { unzipped } from '../support/zip.js';

const DAY_MS = 86_400_000;
const PATHS = ['/', '/changes', '/weak', '/dated', '/one', '/twin', '/plain', '/closed'];
const RUN_DAYS = [0, 2, 4];
const SINCE = 'Sun, 01 Nov 2026 08:00:00 GMT';

/** The body of a path in a run. */
function bodyOf(path: string, run: number): string {
  if (path === '/changes') return page(`changes ${Math.min(run, 1)}`);
  if (path === '/one' || path === '/twin') return page('the same on two paths');
  if (path === '/closed') return page('kept out', [], '<meta name="robots" content="noarchive">');
  return page(path, path === '/' ? PATHS : []);
}

async function site() {
  const place = await mkdtemp(join(tmpdir(), 'mannerly-archives-again-'));
  onTestFinished(() => rm(place, { recursive: true, force: true, maxRetries: 5 }));
  let run = -1;
  const route =
    (path: string): Route =>
    ({ headers }) => {
      const body = bodyOf(path, run);
      const etag = `${path === '/weak' ? 'W/' : ''}"${path}-${body.length}-${path === '/changes' ? Math.min(run, 1) : 0}"`;
      const validators = path === '/plain' ? {} : path === '/dated' ? { 'last-modified': SINCE } : { etag };
      const isKnown =
        path === '/dated'
          ? headers['if-modified-since'] === SINCE
          : headers['if-none-match'] === etag && path !== '/plain';
      return isKnown
        ? { status: 304, headers: validators }
        : { body, headers: { 'content-type': 'text/html', ...validators } };
    };
  const robots: Route = ({ headers }) =>
    headers['if-none-match'] === '"r"'
      ? { status: 304, headers: { etag: '"r"' } }
      : { ...text('User-agent: *\nDisallow: /no'), headers: { 'content-type': 'text/plain', etag: '"r"' } };
  const routes = Object.fromEntries(PATHS.map((path) => [path, route(path)]));
  const web = await webForTest({ hosts: { 'a.test': { ...routes, '/robots.txt': robots } } });
  let seen = 0;
  const out = join(place, 'crawl');
  /** One run, `days` after the first. @returns The requests of the run, by path. */
  const crawlAgain = async (days: number, options: Partial<TestCrawlOptions> = {}) => {
    run += 1;
    const clock = createShiftedClock(days * DAY_MS);
    const store = lmdbStore({ path: join(place, 'store'), nowMs: clock.nowMs });
    const seeds = [web.url('a.test')];
    const story = await crawl({ seeds, out, archive: true, recrawl: true, again: run > 0, clock, store, ...options });
    const requests = Object.fromEntries(web.log.slice(seen).map((each) => [each.path, each]));
    seen = web.log.length;
    return { ...story, requests, atMs: clock.nowMs() };
  };
  return { web, out, folder: join(out, 'archive'), crawlAgain };
}

const statusesOf = (requests: Record<string, { readonly status: number | null }>) =>
  Object.fromEntries(Object.entries(requests).map(([path, { status }]) => [path, status]));
const NOT_MODIFIED = { '/': 304, '/weak': 304, '/dated': 304, '/one': 304, '/twin': 304, '/robots.txt': 304 };

describe('the archive of a crawl that is run again', () => {
  it('refers from every answer 304 to its bytes, over three runs', async () => {
    const { web, out, folder, crawlAgain } = await site();
    const runs = [];
    for (const days of RUN_DAYS) runs.push(await crawlAgain(days));
    expect(statusesOf(runs[1]?.requests ?? {})).toEqual({
      ...NOT_MODIFIED,
      '/plain': 200,
      '/changes': 200,
      '/closed': 200,
    });
    // Pages that are not in the archive are requested without conditions: a revisit could not refer to them.
    expect(statusesOf(runs[2]?.requests ?? {})).toEqual({
      ...NOT_MODIFIED,
      '/plain': 200,
      '/changes': 304,
      '/closed': 200,
    });
    expect(runs[2]?.report.recrawl).toMatchObject({ visits: PATHS.length, notModified: 6, changed: 0 });

    const records = await readRecords(folder);
    expect(recordFaults(records)).toEqual([]);
    for (const [run, { atMs }] of runs.entries())
      for (const path of PATHS.filter((each) => each !== '/closed'))
        expect(payloadAt(records, web.url('a.test', path), atMs), `${path} in run ${run}`).toBe(bodyOf(path, run));
    expect(payloadAt(records, web.url('a.test', '/closed'), runs[2]?.atMs ?? 0)).toBeNull();

    const repeated = records.filter(({ fields }) => fields.get('WARC-Profile')?.endsWith('/server-not-modified'));
    expect(repeated).toHaveLength(13);
    for (const { url, fields, block } of repeated) {
      expect(block.toString('latin1')).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n[\s\S]*\r\n\r\n$/);
      // A weak tag and a date promise an equivalent page, not the same bytes.
      expect(fields.has('WARC-Payload-Digest'), url).toBe(!/weak|dated/.test(url));
      // A revisit never refers to another revisit.
      if (url.endsWith('/twin')) expect(fields.get('WARC-Refers-To-Target-URI')).toMatch(/\/(one|twin)$/);
    }
    const lines = (await readIndexes(folder)).sort();
    expect(lines.map(asByWarcio)).toEqual(await indexedByWarcio(folder));

    const packed = await packageArchive({ from: out, to: join(out, 'all.wacz') });
    expect(packed.warcs).toBe(3);
    const index = (await unzipped(packed.path)).get('indexes/index.cdxj')?.bytes.toString().trimEnd().split('\n');
    // A reader would show an answer 304 as an empty page. Without an entry, it shows the response before it.
    expect(index).toEqual(lines.filter((line) => !line.includes('"status":"304"')));
    expect(index?.length).toBeLessThan(lines.length);
    const replayed = memorySink();
    await replay({
      from: out,
      handlers: (to) => to.on('html', async (one) => one.emit({ title: one.title, text: await one.text() })),
      sinks: [replayed],
    });
    const texts = replayed.items.map(({ url, data }) => [new URL(url).pathname, (data as { text: string }).text]);
    // Every visit with a body, including those that the archive stores as revisits.
    const changes = texts.flatMap(([path, body]) => (path === '/changes' ? [body] : []));
    expect(changes).toEqual([bodyOf('/changes', 0), bodyOf('/changes', 1)]);
    expect(texts.filter(([path]) => path === '/plain')).toEqual(
      [0, 1, 2].map((run) => ['/plain', bodyOf('/plain', run)]),
    );
  });

  it('requests without conditions if the record is missing, and reports it', async () => {
    const { out, folder, crawlAgain } = await site();
    await crawlAgain(0);
    await rename(folder, join(out, 'moved-away'));
    const second = await crawlAgain(2);
    expect(new Set(Object.values(statusesOf(second.requests)))).toEqual(new Set([200]));
    const warnings = second.notices.filter(({ code }) => code === 'revisit-without-original');
    expect(warnings.length).toBeGreaterThan(0);
    expect(recordFaults(await readRecords(folder))).toEqual([]);
    expect(statusesOf((await crawlAgain(4)).requests)).toMatchObject(NOT_MODIFIED);
  });

  it('refers to no record from before a run that was not archived', async () => {
    const { web, folder, crawlAgain } = await site();
    await crawlAgain(0);
    const second = await crawlAgain(2, { archive: false });
    expect(statusesOf(second.requests)).toMatchObject({ '/': 304, '/changes': 200 });
    const third = await crawlAgain(4);
    // The tag belongs to a document that is not in the archive.
    expect(statusesOf(third.requests)).toMatchObject({ '/': 304, '/changes': 200 });
    const records = await readRecords(folder);
    expect(recordFaults(records)).toEqual([]);
    expect(payloadAt(records, web.url('a.test', '/changes'), third.atMs)).toBe(bodyOf('/changes', 2));
  });

  it.each([
    ['so many revisits', [2, 4, 6], { maxChain: 2 }],
    ['a year', [200, 364, 366], {}],
  ] as const)('writes a payload again after %s', async (_, days, recrawl) => {
    const { folder, crawlAgain } = await site();
    await crawlAgain(0, { recrawl });
    const statuses = [];
    for (const day of days) statuses.push(statusesOf((await crawlAgain(day, { recrawl })).requests)['/one']);
    expect(statuses).toEqual([304, 304, 200]);
    const kinds = (await readRecords(folder)).flatMap(({ type, url }) => (url.endsWith('/plain') ? [type] : []));
    expect(kinds.filter((type) => /response|revisit/.test(type))).toEqual([
      'response',
      'revisit',
      'revisit',
      'response',
    ]);
    expect(recordFaults(await readRecords(folder))).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.warc.gz'))).toHaveLength(4);
  });
});
