// At stake: an endless space that is followed for ever, or a real page that is taken for a part of one.

import { parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { describe, expect, it } from 'vitest';
import { pageFingerprint } from './page-fingerprint.js';
import type { ResolvedTrapOptions, TrapFinding } from './trap-rules.js';
import { urlLoop } from './trap-rules.js';
import { Traps } from './traps.js';

const DEFAULTS: ResolvedTrapOptions = {
  action: 'drop',
  maxSimilarPages: 128,
  maxPathSegments: 32,
  maxQueryParameters: 32,
};

describe('a URL whose shape shows a trap', () => {
  it.each<[string, string | null]>([
    ['/a/b/a/b/a/b/', 'repeating-path'],
    ['/a/b/a/b/', null],
    ['/img/img/img/logo.html', 'repeating-path'],
    ['/img/img/logo.html', null],
    ['/x/about/y/about/z/about/w/about', 'repeating-path'],
    ['/x/about/y/about/z/about/', null],
    ['/one/two/three/four/one/two/three/four/one/two/three/four', 'repeating-path'],
    // Dates, tiles and hashed folders.
    ['/2011/11/11/11', null],
    ['/tiles/0/0/0', null],
    ['/0/0/0/0/0/0', null],
    ['/pool/a/a/a/apt.html', null],
    ['/a/a/a/a/x', 'repeating-path'],
    [`/${'d/e/f/g/'.repeat(2)}x`, null],
    [`/${Array.from({ length: 32 }, (_, at) => `s${at}`).join('/')}`, null],
    [`/${Array.from({ length: 33 }, (_, at) => `s${at}`).join('/')}`, 'long-path'],
    ['/x?a=1&a=1&a=1', 'repeating-query'],
    ['/x?a=1&a=2&a=3&a=4', null],
    ['/x?a=1&a=1&b=1', null],
    [`/x?${Array.from({ length: 32 }, (_, at) => `p${at}=1`).join('&')}`, null],
    [`/x?${Array.from({ length: 33 }, (_, at) => `p${at}=1`).join('&')}`, 'long-query'],
    ['/library/xml.etree.elementtree.html', null],
    ['/api/com/example/util/impl/util/com/Example.html', null],
  ])('%s: %s', (path, rule) => {
    expect(urlLoop(parseUrlParts(`https://a.test${path}`) as UrlParts, DEFAULTS)?.rule ?? null).toBe(rule);
  });
});

describe('what a page says', () => {
  const page = (body: string) => pageFingerprint(Buffer.from(`<!doctype html><title>Calendar</title><body>${body}`));
  const november = page('<h1>November 2026</h1><a href="/2026/12">December</a>');

  it.each([
    ['another month', '<h1>May 1999</h1><a href="/1999/06">June</a>'],
    ['other white space and order', '<a href="/x">\n December</a> <h1> 2026 November</h1>'],
    ['a script and a comment', '<script>let a = "words"</script><!-- words --><h1>November</h1><a>December</a>'],
    ['a style', '<STYLE>.words{}</STYLE><h1>November</h1>'],
    ['a token no one can read', '<h1>November x8f3k2</h1><p>qwrtzpsdfg</p>'],
    ['a path in its text', '<h1>November</h1><a href="/q">/some/words?more=words</a>'],
    ['a comment that never ends', '<h1>November</h1><!-- words'],
  ])('is the same with %s', (_name, body) => {
    expect(page(body)).toBe(november);
  });

  it.each([
    ['one more word', '<h1>November 2026</h1><a>December</a> concert'],
    ['a word twice', '<h1>November 2026</h1>concert concert'],
    ['an image', '<h1>November 2026</h1><img src="/photo/17.jpg">'],
    ['a word of another alphabet', '<h1>November 2026</h1>\u03bb\u03cc\u03b3\u03bf\u03c2'],
  ])('is different with %s', (_name, body) => {
    expect(page(body)).not.toBe(november);
  });

  it('distinguishes two images by their path, not by their query', () => {
    expect(page('<img src="/1.jpg?r=1">')).toBe(page('<img  src=/1.jpg?r=2>'));
    expect(page('<img src="/1.jpg">')).not.toBe(page('<img src="/2.jpg">'));
  });

  it('continues after a script whose tag is in capitals, or that never ends', () => {
    for (const script of ['<SCRIPT>var a</SCRIPT>', '<Script>var a</SCRIPT>', '<script>var a']) {
      expect(page(`${script}<h1>river</h1>`)).not.toBe(page(`${script}<h1>meadow</h1>`));
    }
  });

  it('uses the first million bytes', () => {
    const long = 'river '.repeat(250_000);
    expect(page(`${long}meadow`)).toBe(page(`${long}harbour`));
  });

  it('is a number for any input', () => {
    for (const text of ['', '<', '<!--', '<script', '</', '<img', '\u0000', '<a href="'.repeat(10_000)]) {
      expect(Number.isSafeInteger(pageFingerprint(Buffer.from(text)))).toBe(true);
    }
  });
});

/** Walks a site as a crawl does: breadth first. The watch judges a URL when it is found and when it is taken. */
function walk(
  start: readonly string[],
  site: (url: string) => { readonly html: string; readonly links: readonly string[] },
  more: { readonly options?: Partial<ResolvedTrapOptions>; readonly traps?: Traps; readonly maxPages?: number } = {},
) {
  const traps = more.traps ?? new Traps({ ...DEFAULTS, ...more.options });
  const known = new Set(start);
  const queue: { url: string; from: string | null }[] = start.map((url) => ({ url, from: null }));
  const fetched: string[] = [];
  const dropped: string[] = [];
  const closed: TrapFinding[] = [];
  for (
    let next = queue.shift();
    next !== undefined && fetched.length < (more.maxPages ?? 3_000);
    next = queue.shift()
  ) {
    const { url, from } = next;
    if (traps.findTrap(url, from) !== null) {
      dropped.push(url);
      continue;
    }
    fetched.push(url);
    const { html, links } = site(url);
    if (traps.shouldCompare(url, from)) closed.push(...traps.read(url, from, Buffer.from(html)));
    for (const link of links) {
      if (known.has(link)) continue;
      if (traps.findTrap(link, url) !== null) {
        dropped.push(link);
        continue;
      }
      known.add(link);
      traps.queued({ url: link, from: url, depth: 1, via: 'link' });
      queue.push({ url: link, from: url });
    }
  }
  return { fetched, dropped, closed, traps };
}

const numberOf = (url: string) => Number(/\d+/.exec(new URL(url).pathname)?.[0] ?? 0);
/** A number that looks unrelated to its argument. */
const scattered = (number: number) =>
  (Math.imul(number + 1, 2_654_435_761) ^ (Math.imul(number + 7, 40_503) >>> 9)) >>> 4;
const item = (number: number) => `https://a.test/item/${number}`;

describe('the watch', () => {
  const counter = (url: string) => ({ html: '<h1>Item</h1>', links: [item(numberOf(url) + 1)] });

  it('follows an endless space only for a bounded number of pages', () => {
    for (const maxSimilarPages of [16, 128, 500]) {
      const { fetched } = walk([item(1)], counter, { options: { maxSimilarPages } });
      expect(fetched.length).toBeGreaterThanOrEqual(maxSimilarPages);
      expect(fetched.length).toBeLessThanOrEqual(maxSimilarPages + 16);
    }
  });

  it('accepts a finite site of pages that are all alike, since its links are known after a while', () => {
    const html = '<h1>Nothing here yet</h1>';
    const site = (url: string) => ({
      html,
      links: Array.from({ length: 40 }, (_, way) => item(scattered(numberOf(url) * 40 + way) % 900)),
    });
    expect(walk([item(0)], site).fetched).toHaveLength(900);
  });

  it('accepts a long list whose pages differ', () => {
    const site = (url: string) => {
      const at = numberOf(url);
      const entry = `topic${'abcdefghij'[at % 10]}${'klmnopqrst'[Math.floor(at / 10) % 10]}${'uvwaeiouyz'[Math.floor(at / 100) % 10]}`;
      return { html: `<h1>Page ${at}</h1><p>${entry}</p>`, links: at < 900 ? [item(at + 1)] : [] };
    };
    const { fetched, dropped } = walk([item(1)], site);
    expect([fetched.length, dropped.length]).toEqual([900, 0]);
  });

  it('accepts pages that are alike if a list links to them and they add nothing themselves', () => {
    const site = (url: string) => {
      const { pathname } = new URL(url);
      const at = numberOf(url);
      if (!pathname.startsWith('/list/')) return { html: '<h1>Sold</h1>', links: ['https://a.test/list/1'] };
      const lots = Array.from({ length: 20 }, (_, lot) => `https://a.test/lot/${at * 20 + lot}`);
      const words = `${'abcdefghij'[at % 10]}x${'abcdefghij'[Math.floor(at / 10)]}`;
      return {
        html: `<h1>Auctions of ${words}</h1>`,
        links: at < 50 ? [...lots, `https://a.test/list/${at + 1}`] : lots,
      };
    };
    const { fetched, dropped } = walk(['https://a.test/list/1'], site);
    expect([fetched.length, dropped.length]).toEqual([50 + 1_000, 0]);
  });

  it('accepts what other pages link to, even if it looks like a part of the trap', () => {
    const { traps } = walk([item(1)], counter);
    expect(traps.findTrap(item(5_000), item(4_999))).toMatchObject({ rule: 'alike-pages', pattern: 'a.test/item/*' });
    expect(traps.findTrap(item(5_000), 'https://a.test/')).toBeNull();
    expect(traps.findTrap(item(5_000), null)).toBeNull();
    expect(traps.findTrap('https://a.test/other/1', 'https://a.test/other/2')).toBeNull();
    expect(traps.findTrap('https://b.test/item/2', 'https://b.test/item/1')).toBeNull();
  });

  it('notices an endless space that begins after five hundred real pages', () => {
    const site = (url: string) => {
      const at = numberOf(url);
      const words =
        at > 500
          ? 'nothing'
          : `${'abcdefgh'[at % 8]}o${'abcdefgh'[Math.floor(at / 8) % 8]}o${'abcdefgh'[Math.floor(at / 64)]}`;
      return { html: `<h1>${words}</h1>`, links: [item(at + 1)] };
    };
    const { fetched } = walk([item(1)], site);
    expect(fetched.length).toBeGreaterThan(500);
    expect(fetched.length).toBeLessThan(500 + 2.5 * DEFAULTS.maxSimilarPages);
  });

  it('remembers traps for the next run, and starts other counts again', () => {
    const { closed } = walk([item(1)], counter);
    const second = new Traps(DEFAULTS);
    second.restore(JSON.parse(JSON.stringify(closed)));
    expect(second.findTrap(item(900), item(899))).toMatchObject({ rule: 'alike-pages' });
    expect(walk([item(900)], counter, { traps: second }).fetched).toEqual([item(900)]);
  });

  it('uses bounded memory however many hosts and traps there are', { timeout: 300_000 }, () => {
    const traps = new Traps({ ...DEFAULTS, maxSimilarPages: 16 });
    for (let host = 0; host < 3_000; host += 1) {
      const name = (number: number) => `https://h${host}.test/item/${number}`;
      for (let at = 1; at < 40; at += 1) {
        traps.queued({ url: name(at), from: name(at - 1), depth: 1, via: 'link' });
        if (traps.shouldCompare(name(at), name(at - 1)))
          traps.read(name(at), name(at - 1), Buffer.from('<h1>Item</h1>'));
      }
    }
    // Three thousand hosts have two traps each (a folder and the host); the latest thousand traps are remembered.
    expect(traps.findTrap('https://h2999.test/item/9', 'https://h2999.test/item/8')).not.toBeNull();
    const isKnown = (host: number) =>
      traps.findTrap(`https://h${host}.test/item/9`, `https://h${host}.test/item/8`) !== null;
    expect(Array.from({ length: 3_000 }, (_, host) => host).filter(isKnown)).toHaveLength(500);
  });
});
