// What is known of the visits of one page, for a person who asks why it is visited when it is. It changes nothing.

import type { Frontier } from '@mannerly/frontier';
import type { VisitLook } from '../report/visit-look.js';
import { changesPerDay } from './change-estimate.js';
import { dueOf } from './choose-visits.js';
import type { HostValidators } from './host-validators.js';
import { readKnowledge } from './kept-knowledge.js';
import { VISITS_TO_JUDGE } from './limits.js';
import { decodeVisit, visitKey } from './page-visit.js';
import type { ResolvedRecrawlOptions } from './recrawl-options.js';
import { expectedVisit, freshNow } from './visit-choice.js';

/** Looks. @returns `null`: no visit of the page was kept. @throws What the store throws. */
export async function lookAtVisit(
  store: Pick<Frontier, 'readRecord' | 'listRecords'>,
  url: string,
  options: ResolvedRecrawlOptions,
  nowMs: number,
): Promise<VisitLook | null> {
  const kept = decodeVisit(await store.readRecord(visitKey(url)));
  if (kept === null) return null;
  const { expectations, validators } = await readKnowledge(store, options, nowMs);
  const { visit, claim, importance, value } = await expectedVisit(kept, expectations);
  const { host } = new URL(url);
  const { visits, changes, changedAtMs, etag, lastModified, estimate } = visit;
  const { atMs: dueAtMs, why } = dueOf(visit, options, claim);
  return {
    ...{ visits, changes, changedAtMs, etag, lastModified, lastVisitMs: visit.atMs, failures: visit.failures ?? 0 },
    ...estimate,
    changesPerDay: changesPerDay(estimate),
    fresh: freshNow(visit, nowMs),
    ...{ importance, value, dueAtMs, why },
    ...trustOf(await validators.of(host), nowMs),
    lastmod: claim?.says ?? null,
    lastmodTrust: await expectations.lastmodTrust.of(host),
  };
}

function trustOf({ untrustedUntilMs, restless, deliveryDates }: HostValidators, nowMs: number) {
  return {
    untrustedUntilMs: untrustedUntilMs > nowMs ? untrustedUntilMs : null,
    isEtagTrusted: restless < VISITS_TO_JUDGE,
    isLastModifiedTrusted: deliveryDates < VISITS_TO_JUDGE,
  };
}
