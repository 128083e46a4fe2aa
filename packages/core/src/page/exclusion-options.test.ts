// The options of exclusion in the places where `@mannerly/robots` expects them.

import { expect, it } from 'vitest';
import { EXCLUSION_DEFAULTS, resolveExclusionOptions } from './exclusion-options.js';

it('are all on without options', () => expect(resolveExclusionOptions({})).toEqual(EXCLUSION_DEFAULTS));

it('find their places', () => {
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
