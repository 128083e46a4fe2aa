/** The filter may say "no" only if that is certain: with a wrong "no", a rule is not applied. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explain } from './explain.js';
import { parseRobots } from './parse.js';
import { indexText, mayMatch } from './pattern.js';
import { compileRules } from './rules.js';

const may = (pattern: string) => mayMatch(pattern, 0, pattern.length);

describe('what is remembered of a text', () => {
  it.each([
    ['/*abc', true],
    ['/*abc*ab', true],
    ['/*bb', false],
    ['/abc*ab', true],
    ['/abcab*ab', false],
    ['/*a$', true],
    ['/*xyz', false],
    ['/*z', true],
    ['/*a*b', true],
    ['/*zz', false],
    ['/**', true],
    ['*', true],
    ['/abc', true],
  ])('lets %s through: %s', (pattern, passes) => {
    indexText('/abcab');
    expect(may(pattern)).toBe(passes);
  });

  it('contains every part of the text, even if parts share a slot', () => {
    const byte = fc.integer({ min: 0x2b, max: 0xff }).map((code) => String.fromCharCode(code));
    const texts = fc.array(byte, { minLength: 3, maxLength: 3000, size: 'max' }).map((bytes) => bytes.join(''));
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 5 }), (text, at, length) => {
        indexText(text);
        const stretch = text.slice(at % text.length, (at % text.length) + length);
        expect(may(`*${stretch}`)).toBe(true);
      }),
      { seed: 9309, numRuns: 400 },
    );
  });

  it('is forgotten with the next text', () => {
    indexText('/abcdef');
    indexText('/uvwxyz');
    expect(may('/*abc')).toBe(false);
    expect(may('/*vwx')).toBe(true);
  });
});

describe('rules that need more work than the bound', () => {
  // The start of every segment occurs, in order: only a search of the whole text can tell that none matches.
  const letters = (i: number) => String.fromCharCode(97 + (i % 26), 97 + (Math.floor(i / 26) % 26));
  const compiled = (count: number) => {
    const rules = Array.from({ length: count }, (_, i) => `Disallow: /*ba*q${i % 10}*zz${letters(i)}${i}`);
    return compileRules(parseRobots(['User-agent: *', 'Allow: /open', ...rules].join('\n')), { tokens: 'examplebot' });
  };
  const ends = Array.from({ length: 676 }, (_, i) => `zz${letters(i)}`).join('');
  const path = `/${'ab'.repeat(2700)}q0q1q2q3q4q5q6q7q8q9${ends}`;

  it('close only this URL', () => {
    const rules = compiled(5000);
    expect(rules.decide(path)).toMatchObject({ allowed: false, reason: 'oversize' });
    expect(rules.isAllowed(path)).toBe(false);
    expect(explain(rules, path).decision.reason).toBe('oversize');
    expect(rules.isAllowed('/open')).toBe(true);
    expect(rules.isAllowed('/other')).toBe(true);
  });

  it.each([
    [100, 8_000],
    [2_000, 300],
  ])('are not %i rules with three wildcards against %i bytes', (count, bytes) => {
    const part = `/${path.slice(path.length - bytes)}`;
    expect(compiled(count).decide(part)).toMatchObject({ allowed: true, reason: 'no-match' });
  });
});
