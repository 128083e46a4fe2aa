// A restriction lost here is content used against the site's stated directive.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobots } from '../parse.js';
import { compileRules } from '../rules.js';
import {
  type ContentSignalLine,
  type ContentUsageLine,
  mergePreferences,
  parseContentSignal,
  parseContentUsage,
  resolvePreferences,
  resolveSignals,
  sitePreferences,
} from './preferences.js';

const usage = (...values: string[]): ContentUsageLine[] => values.flatMap((value) => parseContentUsage(value) ?? []);
const signal = (...values: string[]): ContentSignalLine[] => values.flatMap((value) => parseContentSignal(value) ?? []);
const URL_A = 'https://example.com/a/b?q=1';

describe('Content-Usage (robots §10.2)', () => {
  const cases: [string[], Record<string, string>][] = [
    [['train-ai=n'], { 'train-ai': 'disallow' }],
    [['train-ai=n', '/a train-ai=y'], { 'train-ai': 'allow' }],
    [['train-ai=n', '/ train-ai=y'], { 'train-ai': 'allow' }],
    [['/a/b train-ai=n', '/a* train-ai=y'], { 'train-ai': 'disallow' }],
    [['/a train-ai=y', '/a train-ai=n'], { 'train-ai': 'disallow' }],
    [['/a train-ai=n', '/a search=y'], { 'train-ai': 'disallow', search: 'allow' }],
    [['/a/b?q=1$ search=n', '/a/*c search=y'], { search: 'disallow' }],
    [['/A train-ai=n'], {}],
    [['/%61/b search=n', '/a search=y'], { search: 'disallow' }],
    [['/a'], {}],
    [['train-ai=n', '/a'], {}],
    [['train-ai=n', '/a train-ai=='], { 'train-ai': 'disallow' }],
    [['ai-input=n'], {}],
    [['bots=n'], {}],
    [['/a ai-use=n', '/a search=y'], { 'ai-use': 'disallow', search: 'allow' }],
  ];
  it.each(cases)('%j', (values, preferences) => {
    expect(resolvePreferences(usage(...values), [], URL_A)).toEqual(preferences);
  });

  it('reports a dictionary that cannot be read', () => {
    expect(parseContentUsage('/a Train-AI=n')).toBeNull();
    expect(parseContentUsage('/a  train-ai=n')).toEqual({ path: '/a', usage: { 'train-ai': 'disallow' } });
  });
});

describe('Content-Signal (robots §10.1)', () => {
  it('reads what it knows and ignores the rest', () => {
    expect(parseContentSignal('/x Search=Yes, Frob=1, ai-train=perhaps, use=most')).toEqual({
      path: '/x',
      signals: { search: 'allow' },
    });
    for (const value of ['rubbish', 'Frob=1', '__proto__=yes', 'search=constructor', '=yes', 'constructor=yes'])
      expect(parseContentSignal(value)).toBeNull();
  });

  const cases: [string[], Record<string, string>][] = [
    [['ai-train=no', '/a ai-train=yes'], { 'ai-train': 'disallow' }],
    [['/a ai-train=no', '/z search=no'], { 'ai-train': 'disallow' }],
    [['use=reference', 'use=full'], { use: 'reference' }],
    [['ai-input=no,ai-input=yes'], { 'ai-input': 'disallow' }],
  ];
  it.each(cases)('%j', (values, signals) => {
    expect(resolveSignals(signal(...values), URL_A)).toEqual(signals);
  });

  it('maps to the categories of Content-Usage, and the strictest value counts (R51)', () => {
    const resolved = resolvePreferences(usage('train-ai=y'), signal('ai-train=no, ai-input=yes, use=full'), URL_A);
    expect(resolved).toEqual({ 'train-ai': 'disallow', 'ai-use': 'allow' });
    expect(resolvePreferences(usage('ai-use=n'), signal('ai-input=yes'), URL_A)).toEqual({ 'ai-use': 'disallow' });
  });
});

it('past the limit of compared lines, refusals count for every path and permissions for none', () => {
  const many = (line: string) => [...Array.from({ length: 1000 }, () => '/z train-ai=n'), line];
  expect(resolvePreferences(usage(...many('/z search=n')), [], URL_A)).toEqual({ search: 'disallow' });
  expect(resolvePreferences(usage(...many('search=y')), [], URL_A)).toEqual({});
  const signals = Array.from({ length: 1000 }, () => '/z search=no');
  expect(resolveSignals(signal(...signals, '/z ai-train=no, ai-input=yes'), URL_A)).toEqual({
    'ai-train': 'disallow',
  });
});

it('merging never turns a disallow into anything else', () => {
  const verdicts = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.constantFrom('allow' as const, 'disallow' as const),
  );
  fc.assert(
    fc.property(verdicts, verdicts, (left, right) => {
      const merged = mergePreferences(left, right);
      for (const source of [left, right]) {
        for (const [key, verdict] of Object.entries(source)) {
          expect(merged[key]).toBe(verdict === 'disallow' ? 'disallow' : (merged[key] ?? 'missing'));
        }
      }
    }),
  );
});

it('random values never throw', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (value, url) => {
      resolvePreferences(usage(value, `/${value}`), signal(value, `a=${value}`), url);
    }),
  );
});

it('says how content of one path may be used, for an absolute URL, a path and a URL object', () => {
  const lines =
    'User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: train-ai=y\nContent-Signal: /a ai-train=no';
  const site = sitePreferences(compileRules(parseRobots(lines), { tokens: 'examplebot' }));
  for (const url of ['https://example.com/a', '/a', ' /a', '/x/../a?b', new URL('https://example.com/a')]) {
    expect(site.preferences(url)).toEqual({ 'train-ai': 'disallow' });
    expect(site.signals(url)).toEqual({ 'ai-train': 'disallow' });
  }
  expect(site.preferences('/b')).toEqual({ 'train-ai': 'allow' });
});
