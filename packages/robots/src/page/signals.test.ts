// Most pages have no directives and are not read any further. The code that decides this must check every place where
// there may be a directive.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PageSignalsInput, readPageSignals } from './signals.js';

const URL_A = 'https://example.com/a/page';
/** Makes the page be read completely: a rule for another path has no effect, but must be checked. */
const OTHERWHERE = { location: '/elsewhere/', reserved: true, policy: null };

/** At most one of each kind: a missed place shows only if it stands alone. */
const ONE = { maxLength: 1 };

const headers = fc.subarray<readonly [string, string]>(
  [
    ['Content-Type', 'text/html'],
    ['X-Robots-Tag', 'noindex'],
    ['robots-tag', 'examplebot=noarchive'],
    ['Content-Usage', 'train-ai=n'],
    ['content-signal', 'ai-train=no'],
    ['TDM-Reservation', '1'],
    ['tdm-policy', '/policy.json'],
    ['Link', '<https://example.com/a>; rel="canonical"'],
  ],
  ONE,
);
const metas = fc.subarray(
  [
    { name: 'description', content: 'noindex' },
    { name: 'Robots', content: 'nofollow' },
    { name: ' ExampleBot ', content: 'noindex' },
    { name: 'spider\n by', content: 'none' },
    { name: 'TDM-Reservation', content: '1' },
    { name: 'tdm-policy', content: '/policy.json' },
    { name: 'url', content: '/named' },
  ],
  ONE,
);
const robots = fc.record({
  isNoindex: fc.boolean(),
  preferences: fc.constantFrom({}, { search: 'disallow' as const }),
  contentSignals: fc.constantFrom({}, { use: 'immediate' }),
});

describe('what a page says (page-level §1)', () => {
  it('is the same by the fast path and the full reading', () => {
    const input = fc.record({ headers, metas, robots }, { requiredKeys: ['headers'] });
    fc.assert(
      fc.property(input, (said) => {
        const page: PageSignalsInput = { url: URL_A, tokens: ['examplebot'], ...said };
        expect(readPageSignals(page)).toEqual(readPageSignals({ ...page, tdmRules: [OTHERWHERE] }));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, Partial<PageSignalsInput>, object]>([
    ['a rule of tdmrep.json', { tdmRules: [{ ...OTHERWHERE, location: '/' }] }, { tdm: { reserved: true } }],
    [
      'a field next to Link',
      {
        headers: [
          ['Link', '</a>; rel="canonical"'],
          ['X-Robots-Tag', 'noindex'],
        ],
      },
      { tags: { restrictions: ['noindex'] } },
    ],
    [
      'each line of a field',
      {
        headers: [
          ['X-Robots-Tag', 'noindex'],
          ['x-robots-tag', 'noarchive'],
        ],
      },
      { tags: { restrictions: ['noarchive', 'noindex'] } },
    ],
  ])('is said by %s alone', (_place, said, expected) => {
    expect(readPageSignals({ url: URL_A, tokens: ['examplebot'], headers: [], ...said })).toMatchObject(expected);
  });

  it('is not a grant if a converter to Markdown says it (licensing C11)', () => {
    const signals = (...headers: (readonly [string, string])[]) => {
      const input = {
        url: URL_A,
        tokens: [],
        headers: [['Content-Signal', 'ai-train=yes, search=no, use=full'], ...headers],
      };
      const { preferences, contentUse } = readPageSignals(input as PageSignalsInput);
      return { preferences, contentUse };
    };
    expect(signals()).toEqual({ preferences: { 'train-ai': 'allow', search: 'disallow' }, contentUse: 'full' });
    expect(signals(['X-Markdown-Tokens', '725'])).toEqual({ preferences: { search: 'disallow' }, contentUse: null });
  });

  it.each<[string, Partial<PageSignalsInput>]>([
    [
      'in two field lines',
      {
        headers: [
          ['TDM-Reservation', '0'],
          ['tdm-reservation', '1'],
        ],
      },
    ],
    ['in lines that were joined', { headers: [['TDM-Reservation', '0, 1']] }],
    ['in two elements', { metas: ['0', '1'].map((content) => ({ name: 'tdm-reservation', content })) }],
  ])('is a reservation if one of its values is: %s', (_, said) => {
    expect(readPageSignals({ url: URL_A, headers: [], tokens: [], ...said }).tdm.reserved).toBe(true);
  });

  it('cannot be changed by its receiver for the next page', () => {
    const { preferences, tdmBy, taggedBy } = readPageSignals({ url: URL_A, headers: [], tokens: [] });
    for (const part of [preferences, tdmBy, taggedBy, taggedBy[0]]) expect(Object.isFrozen(part)).toBe(true);
  });
});
