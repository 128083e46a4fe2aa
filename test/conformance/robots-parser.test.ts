// The interface of robots-parser: both robots-parser and `@mannerly/robots/compat` read its documented examples and a
// few thousand small files. All differences are deliberate, and have their own tests.

import { productTokenOf, robotsParser } from '@mannerly/robots/compat';
import fc from 'fast-check';
import robotsParserItself from 'robots-parser';
import { describe, expect, it } from 'vitest';

// Its types describe it as CommonJS.
const other = robotsParserItself as unknown as typeof robotsParser;
const URL_OF_FILE = 'http://www.example.com/robots.txt';
const BOTS = ['Sams-Bot/1.0', 'examplebot', 'Googlebot', undefined];

/** Every answer of a parser. */
function answers(parser: typeof robotsParser, contents: string, paths: readonly string[]) {
  const robots = parser(URL_OF_FILE, contents);
  return {
    sitemaps: robots.getSitemaps(),
    host: robots.getPreferredHost(),
    delays: BOTS.map((bot) => robots.getCrawlDelay(bot)),
    allowed: paths.flatMap((path) => BOTS.map((bot) => robots.isAllowed(`http://www.example.com${path}`, bot))),
    disallowed: paths.flatMap((path) => BOTS.map((bot) => robots.isDisallowed(`http://www.example.com${path}`, bot))),
  };
}

describe('what robots-parser documents', () => {
  it('is answered alike', () => {
    const lines = ['User-agent: *', 'Disallow: /dir/', 'Disallow: /test.html', 'Allow: /dir/test.html'];
    const more = [
      'Allow: /test.html',
      'Crawl-delay: 1',
      'Sitemap: http://example.com/sitemap.xml',
      'Host: example.com',
    ];
    const contents = [...lines, ...more].join('\n');
    const paths = ['/test.html', '/dir/test.html', '/dir/test2.html', '/'];
    expect(answers(robotsParser, contents, paths)).toEqual(answers(other, contents, paths));
    const robots = robotsParser(URL_OF_FILE, contents);
    expect(robots.isAllowed('http://www.example.com/test.html', 'Sams-Bot/1.0')).toBe(true);
    expect(robots.isDisallowed('http://www.example.com/dir/test2.html', 'Sams-Bot/1.0')).toBe(true);
    expect(robots.getCrawlDelay('Sams-Bot/1.0')).toBe(1);
    expect(robots.getMatchingLineNumber('http://www.example.com/dir/x', 'Sams-Bot/1.0')).toBe(2);
    expect(robots.getMatchingLineNumber('http://www.example.com/x')).toBe(-1);
    expect(robots.isExplicitlyDisallowed('http://www.example.com/dir/x', 'Sams-Bot/1.0')).toBe(false);
    const named = robotsParser(URL_OF_FILE, 'User-agent: sams-bot\nDisallow: /dir/');
    expect(named.isExplicitlyDisallowed('http://www.example.com/dir/x', 'Sams-Bot/1.0')).toBe(true);
    expect(named.isExplicitlyDisallowed('http://example.com/dir/x', 'Sams-Bot/1.0')).toBeUndefined();
    // Another authority, another scheme, and text that is not a URL.
    for (const url of ['http://example.com/dir/', 'https://www.example.com/dir/', 'http://www.example.com:81/dir/', ''])
      for (const parser of [robotsParser, other]) {
        expect(parser(URL_OF_FILE, contents).isAllowed(url), url).toBeUndefined();
        expect(parser(URL_OF_FILE, contents).getMatchingLineNumber(url), url).toBe(-1);
      }
    expect(robotsParser(URL_OF_FILE, contents).isDisallowed('http://example.com/dir/')).toBeUndefined();
  });

  it('never throws, and reads a URL object as its text', () => {
    const robots = robotsParser(URL_OF_FILE, 'User-agent: *\nDisallow: /private');
    expect(robots.isAllowed(new URL('http://www.example.com/private') as never)).toBe(false);
    const relative = robotsParser('/robots.txt', 'User-agent: *\nDisallow: /private');
    for (const url of [undefined, null, 42, {}] as never[]) {
      expect(robots.isAllowed(url, null as never)).toBeUndefined();
      expect(relative.isDisallowed(url, null as never)).toBe(false);
    }
  });

  it('is answered alike about relative URLs', () => {
    const contents = 'User-agent: *\nDisallow: /dir/\nAllow: /dir/test.html\n';
    for (const parser of [robotsParser, other]) {
      const robots = parser('/robots.txt', contents);
      expect(robots.isAllowed('/dir/test.html', 'Sams-Bot/1.0')).toBe(true);
      expect(robots.isDisallowed('/dir/test2.html', 'Sams-Bot/1.0')).toBe(true);
    }
  });

  it('is answered alike about plain files', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c.html', '*', 'x$'), { maxLength: 4 })
      .map((p) => `/${p.join('/')}`);
    const rule = fc.tuple(fc.constantFrom('Allow', 'Disallow'), path).map(([word, value]) => `${word}: ${value}`);
    const agent = fc.constantFrom('*', 'examplebot', 'Sams-Bot', 'otherbot').map((name) => `User-agent: ${name}`);
    const group = fc
      .tuple(fc.array(agent, { minLength: 1, maxLength: 2 }), fc.array(rule, { minLength: 1, maxLength: 5 }))
      .map(([agents, rules]) => [...agents, ...rules].join('\n'));
    const files = fc.array(group, { maxLength: 4 }).map((groups) => groups.join('\n\n'));
    const paths = fc.array(
      path.map((each) => each.replaceAll('*', 'a').replaceAll('$', '')),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(files, paths, (contents, paths) => {
        expect(answers(robotsParser, contents, paths)).toEqual(answers(other, contents, paths));
      }),
      { numRuns: 2_000, seed: 21 },
    );
  });
});

describe('what differs on purpose', () => {
  const ask = (parser: typeof robotsParser, contents: string, ua?: string) =>
    parser(URL_OF_FILE, contents).isAllowed('http://www.example.com/private/x', ua);

  it.each<[string, string, string | undefined, boolean, boolean]>([
    ['a misspelt Disallow counts', 'User-agent: *\nDisalow: /private/', 'examplebot', false, true],
    ['a Disallow without its colon counts', 'User-agent: *\nDisallow /private/', 'examplebot', false, true],
    [
      'the product token in the User-Agent of a browser counts',
      'User-agent: examplebot\nDisallow: /private/',
      'Mozilla/5.0 (compatible; examplebot/1.0; +https://example.org/)',
      false,
      true,
    ],
    ['encoded and plain letters are equal', 'User-agent: *\nDisallow: /%70rivate/', 'examplebot', false, true],
  ])('%s', (_, contents, ua, ours, theirs) => {
    expect(ask(robotsParser, contents, ua)).toBe(ours);
    expect(ask(other, contents, ua)).toBe(theirs);
  });

  it('a Crawl-delay applies to the agents named last, and is ignored if it is not a number', () => {
    const contents = 'User-agent: slurp\nCrawl-delay: 60\n\nUser-agent: *\nCrawl-delay: soon\nDisallow: /x\n';
    expect(robotsParser(URL_OF_FILE, contents).getCrawlDelay('examplebot')).toBeUndefined();
  });

  it('a relative Sitemap becomes an absolute URL', () => {
    expect(robotsParser(URL_OF_FILE, 'Sitemap: /map.xml').getSitemaps()).toEqual(['http://www.example.com/map.xml']);
    expect(other(URL_OF_FILE, 'Sitemap: /map.xml').getSitemaps()).toEqual(['/map.xml']);
  });

  it('contents that are not a string are an error', () => {
    expect(() => robotsParser(URL_OF_FILE, undefined as never)).toThrow('expected the body');
  });
});

it.each([
  ['examplebot/1.0 (+https://example.org/bot)', 'examplebot'],
  ['examplebot', 'examplebot'],
  ['*', 'unnamed-crawler'],
  ['', 'unnamed-crawler'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot'],
  ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://x) Chrome/1', 'bingbot'],
  ['Mozilla/5.0 (X11; Linux x86_64) Firefox/120', 'Mozilla'],
  [`Mozilla/${'compatible'.repeat(10_000)}`, 'Mozilla'],
])('the product token of %.80j', (userAgent, token) => {
  expect(productTokenOf(userAgent)).toBe(token);
});
