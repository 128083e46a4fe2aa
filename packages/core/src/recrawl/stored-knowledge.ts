// What the store keeps about visits, sitemaps and hosts, read for a person who asks why a page is visited when it is.
// It changes nothing.

import type { Frontier } from '@mannerly/frontier';
import type { VisitExplanation } from '../report/explain.js';
import { changesPerDay } from './change-estimate.js';
import { conditionsOf, NO_VALIDATORS } from './conditions.js';
import { GroupPriors } from './group-priors.js';
import { createLastmodTrust } from './host-records.js';
import { createValidatorRecords } from './host-validators.js';
import { Lastmods } from './lastmod.js';
import { MAX_LASTMODS, MIN_VISITS_FOR_VERDICT } from './limits.js';
import { decodeVisit, visitKey } from './page-visit.js';
import { PRIORS_KEY, type ResolvedRecrawlOptions } from './recrawl-options.js';
import { addStoredDates } from './sitemap-visits.js';
import { dueOf, expectedVisit, freshNow } from './visit-choice.js';

/** What is expected of pages now, and what is known about validators. @throws What the store throws. */
export async function readKnowledge(
  store: Pick<Frontier, 'readRecord' | 'listRecords'>,
  options: ResolvedRecrawlOptions,
  nowMs: number,
) {
  const readOnly = { ...store, writeRecord: async () => undefined };
  const lastmods = new Lastmods(MAX_LASTMODS);
  await addStoredDates(store, lastmods, nowMs);
  const priors = new GroupPriors(await store.readRecord(PRIORS_KEY));
  const lastmodTrust = createLastmodTrust(readOnly);
  return {
    validators: createValidatorRecords(readOnly),
    expectations: { options, priors, lastmods, lastmodTrust, nowMs },
  };
}

/** Reads the visit. @returns `null`: no visit of the page was kept. @throws What the store throws. */
export async function inspectVisit(
  store: Pick<Frontier, 'readRecord' | 'listRecords'>,
  url: string,
  options: ResolvedRecrawlOptions,
  nowMs: number,
): Promise<VisitExplanation | null> {
  const stored = decodeVisit(await store.readRecord(visitKey(url)));
  if (stored === null) return null;
  const { expectations, validators } = await readKnowledge(store, options, nowMs);
  const { visit, claim, importance, value } = await expectedVisit(stored, expectations);
  const { host } = new URL(url);
  const { visits, changes, changedAtMs, estimate } = visit;
  const isConditional = Object.keys(conditionsOf(visit, visit.sentAs)).length > 0;
  const { etag, lastModified } = isConditional ? visit : NO_VALIDATORS;
  const { atMs: dueAtMs, why } = dueOf(visit, options, claim);
  const { untrustedUntilMs, restless, deliveryDates } = await validators.of(host);
  return {
    ...{ visits, changes, changedAtMs, etag, lastModified, lastVisitMs: visit.atMs, failures: visit.failures ?? 0 },
    ...estimate,
    changesPerDay: changesPerDay(estimate),
    fresh: freshNow(visit, nowMs),
    ...{ importance, value, dueAtMs, why },
    untrustedUntilMs: untrustedUntilMs > nowMs ? untrustedUntilMs : null,
    isEtagTrusted: restless < MIN_VISITS_FOR_VERDICT,
    isLastModifiedTrusted: deliveryDates < MIN_VISITS_FOR_VERDICT,
    lastmod: claim?.kind ?? null,
    lastmodTrust: await expectations.lastmodTrust.of(host),
  };
}
