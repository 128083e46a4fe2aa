// Intermediaries join and reorder fields. A refusal must survive that.
import { describe, expect, it } from 'vitest';
import { parseContentSignalField, parseContentUsageField, tagPreferences } from './signals.js';
import { parseRobotsTag } from './tags.js';

describe('preferences in a response (page-level §6)', () => {
  const cases: [string[], object][] = [
    [[], {}],
    [['train-ai=y, search=n'], { 'train-ai': 'allow', search: 'disallow' }],
    // As if two lines had been joined.
    [['train-ai=n, train-ai=y'], { 'train-ai': 'disallow' }],
    [['train-ai=n, search=y, train-ai=?1'], { 'train-ai': 'disallow', search: 'allow' }],
    [['bots=n, train-ai=y, train-ai=?1'], {}],
    [['train-ai=n', 'search=y', 'broken=='], { 'train-ai': 'disallow' }],
    [['/a train-ai=n'], {}],
    [['train-ai=n, ai-use=n, search=y'], { 'train-ai': 'disallow', 'ai-use': 'disallow', search: 'allow' }],
  ];
  it.each(cases)('Content-Usage %j', (values, expected) => {
    expect(parseContentUsageField(values)).toEqual(expected);
  });

  it('Content-Signal is read like the line in robots.txt, including its path', () => {
    const values = ['/a search=no', '/b ai-train=no', 'use=full', 'rubbish'];
    expect(parseContentSignalField(values, 'https://example.com/a')).toEqual({ search: 'disallow', use: 'full' });
  });

  it('noai words refuse training and input', () => {
    const refusal = { 'train-ai': 'disallow', 'ai-use': 'disallow' };
    expect(tagPreferences(parseRobotsTag(['noai'], []))).toEqual(refusal);
    expect(tagPreferences(parseRobotsTag(['noimageai'], []))).toEqual(refusal);
    expect(tagPreferences(parseRobotsTag(['noindex'], []))).toEqual({});
  });
});
