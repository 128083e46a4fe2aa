// Ten hosts of two hundred pages each, with every kind of validator, are crawled and then crawled again three times.
// The test knows the changes in between and the requests that the servers got: no change may be missed, nothing
// unnecessary requested, and no 304 may lose an item.

import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { exportItems } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { page, type ReplyParts, type WebExchange, type WebRequest } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const DAY_MS = 86_400_000;
const PAGES = 200;
const HTML = { 'content-type': 'text/html' };
const FIRST_DAY = Date.UTC(2026, 0, 5);

/** A page of a host at that time. `answers`: requests so far to the whole host. */
interface Page {
  readonly at: number;
  readonly edition: number;
  readonly answers: number;
}

/** The header fields of a page, and whether a request's conditions match them. */
interface Kind {
  readonly fields: (page: Page) => Record<string, string>;
  readonly matches?: (request: WebRequest, page: Page) => boolean;
}

const tagged = (tag: (page: Page) => string, more: Record<string, string> = {}): Kind => ({
  fields: (page) => ({ etag: tag(page), ...more }),
  matches: ({ headers }, page) => headers['if-none-match'] === tag(page),
});
const dateOf = ({ edition }: Page): string => new Date(FIRST_DAY + edition * DAY_MS).toUTCString();

const KINDS: Readonly<Record<string, Kind>> = {
  'etag.test': tagged(({ at, edition }) => `"${at}-${edition}"`),
  'date.test': {
    fields: (page) => ({ 'last-modified': dateOf(page) }),
    matches: ({ headers }, page) => headers['if-modified-since'] === dateOf(page),
  },
  'neither.test': { fields: () => ({}) },
  // The tag never changes, even if the page does.
  'lying.test': tagged(() => '"same"'),
  'restless.test': { fields: ({ answers }) => ({ etag: `"${answers}"` }) },
  'gzip.test': tagged(({ at, edition }) => `"${at}-${edition}-gzip"`, { vary: 'Accept-Encoding' }),
  'weak.test': tagged(({ at, edition }) => `W/"${at}-${edition}"`),
  'any.test': tagged(({ at, edition }) => `"${at}-${edition}"`, { vary: '*' }),
  'secret.test': tagged(({ at, edition }) => `"${at}-${edition}"`, { 'cache-control': 'no-store' }),
  'lasting.test': tagged(({ at, edition }) => `"${at}-${edition}"`, { 'cache-control': 'max-age=864000' }),
};
const HOSTS = Object.keys(KINDS);
/** Hosts with reliable validators. */
const CONDITIONAL = ['etag.test', 'date.test', 'gzip.test', 'weak.test'];

it('finds what has changed, requests nothing needless, and keeps the items of a 304', {
  timeout: 300_000,
}, async () => {
  const place = mkdtempSync(join(tmpdir(), 'mannerly-recrawl-site-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
  const editions = new Map(HOSTS.map((host) => [host, Array.from({ length: PAGES }, () => 1)]));
  const answers = new Map(HOSTS.map((host) => [host, 0]));
  /** `host/number` → what happened to a page. */
  const fates = new Map<string, 'gone' | 'missing' | 'moved' | 'noindex'>();
  /** Bytes of bodies: of all hosts, and of those with reliable validators. */
  let bytes = { all: 0, conditional: 0 };

  const answer = (host: string, at: number, request: WebRequest): ReplyParts => {
    const fate = fates.get(`${host}/${at}`);
    if (fate === 'gone') return { status: 410 };
    if (fate === 'missing') return { status: 404 };
    if (fate === 'moved') return { status: 301, headers: { location: `/moved-${at}` } };
    const now: Page = { at, edition: editions.get(host)?.[at] ?? 1, answers: answers.get(host) ?? 0 };
    answers.set(host, now.answers + 1);
    const { fields, matches } = KINDS[host] as Kind;
    const headers = { ...fields(now), ...(fate === 'noindex' ? { 'x-robots-tag': 'noindex' } : {}) };
    if (matches?.(request, now) === true) return { status: 304, headers };
    const links = [2 * at + 1, 2 * at + 2].filter((to) => to < PAGES).map((to) => `/${to}`);
    const text = page(`${host} ${at}, edition ${now.edition}`, links).replace(
      '</body>',
      `${'text '.repeat(400)}</body>`,
    );
    bytes.all += text.length;
    if (CONDITIONAL.includes(host)) bytes.conditional += text.length;
    return { headers: { ...HTML, ...headers }, body: text };
  };
  const routesOf = (host: string) => {
    const numbered = Array.from({ length: PAGES }, (_, at) => at);
    const paths = numbered.map((at) => [at === 0 ? '/' : `/${at}`, (request: WebRequest) => answer(host, at, request)]);
    return { ...Object.fromEntries(paths), '*': ({ path }: WebRequest) => movedOrMissing(host, path) };
  };
  const movedOrMissing = (host: string, path: string): ReplyParts => {
    const at = Number(/^\/moved-(\d+)$/.exec(path)?.[1] ?? -1);
    return at < 0 ? { status: 404 } : { headers: HTML, body: page(`${host} ${at}, moved`) };
  };
  const web = await webForTest({ hosts: Object.fromEntries(HOSTS.map((host) => [host, routesOf(host)])) });

  let seen = 0;
  const run = async (day: number, pages = 10_000) => {
    const clock = createShiftedClock(day * DAY_MS);
    bytes = { all: 0, conditional: 0 };
    const story = await crawl({
      store: lmdbStore({ path: join(place, 'store'), nowMs: () => clock.nowMs() }),
      seeds: HOSTS.map((host) => web.url(host)),
      bounds: { pages, depth: 1_000, minutes: 5 },
      recrawl: true,
      again: day > 0,
      clock,
      out: join(place, 'crawl'),
    });
    const exchanges = web.log.slice(seen).filter(({ path }) => path !== '/robots.txt');
    seen = web.log.length;
    return { ...story, exchanges, bytes };
  };
  const nameOf = ({ host, path }: WebExchange): string => `${host}/${path === '/' ? 0 : path.slice(1)}`;
  /** Changes about one page in twenty on each host. @returns Their names. */
  const change = (day: number): Set<string> => {
    const changed = new Set<string>();
    for (const [host, pages] of editions)
      for (let at = 1; at < PAGES; at += 1) {
        if ((7 * at + 13 * day + 3 * HOSTS.indexOf(host)) % 20 > 0 || fates.has(`${host}/${at}`)) continue;
        pages[at] = (pages[at] ?? 1) + 1;
        changed.add(`${host}/${at}`);
      }
    return changed;
  };
  const current = async (): Promise<Map<string, string>> => {
    const to = join(place, `current-${seen}.jsonl`);
    await exportItems({ from: [join(place, 'crawl')], to, current: true });
    const items = (await readFile(to, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return new Map(items.map(({ url, title }) => [url, title]));
  };
  const requestsTo = (exchanges: readonly WebExchange[], host: string): WebExchange[] =>
    exchanges.filter((each) => each.host === host);
  const hasConditions = ({ headers }: WebExchange): boolean =>
    headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;

  const first = await run(0);
  expect(first.report.pages).toBe(HOSTS.length * PAGES);
  const shares: string[] = [];

  for (const day of [6, 13, 19]) {
    const changed = change(day);
    if (day === 6) {
      for (const host of CONDITIONAL) {
        fates.set(`${host}/190`, 'gone');
        fates.set(`${host}/191`, 'missing');
        fates.set(`${host}/192`, 'moved');
      }
      for (const host of ['etag.test', 'weak.test']) fates.set(`${host}/193`, 'noindex');
    }
    if (day === 13) for (const host of CONDITIONAL) fates.delete(`${host}/191`);
    const before = await current();
    const { exchanges, report, ...more } = await run(day);
    const share = (of: keyof typeof bytes): string => `${((100 * more.bytes[of]) / first.bytes[of]).toFixed(1)} %`;
    shares.push(
      `day ${day}: ${exchanges.length} requests, ${share('all')} of the bytes, with validators ${share('conditional')}`,
    );
    expect(report.politeness.reduce((sum, { early }) => sum + early, 0)).toBe(0);

    // Every changed page was sent with its body, unless its host has false validators or a long lifetime.
    const bodies = new Set(exchanges.filter(({ status }) => status === 200).map(nameOf));
    const isExcused = (name: string): boolean =>
      fates.has(name) || name.startsWith('lying.test') || (name.startsWith('lasting.test') && day !== 13);
    expect([...changed].filter((name) => !bodies.has(name) && !isExcused(name))).toEqual([]);
    // Conditions are sent wherever possible, except for one visit in fifty.
    for (const host of CONDITIONAL) {
      const all = requestsTo(exchanges, host).filter(
        (each) => !fates.has(nameOf(each)) && !each.path.startsWith('/moved'),
      );
      const plain = all.filter((each) => !hasConditions(each)).length;
      expect(plain, `requests without conditions to ${host} on day ${day}`).toBeLessThanOrEqual(
        Math.ceil(all.length / 50) + 2,
      );
    }
    for (const host of ['any.test', 'secret.test', 'neither.test'])
      expect(requestsTo(exchanges, host).filter(hasConditions), host).toEqual([]);
    // It declares ten days of freshness, of which seven are trusted.
    if (day !== 13) expect(requestsTo(exchanges, 'lasting.test')).toEqual([]);
    // If the tags of a site change at every request, the first visits detect it.
    if (day > 6) expect(requestsTo(exchanges, 'restless.test').filter(hasConditions).length).toBeLessThanOrEqual(1);

    // A 304 keeps the item of its page; no current item is reduced.
    const after = await current();
    const kept = exchanges.filter((each) => each.status === 304 && fates.get(nameOf(each)) === undefined);
    for (const { host, path } of kept) expect(after.get(web.url(host, path))).toBe(before.get(web.url(host, path)));
    for (const name of changed) {
      if (isExcused(name)) continue;
      const [host = '', at = ''] = name.split('/');
      expect(after.get(web.url(host, `/${at}`))).toBe(`${host} ${at}, edition ${editions.get(host)?.[Number(at)]}`);
    }
  }
  const last = await current();
  for (const host of CONDITIONAL) {
    expect(last.has(web.url(host, '/190')), 'gone').toBe(false);
    expect(last.has(web.url(host, '/191')), 'missing once').toBe(true);
    expect(last.has(web.url(host, '/moved-192')), 'moved').toBe(true);
    expect(last.has(web.url(host, '/192')), 'its old place').toBe(false);
  }
  for (const host of ['etag.test', 'weak.test']) expect(last.has(web.url(host, '/193')), 'noindex').toBe(false);
  console.info([`${first.exchanges.length} requests at first`, ...shares].join('; '));
});
