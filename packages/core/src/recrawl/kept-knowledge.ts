// What the store keeps of visits, sitemaps and hosts, read for a person who asks. It changes nothing.

import type { Frontier } from '@mannerly/frontier';
import { GroupPriors } from './group-priors.js';
import { ValidatorTrust } from './host-validators.js';
import { LastmodTrust } from './lastmod-trust.js';
import { PRIORS_KEY, type ResolvedRecrawlOptions } from './recrawl-options.js';
import { SitemapVisits } from './sitemap-visits.js';

/** What is expected of pages now, and by which sitemaps and validators. @throws What the store throws. */
export async function readKnowledge(
  store: Pick<Frontier, 'readRecord' | 'listRecords'>,
  options: ResolvedRecrawlOptions,
  nowMs: number,
) {
  const readOnly = { ...store, writeRecord: async () => undefined };
  const { trustFreshnessDays } = options;
  const parts = { sentAs: () => '', trustFreshnessDays, nowMs: () => nowMs, tell: () => undefined };
  const sitemaps = new SitemapVisits(readOnly, parts);
  await sitemaps.readDates();
  const priors = new GroupPriors(await store.readRecord(PRIORS_KEY));
  const lastmodTrust = new LastmodTrust(readOnly);
  return {
    sitemaps,
    validators: new ValidatorTrust(readOnly, 0, () => undefined),
    expectations: { options, priors, lastmods: sitemaps.dates, lastmodTrust, nowMs },
  };
}
