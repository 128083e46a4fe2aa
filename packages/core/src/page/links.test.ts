// The links of a page. The rows of `rel` are those of the specification: whole words, any case, any position.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { readHtml } from './html.js';
import { type PageLink, resolveLinks, selectLinks } from './links.js';

const PAGE = 'https://example.com/a/';
const linksOf = (html: string): PageLink[] => resolveLinks(readHtml(html), PAGE).links;
const marks = ({ isNofollow, isUgc, isSponsored }: PageLink): string =>
  [isNofollow && 'nofollow', isUgc && 'ugc', isSponsored && 'sponsored'].filter(Boolean).join(' ');

describe('what a page declares about a link', () => {
  const rows: [rel: string, expected: string][] = [
    ['', ''],
    ['rel="nofollow"', 'nofollow'],
    ['rel="noopener nofollow"', 'nofollow'],
    ['rel="NOFOLLOW"', 'nofollow'],
    ['rel="nofollower"', ''],
    ['rel="no follow"', ''],
    ['rel="nofollow,ugc"', ''],
    ['rel="ugc"', 'ugc'],
    ['rel="sponsored"', 'sponsored'],
    ['rel="ugc\nnofollow"', 'nofollow ugc'],
    ['data-rel="nofollow"', ''],
  ];
  it.each(rows)('%s → "%s"', (rel, expected) => {
    expect(linksOf(`<a ${rel} href="/x">x</a>`).map(marks)).toEqual([expected]);
  });
});

describe('the links of a page', () => {
  it('are in page order, each URL once, without invalid ones', () => {
    const html =
      '<a href="b">1</a><a href="/c#x">2</a><a href="/a/b#y">again</a><a href="mailto:x@y">no</a><area href="//d.example">';
    expect(linksOf(html).map(({ url, element }) => [url, element])).toEqual([
      ['https://example.com/a/b', 'a'],
      ['https://example.com/c', 'a'],
      ['https://d.example/', 'area'],
    ]);
  });

  it('keep a URL twice if its links have different `rel`: one followable link is enough (page-level §4)', () => {
    const html =
      '<a href="/x" rel=nofollow>1</a><a href="/x">2</a><a href="/x">3</a><a href="/x" rel="nofollow me">4</a>';
    expect(linksOf(html).map(marks)).toEqual(['nofollow', '']);
  });

  it('keep a URL twice if only one of the links is the next page of a list', () => {
    const html = '<a href="/2">2</a><a href="/2" rel="nofollow noopener">x</a><a href="/2" rel="Next">Next</a>';
    expect(linksOf(html).map(({ rel }) => rel)).toEqual([[], ['nofollow', 'noopener'], ['next']]);
  });

  it('are resolved against the base of the page', () => {
    expect(linksOf('<a href=x>before</a><base href="/b/"><a href=y>').map(({ url }) => url)).toEqual([
      'https://example.com/b/x',
      'https://example.com/b/y',
    ]);
  });
});

describe('a link that is kept', () => {
  // A substring may keep its whole page in memory: ten thousand remembered links would be hundreds of megabytes.
  it.each([
    '/from/the/root.html',
    'from-the-directory.html',
    'https://example.com/of/the/same/origin.html',
    '../by/the/parser.html',
  ])('does not keep its page in memory (%s)', (href) => {
    const pages = 400;
    const chars = 50_000;
    const kept: string[] = [];
    const before = heapUsed();
    for (let n = 0; n < pages; n += 1) {
      const html = Buffer.from(`<a href="${href}?page=${n}">x</a>${'.'.repeat(chars)}`).toString('latin1');
      kept.push(linksOf(html)[0]!.url);
    }
    expect(heapUsed() - before).toBeLessThan((pages * chars) / 4);
    expect(new Set(kept).size).toBe(pages);
  });
});

/** Bytes of the heap in use after a collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

describe('what a selector finds', () => {
  const html =
    '<head><base href=/a/><link rel=stylesheet href=style.css><script src=s.js></script></head><script>1</script>' +
    '<video src=v.webm poster=p.png><source type=video/mp4 src=v.mp4></video><audio><source src=a.ogg></audio>' +
    '<picture><source srcset="1x.avif, 2x.avif 2x"><img src=i.png srcset="j.png 2x"></picture><embed src=e.svg>' +
    '<img class=set srcset=" , 1.png 1x,2.png 2x"><img class=set srcset=","><input type=image src=button.png>';
  const page = { $: load(html), html: readHtml(html), url: PAGE };
  const rows: [selector: string, expected: string][] = [
    ['head', 'link style.css, a s.js'],
    ['script', 'a s.js'],
    ['video', 'a v.webm'],
    ['source[type]', 'a v.mp4'],
    ['audio', 'a a.ogg'],
    ['picture', 'img 1x.avif, img i.png'],
    ['.set', 'img 1.png'],
    ['embed', 'a e.svg'],
    ['input', 'img button.png'],
    ['base', ''],
  ];
  it('takes time that is linear in a `srcset` of commas', () => {
    const $ = load(`<img srcset="a${','.repeat(1_000_000)}b">`);
    expect(selectLinks({ ...page, $ }, 'img')).toEqual([]);
  });

  it.each(rows)('%s: finds elements with href, src or srcset, and marks images: %s', (selector, expected) => {
    const found = selectLinks(page, selector).map(({ url, element }) => `${element} ${url.replace(PAGE, '')}`);
    expect(found.join(', ')).toBe(expected);
  });
  it.each(['/a', 'https://a.test/', ['a']])('rejects %j, since `page.add` is for URLs', (given) => {
    expect(() => selectLinks(page, given as string)).toThrow(
      expect.objectContaining({ code: 'option-invalid', hint: 'A URL is added by `page.add(url)`' }),
    );
  });
});
