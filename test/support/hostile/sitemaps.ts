// Scenarios whose robots.txt names a hostile sitemap. All of them have an honest start page.

import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { byPath, type HostileAnswer, redirects, responds } from './answers.js';
import type { HostileExpectation, HostileRequest, HostileScenario, ScenarioStory } from './scenario.js';

const MIB = 1024 * 1024;
const A_PAGE: HostileExpectation = { result: 200, status: 'fetched', reason: 'fetched', truncated: null };
const XML = { headers: ['Content-Type: application/xml'] };
const next = responds('<p>next');

const names: HostileAnswer = (socket, request) =>
  responds(`Sitemap: ${request.url('/sitemap.xml')}\n`, { headers: ['Content-Type: text/plain'] })(socket, request);
const xml =
  (make: (request: HostileRequest) => string): HostileAnswer =>
  (socket, request) =>
    responds(make(request), XML)(socket, request);
const urlset = (...locs: readonly string[]): string =>
  `<urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`;
const index = (...locs: readonly string[]): string =>
  `<sitemapindex>${locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`;

/** How the crawl reported the sitemap. */
const sitemapDetail = ({ decisions }: ScenarioStory): string | null | undefined =>
  decisions.find(({ url }) => url.endsWith('/sitemap.xml'))?.detail;
const expectsDetail = (detail: RegExp) => (story: ScenarioStory) => expect(sitemapDetail(story)).toMatch(detail);

const gzipBomb = ((): (() => Buffer) => {
  let made: Buffer | null = null;
  return () => {
    made ??= gzipSync(Buffer.concat([Buffer.from('<urlset><url><loc>'), Buffer.alloc(64 * MIB, 0x20)]));
    return made;
  };
})();

const scenario = (
  name: string,
  does: string,
  sitemap: HostileAnswer,
  more: Partial<HostileExpectation> = {},
  others: Readonly<Record<string, HostileAnswer>> = {},
): HostileScenario => ({
  name: `sitemap-${name}`,
  does: `names a sitemap that ${does}`,
  robots: names,
  serve: byPath({ '/': responds('<p>start'), '/sitemap.xml': sitemap, '/next': next, ...others }),
  expects: { ...A_PAGE, paths: ['/', '/sitemap.xml'], ...more },
});

/** Sitemaps and feeds. */
export const SITEMAPS: readonly HostileScenario[] = [
  scenario(
    'laughs',
    'doubles its entities and doubles them again',
    xml(
      () =>
        `<!DOCTYPE urlset [<!ENTITY l0 "lol">${Array.from({ length: 30 }, (_, at) => `<!ENTITY l${at + 1} "&l${at};&l${at};">`).join('')}]>${urlset('/&l30;')}`,
    ),
    { paths: ['/', '/sitemap.xml', '/&l30;'] },
  ),
  scenario(
    'external-entity',
    'wants a file and a page of its own read into it',
    xml(
      ({ url }) =>
        `<!DOCTYPE urlset SYSTEM "${url('/dtd')}" [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "${url('/entity')}">%p;]>${urlset('/next', '/&f;')}`,
    ),
    { paths: ['/', '/sitemap.xml', '/next', '/&f;'] },
  ),
  scenario(
    'loop',
    'is an index of itself and of an index of it',
    xml(({ url }) => index(url('/sitemap.xml'), url('/b.xml'))),
    { paths: ['/', '/sitemap.xml', '/b.xml'] },
    { '/b.xml': xml(({ url }) => index(url('/sitemap.xml'), url('/b.xml'))) },
  ),
  {
    name: 'sitemap-index-endless',
    does: 'names an index whose every file is another index, without end',
    robots: names,
    serve: (socket, request) =>
      (request.path === '/' ? responds('<p>start') : xml(({ url, path }) => index(url(`${path}x`))))(socket, request),
    expects: {
      ...A_PAGE,
      paths: ['/', '/sitemap.xml', '/sitemap.xmlx', '/sitemap.xmlxx', '/sitemap.xmlxxx'],
      check: ({ decisions }) => expect(decisions.map(({ reason }) => reason)).toContain('sitemap-limit'),
    },
  },
  scenario(
    'gzip-bomb',
    'is sixty-four mebibytes of nothing in sixty kibibytes',
    (socket, request) => responds(gzipBomb(), { headers: ['Content-Type: application/gzip'] })(socket, request),
    { check: expectsDetail(/too-(?:large|long-a-token)/) },
  ),
  scenario(
    'gzip-cut',
    'says gzip and ends in the middle',
    (socket, request) => {
      const whole = gzipSync(urlset(...Array.from({ length: 2_000 }, () => '/next')));
      responds(whole.subarray(0, whole.length - 20), { headers: ['Content-Type: application/gzip'] })(socket, request);
    },
    { paths: ['/', '/sitemap.xml', '/next'], check: expectsDetail(/gzip/) },
  ),
  scenario(
    'foreign',
    'lists the pages of others',
    xml(() => urlset('http://healthy-0.test/stolen', 'http://elsewhere.example/')),
    { check: expectsDetail(/2 left out/) },
  ),
  scenario(
    'deep',
    'nests fifty thousand times',
    xml(() => `<urlset>${'<a>'.repeat(50_000)}`),
    { check: expectsDetail(/too-deep/) },
  ),
  scenario(
    'attributes',
    'has a tag with fifty thousand attributes',
    xml(() => `<urlset ${'a="" '.repeat(50_000)}>`),
    {
      check: expectsDetail(/too-many-attributes/),
    },
  ),
  scenario(
    'endless-tag',
    'has a tag of a mebibyte',
    xml(() => `<urlset><${'x'.repeat(MIB)}>`),
    {
      check: expectsDetail(/too-long-a-token/),
    },
  ),
  scenario('html', 'is a page that says not found, with 200', responds('<!doctype html><a href="/next">home</a>'), {
    check: expectsDetail(/unknown of 0/),
  }),
  scenario(
    'long-urls',
    'lists addresses of a hundred thousand characters, scripts and files',
    xml(() => urlset(`/${'x'.repeat(100_000)}`, 'javascript:alert(1)', 'file:///etc/passwd', 'http://', '/next')),
    { paths: ['/', '/sitemap.xml', '/next'], check: expectsDetail(/4 no URLs/) },
  ),
  scenario('inside', 'redirects inside', (socket, request) =>
    redirects(() => request.insideUrl('/sitemap.xml'))(socket, request),
  ),
  {
    name: 'sitemap-redirects-endless',
    does: 'names a sitemap that redirects ever on',
    robots: names,
    serve: (socket, request) =>
      (request.path === '/' ? responds('<p>start') : redirects(({ path }) => `${path}x`))(socket, request),
    expects: { ...A_PAGE, paths: ['/', ...Array.from({ length: 6 }, (_, hop) => `/sitemap.xml${'x'.repeat(hop)}`)] },
  },
  scenario(
    'feed-as-html',
    'is a feed that calls itself a page',
    responds('<?xml version="1.0"?><rss><channel><item><title>t</title><link>/next</link></item></channel></rss>'),
    { paths: ['/', '/sitemap.xml', '/next'], check: expectsDetail(/rss of 1/) },
  ),
  {
    name: 'sitemap-ten-thousand',
    does: 'names five thousand sitemaps and closes them all',
    robots: (socket, request) =>
      responds(
        `User-agent: *\nDisallow: /no\n${Array.from({ length: 5_000 }, (_, at) => `Sitemap: ${request.url(`/no/${at}`)}\n`).join('')}`,
        { headers: ['Content-Type: text/plain'] },
      )(socket, request),
    serve: byPath({ '/': responds('<p>start') }),
    expects: {
      ...A_PAGE,
      check: ({ decisions }) =>
        expect(decisions.filter(({ reason }) => reason === 'sitemap-limit').length).toBeGreaterThanOrEqual(4_000),
    },
  },
];
