// Where a licence is named, and which one counts: the vectors of licensing §13 about places, on loopback sites, by the
// servers' own log. A licence that only the page names cannot prevent the page's request; it decides what is kept.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { createUndiciFetcher, type Fetcher } from 'mannerly';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl, type TestCrawlOptions } from '../support/crawl.js';
import { createShiftedClock } from '../support/test-clocks.js';
import { page, type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const RSL = 'https://rslstandard.org/rsl';
const document = (license: string, url = '/') =>
  `<rsl xmlns="${RSL}"><content url="${url}"><license>${license}</license></content></rsl>`;
const rsl = (license: string) => text(document(license));
const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';
const NOTHING = '<prohibits type="usage">all</prohibits>';
const CREDIT = '<payment type="attribution"/>';
const TYPE = 'application/rsl+xml';
const LINK_WITH_CHARSET = `</l.xml>; rel="license"; type="${TYPE}; charset=utf-8"`;
const NO_TDM = { '/.well-known/tdmrep.json': { status: 404 } };
const html = (body: string, headers: Readonly<Record<string, string>> = {}) => ({
  body,
  headers: { 'content-type': 'text/html', ...headers },
});

/** Crawls sites, each with a page `/next`, for AI training in one run. Returns the result of each. */
async function licensedAll<Name extends string>(sites: Record<Name, Routes>, options: Partial<TestCrawlOptions> = {}) {
  const open = { '/robots.txt': text('User-agent: *\nDisallow: /no\n'), ...NO_TDM, '/next': page('next') };
  const entries = Object.entries<Routes>(sites).map(
    ([name, routes]) => [`${name}.test`, { ...open, ...routes }] as const,
  );
  const web = await webForTest({ hosts: Object.fromEntries(entries) });
  const seeds = entries.map(([host]) => web.url(host));
  const story = await crawl({ seeds, purposes: ['ai-train'], ...options });
  const isOf = (host: string, url: string) => new URL(url).hostname === host && !url.includes('.well-known');
  const results = entries.map(([host], at) => {
    const items = story.items.filter(({ url }) => isOf(host, url));
    const decisions = story.decisions.filter(({ url }) => isOf(host, url));
    const result = {
      start: seeds[at]!,
      items,
      decisions,
      verdicts: decisions.map(({ url, status, reason }) => `${new URL(url).pathname} ${status} ${reason}`).sort(),
      licenses: items.map(({ license }) => license?.outcome ?? null),
      paths: web.paths(host).filter((path) => !path.includes('tdmrep')),
      terms: story.notices.flatMap(({ host: of, code, detail }) =>
        of === host && code === 'license-terms' ? detail : [],
      ),
      conflicts: story.notices.filter((notice) => notice.host === host && notice.code === 'license-conflict'),
    };
    return [host.replace('.test', ''), result] as const;
  });
  return Object.fromEntries(results) as Record<Name, (typeof results)[number][1]>;
}

/** The same for one site. */
async function licensed(routes: Routes, options: Partial<TestCrawlOptions> = {}) {
  const { a } = await licensedAll({ a: routes }, options);
  return a;
}

describe('a licence that robots.txt names', () => {
  it('is not read for what robots.txt disallows, whatever it permits (vector 1)', async () => {
    const { verdicts, paths } = await licensed(
      {
        '/robots.txt': text('User-agent: *\nDisallow: /\nLicense: /l.xml\n'),
        '/l.xml': rsl('<permits type="usage">all</permits>'),
      },
      { purposes: ['search'] },
    );
    expect(verdicts).toEqual(['/ excluded robots-rule']);
    expect(paths).toEqual(['/robots.txt']);
  });

  it('applies only to the crawlers of its group, or to others if it is the file’s, and to all after a blank line', async () => {
    const file = (name: string) =>
      text(['License: /l1.xml', `User-agent: ${name}`, 'Disallow: /no', 'License: /l2.xml', ''].join('\n'));
    const parted = text('User-agent: mybot\nDisallow:\n\nLicense: /l2.xml\n');
    const more = { '/l1.xml': rsl(''), '/l2.xml': rsl(CREDIT), '/': page('start', ['/next']) };
    const { vector2, vector3, vector4 } = await licensedAll({
      vector2: { '/robots.txt': file('test-bot'), ...more },
      vector3: { '/robots.txt': file('mybot'), ...more },
      vector4: { '/robots.txt': parted, ...more },
    });
    expect(vector2.paths).toEqual(['/robots.txt', '/l2.xml', '/', '/next']);
    expect(vector2.licenses).toEqual(['attribution', 'attribution']);
    expect(vector3.paths).toEqual(['/robots.txt', '/l1.xml', '/', '/next']);
    expect(vector3.licenses).toEqual(['free', 'free']);
    expect(vector4).toMatchObject({ paths: vector2.paths, licenses: vector2.licenses });
  });

  it('is unreadable if it has no https URL, and is not requested (C2)', async () => {
    const { verdicts, paths, decisions } = await licensed({
      '/robots.txt': text('License: http://elsewhere.test/l.xml\nLicense: ftp://a.test/l.xml\n'),
      '/': page('start'),
    });
    expect(verdicts).toEqual(['/ held license']);
    expect(decisions.find(({ reason }) => reason === 'license')?.detail).toContain('unreadable');
    expect(paths).toEqual(['/robots.txt']);
  });
});

describe('a licence that a page names', () => {
  const link = (type = TYPE) => `<link rel="license" type="${type}" href="/l.xml">`;
  it.each([
    ['by Link', html(page('a', ['/next']), { link: `<x>; rel=next, </l.xml>; rel="license"; type="${TYPE}"` })],
    ['by a Link whose type has a parameter', html(page('a', ['/next']), { link: LINK_WITH_CHARSET })],
    ['by a link in its head', html(page('a', ['/next'], link()))],
    ['by a link whose type has a parameter', html(page('a', ['/next'], link(`${TYPE}; charset=utf-8`)))],
    ['by a link in its body, of a part of it', html(`<body><article>${link()}</article><a href="/next">n</a>`)],
  ])('%s, keeps it out of the sinks and lets its links be followed', async (_, start) => {
    const { verdicts, paths, items, decisions } = await licensed({ '/': start, '/l.xml': rsl(PRICE) });
    expect(paths).toEqual(['/robots.txt', '/', '/l.xml', '/next']);
    expect(verdicts).toEqual(['/ held license', '/next fetched fetched']);
    expect(items.map(({ url }) => new URL(url).pathname)).toEqual(['/next']);
    expect(decisions.find(({ reason }) => reason === 'license')?.detail).toContain('payment 0.015 USD');
  });

  it('by a script, says its terms there, and what it prohibits takes the links with it', async () => {
    const script = (license: string) => `<script type="${TYPE}">${document(license, '')}</script>`;
    const { refused, credited } = await licensedAll({
      refused: { '/': html(page('a', ['/next'], script(NOTHING))) },
      credited: { '/': html(page('a', ['/next'], script(CREDIT))) },
    });
    expect(refused.verdicts).toContain('/ excluded license-prohibits');
    expect(refused.paths).toEqual(['/robots.txt', '/']);
    expect(credited.items[0]?.license).toMatchObject({ document: credited.start, outcome: 'attribution' });
  });

  it('is unreadable if elements nest without end, and then gives no permission', async () => {
    const { verdicts, decisions } = await licensed({
      '/': html(page('a', [], `${'<b></i>'.repeat(5_000)}${link()}`)),
      '/l.xml': rsl(CREDIT),
    });
    expect(verdicts).toEqual(['/ held license']);
    expect(decisions.find(({ reason }) => reason === 'license')?.detail).toContain('unreadable');
  });

  it('without the type of RSL is an ordinary link, and has no effect (C1)', async () => {
    const creative = html(page('a', ['/next'], `${link('text/html')}<link rel="license" href="/cc">`), {
      link: '</l.xml>; rel="license"',
    });
    const { paths, licenses } = await licensed({ '/': creative, '/l.xml': rsl(NOTHING) });
    expect(paths).toEqual(['/robots.txt', '/', '/next']);
    expect(licenses).toEqual([null, null]);
  });

  it('counts in the fetched document and in the DOM of a browser', async () => {
    const bare = page('opened');
    const browser: NonNullable<Fetcher['renderer']> = {
      wants: () => true,
      render: async ({ url }) => {
        const subresources = { loaded: 0, bytes: 0, refused: {}, refusals: [] };
        return { kind: 'rendered', html: bare, url, endedBy: 'quiet', subresources };
      },
    };
    const routes = { '/': html(page('a', [], link())), '/l.xml': rsl(PRICE) };
    const { verdicts } = await licensed(routes, { fetcher: { ...createUndiciFetcher(), renderer: browser } });
    expect(verdicts).toEqual(['/ held license']);
  });
});

describe('of a licence of the page and one of the file', () => {
  const both = (ofPage: string, ofFile: string): Routes => ({
    '/robots.txt': text('License: /file.xml\n'),
    '/file.xml': text(ofFile),
    '/page.xml': text(ofPage),
    '/': html(page('a'), { link: `</page.xml>; rel="license"; type="${TYPE}"` }),
  });

  it('the page’s counts and the difference is reported, and no terms are lost if the page’s is silent', async () => {
    const { differ, silent, tofile, topage } = await licensedAll({
      differ: both(document(CREDIT), document('')),
      silent: both(document(PRICE, '/elsewhere'), document(CREDIT)),
      tofile: both(document(''), document(NOTHING)),
      topage: both(document(NOTHING), document('')),
    });
    expect(differ.licenses).toEqual(['attribution']);
    expect(differ.conflicts.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/page\.xml: attribution, .*file\.xml: free, .*robots\.txt$/),
    ]);
    expect(silent).toMatchObject({ licenses: ['attribution'], conflicts: [] });
    // Neither licence permits what the other prohibits.
    expect(tofile.paths).toEqual(['/robots.txt', '/file.xml']);
    for (const { verdicts, items } of [tofile, topage]) {
      expect(verdicts).toEqual(['/ excluded license-prohibits']);
      expect(items).toEqual([]);
    }
  });
});

/** Crawls a page of one host repeatedly, each time for a purpose. The page answers 304 if it can. */
async function crawledAgain(routes: Routes, headers: Readonly<Record<string, string>> = {}, later = headers) {
  const place = await mkdtemp(join(tmpdir(), 'mannerly-licence-again-'));
  onTestFinished(() => rm(place, { recursive: true, force: true, maxRetries: 5 }));
  const start: Routes['/'] = ({ headers: { 'if-none-match': tag } }) =>
    tag === undefined
      ? html(page('a'), { etag: '"1"', ...headers })
      : { status: 304, headers: { etag: tag, ...later } };
  const robots = text('User-agent: *\nDisallow: /no\n');
  const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': robots, ...routes, '/': start } } });
  return async (afterDays: number, purpose: 'archive' | 'ai-train') => {
    const clock = createShiftedClock(afterDays * 86_400_000);
    const store = lmdbStore({ path: join(place, 'store'), nowMs: () => clock.nowMs() });
    const again = { recrawl: true, again: afterDays > 0, clock, store, purposes: [purpose] } as const;
    const { decisions, items } = await crawl({ seeds: [web.url('a.test')], ...again });
    const decision = decisions.find(({ url }) => url === web.url('a.test'));
    const verdict = `${decision?.status} ${decision?.reason} ${decision?.httpStatus}`;
    return { verdict, items: items.map(({ removed }) => removed ?? 'item') };
  };
}

const named = { link: `</l.xml>; rel="license"; type="${TYPE}"` };

it('a licence that a 304 names counts, and items that were kept of the page are removed', async () => {
  const run = await crawledAgain({ '/l.xml': rsl(NOTHING) }, {}, named);
  expect((await run(0, 'archive')).items).toEqual(['item']);
  expect(await run(10, 'archive')).toEqual({ verdict: 'excluded license-prohibits 304', items: ['license-prohibits'] });
});

it('a licence that a 304 leaves out is read again where the page named it', async () => {
  const run = await crawledAgain({ '/l.xml': rsl('<prohibits type="usage">ai-train</prohibits>') }, named, {});
  expect((await run(0, 'archive')).items).toEqual(['item']);
  expect(await run(10, 'archive')).toEqual({ verdict: 'fetched unchanged 304', items: [] });
  expect(await run(20, 'ai-train')).toEqual({
    verdict: 'excluded license-prohibits 304',
    items: ['license-prohibits'],
  });
});

it('a document that is not read, since the crawl has no purpose, contradicts nothing, and the report says why', async () => {
  const own = `<script type="${TYPE}">${document(CREDIT)}</script>`;
  const { terms, conflicts, paths } = await licensed(
    { '/robots.txt': text('License: /l.xml\nUser-agent: *\n'), '/': html(own) },
    { purposes: [] },
  );
  expect(paths).not.toContain('/l.xml');
  expect(terms[0]).toMatch(/l\.xml: unread, because the crawl declares no purpose \(`purposes`, --purpose\)$/);
  expect(conflicts).toEqual([]);
});

describe('a page that answers 304 is handled in the next crawl that its licence allows', () => {
  it('after one that it prohibited', async () => {
    const run = await crawledAgain({ '/l.xml': rsl('<prohibits type="usage">ai-train</prohibits>') }, named);
    expect((await run(0, 'archive')).items).toEqual(['item']);
    expect((await run(10, 'ai-train')).items).toEqual(['license-prohibits']);
    expect((await run(20, 'ai-train')).items).toEqual([]);
    expect((await run(30, 'archive')).items).toEqual(['item']);
    expect((await run(40, 'archive')).verdict).toBe('fetched unchanged 304');
  });

  it('after one that it asked a price of', async () => {
    const run = await crawledAgain({ '/l.xml': rsl(`<permits type="usage">ai-all</permits>${PRICE}`) }, named);
    expect(await run(0, 'ai-train')).toEqual({ verdict: 'held license 200', items: [] });
    expect(await run(10, 'archive')).toEqual({ verdict: 'fetched fetched 200', items: ['item'] });
    // Its kept items remain while the licence holds the page.
    expect(await run(20, 'ai-train')).toEqual({ verdict: 'held license 304', items: [] });
    expect(await run(30, 'archive')).toEqual({ verdict: 'fetched unchanged 304', items: [] });
  });
});
