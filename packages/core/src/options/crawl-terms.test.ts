// Processes of one crawl must have the same options, or the later one gets an error that names the difference.

import { describe, expect, it } from 'vitest';
import { decodeJson, encodeJson } from '../json-record.js';
import { type CrawlTerms, reconcileTerms, termsOf } from './crawl-terms.js';
import type { CrawlerOptions } from './crawler-options.js';
import { resolveOptions } from './options.js';

const usual: CrawlerOptions = {
  identity: { name: 'crew', contact: 'https://example.org/us' },
  scope: { seeds: ['https://a.example/', 'https://b.example/'] },
  bounds: { pages: 100 },
};
const terms = (more: Partial<CrawlerOptions> = {}, nowMs = 2) => termsOf(resolveOptions({ ...usual, ...more }), nowMs);
const kept = decodeJson<CrawlTerms>(encodeJson(terms({}, 1)));

const differences = [
  ['the name', { identity: { ...usual.identity, name: 'other' } }, false],
  ['other seeds', { scope: { seeds: ['https://c.example/'] } }, false],
  ['a seed less', { scope: { seeds: ['https://a.example/'] } }, false],
  ['a seed more', { scope: { seeds: [...usual.scope.seeds, 'https://c.example/'] } }, true],
  ['the scope', { scope: { ...usual.scope, within: 'domain' } }, true],
  ['a pattern of it', { scope: { ...usual.scope, exclude: [/private/] } }, true],
  ['the bounds', { bounds: { pages: 200 } }, true],
  ['the pace', { politeness: { profile: 'gentle' } }, true],
  ['an entry for a host', { hosts: [{ match: 'a.example', spacing: { minMs: 9_000 } }] }, true],
  ['purposes', { purposes: ['tdm'] }, true],
  ['robots', { robots: { policy: 'strictest' } }, true],
] as unknown as readonly (readonly [string, Partial<CrawlerOptions>, boolean])[];

describe('the terms of a crawl', () => {
  it.each(differences)('%s may not differ while another process is at work', (_, more, mayChangeAlone) => {
    const ours = terms(more);
    expect(() => reconcileTerms(kept, ours, false)).toThrow(expect.objectContaining({ code: 'crawl-differs' }));
    if (mayChangeAlone) expect(reconcileTerms(kept, ours, true)).toEqual({ ...ours, createdAtMs: 1 });
    else expect(() => reconcileTerms(kept, ours, true)).toThrow(expect.objectContaining({ code: 'crawl-differs' }));
  });

  const same = [
    [
      'seeds in another order, one twice',
      { scope: { seeds: ['https://b.example/', 'https://a.example', 'https://b.example/'] } },
    ],
    ['the network of a machine', { network: { concurrency: 7, allowAddresses: ['10.0.0.0/8'] } }],
    ['longest wait and handlers', { maxIdleMs: 5, handlerTimeoutMs: 6 }],
  ] as const;
  it.each(same)('%s may differ', (_, more) => {
    expect(reconcileTerms(kept, terms(more), false).createdAtMs).toBe(1);
  });

  it('the first process sets them, and seeds beyond the bound are compared by their hash', () => {
    expect(reconcileTerms(null, terms(), false)).toEqual(terms());
    const many = (first: string) => [
      first,
      ...Array.from({ length: 20_000 }, (_, at) => `https://example.org/${at}/long`),
    ];
    const large = terms({ scope: { seeds: many('https://a.example/') } });
    expect(large.seeds).toHaveLength(1);
    expect(reconcileTerms(large, large, false).seedCount).toBe(20_001);
    const other = terms({ scope: { seeds: many('https://b.example/') } });
    expect(() => reconcileTerms(large, other, true)).toThrow(expect.objectContaining({ code: 'crawl-differs' }));
  });

  it('says which option, and both values', () => {
    expect(() => reconcileTerms(kept, terms({ bounds: { pages: 5 } }), false)).toThrow(
      /`bounds` .*"pages":100.*"pages":5/,
    );
  });
});
