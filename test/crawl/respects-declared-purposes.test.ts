// A crawl declares its purposes: what robots.txt refuses for all of them is not fetched; what tdmrep.json or a page
// reserves is fetched and kept out of the sinks.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { type FakeRoute, fakeRedirect } from 'mannerly/testing';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('does not fetch what robots.txt refuses for every declared purpose', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /free/ train-ai=y\n'),
        '/': page('start'),
        '/free/': page('free', ['/kept/x', '/free/y']),
        '/free/y': page('free too'),
        '*': page('never asked for'),
      },
    },
  });
  const { report, itemUrls } = await crawl({
    seeds: [web.url('a.test', '/free/')],
    purposes: ['ai-train'],
    tdm: 'off',
  });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/free/', '/free/y']);
  expect(report.outcomes['excluded']).toEqual({ 'robots-preferences': 1 });
  expect(itemUrls).toHaveLength(2);
});

it('requests tdmrep.json before the first page, and keeps what it reserves out of the sinks', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /x\n'),
        '/.well-known/tdmrep.json': text(
          '[{"location":"/art/","tdm-reservation":1,"tdm-policy":"/policy.json"},{"location":"/","tdm-reservation":0}]',
        ),
        '/': page('start', ['/art/1', '/news/1']),
        '/art/1': page('reserved'),
        '/news/1': page('free'),
      },
    },
  });
  const { report, itemUrls, decisions } = await crawl({ seeds: [web.url('a.test')], purposes: ['tdm'] });
  expect(web.paths('a.test').slice(0, 3)).toEqual(['/robots.txt', '/.well-known/tdmrep.json', '/']);
  // The policy is reported, not requested (docs/decisions/0041).
  expect(decisions.map(({ detail }) => detail)).toContain(`tdmrep: ${web.url('a.test', '/policy.json')}`);
  expect(web.paths('a.test')).not.toContain('/policy.json');
  expect([...itemUrls].sort()).toEqual([web.url('a.test'), web.url('a.test', '/news/1')].sort());
  expect(report.outcomes['excluded']).toEqual({ 'tdm-reserved': 1 });
});

it('requests no file besides robots.txt when no purpose needs it', async () => {
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text('User-agent: *\nDisallow: /x\n'), '/': page('start') } },
  });
  await crawl({ seeds: [web.url('a.test')], purposes: ['search'] });
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/']);
});

const ROBOTS = 'User-agent: *\nDisallow: /x\n';
const MINED = { '/': page('start', ['/1']), '/1': page('one') };
const TDMREP = '/.well-known/tdmrep.json';
/** A crawl for data mining of a host whose pages are known, and whose tdmrep.json is this. */
const mined = (tdmrep: FakeRoute, robots = ROBOTS) =>
  crawlVirtually({
    seeds: ['https://a.test/'],
    hosts: { 'https://a.test': { robots, pages: { ...MINED, [TDMREP]: tdmrep } } },
    purposes: ['tdm'],
    maxIdleMs: 720_000,
  });

it('keeps everything out while the reservation is unknown because tdmrep.json fails', async () => {
  const { itemUrls, paths, decisions } = await mined({ status: 500 });
  expect(decisions.find(({ reason }) => reason === 'tdm-reserved')?.detail).toContain('not received');
  expect(paths('a.test').slice(-2)).toEqual(['/', '/1']);
  expect(itemUrls).toEqual([]);
});

it.each([{ status: 500 }, { status: 503 }, { failure: 'reset' } as const])(
  'requests no page before a tdmrep.json that is tried again: %j',
  async (failure) => {
    const { itemUrls, paths } = await mined(({ before }) => (before === 0 ? failure : '[]'));
    expect(paths('a.test')).toEqual(['/robots.txt', TDMREP, TDMREP, '/', '/1']);
    expect(itemUrls).toHaveLength(2);
  },
);

it.each([
  ['[]', ROBOTS, 2],
  ['[{"location":"/1","tdm-reservation":1}]', ROBOTS, 1],
  // That host keeps the answer from us: what the site reserves is unknown.
  ['[]', 'User-agent: *\nDisallow: /\n', 0],
])('follows a tdmrep.json to another host before the first page: %s, %j', async (rules, robots, kept) => {
  const moved = { [TDMREP]: fakeRedirect('https://rights.test/tdm.json') };
  const { itemUrls, log, decisions } = await crawlVirtually({
    seeds: ['https://a.test/'],
    hosts: {
      'https://a.test': { robots: ROBOTS, pages: { ...MINED, ...moved } },
      'https://rights.test': { robots, pages: { '/tdm.json': rules } },
    },
    purposes: ['tdm'],
  });
  const paths = log.map(({ path }) => path);
  expect(paths.indexOf('/')).toBeGreaterThan(paths.indexOf('/tdm.json'));
  expect(itemUrls).toHaveLength(kept);
  expect(decisions.filter(({ reason }) => reason === 'tdm-reserved')).toHaveLength(2 - kept);
});

it('keeps pages of a site that disallows its tdmrep.json', async () => {
  const { itemUrls, paths } = await mined('[]', 'User-agent: *\nDisallow: /.well-known/\n');
  expect(paths('a.test')).toEqual(['/robots.txt', '/', '/1']);
  expect(itemUrls).toHaveLength(2);
});

it('reads what a site reserves even if robots.txt refuses each purpose for the files that say so', async () => {
  const robots = 'License: /l.xml\nUser-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /free/ train-ai=y\n';
  const reserved = { [TDMREP]: '[{"location":"/free/","tdm-reservation":1}]' };
  const paid = '<content url="/free/"><license><payment type="crawl"/></license></content>';
  const { decisions } = await crawlVirtually({
    seeds: ['https://a.test/free/', 'https://b.test/free/'],
    hosts: {
      'https://a.test': { robots: robots.replace(/.*/, ''), pages: { '/free/': page('free'), ...reserved } },
      'https://b.test': { robots, pages: { '/l.xml': `<rsl xmlns="https://rslstandard.org/rsl">${paid}</rsl>` } },
    },
    purposes: ['ai-train'],
  });
  const reasons = decisions.filter(({ url }) => url.endsWith('/free/')).map(({ reason, detail }) => [reason, detail]);
  expect(reasons).toEqual([
    ['tdm-reserved', 'tdmrep'],
    ['license', expect.stringContaining('payment')],
  ]);
});

it('requests tdmrep.json again in a later run, and removes what it reserves since', async () => {
  const place = await mkdtemp(join(tmpdir(), 'mannerly-purposes-'));
  onTestFinished(() => rm(place, { recursive: true, force: true, maxRetries: 5 }));
  let rules = '[]';
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text(ROBOTS), [TDMREP]: () => text(rules), '/': page('start') } },
  });
  const run = async (days: number) => {
    const clock = createShiftedClock(days * 86_400_000);
    const store = lmdbStore({ path: join(place, 'store'), nowMs: () => clock.nowMs() });
    const again = { recrawl: true, again: days > 0, clock, store, purposes: ['tdm'] } as const;
    const { items } = await crawl({ seeds: [web.url('a.test')], ...again });
    return items.map(({ removed }) => removed ?? 'item');
  };
  expect(await run(0)).toEqual(['item']);
  rules = '[{"location":"/","tdm-reservation":1}]';
  expect(await run(10)).toEqual(['tdm-reserved']);
  expect(web.paths('a.test')).toEqual(['/robots.txt', TDMREP, '/', '/robots.txt', TDMREP, '/']);
});

// Stores differ in the duration of a commit: with a directory, pages used to be requested before the file.
it('requests no page before the tdmrep.json of its site has been read, its redirects included', async () => {
  const names = Array.from({ length: 6 }, (_, at) => `h${at}.test`);
  const pages = { '/': page('home', ['/1', '/2']), '/1': page('1', []), '/2': page('2', []) };
  const moved = { '/.well-known/tdmrep.json': { status: 302, headers: { location: '/rights' } } };
  const web = await webForTest({
    hosts: Object.fromEntries(
      names.map((name, at) => [
        name,
        { '/robots.txt': 'User-agent: *\nDisallow: /x\n', ...pages, ...(at % 2 === 0 ? {} : moved) },
      ]),
    ),
  });
  const base = await mkdtemp(join(tmpdir(), 'mannerly-purposes-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const seeds = names.map((name) => web.url(name));
  const { decisions, report } = await crawl({ seeds, purposes: ['tdm'], out: join(base, 'crawl') });
  expect(decisions.filter(({ reason }) => reason === 'tdm-reserved')).toEqual([]);
  expect(report.pages).toBe(3 * names.length);
  for (const name of names) {
    const paths = web.log.filter(({ host }) => host === name).map(({ path }) => path);
    expect(paths.indexOf('/'), paths.join(' ')).toBe(paths.includes('/rights') ? 3 : 2);
  }
});
