// The effects of page directives: every row of page-level §7, with a similar case that must not have the effect. If
// this breaks, a directive has no effect.

import { describe, expect, it } from 'vitest';
import { pageWork } from '../../test-support/page-work.js';
import {
  type ExclusionGroups,
  type ExclusionInput,
  excludedByLicense,
  excludePage,
  type FileReservation,
  type PageExclusion,
  resolveExclusionOptions,
} from './exclusion.js';
import { readHtml } from './html.js';
import type { PageLink } from './links.js';

const URL_OF_PAGE = 'https://example.com/a';
const NOW_MS = Date.parse('2026-11-20T00:00:00Z');

interface Directives {
  readonly tag?: string;
  readonly headers?: ExclusionInput['headers'];
  readonly html?: string;
  readonly robots?: Parameters<typeof pageWork>[2];
  readonly tdm?: FileReservation;
}

function exclude(directives: Directives, options: ExclusionGroups = {}): PageExclusion {
  return excludePage({
    work: pageWork(URL_OF_PAGE, {}, directives.robots),
    headers: [
      ...(directives.tag === undefined ? [] : [['X-Robots-Tag', directives.tag] as const]),
      ...(directives.headers ?? []),
    ],
    isJoined: false,
    facts: directives.html === undefined ? null : readHtml(directives.html),
    tdm: directives.tdm ?? { reserved: null, policy: null },
    tokens: ['examplebot'],
    options: resolveExclusionOptions(options),
    nowMs: NOW_MS,
  });
}

/** A link of a page, by its `rel`. */
const link = (rel: string, element: PageLink['element'] = 'a') => ({ rel: rel === '' ? [] : rel.split(' '), element });

/** The effects as text: what the page loses. */
function losses(exclusion: PageExclusion): string {
  return [
    exclusion.runsHandler ? '' : 'handler',
    exclusion.storesItems ? '' : `items:${exclusion.reason}`,
    exclusion.keepsBody ? '' : 'body',
    exclusion.linkExclusion(link('')) === null ? '' : `links:${exclusion.linkExclusion(link(''))}`,
    exclusion.linkExclusion(link('', 'img')) === null ? '' : `images:${exclusion.linkExclusion(link('', 'img'))}`,
  ]
    .filter(Boolean)
    .join(' ');
}

const NOFOLLOW = 'links:page-nofollow images:page-nofollow';
const TDM = { reserved: true, policy: 'https://example.com/policy' };
const DENIES_TRAINING = { preferences: { 'train-ai': 'disallow' } } as const;

describe('the effects of a page’s directives (page-level §7)', () => {
  const rows: [directives: Directives, options: ExclusionGroups, expected: string][] = [
    [{}, {}, ''],
    // noindex, from every source
    [{ tag: 'noindex' }, {}, 'items:noindex'],
    [{ tag: 'none' }, {}, `items:noindex ${NOFOLLOW}`],
    [{ tag: 'index' }, {}, ''],
    [{ tag: 'examplebot: noindex' }, {}, 'items:noindex'],
    [{ tag: 'otherbot: noindex' }, {}, ''],
    [{ html: '<meta name=robots content=noindex>' }, {}, 'items:noindex'],
    [{ html: '<meta name=ExampleBot content=noindex>' }, {}, 'items:noindex'],
    [{ html: '<meta name=otherbot content=noindex>' }, {}, ''],
    [{ html: '<template><meta name=robots content=noindex></template>' }, {}, ''],
    [{ html: '<meta name="SPIDER BY" content=NONE>' }, {}, 'items:noindex'],
    [{ html: '<meta name="SPIDER BY" content=ALL>' }, {}, ''],
    [{ tag: 'noindex', html: '<meta name=robots content=index>' }, {}, 'items:noindex'],
    [{ robots: { isNoindex: true } }, {}, 'items:noindex'],
    [{ robots: { isNoindex: true } }, { pageLevel: { robotsNoindex: 'expose' } }, ''],
    [{ tag: 'noindex' }, { pageLevel: { robotsNoindex: 'expose' } }, 'items:noindex'],
    [{ tag: 'noindex' }, { pageLevel: { noindex: 'flag' } }, ''],
    [{ tag: 'noindex' }, { pageLevel: { noindex: 'ignore' } }, ''],
    [{ tag: 'noindex' }, { pageLevel: { noindex: 'skip-handler' } }, 'handler items:noindex'],
    [{ tag: 'nosnippet' }, { pageLevel: { noindex: 'skip-handler' } }, ''],
    // unavailable_after
    [{ tag: 'unavailable_after: 2026-11-19' }, {}, 'items:unavailable-after'],
    [{ tag: 'unavailable_after: 2026-11-21' }, {}, ''],
    [{ tag: 'unavailable_after: 2026-11-19' }, { pageLevel: { unavailableAfter: 'ignore' } }, ''],
    // nofollow
    [{ tag: 'nofollow' }, {}, NOFOLLOW],
    [{ tag: 'follow' }, {}, ''],
    [{ tag: 'nofollow' }, { links: { pageNofollow: 'ignore' } }, ''],
    // noarchive
    [{ tag: 'noarchive' }, {}, 'body'],
    [{ tag: 'nocache' }, {}, 'body'],
    [{ tag: 'archive' }, {}, ''],
    [{ tag: 'noarchive' }, { pageLevel: { noarchive: 'flag' } }, ''],
    [{ tag: 'noarchive' }, { pageLevel: { noarchive: 'ignore' } }, ''],
    // images
    [{ tag: 'noimageindex' }, {}, 'images:noimageindex'],
    [{ tag: 'imageindex' }, {}, ''],
    [{ tag: 'noimageindex' }, { pageLevel: { images: 'ignore' } }, ''],
    // text and data mining
    [{ tdm: TDM }, {}, ''],
    [{ tdm: TDM }, { purposes: ['search', 'archive', 'other'] }, ''],
    [{ tdm: TDM }, { purposes: ['tdm'] }, 'items:tdm-reserved'],
    [{ tdm: TDM }, { purposes: ['ai-train'] }, 'items:tdm-reserved'],
    [{ tdm: TDM }, { purposes: ['tdm'], tdm: 'observe' }, ''],
    [{ tdm: TDM }, { purposes: ['tdm'], tdm: 'off' }, ''],
    [{ tdm: { reserved: false, policy: null } }, { purposes: ['tdm'] }, ''],
    [{ headers: [['TDM-Reservation', '1']] }, { purposes: ['tdm'] }, 'items:tdm-reserved'],
    [{ headers: [['TDM-Reservation', '2']] }, { purposes: ['tdm'] }, ''],
    [{ html: '<meta name=tdm-reservation content=1>' }, { purposes: ['tdm'] }, 'items:tdm-reserved'],
    [{ tdm: TDM, html: '<meta name=tdm-reservation content=0>' }, { purposes: ['tdm'] }, ''],
    // preferences
    [{ robots: DENIES_TRAINING }, {}, ''],
    [{ robots: DENIES_TRAINING }, { purposes: ['ai-train'] }, 'items:preferences'],
    [{ robots: DENIES_TRAINING }, { purposes: ['search'] }, ''],
    [{ robots: DENIES_TRAINING }, { purposes: ['ai-train'], preferences: 'observe' }, ''],
    [{ robots: DENIES_TRAINING }, { purposes: ['ai-train'], preferences: { apply: 'off' } }, ''],
    [{ headers: [['Content-Usage', 'train-ai=n']] }, { purposes: ['ai-train'] }, 'items:preferences'],
    [{ headers: [['Content-Usage', 'train-ai=y']] }, { purposes: ['ai-train'] }, ''],
    [{ headers: [['Content-Usage', 'train-ai=y, ai-use=n']] }, { purposes: ['ai-input'] }, 'items:preferences'],
    [{ headers: [['Content-Usage', 'train-ai=y, ai-use=n']] }, { purposes: ['ai-train'] }, ''],
    [
      {
        headers: [
          ['Content-Usage', 'train-ai=y'],
          ['content-usage', 'train-ai=n'],
        ],
      },
      { purposes: ['ai-train'] },
      'items:preferences',
    ],
    [{ headers: [['Content-Signal', 'ai-input=no']] }, { purposes: ['ai-input'] }, 'items:preferences'],
    [{ tag: 'noai' }, { purposes: ['ai-train'] }, 'items:preferences'],
    [{ tag: 'noai' }, { purposes: ['search'] }, ''],
    [{}, { purposes: ['ai-train'], preferences: { unknown: 'disallow' } }, 'items:preferences'],
    [{}, { purposes: ['archive'], preferences: { unknown: 'disallow' } }, ''],
    [{ headers: [['Content-Signal', 'use=reference']] }, { preferences: { contentUse: 'full' } }, 'items:content-use'],
    [{ headers: [['Content-Signal', 'use=reference']] }, { preferences: { contentUse: 'reference' } }, ''],
    [{ headers: [['Content-Signal', 'use=reference']] }, {}, ''],
    // another URL to index instead
    [{ html: '<link rel=indexinstead href=/b>' }, {}, 'items:indexinstead'],
    [{ html: '<link rel=indexinstead href=/a>' }, {}, ''],
    [{ html: '<link rel=indexinstead href=/b>' }, { indexInstead: 'expose' }, ''],
    [{ html: '<meta name=URL content=/b>' }, {}, ''],
    [{ html: '<link rel=canonical href=/b>' }, {}, ''],
    [{ html: '<link rel=canonical href=/b>' }, { canonical: 'follow' }, ''],
    [{ html: '<link rel=canonical href=/b>' }, { canonical: 'dedupe' }, 'items:canonical'],
    [{ html: '<link rel=canonical href=/a#x>' }, { canonical: 'dedupe' }, ''],
    // several at once
    [{ tag: 'nofollow, noarchive', html: '<meta name=robots content=noindex>' }, {}, `items:noindex body ${NOFOLLOW}`],
  ];
  it.each(rows)('%j with %j → "%s"', (directives, options, expected) => {
    expect(losses(exclude(directives, options))).toBe(expected);
  });
});

describe('a licence that came with the page', () => {
  it.each([
    ['', false, 'items:license body'],
    ['noindex', false, 'items:noindex body'],
    ['', true, 'items:license-prohibits body links:license-prohibits images:license-prohibits'],
  ])('with "%s", prohibited: %s → %s', (tag, isProhibited, expected) => {
    const page = excludedByLicense(exclude({ tag }), isProhibited, 'its price');
    expect([losses(page), page.reasons.at(-1)]).toMatchObject([expected, { detail: 'its price', isApplied: true }]);
  });
});

describe('links', () => {
  const rows: [rel: string, options: ExclusionGroups, expected: string | null][] = [
    ['', {}, null],
    ['nofollow', {}, 'link-nofollow'],
    ['noopener nofollow', {}, 'link-nofollow'],
    ['nofollower', {}, null],
    ['nofollow', { links: { rel: { nofollow: true } } }, null],
    ['ugc', {}, null],
    ['sponsored', {}, null],
    ['ugc', { links: { rel: { ugc: false } } }, 'link-ugc'],
    ['sponsored', { links: { rel: { ugc: false } } }, null],
    ['sponsored', { links: { rel: { sponsored: false } } }, 'link-sponsored'],
  ];
  it.each(rows)('rel="%s" with %j → %s', (rel, options, expected) => {
    expect(exclude({}, options).linkExclusion(link(rel))).toBe(expected);
  });
});

describe('URLs to which a page refers', () => {
  const leads = (directives: Directives, options?: ExclusionGroups) =>
    exclude(directives, options).links.map(({ url, via, depth, hops }) => [url, via, depth, hops]);

  it('are the one to keep instead, at the depth of the page and one hop later', () => {
    expect(leads({ html: '<link name=INDEXINSTEAD content="https://other.example/c">' })).toEqual([
      ['https://other.example/c', 'link', 2, 1],
    ]);
    expect(
      leads({ html: '<link name=INDEXINSTEAD content="https://other.example/c">' }, { indexInstead: 'expose' }),
    ).toEqual([]);
  });

  it('are the canonical one if an option says so, and never the page itself', () => {
    const html = '<link rel=canonical href=/b>';
    expect(leads({ html })).toEqual([]);
    expect(leads({ html }, { canonical: 'follow' })).toEqual([['https://example.com/b', 'link', 2, 1]]);
    expect(leads({ html }, { canonical: 'dedupe' })).toEqual([['https://example.com/b', 'link', 2, 1]]);
    const reasonsOf = (canonical: 'dedupe' | 'follow') => exclude({ html }, { canonical }).reasons;
    expect(reasonsOf('dedupe')).toMatchObject([
      { reason: 'canonical', detail: 'https://example.com/b', isApplied: true },
    ]);
    expect(reasonsOf('follow')).toEqual([]);
    expect(leads({ html: '<link rel=canonical href=/a>' }, { canonical: 'follow' })).toEqual([]);
  });

  it('are a short refresh, against the base of the page', () => {
    expect(leads({ html: '<base href=/x/><meta http-equiv=refresh content="0;url=b">' })).toEqual([
      ['https://example.com/x/b', 'redirect', 2, 1],
    ]);
    expect(leads({ html: '<meta http-equiv=refresh content="30;url=b">' })).toEqual([]);
  });

  it('are none if the page asks not to follow its links', () => {
    const html =
      '<link rel=indexinstead href=/b><link rel=canonical href=/c><meta http-equiv=refresh content="0;url=d">';
    expect(leads({ html }, { canonical: 'follow' })).toHaveLength(3);
    expect(leads({ html, tag: 'nofollow' }, { canonical: 'follow' })).toEqual([]);
  });
});

describe('the reported reasons', () => {
  it('include every reason with its sources, also those without effect (page-level §1.4)', () => {
    const { reasons } = exclude({ tag: 'noindex', html: '<meta name=robots content=noindex>', tdm: TDM });
    expect(reasons).toEqual([
      { reason: 'noindex', sources: ['x-robots-tag', 'meta'], detail: null, isApplied: true },
      { reason: 'tdm-reserved', sources: ['tdmrep'], detail: TDM.policy, isApplied: false },
    ]);
  });

  it('include the first reason that affects items, with its source', () => {
    const { reason, detail } = exclude({ tag: 'nofollow', tdm: TDM }, { purposes: ['tdm'] });
    expect([reason, detail]).toEqual(['tdm-reserved', `tdmrep: ${TDM.policy}`]);
  });

  it('say so if a reservation file has not come, and only if nothing else reserves the page', () => {
    const unknown = { reserved: true, policy: null, isUnknown: true } as const;
    const detailsOf = (html: string) => {
      const { reasons, detail } = exclude({ tag: 'noindex', html, tdm: unknown }, { purposes: ['tdm'] });
      return [detail, ...reasons.map((each) => each.detail)];
    };
    expect(exclude({ tdm: unknown }, { purposes: ['tdm'] }).detail).toBe(
      'tdmrep: it was not received, so rights count as reserved',
    );
    expect(detailsOf('')).toEqual(['x-robots-tag', null, 'it was not received, so rights count as reserved']);
    expect(detailsOf('<meta name=tdm-reservation content=1>')).toEqual(['x-robots-tag', null, null]);
  });

  it('include expiry, preferences and the canonical URL', () => {
    const exclusion = exclude({
      tag: 'unavailable_after: 2026-12-01',
      html: '<link rel=canonical href=/b>',
      robots: DENIES_TRAINING,
    });
    expect(exclusion.expiresAtMs).toBe(Date.parse('2026-12-01'));
    expect(exclusion.preferences).toEqual({ 'train-ai': 'disallow' });
    expect(exclusion.signals.canonical).toBe('https://example.com/b');
  });
});
