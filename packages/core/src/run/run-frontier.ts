// The frontier of a run: its options, and the parts of the run that it calls.

import { createFrontier, type Frontier, type UrlRecord } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import { forbidsEveryPurpose } from '@mannerly/robots/page';
import { outsideReason } from '../admit/admit.js';
import type { Scope } from '../admit/scope.js';
import type { SiteKnowledge } from '../crawl/site-knowledge.js';
import type { Companions } from '../discovery/companions.js';
import type { Journal } from '../journal/journal.js';
import { crawlSettings, frontierSettings } from '../options/crawl-settings.js';
import { createWaveFrontier } from '../order-seed/wave-frontier.js';
import { type CrawlTotals, mergeTotals, TOTALS_KEY } from './crawl-totals.js';
import { MAX_WAITING_URLS, WAIT_JITTER } from './limits.js';
import type { RunSetup } from './run-setup.js';

/** The parts of a run that its frontier works with. */
interface FrontierRun {
  readonly setup: RunSetup;
  readonly journal: Journal;
  readonly scope: Scope;
  readonly knowledge: SiteKnowledge;
  readonly companions: Companions;
  readonly totals: CrawlTotals;
}

/** @param mustExist - Without it, all requests would be repeated. @throws FrontierError `option-invalid` */
export function createRunFrontier(run: FrontierRun, mustExist: boolean): Frontier {
  const { setup, journal, knowledge, companions } = run;
  const { options, store, clock, survey } = setup;
  const frontier = createFrontier({
    ...frontierSettings(crawlSettings(options)),
    store,
    clock,
    create: !mustExist,
    companions: (authority, isFirst) => companions.urlsFor(authority, isFirst),
    canonicalRules: options.canonicalRules,
    // With an order seed, a page's links are known before the next page of its host is taken.
    ...(options.orderSeed === null ? {} : { unsettledPerHost: 1 }),
    // Companions and licences are not content: they say what may be done with it. A page that is visited again may have
    // items, so `performWork` decides.
    whyNot: (_url, signals, found) =>
      found.via !== 'companion' && !found.visit && forbidsEveryPurpose(signals.preferences, options.exclusion.page)
        ? 'robots-preferences'
        : (unwantedReason(run, found) ?? knowledge.whyNot(found)),
    mergeParts: { [TOTALS_KEY]: mergeTotals },
    onQueued: (url) => knowledge.trapDetector?.queued(url),
    onEvent(event) {
      journal.frontierEvent(event);
      if (event.kind !== 'url' || event.status !== 'excluded' || event.record?.via !== 'companion') return;
      const { url, record } = event;
      companions
        .markExcluded(url, record.from ?? url)
        .catch((error: unknown) => journal.emit('handler-error', { url, error }));
    },
  });
  const ordered = inSeedOrder(frontier, setup, journal);
  return survey === undefined ? ordered : survey.wrap(ordered);
}

/** Why a URL that an earlier run queued is not requested now: the operator may have narrowed the scope. */
function unwantedReason({ setup: { options, isShared }, scope, totals }: FrontierRun, found: UrlRecord) {
  // If another process followed a seed, the scope may have moved without our knowledge.
  if (totals.earlierRuns === 0 || (isShared && found.via === 'redirect')) return null;
  const url = found.via === 'companion' ? null : parseUrlParts(found.url);
  const outside = url === null ? null : outsideReason(scope, options.bounds, found, url);
  if (outside === null) return null;
  return { status: 'dropped', reason: outside.reason, detail: 'queued by an earlier run' } as const;
}

/** The frontier unchanged, or in the order that a seed decides. */
function inSeedOrder(frontier: Frontier, { options, clock }: RunSetup, journal: Journal): Frontier {
  const { orderSeed, bounds, maxIdleMs } = options;
  if (orderSeed === null) return frontier;
  return createWaveFrontier({
    frontier,
    seed: orderSeed,
    maxPages: bounds.pages,
    maxWaiting: Math.min(bounds.queuedUrls ?? MAX_WAITING_URLS, MAX_WAITING_URLS),
    maxIdleMs: maxIdleMs * (1 + WAIT_JITTER),
    nowMs: () => clock.nowMs(),
    onAnswer: (url, answer) => journal.added(url, answer),
  });
}
