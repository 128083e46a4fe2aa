// A crawl that fetched no page must not look successful, whatever the reason.

import { expect, it } from 'vitest';
import { hasFetchedNoPage, whyNothingFetched } from './nothing-fetched.js';

it.each([
  ['was held by its own licence', { held: { license: 1 } }, true],
  ['was excluded', { excluded: { noindex: 1 } }, true],
  ['is one of another process, and what is queued is open', { held: { 'run-ended': 1 } }, false],
])('a page that %s', (_, outcomes, isNone) => {
  const report = { pages: 1, state: 'finished', alreadyFinished: false, outcomes } as const;
  expect(hasFetchedNoPage(report)).toBe(isNone);
  expect(whyNothingFetched(report) !== null).toBe(isNone);
});

it('names the option for a sitemap, since one that is given as a seed is a page without a handler', () => {
  const outcomes = { fetched: { 'no-handler': 1 } };
  const report = { pages: 1, state: 'finished', alreadyFinished: false, outcomes } as const;
  expect(whyNothingFetched(report)).toMatch(/`discover\.sitemapUrls` \(--sitemap\)/);
});
