// The last step from a page's directives to what is kept: every option on and off, and the strictest source wins.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forbidsEveryPurpose,
  linkRefusal,
  type PageEffects,
  type PageReason,
  pageEffects,
  wantsTdmRep,
} from './effects.js';
import { type PageOptions, resolvePageOptions } from './page-options.js';
import { type PageSignalsInput, readPageSignals } from './signals.js';

const URL_A = 'https://example.com/a/page';
const NOW = Date.UTC(2026, 10, 20);
const signalsOf = (input: Partial<PageSignalsInput>) =>
  readPageSignals({ url: URL_A, headers: [], tokens: ['examplebot'], ...input });
const effectsOf = (input: Partial<PageSignalsInput>, options: PageOptions = {}): PageEffects =>
  pageEffects(signalsOf(input), resolvePageOptions(options), NOW);
const header = (name: string, value: string): Partial<PageSignalsInput> => ({ headers: [[name, value]] });
const fromRobots = (robots: Partial<NonNullable<PageSignalsInput['robots']>>): Partial<PageSignalsInput> => ({
  robots: { isNoindex: false, preferences: {}, contentSignals: {}, ...robots },
});
const instead = (href: string): Partial<PageSignalsInput> => ({
  linkElements: [{ rel: ['INDEXINSTEAD'], name: null, href, content: null }],
});

const NOINDEX = header('X-Robots-Tag', 'noindex');
const PASSED = header('x-robots-tag', 'unavailable_after: 2026-11-20');
const RESERVED = header('TDM-Reservation', '1');

describe('signal × option → what is kept (page-level §7)', () => {
  // [signals, options, handler runs, items stored, body archived, links followed, images taken]
  const cases: [string, Partial<PageSignalsInput>, PageOptions, boolean[]][] = [
    ['nothing', {}, {}, [true, true, true, true, true]],
    ['noindex', NOINDEX, {}, [true, false, true, true, true]],
    ['noindex', NOINDEX, { noindex: 'flag' }, [true, true, true, true, true]],
    ['noindex', NOINDEX, { noindex: 'skip-handler' }, [false, false, true, true, true]],
    ['noindex', NOINDEX, { noindex: 'ignore' }, [true, true, true, true, true]],
    ['robots.txt Noindex', fromRobots({ isNoindex: true }), {}, [true, false, true, true, true]],
    [
      'robots.txt Noindex',
      fromRobots({ isNoindex: true }),
      { robotsNoindex: 'expose' },
      [true, true, true, true, true],
    ],
    ['date passed', PASSED, {}, [true, false, true, true, true]],
    ['date passed', PASSED, { unavailableAfter: 'ignore' }, [true, true, true, true, true]],
    ['date passed', PASSED, { noindex: 'skip-handler' }, [false, false, true, true, true]],
    ['noarchive', header('x-robots-tag', 'noarchive'), {}, [true, true, false, true, true]],
    ['noarchive', header('x-robots-tag', 'noarchive'), { noarchive: 'flag' }, [true, true, true, true, true]],
    ['nofollow', header('robots-tag', 'nofollow'), {}, [true, true, true, false, true]],
    ['nofollow', header('robots-tag', 'nofollow'), { pageNofollow: 'ignore' }, [true, true, true, true, true]],
    ['noimageindex', header('x-robots-tag', 'noimageindex'), {}, [true, true, true, true, false]],
    ['noimageindex', header('x-robots-tag', 'noimageindex'), { images: 'ignore' }, [true, true, true, true, true]],
    ['reserved, no purpose', RESERVED, {}, [true, true, true, true, true]],
    ['reserved', RESERVED, { purposes: ['tdm'] }, [true, false, true, true, true]],
    ['reserved', RESERVED, { purposes: ['ai-input'] }, [true, false, true, true, true]],
    ['reserved, other purpose', RESERVED, { purposes: ['search', 'archive'] }, [true, true, true, true, true]],
    ['reserved', RESERVED, { purposes: ['tdm'], tdm: 'observe' }, [true, true, true, true, true]],
    ['train-ai=n', header('content-usage', 'train-ai=n'), {}, [true, true, true, true, true]],
    ['train-ai=n', header('content-usage', 'train-ai=n'), { purposes: ['ai-train'] }, [true, false, true, true, true]],
    [
      'train-ai=n',
      header('content-usage', 'train-ai=n'),
      { purposes: ['ai-train'], preferences: 'observe' },
      [true, true, true, true, true],
    ],
    ['train-ai=n', header('content-usage', 'train-ai=n'), { purposes: ['search'] }, [true, true, true, true, true]],
    ['search=no', header('content-signal', 'search=no'), { purposes: ['search'] }, [true, false, true, true, true]],
    ['ai-use=n', header('content-usage', 'ai-use=n'), { purposes: ['ai-input'] }, [true, false, true, true, true]],
    ['ai-use=n', header('content-usage', 'ai-use=n'), { purposes: ['ai-train'] }, [true, true, true, true, true]],
    ['noai', header('x-robots-tag', 'noai'), { purposes: ['ai-input'] }, [true, false, true, true, true]],
    [
      'noai',
      header('x-robots-tag', 'noai'),
      { purposes: ['ai-input'], preferences: 'off' },
      [true, true, true, true, true],
    ],
    ['unknown', {}, { purposes: ['search'], unknownPreference: 'disallow' }, [true, false, true, true, true]],
    [
      'use=reference',
      header('content-signal', 'use=reference'),
      { contentUse: 'full' },
      [true, false, true, true, true],
    ],
    [
      'use=reference',
      header('content-signal', 'use=reference'),
      { contentUse: 'reference' },
      [true, true, true, true, true],
    ],
    [
      'use=full',
      fromRobots({ contentSignals: { use: 'full' } }),
      { contentUse: 'full' },
      [true, true, true, true, true],
    ],
    ['no use', {}, { contentUse: 'full' }, [true, true, true, true, true]],
    ['indexinstead', instead('/b'), {}, [true, false, true, true, true]],
    ['indexinstead', instead('/b'), { indexInstead: 'expose' }, [true, true, true, true, true]],
    ['indexinstead itself', instead('page#x'), {}, [true, true, true, true, true]],
  ];
  it.each(cases)('%s %# %j', (_, input, options, expected) => {
    const { runHandler, keptOutBy, archiveBody, followLinks, takeImages } = effectsOf(input, options);
    expect([runHandler, keptOutBy === null, archiveBody, followLinks, takeImages]).toEqual(expected);
  });
});

describe('reasons', () => {
  it('have a code, sources and detail, even if they have no effect', () => {
    const input = {
      headers: [
        ['X-Robots-Tag', 'noindex'],
        ['tdm-reservation', '1'],
        ['tdm-policy', '/policy.json'],
        ['content-usage', 'train-ai=n'],
      ],
      metas: [{ name: 'robots', content: 'noindex, noai' }],
    } as const;
    expect(effectsOf(input, { purposes: ['ai-train'] }).reasons).toEqual([
      { reason: 'noindex', sources: ['x-robots-tag', 'meta'], detail: null, isApplied: true },
      {
        reason: 'tdm-reserved',
        sources: ['tdm-reservation'],
        detail: 'https://example.com/policy.json',
        isApplied: true,
      },
      { reason: 'preferences', sources: ['content-usage', 'meta'], detail: 'train-ai', isApplied: true },
      { reason: 'preferences', sources: ['meta'], detail: 'ai-use', isApplied: false },
    ]);
  });

  it.each<[Partial<PageSignalsInput>, PageOptions, Omit<PageReason, 'isApplied'>]>([
    [PASSED, {}, { reason: 'unavailable-after', sources: ['x-robots-tag'], detail: '2026-11-20T00:00:00.000Z' }],
    [fromRobots({ isNoindex: true }), {}, { reason: 'noindex', sources: ['robots-txt'], detail: null }],
    [instead('/b'), {}, { reason: 'indexinstead', sources: ['link'], detail: 'https://example.com/b' }],
    [header('robots-tag', 'nosnippet'), {}, { reason: 'nosnippet', sources: ['robots-tag'], detail: null }],
    [
      header('content-signal', 'use=reference'),
      { contentUse: 'full' },
      { reason: 'content-use', sources: ['content-signal'], detail: 'reference' },
    ],
  ])('%# have the place that gives them, and what it says', (input, options, expected) => {
    expect(effectsOf(input, options).reasons).toEqual([{ ...expected, isApplied: true }]);
  });

  it('what a page limits is passed on unless its option is off', () => {
    const input: Partial<PageSignalsInput> = {
      headers: [
        ['x-robots-tag', 'max-snippet:5, unavailable_after: 2026-11-21'],
        ['content-usage', 'train-ai=n'],
        ['tdm-reservation', '1'],
      ],
    };
    const limits = { maxSnippet: 5, expiresAtMs: Date.UTC(2026, 10, 21), preferences: { 'train-ai': 'disallow' } };
    expect(effectsOf(input)).toMatchObject({ ...limits, tdm: { reserved: true } });
    const off = effectsOf(input, { snippet: 'ignore', unavailableAfter: 'ignore', preferences: 'off', tdm: 'off' });
    expect([off.maxSnippet, off.expiresAtMs, off.preferences, off.tdm.reserved]).toEqual([null, null, {}, null]);
  });

  it('a future date is an expiry, not an exclusion', () => {
    const effects = effectsOf(header('x-robots-tag', 'unavailable_after: 2026-11-21'));
    expect(effects).toMatchObject({ keptOutBy: null, expiresAtMs: Date.UTC(2026, 10, 21), reasons: [] });
  });

  it('a page that asks not to follow its links offers no replacement links', () => {
    expect(effectsOf(instead('/b')).enqueue).toEqual(['https://example.com/b']);
    expect(effectsOf({ ...instead('/b'), ...header('x-robots-tag', 'nofollow') }).enqueue).toEqual([]);
  });

  it('a repeated reservation field reserves if any of its lines does', () => {
    const headers = [
      ['tdm-reservation', '0'],
      ['tdm-reservation', '1'],
    ] as const;
    expect(signalsOf({ headers }).tdm.reserved).toBe(true);
  });
});

describe('named links (page-level §4)', () => {
  it('are resolved against the base of the document, http(s) only', () => {
    const link = (rel: string, href: string) => ({ rel: [rel], name: null, href, content: null });
    expect(
      signalsOf({ baseHref: '/base/', linkElements: [link('canonical', 'c#f'), link('indexinstead', 'data:x')] }),
    ).toMatchObject({ canonical: 'https://example.com/base/c', indexInstead: null });
    expect(signalsOf(header('Link', '</x>; rel=next, </c>; title="a"; rel="nofollow canonical"')).canonical).toBe(
      'https://example.com/c',
    );
  });
});

describe('links and purposes', () => {
  it('rel options', () => {
    const left = resolvePageOptions({ rel: { ugc: false } });
    expect(linkRefusal('UGC noopener', true, left)).toBe('link-ugc');
    const bold = resolvePageOptions({ rel: { nofollow: true } });
    expect(linkRefusal(['nofollow', 'sponsored'], true, bold)).toBeNull();
    expect(linkRefusal('', false, bold)).toBe('page-nofollow');
  });

  const refusal = { search: 'disallow', 'train-ai': 'disallow' } as const;
  const cases: [PageOptions, boolean][] = [
    [{}, false],
    [{ purposes: ['search'] }, true],
    [{ purposes: ['search', 'ai-train'] }, true],
    [{ purposes: ['search', 'ai-input'] }, false],
    [{ purposes: ['search', 'archive'] }, false],
    [{ purposes: ['search'], preferences: 'observe' }, false],
  ];
  it.each(cases)('with %j, nothing is fetched for a refused purpose: %s', (options, expected) => {
    expect(forbidsEveryPurpose(refusal, resolvePageOptions(options))).toBe(expected);
  });

  it('tdmrep.json is requested only for purposes that it covers', () => {
    expect(wantsTdmRep(resolvePageOptions({ purposes: ['search'] }))).toBe(false);
    expect(wantsTdmRep(resolvePageOptions({ purposes: ['search', 'ai-train'] }))).toBe(true);
    expect(wantsTdmRep(resolvePageOptions({ purposes: ['tdm'], tdm: 'off' }))).toBe(false);
  });

  const refused: [object, string][] = [
    [{ noindexx: 'flag' }, 'option-unknown'],
    [{ noindex: 'off' }, 'option-invalid'],
    [{ purposes: ['profit'] }, 'option-invalid'],
    [{ rel: { follow: true } }, 'option-unknown'],
    [{ rel: { ugc: 1 } }, 'option-invalid'],
  ];
  it.each(refused)('%j is refused', (options, code) => {
    expect(() => resolvePageOptions(options as PageOptions)).toThrow(expect.objectContaining({ code }));
  });

  it('names every option that exists', () => {
    const hint = expect.stringMatching(/^known: purposes, rel, noindex, /);
    expect(() => resolvePageOptions({ purpose: ['search'] } as PageOptions)).toThrow(expect.objectContaining({ hint }));
  });
});

it('an additional signal never allows more to be kept', () => {
  const tags = fc.subarray(['noindex', 'nofollow', 'noarchive', 'noimageindex', 'noai', 'index, follow', 'all']);
  const flags = ['runHandler', 'archiveBody', 'followLinks', 'takeImages'] as const;
  fc.assert(
    fc.property(tags, tags, (first, second) => {
      const few = effectsOf({ headers: first.map((tag) => ['x-robots-tag', tag]) }, { purposes: ['ai-train'] });
      const many = effectsOf(
        { headers: first.map((tag) => ['x-robots-tag', tag]), metas: [{ name: 'robots', content: second.join(',') }] },
        { purposes: ['ai-train'] },
      );
      for (const flag of flags) expect(many[flag] && !few[flag]).toBe(false);
      expect(many.keptOutBy === null && few.keptOutBy !== null).toBe(false);
    }),
  );
});

it('random headers and documents never throw', () => {
  const text = fc.string();
  const name = fc.constantFrom('x-robots-tag', 'robots-tag', 'content-usage', 'content-signal', 'tdm-policy', 'link');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, text)),
      fc.array(fc.record({ name: text, content: text })),
      text,
      (headers, metas, href) => {
        effectsOf({ headers, metas, baseHref: href, ...instead(href) });
      },
    ),
  );
});
