// What the crawl's own frontier is told: its options by the user's, and what it asks back while the crawl runs.

import type { Clock, FrontierOptions, FrontierStore, UrlRecord } from '@mannerly/frontier';
import { forbidsEveryPurpose } from '@mannerly/robots/page';
import type { Learned } from '../crawl/learned.js';
import type { Companions } from '../discovery/companions.js';
import { crawlSettings } from '../options/crawl-settings.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Recorder } from '../record/recorder.js';
import type { Unwanted } from './still-wanted.js';

/** What the frontier asks of the run: functions, since most of it is made after the frontier. */
export interface FrontierAnswers {
  readonly record: () => Recorder;
  readonly companions: () => Companions;
  readonly learned: () => Learned;
  /** Why a URL that an earlier run queued is not asked for now; `null`: it is. */
  readonly unwanted: (found: UrlRecord) => Unwanted | null;
}

/** The options of the frontier of one run. @throws Never */
export function frontierOptions(
  {
    options,
    store,
    clock,
  }: { readonly options: ResolvedOptions; readonly store: FrontierStore; readonly clock: Clock },
  { record, companions, learned, unwanted }: FrontierAnswers,
): FrontierOptions {
  return {
    ...crawlSettings(options),
    store,
    clock,
    companions: (authority, isFirst) => companions().urlsFor(authority, isFirst),
    canonicalRules: options.canonicalRules,
    // What a page leads to is known before the host's next one is taken: its order is then its own.
    ...(options.orderSeed === null ? {} : { unsettledPerHost: 1 }),
    whyNot: (_url, signals, found) =>
      forbidsEveryPurpose(signals.preferences, options.exclusion.page)
        ? 'robots-preferences'
        : (unwanted(found) ?? learned().whyNot(found)),
    onQueued: (url) => learned().queued(url),
    onEvent(event) {
      record().frontierEvent(event);
      if (event.kind !== 'url' || event.status !== 'excluded' || event.record?.via !== 'companion') return;
      const { url } = event;
      companions()
        .excluded(url)
        .catch((error: unknown) => record().handlerFailed(url, error));
    },
  };
}
