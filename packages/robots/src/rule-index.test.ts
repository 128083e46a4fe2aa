/** The rows of an index, narrow and wide, in file order and sorted. A wrong row is a rule that is never found. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobots } from './parse.js';
import { compileRules } from './rules.js';

describe('a file too large for narrow rows', () => {
  const lines = Array.from({ length: 9000 }, (_, i) => `Disallow: /directory/number/${i}/`);
  const rules = compileRules(parseRobots(['User-agent: *', ...lines, 'Allow: /directory/number/8000/ü'].join('\n')), {
    tokens: 'examplebot',
  });

  it.each([
    ['/directory/number/0/x', false, 2],
    ['/directory/number/8999/x', false, 9001],
    ['/directory/number/8000/%C3%BC', true, 9002],
    ['/directory/number/9000/x', true, null],
  ])('%s: %s by line %s', (path, allowed, line) => {
    expect(rules.decide(path)).toMatchObject({ allowed, line });
    expect(rules.isAllowed(path)).toBe(allowed);
  });
});

describe('a small file whose patterns are copied', () => {
  // Paths that are not canonical are copied; the copies outgrow narrow rows before the file does.
  const lines = Array.from({ length: 700 }, (_, i) => `Disallow: /ü${'é'.repeat(10)}/${i}/`);
  const rules = compileRules(parseRobots(['User-agent: *', ...lines].join('\n')), { tokens: 'examplebot' });

  it.each([0, 1, 350, 699])('finds rule %s', (i) => {
    const path = `/ü${'é'.repeat(10)}/${i}/x`;
    expect(rules.decide(`https://example.com${path}`)).toMatchObject({ allowed: false, line: i + 2 });
  });
});

describe('a pattern whose query has two spellings', () => {
  const rules = compileRules(parseRobots('User-agent: *\nDisallow: /*a:b?c:d\n'), { tokens: 'a' });

  it.each([
    ['/a:b?c:d', false, 2],
    ['/a:b?c%3Ad', false, 2],
    ['/x?a:b?c:d', false, 2],
    ['/x?a:b?c%3Ad', true, null],
  ])('%s: %s by line %s', (path, allowed, line) => {
    expect(rules.decide(path)).toMatchObject({ allowed, line });
  });

  it.each([
    ['Disallow: /a*/b', '/a?x/b'],
    ['Disallow: /ü*/b', '/ü?x/b'],
    ['Disallow\u00a0: /a*/b', '/a?x/b'],
    ['DISALLOW /a*/b', '/a?x/b'],
  ])('%s matches %s as it is written, and no shorter rule decides', (line, path) => {
    const file = parseRobots(`User-agent: *\n${line}\nAllow: /\n`);
    expect(compileRules(file, { tokens: 'a' }).decide(path)).toMatchObject({ allowed: false, line: 2 });
  });
});

describe('the decision before which rows are sorted', () => {
  const piece = fc.constantFrom('/', 'a', 'b', '*', '**', '?', ':', '%3A', '%61', 'ü', '$');
  const path = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`);
  const rule = fc.tuple(fc.constantFrom('Allow', 'Disallow'), path).map((parts) => parts.join(': '));

  it('is the same as those before and after it', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 30 }), path, (lines, url) => {
        const rules = compileRules(parseRobots(['User-agent: *', ...lines].join('\n')), { tokens: 'examplebot' });
        const first = rules.decide(url);
        for (let question = 2; question <= 12; question += 1) expect(rules.decide(url)).toEqual(first);
      }),
      { seed: 46, numRuns: 1_000 },
    );
  });

  it.each(['Allow', 'Disallow'])('finds the first of equal lines (%s)', (field) => {
    const lines = Array.from({ length: 5 }, () => `${field}: /a*b`);
    const rules = compileRules(parseRobots(['User-agent: *', ...lines].join('\n')), { tokens: 'examplebot' });
    for (let question = 1; question <= 12; question += 1) expect(rules.decide('/ab').line).toBe(2);
  });
});
