/**
 * The rules as their callers see them: options, explanations, politeness and preferences of the groups that apply to
 * us. Decisions themselves are tested by the vectors and the properties.
 */

import { describe, expect, it } from 'vitest';
import { explain } from './explain.js';
import type { CompileOptions, Policy } from './options.js';
import { parseRobots } from './parse.js';
import { sitePreferences } from './preferences/preferences.js';
import { compileRules, createRulesCompiler } from './rules.js';

const rulesOf = (text: string, options: Partial<CompileOptions> = {}) =>
  compileRules(parseRobots(text, { robotsUrl: 'https://example.com/robots.txt' }), {
    tokens: 'examplebot',
    ...options,
  });
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

describe('options', () => {
  const MISTAKES: readonly (readonly [options: unknown, code: string])[] = [
    [{}, 'invalid-tokens'],
    [undefined, 'invalid-tokens'],
    [{ tokens: [] }, 'invalid-tokens'],
    [{ tokens: 'examplebot/1.0' }, 'invalid-tokens'],
    [{ tokens: ['a', ''] }, 'invalid-tokens'],
    [{ tokens: Array.from({ length: 33 }, () => 'a') }, 'invalid-tokens'],
    [{ tokens: 'a', dialect: '2.0.0' }, 'option-invalid'],
    [{ tokens: 'a', policy: 'loose' }, 'option-invalid'],
    [{ tokens: 'a', strictDialects: [] }, 'option-invalid'],
    [{ tokens: 'a', strictDialects: ['2.0.0'] }, 'option-invalid'],
    [{ tokens: 'a', maxRulesPerGroup: 0 }, 'option-invalid'],
    [{ tokens: 'a', maxCrawlDelayMs: 100_000_000 }, 'option-invalid'],
    [{ tokens: 'a', oversized: 'truncate' }, 'option-unknown'],
  ];

  it.each(MISTAKES)('%j are refused with %s', (options, code) => {
    expect(() => createRulesCompiler(options as CompileOptions)).toThrowError(expect.objectContaining({ code }));
  });

  it('need a document', () => {
    expect(() => compileRules('Disallow: /' as never, { tokens: 'a' })).toThrowError(
      expect.objectContaining({ code: 'invalid-document', name: 'RobotsError' }),
    );
  });
});

describe('mistakes of the caller', () => {
  it.each([
    ['https://example.com/robots.txt', 'Disallow: /'],
    [null, {}],
    [new Date(), {}],
    ['User-agent: *', null],
  ])('parseRobots(%j, %j) is refused', (body, second) => {
    expect(() => parseRobots(body as string, second as object)).toThrowError(
      expect.objectContaining({ code: 'invalid-input', hint: expect.stringContaining('parseRobots(body') }),
    );
  });

  it.each([undefined, null, 5, {}, ['/a']])('a question about %j is an error, not permission', (url) => {
    const rules = rulesOf('User-agent: *\nDisallow: /a');
    for (const ask of [() => rules.decide(url as never), () => rules.isAllowed(url as never)])
      expect(ask).toThrowError(expect.objectContaining({ code: 'invalid-input' }));
  });

  it('an ArrayBuffer is a body', () => {
    const { buffer } = new TextEncoder().encode('User-agent: *\nDisallow: /a\n');
    expect(compileRules(parseRobots(buffer), { tokens: 'a' }).isAllowed(new URL('https://example.com/a'))).toBe(false);
  });

  it.each([
    'https://other.example/a',
    'http://example.com:8080/a',
    'https://example.com.other.example/a',
    'https://example.com../a',
  ])('%s does not belong to this file', (url) => {
    const rules = rulesOf('User-agent: *\nDisallow: /b');
    for (const ask of [() => rules.decide(url), () => rules.isAllowed(new URL(url)), () => rules.decideAt(url, 0)]) {
      expect(ask).toThrowError(expect.objectContaining({ code: 'foreign-url' }));
    }
  });

  it.each([
    '/b',
    'HTTPS://EXAMPLE.com/b',
    'https://example.com:443/b',
    'http://example.com/b',
    'https://user@example.com/b',
    'https://example.com./b',
    'https://EXAMPLE.com.:443/b',
    'https://example.com.\t/b',
  ])('%s is', (url) => expect(rulesOf('User-agent: *\nDisallow: /b').isAllowed(url)).toBe(false));
});

describe('a line as authors write it', () => {
  it.each([
    ['sitemap https://example.com/s.xml', ['https://example.com/s.xml']],
    ['Sitemaps\thttps://example.com/all', ['https://example.com/all']],
    ['https://example.com/sitemap_index', ['https://example.com/sitemap_index']],
    ['  http://cdn.example/a.xml.gz # all', ['http://cdn.example/a.xml.gz']],
    ['https://example.com/', []],
    ['sitemap https://example.com/a https://example.com/b', []],
    ['see https://example.com/s.xml', []],
    ['ACAP-crawler: *', []],
  ])('%j names the sitemaps %j', (line, sitemaps) => {
    expect(parseRobots(`User-agent: *\n${line}\nDisallow: /a`).sitemaps).toEqual(sitemaps);
    expect(rulesOf(`User-agent: *\n${line}\nDisallow: /a`).isAllowed('/a')).toBe(false);
  });

  it('after a byte order mark, an Allow has no effect and a Disallow closes', () => {
    const rules = rulesOf('User-agent: *\nDisallow: /a\n\ufeffAllow: /a/b\n\ufeffDisallow: /c');
    expect(['/a/b', '/c'].map((path) => rules.isAllowed(path))).toEqual([false, false]);
    expect(rulesOf('User-agent: *\nDisallow: /a\n Allow: /a/b').isAllowed('/a/b')).toBe(true);
  });

  it.each([
    ['http://example.com/a', false],
    ['https://example.com:443/a', false],
    ['http://example.com:8080/a', true],
    ['https://www.example.com/a', true],
  ])('Disallow: %s leaves /a open: %s', (value, open) => {
    expect(rulesOf(`User-agent: *\nDisallow: ${value}`).isAllowed('/a')).toBe(open);
  });
});

describe('a decision', () => {
  const text = 'User-agent: *\nAllow: /a/b\nDisallow: /a\nDisallow: /a/b/ü\n';

  it.each([
    ['https://example.com/x', true, 'no-match', null, null],
    ['https://example.com/a', false, 'rule', 3, '/a'],
    ['https://example.com/a/b', true, 'rule', 2, '/a/b'],
    ['https://example.com/a/b/%C3%BC', false, 'rule', 4, '/a/b/ü'],
    ['https://example.com/robots.txt', true, 'robots-url', null, null],
  ] as const)('about %s: %s by %s, line %s', (url, allowed, reason, line, pattern) => {
    const rules = rulesOf(text);
    expect(rules.decide(url)).toEqual({ allowed, reason, line, pattern, dialect: 'rfc9309', agent: '*' });
    expect(rules.isAllowed(url)).toBe(allowed);
  });

  it('says when no group applies to the crawler', () => {
    expect(rulesOf('User-agent: other\nDisallow: /').decide('/')).toMatchObject({ reason: 'no-group', agent: null });
  });

  const SAME_AS_A: readonly string[] = [
    'https://user:secret@example.com/a',
    'HTTPS://EXAMPLE.COM/a',
    'https://example.com/a#/b',
    'https://example.com/a?q',
    'https://example.com/./a',
    'https://example.com/x/../a',
    'https://example.com/x/%2E%2e/a',
    'https://example.com\\a',
    'https://example.com/%61',
    '/a',
    'a',
    '/b/../a',
  ];

  it.each(SAME_AS_A)('uses the path of %s', (url) => {
    expect(rulesOf('User-agent: *\nDisallow: /a').isAllowed(url)).toBe(false);
    expect(rulesOf('User-agent: *\nDisallow: /a').decide(url).allowed).toBe(false);
  });

  it.each(['https://example.com', 'https://example.com?q', 'https://example.com#f', ''])(
    'reads an empty path as /: %j',
    (url) => {
      expect(rulesOf('User-agent: *\nDisallow: /').isAllowed(url)).toBe(false);
      expect(rulesOf('User-agent: *\nDisallow: /$\nDisallow: /?q$').isAllowed(url)).toBe(false);
      expect(rulesOf('User-agent: *\nDisallow: /f').isAllowed(url)).toBe(true);
    },
  );

  it.each([
    ['/robots.txt', true],
    ['/robots%2Etxt', true],
    ['/robots.txt?x', false],
    ['/robots.txt/', false],
    ['/Robots.txt', false],
  ])('about the file itself: %s is always allowed: %s (robots §7.4)', (url, allowed) => {
    for (const policy of ['base', 'declared', 'declared-only', 'strictest'] satisfies Policy[]) {
      expect(rulesOf('User-agent: *\nDisallow: /', { policy }).isAllowed(url)).toBe(allowed);
      expect(rulesOf('User-agent: *\nDisallow: /', { policy }).decide(url).allowed).toBe(allowed);
    }
  });

  it('closes everything if there are more rules than the caller accepts (robots §2.4)', () => {
    const options = { maxRulesPerGroup: 2 };
    expect(rulesOf('User-agent: *\nDisallow: /a\nAllow: /b', options).isAllowed('/x')).toBe(true);
    const rules = rulesOf('User-agent: *\nDisallow: /a\nAllow: /b\nAllow: /c', options);
    expect(rules.isAllowed('/b')).toBe(false);
    expect(rules.decide('/b')).toMatchObject({ allowed: false, reason: 'oversize' });
    expect(rules.decide('/robots.txt').allowed).toBe(true);
  });

  it('closes a file that is too long if an option says so', () => {
    const text = `User-agent: *\nDisallow: /x\n${'#\n'.repeat(300_000)}`;
    expect(rulesOf(text).isAllowed('/y')).toBe(true);
    expect(rulesOf(text, { onOversize: 'disallow-all' }).decide('/y')).toMatchObject({
      allowed: false,
      reason: 'oversize',
    });
    expect(rulesOf(text, { onOversize: 'disallow-all' }).isAllowed('/robots.txt')).toBe(true);
    expect(rulesOf(text, { policy: 'strictest' }).isAllowed('/y')).toBe(false);
  });

  it('is deny while the rate is zero, and allow afterwards', () => {
    const rules = rulesOf('User-agent: *\nRequest-rate: 0/1h 0800-1759');
    expect(rules.decideAt('/a', at('09:00:00'))).toMatchObject({ allowed: false, reason: 'closed-rate' });
    expect(rules.decideAt('/robots.txt', at('09:00:00')).allowed).toBe(true);
    const closed = rulesOf('User-agent: *\nRequest-rate: 0/1h 0800-1759\nDisallow: /a');
    expect(closed.decideAt('/a', at('09:00:00'))).toMatchObject({ allowed: false, reason: 'rule', line: 3 });
    expect(rules.decideAt('/a', at('18:00:00'))).toMatchObject({ allowed: true, reason: 'no-match' });
    // Visit-time is closed for longer, and does not hide the rate.
    const both = rulesOf('User-agent: *\nRequest-rate: 0/1h 0800-1759\nVisit-time: 2200-2300');
    expect(both.schedule(at('09:00:00'))).toMatchObject({ kind: 'closed', reason: 'visit-time' });
    expect(both.decideAt('/a', at('09:00:00'))).toMatchObject({ allowed: false, reason: 'closed-rate' });
    expect(both.decideAt('/a', at('18:00:00')).allowed).toBe(true);
  });
});

describe('repairs', () => {
  const REPAIRED: readonly (readonly [line: string, url: string])[] = [
    ['Disalow: /a', '/a'],
    ['Disallow /a', '/a'],
    ['Disallow: /x /a', '/a'],
    ['Disallow: a/', '/a/'],
    ['Disallow: https://example.com/a', '/a'],
  ];

  it.each(REPAIRED)('read %j as closing %s; without repairs it does not', (line, url) => {
    const text = `User-agent: *\nDisallow:\n${line}\n`;
    expect(rulesOf(text).isAllowed(url)).toBe(false);
    const literal = compileRules(parseRobots(text, { repair: false }), { tokens: 'examplebot' });
    expect(literal.isAllowed(url)).toBe(true);
  });

  it('ignore a Disallow for another authority (R14)', () => {
    expect(rulesOf('User-agent: *\nDisallow: https://other.example/a').isAllowed('/a')).toBe(true);
  });

  it('add the declared charset to a Disallow that is not UTF-8, not to an Allow (R4)', () => {
    const file = (field: string) =>
      Uint8Array.from(`User-agent: *\nDisallow: /c\n${field}: /caf\u00e9\n`, (c) => c.charCodeAt(0));
    const read = (field: string, charset?: string) =>
      compileRules(parseRobots(file(field), charset === undefined ? {} : { charset }), { tokens: 'examplebot' });
    expect(read('Disallow', 'iso-8859-1').decide('/caf%C3%A9').line).toBe(3);
    expect(read('Disallow', 'iso-8859-1').decide('/caf%E9').line).toBe(3);
    expect(read('Disallow', 'no-such-charset').decide('/caf%C3%A9').line).toBe(2);
    expect(read('Disallow').decide('/caf%C3%A9').line).toBe(2);
    expect(read('Allow', 'iso-8859-1').decide('/caf%C3%A9').line).toBe(2);
  });
});

describe('an explanation', () => {
  it('names the rule, and the one that would have decided differently', () => {
    const explanation = explain(rulesOf('User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/*/c\n'), '/a/b');
    expect(explanation.decision).toMatchObject({ allowed: true, line: 3 });
    expect(explanation.otherwise).toEqual({ kind: 'disallow', pattern: '/a', readAs: [], line: 2 });
    expect(explanation.readings[0]?.matching.map(({ line }) => line)).toEqual([3, 2]);
    expect(explanation.sentence).toBe(
      'allowed by line 3, /a/b in the group for * (rfc9309); it outweighs line 2, disallow /a',
    );
  });

  it('names the reading that closed a URL', () => {
    const rules = rulesOf('User-agent: *\nAllow: /\nDisallow: /private\n', {
      policy: 'strictest',
      strictDialects: ['1996'],
    });
    expect(explain(rules, '/private').readings.map(({ dialect, allowed }) => [dialect, allowed])).toEqual([
      ['1996', true],
    ]);
    const both = explain(rulesOf('User-agent: *\nAllow: /\nDisallow: /private\n', { policy: 'strictest' }), '/private');
    expect(both.decision).toMatchObject({ dialect: 'rfc9309', line: 3 });
    expect(both.readings.map(({ dialect, allowed }) => [dialect, allowed])).toEqual([
      ['rfc9309', false],
      ['google', false],
      ['1996', true],
    ]);
  });

  it.each([
    ['/x', 'no-match', 'allowed: no rule in the group for * matches (rfc9309)'],
    ['/robots.txt', 'robots-url', 'allowed: robots.txt itself always is'],
  ])('of %s has reason %s', (url, reason, sentence) => {
    expect(explain(rulesOf('User-agent: *\nDisallow: /a'), url)).toMatchObject({
      decision: { reason },
      otherwise: null,
      sentence,
    });
  });

  it('agrees with decide', () => {
    const text = 'User-agent: examplebot\nRobot-version: 2.0.0\nAllow: /only\n';
    for (const url of ['/only', '/else', '/robots.txt'])
      expect(explain(rulesOf(text), url).decision).toEqual(rulesOf(text).decide(url));
  });
});

describe('what groups ask for besides rules', () => {
  const text = [
    'Crawl-delay: 2',
    'User-agent: examplebot',
    'Crawl-delay: 1',
    'Visit-time: 0600-0845',
    'Comment: hello # there\u0007',
    'Noindex: /n*x',
    'Content-Signal: ai-train=no',
    'Disallow: /closed',
    '',
    'User-agent: *',
    'Crawl-delay: 30',
    'Request-rate: 1/1m',
    'Disallow: /',
  ].join('\n');

  it('names the line of each delay and rate, of equal delays the first', () => {
    const everyone = compileRules(parseRobots(`${text}\nCrawl-delay: 30\nRequest-rate: 2/s`), { tokens: 'other' });
    expect([everyone.crawlDelayMs, everyone.crawlDelayLine]).toEqual([30_000, 11]);
    expect(everyone.requestRates.map(({ line }) => line)).toEqual([12, 15]);
    expect(compileRules(parseRobots('User-agent: *\nCrawl-delay: x'), { tokens: 'other' }).crawlDelayLine).toBeNull();
  });

  it('comes from the lines before any group and from our groups, whichever is stricter (R36, R37)', () => {
    const rules = rulesOf(text);
    expect(rules.crawlDelayMs).toBe(2000);
    expect(rules.crawlDelayLine).toBe(1);
    expect(rules.requestRates).toEqual([]);
    expect(rules.agents).toEqual(['examplebot']);
    expect(rules.groupLines).toEqual([2]);
    expect(rules.comments).toEqual(['hello # there']);
    expect(rules.visitWindows).toEqual([{ startMinute: 360, endMinute: 525 }]);
    expect(rules.robotVersion).toBeNull();
  });

  it('may be inherited from the groups for all agents', () => {
    const rules = rulesOf(text, { inheritPoliteness: true });
    expect(rules.crawlDelayMs).toBe(30_000);
    expect(rules.schedule(at('07:00:00'))).toEqual({ kind: 'open', intervalMs: 60_000 });
    expect(rules.isAllowed('/open')).toBe(true);
  });

  it('holds requests outside every window', () => {
    expect(rulesOf(text).schedule(at('09:00:00'))).toEqual({
      kind: 'closed',
      untilMs: Date.parse('2026-11-21T06:00:00Z'),
      reason: 'visit-time',
    });
  });

  it('uses a Cache-delay only in an archiving crawl, and then the longer of both (robots §9.11)', () => {
    const delays = (text: string, cacheDelay: 'ignore' | 'as-crawl-delay') => {
      const { crawlDelayMs, cacheDelayMs } = rulesOf(`User-agent: *\n${text}`, { cacheDelay });
      return { crawlDelayMs, cacheDelayMs };
    };
    const both = 'Crawl-delay: 2\nCache-delay: 5';
    expect(delays(both, 'ignore')).toEqual({ crawlDelayMs: 2000, cacheDelayMs: 5000 });
    expect(delays(both, 'as-crawl-delay')).toEqual({ crawlDelayMs: 5000, cacheDelayMs: 5000 });
    expect(delays('Crawl-delay: 9\nCache-delay: 5', 'as-crawl-delay')).toEqual({
      crawlDelayMs: 9000,
      cacheDelayMs: 5000,
    });
    expect(delays('Cache-delay: 5', 'ignore')).toEqual({ crawlDelayMs: null, cacheDelayMs: 5000 });
    expect(delays('Cache-delay: 5', 'as-crawl-delay')).toEqual({ crawlDelayMs: 5000, cacheDelayMs: 5000 });
    expect(delays('Disallow:', 'as-crawl-delay')).toEqual({ crawlDelayMs: null, cacheDelayMs: null });
  });

  it('says which pages are not to be kept', () => {
    const rules = rulesOf(text);
    expect(rules.noindex).toEqual(['/n*x']);
    expect(rules.isNoindex('https://example.com/nnnx')).toBe(true);
    expect(rules.isNoindex('https://example.com/m')).toBe(false);
  });

  it('says how content may be used, for URLs that may be fetched', () => {
    expect(sitePreferences(rulesOf(text)).preferences('https://example.com/a')).toEqual({ 'train-ai': 'disallow' });
    expect(sitePreferences(rulesOf(text)).preferences('https://example.com/closed')).toEqual({});
    expect(sitePreferences(rulesOf(text)).signals('https://example.com/a')).toEqual({ 'ai-train': 'disallow' });
  });

  it('clamps delays if an option says so', () => {
    expect(rulesOf(text, { maxCrawlDelayMs: 1_000 }).crawlDelayMs).toBe(1000);
  });
});

describe('a declared 2.0.0 group', () => {
  it('that names us by a prefix closes what it closes, in addition to the base reading', () => {
    const text = 'User-agent: example\nRobot-version: 2.0.0\nAllow: /only\n';
    expect(rulesOf(text, { policy: 'base' }).isAllowed('/other')).toBe(true);
    expect(rulesOf(text).isAllowed('/other')).toBe(false);
    expect(rulesOf(text).isAllowed('/only')).toBe(true);
  });

  it('is never freer than RFC 9309 under policy declared (R34)', () => {
    const text = 'User-agent: examplebot\nRobot-version: 2.0.0\nAllow: /a\nDisallow: /b\n';
    expect(rulesOf(text, { policy: 'declared-only' }).isAllowed('/b/c')).toBe(true);
    expect(rulesOf(text).isAllowed('/b/c')).toBe(false);
  });
});
