// The table of preferences and reservations in docs/politeness.md, signal by signal and purpose by purpose, on sites
// that are generated from its rows. The servers' log shows what was requested, the sink what was kept.

import { readFileSync } from 'node:fs';
import type { CrawlerOptions } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { rowsUnder } from '../docs/tables.js';
import { rootPath } from '../house/source-tree.js';
import { crawl } from '../support/crawl.js';
import { page, type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

type Purpose = NonNullable<CrawlerOptions['purposes']>[number];

const PURPOSES: readonly (Purpose | null)[] = [null, 'search', 'archive', 'tdm', 'other', 'ai-train', 'ai-input'];
const HEADING = '## Preferences and reservations';
const TABLE = rowsUnder(readFileSync(`${rootPath}docs/politeness.md`, 'utf8'), HEADING).map(({ words, cells }, at) => ({
  host: `row${at}.test`,
  signal: words[0] ?? '',
  place: /in (robots\.txt|the response|tdmrep\.json)$/.exec(cells[0] ?? '')?.[1] ?? 'nowhere',
  cells: cells.slice(1),
}));

/** A site with one signal in one place. */
function siteWith(signal: string, place: string): Routes {
  const [name = '', value = ''] = signal.split(': ');
  const headers = { 'content-type': 'text/html', ...(place === 'the response' ? { [name]: value } : {}) };
  const reserved = JSON.stringify([{ location: '/', [name]: Number(value) }]);
  return {
    '/robots.txt': text(`User-agent: *\nDisallow: /no\n${place === 'robots.txt' ? `${signal}\n` : ''}`),
    '/.well-known/tdmrep.json': place === 'tdmrep.json' ? text(reserved) : { status: 404 },
    '/': { headers, body: page('start', ['/1', '/no']) },
    '/1': { headers, body: page('one') },
  };
}

/** What each word of the table means for requests, decisions and items. */
const MEANING: Readonly<Record<string, { status: string; pages: readonly string[]; items: number }>> = {
  kept: { status: 'fetched', pages: ['/', '/1'], items: 2 },
  'not kept': { status: 'excluded', pages: ['/', '/1'], items: 0 },
  'not requested': { status: 'excluded', pages: [], items: 0 },
};

function reasonOf(cell: string, signal: string): string {
  if (cell === 'kept') return 'fetched';
  if (cell === 'not requested') return 'robots-preferences';
  return /^tdm-/i.test(signal) ? 'tdm-reserved' : 'preferences';
}

describe('the table of preferences in docs/politeness.md', () => {
  it('has rows for each place, and a cell for each purpose', () => {
    expect(new Set(TABLE.map(({ place }) => place))).toEqual(new Set(['robots.txt', 'the response', 'tdmrep.json']));
    expect(TABLE.every(({ cells }) => cells.length === PURPOSES.length)).toBe(true);
  });

  it.each(PURPOSES.map((purpose) => ({ purpose })))('is what happens: purpose $purpose', async ({ purpose }) => {
    const web = await webForTest({
      hosts: Object.fromEntries(TABLE.map(({ host, signal, place }) => [host, siteWith(signal, place)])),
    });
    const seeds = TABLE.flatMap(({ host }) => [web.url(host), web.url(host, '/1')]);
    const { decisions, items } = await crawl({ seeds, ...(purpose === null ? {} : { purposes: [purpose] }) });
    for (const { host, signal, place, cells } of TABLE) {
      const cell = cells[PURPOSES.indexOf(purpose)] ?? '';
      const row = `${signal} in ${place}, ${purpose}: ${cell}`;
      const { status, pages, items: count } = MEANING[cell]!;
      expect(
        web.paths(host).filter((path) => !/robots|tdmrep/.test(path)),
        row,
      ).toEqual(pages);
      expect(
        items.filter(({ url }) => new URL(url).hostname === host),
        row,
      ).toHaveLength(count);
      const found = decisions.filter(({ url }) => seeds.includes(url) && new URL(url).hostname === host);
      const verdicts = new Set(found.map((each) => `${each.status} ${each.reason}`));
      expect([...verdicts], row).toEqual([`${status} ${reasonOf(cell, signal)}`]);
    }
  });

  it('with several purposes, a page is not requested if robots.txt refuses all of them, otherwise not kept', async () => {
    const some = siteWith('Content-Usage: train-ai=n', 'robots.txt');
    const all = siteWith('Content-Signal: ai-train=no, search=no', 'robots.txt');
    const web = await webForTest({ hosts: { 'some.test': some, 'all.test': all } });
    const seeds = [web.url('some.test'), web.url('all.test')];
    const { items, decisions } = await crawl({ seeds, purposes: ['ai-train', 'search'] });
    expect(items).toEqual([]);
    expect(web.paths('some.test').at(-1)).toBe('/1');
    // What a file says about uses is read, whatever it may be used for.
    expect(web.paths('all.test')).toEqual(['/robots.txt', '/.well-known/tdmrep.json']);
    const reasons = seeds.map((seed) => decisions.find(({ url }) => url === seed)?.reason);
    expect(reasons).toEqual(['preferences', 'robots-preferences']);
  });
});
