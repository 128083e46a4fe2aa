// The stages of one run, built from its options and from what is open: nothing here asks, waits or decides.

import type { Frontier } from '@mannerly/frontier';
import { resolvePoliteness } from '@mannerly/frontier/internal';
import { wantsTdmRep } from '@mannerly/robots/page';
import { createAdmit } from '../admit/admit.js';
import type { Scope } from '../admit/scope.js';
import type { CrawlArchive } from '../archive/crawl-archive.js';
import { createHooks } from '../crawl/hooks.js';
import type { Learned } from '../crawl/learned.js';
import { createOwnRequests } from '../crawl/own-requests.js';
import { createRenderings } from '../crawl/rendering.js';
import type { Stages } from '../crawl/stages.js';
import { createTurns } from '../crawl/turns.js';
import { watchUnderway } from '../crawl/underway.js';
import type { Wakeup } from '../crawl/wakeup.js';
import { createCompanions } from '../discovery/companions.js';
import { createOffer } from '../discovery/offer.js';
import { createSitemaps } from '../discovery/sitemaps.js';
import type { AddressGuard } from '../fetch/address-guard.js';
import { decodeText, utf8Start } from '../fetch/charset.js';
import type { CookieJar } from '../fetch/cookies.js';
import { createEgress } from '../fetch/egress.js';
import { RequestLimiter } from '../fetch/request-limiter.js';
import { createHandlerPool } from '../handle/handler-pool.js';
import type { ItemWriter } from '../output/item-writer.js';
import { createDatasets } from '../page/datasets.js';
import { createPageReader } from '../page/read-page.js';
import type { Recorder } from '../record/recorder.js';
import { MAX_HANDLING, SHARED_LOOK_MS } from './limits.js';
import type { RunParts } from './run-parts.js';
import type { RunStop } from './run-stop.js';

const MS_PER_MINUTE = 60_000;

/** What the stages stand on. */
export interface StageGround {
  readonly frontier: Frontier;
  readonly guard: AddressGuard;
  readonly cookies: (() => CookieJar) | null;
  readonly site: Scope;
  readonly learned: Learned;
  readonly record: Recorder;
  readonly wakeup: Wakeup;
  readonly stop: RunStop;
  readonly items: ItemWriter;
  readonly archive: CrawlArchive | null;
  /** What handlers save goes here; `null`: they cannot. */
  readonly filesPath: string | null;
}

/** Builds the stages. @throws Never */
export function openStages(
  { options, handlers, fetcher, clock, isShared }: RunParts,
  { frontier, guard, cookies, site, learned, record, wakeup, stop, items, archive, filesPath }: StageGround,
): Stages {
  const { identity, network, bounds } = options;
  const nowMs = (): number => clock.nowMs();
  const sitemaps = createSitemaps({ named: options.sitemaps, urls: options.sitemapUrls });
  const admit = createAdmit(site, bounds, learned.watch, (url) => frontier.isRecent(url));
  const companions = createCompanions(
    {
      sitemaps,
      tdm: wantsTdmRep(options.exclusion.page),
      datasets: options.dataTxt
        ? createDatasets({ tokens: identity.tokens, enqueue: options.enqueueDatasets, tell: record.dataset })
        : null,
    },
    frontier,
    nowMs,
  );
  const door = createEgress({
    fetcher,
    identity,
    guard,
    limiter: new RequestLimiter(resolvePoliteness(options.spacing.politeness).crawlIntervalMs),
    network: { ...network, cookies },
    nowMs,
    onRequest: record.request,
    onExchange: archive?.exchanged,
  });
  const { egress, underway } = watchUnderway(door, nowMs);
  const hooks = createHooks(options.hooks, { after: clock.after, signal: stop.signal, failed: record.hookFailed });
  const own = createOwnRequests({
    frontier,
    admit,
    hooks,
    egress,
    wakeup,
    nowMs,
    concurrency: network.concurrency,
    maxBodyBytes: network.maxBodyBytes,
    keep: archive === null ? undefined : (outcome) => archive.keep(outcome),
    isStopping: stop.isRequested,
    signal: stop.signal,
  });
  const pool = createHandlerPool({
    handlers,
    concurrency: MAX_HANDLING,
    handlerTimeoutMs: options.handlerTimeoutMs,
    after: clock.after,
    signal: stop.signal,
    filesPath,
    ownFetch: own.fetch,
  });
  return {
    frontier,
    admit,
    offer: createOffer(admit, frontier, record),
    egress,
    underway,
    companions,
    sitemaps,
    learned,
    reader: createPageReader({
      decodeText,
      utf8Start,
      tdmFor: companions.tdmFor,
      joinsHeaders: !fetcher.capabilities.rawHeaders,
      tokens: identity.tokens,
      options: options.exclusion,
      nowMs,
    }),
    handlers: pool,
    renderings: createRenderings({
      renderer: fetcher.renderer ?? null,
      own,
      handlers: pool,
      site,
      record,
      userAgent: identity.userAgent,
      nowMs,
      isStopping: stop.isRequested,
      signal: stop.signal,
    }),
    hooks,
    own,
    items,
    archive,
    record,
    wakeup,
    turns: createTurns(nowMs, network.concurrency),
    nowMs,
    concurrency: network.concurrency,
    maxInHand: network.concurrency + MAX_HANDLING,
    maxIdleMs: options.maxIdleMs,
    maxRunningMs: bounds.minutes === null ? null : bounds.minutes * MS_PER_MINUTE,
    lookAgainMs: isShared ? SHARED_LOOK_MS : null,
    isStopping: stop.isRequested,
    stopFor: stop.requestFor,
    signal: stop.signal,
  };
}
