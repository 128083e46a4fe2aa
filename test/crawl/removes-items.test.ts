// A recrawl reports which items may no longer be kept: those of pages that are gone, or that now forbid it. At stake: a
// collection still shows what its site has withdrawn.

import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { exportItems, type Item } from 'mannerly';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { page, type ReplyParts, type Routes, type WebRequest } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const DAY_MS = 86_400_000;
const ETAG = { etag: '"1"' };
const HTML = { 'content-type': 'text/html' };

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'mannerly-removed-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
});

/** A site whose front page links to `/one` and `/other`. The test decides how `/one` and companions answer. */
async function site(one: (request: WebRequest) => ReplyParts, tells = false, companions: Routes = {}) {
  const other = ({ headers }: WebRequest): ReplyParts =>
    headers['if-none-match'] === ETAG.etag
      ? { status: 304, headers: ETAG }
      : { headers: { ...HTML, ...ETAG }, body: page('Other', []) };
  const front = { body: page('Front', ['/one', '/other']) };
  const web = await webForTest({ hosts: { 'a.test': { ...companions, '/': front, '/one': one, '/other': other } } });
  const out = join(place, 'crawl');
  const run = async (afterDays: number) => {
    const items: Item[] = [];
    const clock = createShiftedClock(afterDays * DAY_MS);
    const { report, decisions } = await crawl({
      store: lmdbStore({ path: join(place, 'store'), nowMs: () => clock.nowMs() }),
      seeds: [web.url('a.test')],
      recrawl: true,
      purposes: Object.keys(companions).length === 0 ? [] : ['ai-input'],
      again: afterDays > 0,
      clock,
      out,
      handlers(crawler) {
        crawler.on('html', async (each) => {
          each.emit({ title: each.title });
          await each.follow();
        });
        if (tells) crawler.on('status:410', (each) => each.emit({ title: `missing: ${each.status}` }));
        crawler.events.on('item', (item) => void items.push(item));
      },
    });
    const decision = decisions.find(({ url }) => url === web.url('a.test', '/one'));
    return { report, items, verdict: [decision?.status, decision?.reason] };
  };
  /** The titles of items, and the reasons of tombstones. */
  const exported = async (current: boolean): Promise<string[]> => {
    const to = join(place, `items-${current}-${Math.random()}.jsonl`);
    await exportItems({ from: [out], to, current });
    const lines = (await readFile(to, 'utf8')).match(/.+/g) ?? [];
    return lines.map((line) => JSON.parse(line)).map(({ title, removed }) => title ?? removed);
  };
  return { run, exported };
}

const usual = ({ headers }: WebRequest, title = 'One', more = ''): ReplyParts =>
  headers['if-none-match'] === ETAG.etag
    ? { status: 304, headers: ETAG }
    : { headers: { ...HTML, ...ETAG }, body: page(title, [], more) };

describe('items of a page', () => {
  it.each([
    ['answers 410', { status: 410 }, 'gone', ['failed', 'status-410']],
    [
      'says noindex in a meta element',
      { headers: HTML, body: page('One', [], '<meta name="robots" content="noindex">') },
      'noindex',
      ['excluded', 'noindex'],
    ],
    [
      'says noindex in a 304',
      { status: 304, headers: { ...ETAG, 'x-robots-tag': 'noindex' } },
      'noindex',
      ['excluded', 'noindex'],
    ],
  ] as const)('are removed when it %s, once', async (_, answer, removed, verdict) => {
    let now: ReplyParts | null = null;
    const { run, exported } = await site((request) => now ?? usual(request));
    const first = await run(0);
    expect(first.items).toHaveLength(3);
    now = answer;
    const second = await run(8);
    const [key = ''] = /^.*\//.exec(first.items.find(({ url }) => url.endsWith('/one'))?.id ?? '') ?? [];
    expect(second.items).toEqual([expect.objectContaining({ data: { removed }, removed })]);
    expect(second.items[0]?.id.startsWith(key)).toBe(true);
    expect(second.items[0]?.id.endsWith('/removed')).toBe(true);
    expect(second.verdict).toEqual(verdict);
    expect(await exported(false)).toEqual(expect.arrayContaining(['One', removed]));
    expect((await exported(true)).sort()).toEqual(['Front', 'Other']);
    expect((await run(16)).items).toEqual([]);
  });

  it('are removed before the handler of its 410 adds new ones, which stay', async () => {
    let now: ReplyParts | null = null;
    const { run, exported } = await site((request) => now ?? usual(request), true);
    await run(0);
    now = { status: 410 };
    const second = await run(8);
    expect(second.items.map(({ data, removed }) => removed ?? data)).toEqual(['gone', { title: 'missing: 410' }]);
    expect((await exported(true)).sort()).toEqual(['Front', 'Other', 'missing: 410']);
  });

  it('move with it once it has moved permanently, and the new URL is visited from then on', async () => {
    let now: ReplyParts | null = null;
    const { run, exported } = await site((request) => now ?? usual(request));
    await run(0);
    now = { status: 301, headers: { location: '/other' } };
    const second = await run(8);
    expect(second.items.map(({ removed }) => removed)).toEqual(['moved']);
    expect((await exported(true)).sort()).toEqual(['Front', 'Other']);
    now = { status: 301, headers: { location: '/new' } };
    expect((await run(16)).verdict).toEqual([undefined, undefined]);
  });

  it('are removed when it is missing a second time, not the first', async () => {
    let isGone = false;
    const { run } = await site((request) => (isGone ? { status: 404 } : usual(request)));
    await run(0);
    isGone = true;
    expect((await run(8)).items).toEqual([]);
    expect((await run(16)).items.map(({ removed }) => removed)).toEqual(['gone']);
    expect((await run(40)).items).toEqual([]);
  });

  it.each<[string, string, (isRefused: boolean) => Record<string, ReplyParts>]>([
    [
      'robots.txt',
      'robots-preferences',
      (isRefused) => ({
        '/robots.txt': { body: `User-agent: *\nContent-Signal: ai-input=${isRefused ? 'no' : 'yes'}\n` },
      }),
    ],
    [
      'the licence that robots.txt names',
      'license-prohibits',
      (isRefused) => ({
        '/robots.txt': { body: 'License: /terms.xml\nUser-agent: *\nDisallow: /closed\n' },
        '/terms.xml': {
          headers: { 'content-type': 'application/rsl+xml' },
          body: `<rsl xmlns="https://rslstandard.org/rsl" max-age="1"><content url="/"><license>${
            isRefused ? '<prohibits type="usage">all</prohibits>' : '<payment type="free"/>'
          }</license></content></rsl>`,
        },
      }),
    ],
  ])('are removed when %s refuses their use, without a request, and come back when it does not', async (...given) => {
    const [, reason, filesFor] = given;
    let isRefused = false;
    const files = Object.keys(filesFor(false)).map((path) => [path, () => filesFor(isRefused)[path]!] as const);
    const { run, exported } = await site((request) => usual(request), false, Object.fromEntries(files));
    expect((await run(0)).items).toHaveLength(3);
    isRefused = true;
    const second = await run(8);
    expect(second.items.map(({ removed }) => removed)).toEqual(Array(3).fill(reason));
    expect(second.verdict).toEqual(['excluded', reason]);
    expect(second.report.recrawl).toMatchObject({ visits: 0 });
    expect(await exported(true)).toEqual([]);
    expect((await run(16)).items).toEqual([]);
    isRefused = false;
    expect((await run(40)).items.map(({ removed }) => removed)).toEqual([undefined, undefined, undefined]);
    expect((await exported(true)).sort()).toEqual(['Front', 'One', 'Other']);
  });

  it('stay removed while the page forbids them, and come back when it does not, with an unconditional request', async () => {
    let tag: string | null = null;
    const { run, exported } = await site((request) => {
      const { headers, ...rest } = usual(request);
      return { ...rest, headers: { ...headers, ...(tag === null ? {} : { 'x-robots-tag': tag }) } };
    });
    await run(0);
    tag = 'noindex';
    expect((await run(8)).items.map(({ removed }) => removed)).toEqual(['noindex']);
    const third = await run(16);
    expect(third.items).toEqual([]);
    expect(third.verdict).toEqual(['excluded', 'noindex']);
    expect(third.report.recrawl).toMatchObject({ visits: 3, changed: 0 });
    expect((await exported(true)).sort()).toEqual(['Front', 'Other']);
    tag = null;
    expect((await run(24)).items.map(({ data }) => data)).toEqual([{ title: 'One' }]);
    expect((await exported(true)).sort()).toEqual(['Front', 'One', 'Other']);
    expect((await run(32)).verdict).toEqual(['fetched', 'unchanged']);
  });

  it('are replaced by those of a later visit in the current items', async () => {
    let title = 'One';
    const { run, exported } = await site((request) => usual({ ...request, headers: {} }, title));
    await run(0);
    title = 'Two';
    await run(8);
    expect((await exported(false)).sort()).toEqual(['Front', 'One', 'Other', 'Two']);
    expect((await exported(true)).sort()).toEqual(['Front', 'Other', 'Two']);
  });
});
