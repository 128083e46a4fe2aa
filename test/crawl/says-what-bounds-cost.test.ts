// A run that lost URLs to a bound says so: in its state, with the bound and the number. At stake: a list of which only
// a part was crawled, and "Finished: nothing is left to fetch".

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCrawlDirectory } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawlVirtually } from '../support/virtual-crawl.js';

/** A list of `pages` pages, each linked to the next and to a leaf. */
function list(pages: number) {
  const html = (...links: string[]) =>
    `<!doctype html>${links.map((link) => `<a href="${link}">${link}</a>`).join('')}`;
  return Object.fromEntries([
    ...Array.from({ length: pages }, (_, at) => [at === 0 ? '/' : `/p${at}`, html(`/p${at + 1}`, `/leaf${at}`)]),
    ...Array.from({ length: pages }, (_, at) => [`/leaf${at}`, html()]),
    [`/p${pages}`, html()],
  ]);
}

const site = (pages: number) => ({ hosts: { 'a.test': { pages: list(pages) } }, seeds: ['http://a.test/'] });

describe('the state is `bounded`', () => {
  it.each([
    ['bounds.depth', { pages: 500, depth: 3 }, 2],
    ['bounds.pagesPerHost', { pages: 500, pagesPerHost: 4 }, undefined],
    ['bounds.queuedUrls', { pages: 500, queuedUrls: 1, onFull: 'drop' as const }, undefined],
  ])('for URLs dropped by %s', async (bound, bounds, dropped) => {
    const { report, decisions } = await crawlVirtually({ ...site(12), bounds });
    const lost = decisions.filter(({ status }) => status === 'dropped').length;
    expect(lost).toBeGreaterThan(0);
    if (dropped !== undefined) expect(lost).toBe(dropped);
    expect(report).toMatchObject({ state: 'bounded', bound: null, bounds: [{ bound, dropped: lost, left: 0 }] });
  });

  it('for what is queued when a bound ends the crawl, whether its host waits or not', async () => {
    const { report, decisions } = await crawlVirtually({ ...site(12), bounds: { pages: 5 } });
    const held = decisions.filter(({ status }) => status === 'held');
    expect(held.length).toBe(report.queued);
    expect(held.length).toBeGreaterThan(0);
    expect(new Set(held.map(({ reason }) => reason))).toEqual(new Set(['bound-pages']));
    expect(report).toMatchObject({
      state: 'bounded',
      bound: 'pages',
      bounds: [{ bound: 'bounds.pages', dropped: 0, left: held.length }],
    });
  });

  it('never for a crawl that got everything', async () => {
    const { report, decisions } = await crawlVirtually(site(12));
    expect(report).toMatchObject({ state: 'finished', bound: null, bounds: [], queued: 0 });
    expect(decisions).toHaveLength(25);
  });
});

it('a run that continues gives held URLs their final status, and is no longer bounded', async () => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-bounds-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const options = { ...site(12), out, store: undefined as never };
  await crawlVirtually({ ...options, bounds: { pages: 5 } });
  const { report } = await crawlVirtually({ ...options, bounds: { pages: 500 } });
  expect(report).toMatchObject({ state: 'finished', bounds: [], resumed: true });
  expect(report.outcomes).toEqual({ fetched: { fetched: 25 } });
  expect((await readCrawlDirectory(out)).path).toBe(out);
});

describe('links past `bounds.queuedUrls`', () => {
  const bounds = { pages: 500, queuedUrls: 1 };

  it('are written to the store of a crawl directory, and nothing is lost', async () => {
    const out = await mkdtemp(join(tmpdir(), 'mannerly-bounds-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const { report } = await crawlVirtually({ ...site(12), out, store: undefined as never, bounds });
    expect(report).toMatchObject({ state: 'finished', bounds: [], outcomes: { fetched: { fetched: 25 } } });
  });

  it.each([
    ['where there is no directory', {}],
    ['where the crawl wants it', { onFull: 'drop' as const, out: 'a directory' }],
  ])('are dropped, and reported, %s', async (_, { out: asked, ...wanted }: { out?: string; onFull?: 'drop' }) => {
    const out = asked === undefined ? undefined : await mkdtemp(join(tmpdir(), 'mannerly-bounds-'));
    if (out !== undefined) onTestFinished(() => rm(out, { recursive: true, force: true }));
    const directory = out === undefined ? {} : { out };
    const crawl = { ...site(12), ...directory, store: undefined as never, bounds: { ...bounds, ...wanted } };
    const { report } = await crawlVirtually(crawl);
    expect(report).toMatchObject({ state: 'bounded', bounds: [{ bound: 'bounds.queuedUrls', left: 0 }] });
    expect(report.bounds[0]?.dropped).toBeGreaterThan(0);
  });
});
