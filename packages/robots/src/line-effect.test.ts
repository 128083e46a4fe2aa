// For each odd line, diagnostics and explanations say whether it counts, and how it is read if a repair changed it.

import { describe, expect, it } from 'vitest';
import { diagnose } from './diagnostics/diagnose.js';
import { explain } from './explain.js';
import { MAX_IGNORED_RULES } from './limits.js';
import { parseRobots } from './parse.js';
import { compileRules } from './rules.js';

const robotsUrl = 'https://example.com/robots.txt';

/** A line of a group, and the lines that count in its place; `null`: it does not count. */
const LINES: readonly (readonly [line: string, readAs: readonly string[] | null])[] = [
  ['Disalow: /a', ['Disallow: /a']],
  ['Disallow /a', ['Disallow: /a']],
  ['Disallow:\u00a0/a', ['Disallow: /a']],
  ['Disallow: cgi-bin/', ['Disallow: /cgi-bin/']],
  ['Disallow: /a /b', ['Disallow: /a', 'Disallow: /b']],
  ['Disallow: /* */', ['Disallow: /*%20*/']],
  ['Disallow: http://example.com/x?y', ['Disallow: /x?y']],
  ['Disallow: http://example.org/x', null],
  ['Disallow: "/a"', ['Disallow: /"/a"']],
  ['Disallow: /"a" b"', ['Disallow: /"a"%20b"']],
  ['Disallow: /robots.txt', []],
  [`Disallow: /${'a'.repeat(20_000)}`, [`Disallow: /${'a'.repeat(189)}`]],
  [`Allow: /${'a'.repeat(20_000)}`, null],
  ['Allow:', null],
  ['Allow: images/', null],
  ['Allow: https://example.com/images/', null],
  ['Allow: /a /b', ['Allow: /a%20/b']],
  ['Alow: /', null],
  ['\ufeffAllow: /', null],
  ['Allow /a', null],
  ['User-agent: x/1.0', ['User-agent: x']],
  ['Useragent: x, Y', ['User-agent: x', 'User-agent: y']],
  ['User-agent: (x)', null],
  ['Crawl-delay: 5 m', ['Crawl-delay: 300']],
  ['Crawl_delay: 5', ['Crawl-delay: 5']],
  ['Crawl-delay: 1,5', ['Crawl-delay: 1.5']],
  ['Crawl-delay: 90', []],
  ['Crawl-delay: 999999', ['Crawl-delay: 86400']],
  ['Crawl-delay: -1', null],
  ['Visit-time: nonsense', null],
  ['Visit-time: nonsense, 0100-0200', []],
  ['Content-Signal: search=perhaps', null],
  ['Content-Signal: search=yes, search=perhaps', []],
  ['Sitemap: /map.xml', ['Sitemap: https://example.com/map.xml']],
  ['sitemap https://example.com/map.xml', ['Sitemap: https://example.com/map.xml']],
  ['Sitemap: ftp://example.com/', null],
  ['Request-rate: 0/5', []],
  ['nonsense here', null],
];

describe('a diagnostic', () => {
  it.each(LINES)('says how %s is read', (line, readAs) => {
    const found = diagnose(parseRobots(`User-agent: a\n${line}\n`, { robotsUrl })).filter((each) => each.line === 2);
    expect(found.length).toBeGreaterThan(0);
    for (const { counts, readAs: lines } of found)
      expect([counts, lines]).toEqual(readAs === null ? [false, []] : [true, readAs]);
  });

  it.each([
    ['Noindex: /a', false],
    ['Robot-version 2.0', false],
    ['Crawl-delay: 5', true],
    ['Disallow: /a', false],
  ])('says whether %s counts outside of groups', (line, counts) => {
    expect(diagnose(parseRobots(`${line}\nUser-agent: a\n`))[0]).toMatchObject({ line: 1, counts });
  });

  it('says that a line that is not repaired does not count', () => {
    const document = parseRobots('User-agent: a\nDisallow: cgi-bin/\n', { repair: false });
    expect(diagnose(document)).toMatchObject([{ code: 'path-no-slash', counts: false, readAs: [] }]);
  });
});

describe('an explanation', () => {
  const rulesOf = (text: string, dialect: 'rfc9309' | 'google' | '1994' = 'rfc9309') =>
    compileRules(parseRobots(text, { robotsUrl }), { tokens: 'examplebot', dialect, policy: 'base' });

  it('says how a repaired line is read', () => {
    const text = 'User-agent: *\nDisallow: cgi-bin/\nDisallow: /cgi-bin/x\n';
    const { sentence, readings } = explain(rulesOf(text), '/cgi-bin/a');
    expect(sentence).toBe('disallowed by line 2, cgi-bin/ (read as Disallow: /cgi-bin/) in the group for * (rfc9309)');
    expect(readings[0]?.matching).toEqual([
      { kind: 'disallow', pattern: 'cgi-bin/', readAs: ['Disallow: /cgi-bin/'], line: 2 },
    ]);
    const index = explain(rulesOf('User-agent: *\nDisallow: /\nAllow: /a/index.html\n', 'google'), '/a/');
    expect(index.sentence).toContain('line 3, /a/index.html (read as Allow: /a/index.html, Allow: /a/$)');
  });

  it('lists the rules without effect in the groups for this crawler', () => {
    const text =
      'User-agent: x\nAllow: x\n\nUser-agent: *\nDisallow: /\nAllow: images/\nDisallow: https://a.example/\n';
    expect(explain(rulesOf(text), '/images/').ignored).toEqual([
      { kind: 'allow', pattern: 'images/', line: 6 },
      { kind: 'disallow', pattern: 'https://a.example/', line: 7 },
    ]);
    expect(explain(rulesOf(text, 'google'), '/images/').ignored).toEqual([]);
    expect(explain(rulesOf('User-agent: *\nAllow: /a\n', '1994'), '/a').ignored).toHaveLength(1);
  });

  it('lists at most a hundred of them', () => {
    const { ignored } = explain(rulesOf(`User-agent: *\n${'Allow: a\n'.repeat(200)}`), '/a');
    expect(ignored).toHaveLength(MAX_IGNORED_RULES);
  });
});
