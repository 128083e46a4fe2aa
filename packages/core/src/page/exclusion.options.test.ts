// The options of exclusion are passed to `@mannerly/robots` in the right places.

import { PAGE_DEFAULTS } from '@mannerly/robots/page';
import { expect, it } from 'vitest';
import { resolveExclusionOptions } from './exclusion.js';

it('are all on without options', () =>
  expect(resolveExclusionOptions({})).toEqual({ page: PAGE_DEFAULTS, canonical: 'expose' }));

it('are passed on in the right places', () => {
  const { page, canonical } = resolveExclusionOptions({
    purposes: ['tdm'],
    pageLevel: { noindex: 'flag' },
    links: { rel: { ugc: false } },
    preferences: { unknown: 'disallow' },
    canonical: 'dedupe',
  });
  expect(page).toMatchObject({
    purposes: ['tdm'],
    noindex: 'flag',
    rel: { nofollow: false, ugc: false, sponsored: true },
    unknownPreference: 'disallow',
    preferences: 'respect',
  });
  expect(canonical).toBe('dedupe');
  expect(resolveExclusionOptions({ preferences: 'off' }).page.preferences).toBe('off');
});
