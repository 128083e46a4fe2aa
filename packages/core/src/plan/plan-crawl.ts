// A plan before a crawl: reads robots.txt files and sitemaps as politely as the crawl would, and simulates the crawl
// from them. Nothing else is requested.

import { type Clock, type HostKeyBy, type HostWait, systemClock } from '@mannerly/frontier';
import { hostKeyOf, resolveSettings } from '@mannerly/frontier/internal';
import { wantsTdmRep } from '@mannerly/robots/page';
import { checkOptions } from '../call-options.js';
import { partsInMemory } from '../default-parts.js';
import { Handlers } from '../handle/handlers.js';
import { CrawlLog } from '../journal/crawl-log.js';
import { createCrawlEmitter } from '../journal/events.js';
import { logFunctionOf } from '../journal/log-entry.js';
import { NEVER_ABORTED, onAbort } from '../on-abort.js';
import { crawlSettings, frontierSettings } from '../options/crawl-settings.js';
import type { CrawlerOptions } from '../options/crawler-options.js';
import { type ResolvedOptions, resolveOptions } from '../options/options.js';
import { present } from '../present.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { WAIT_JITTER } from '../run/limits.js';
import { performRun } from '../run/perform-run.js';
import { Run } from '../run/run.js';
import { BARE_RUN } from '../run/run-setup.js';
import { RunStop } from '../run/run-stop.js';
import { Wakeup } from '../wakeup.js';
import { type CurrentPace, type Forecast, type ForecastHost, forecast, HostPace } from './forecast.js';
import { MAX_PLAN_STEPS, MAX_PLAN_WAIT_MS, MAX_PLANNED_URLS } from './limits.js';
import { Survey, type SurveyedHost } from './survey.js';

/** One host of the plan. Times are milliseconds. */
export interface PlannedHost {
  readonly host: string;
  /** Sitemaps that were read; if none, the number of pages is unknown. */
  readonly sitemaps: number;
  /** URLs in its sitemaps and the seeds that are in scope and allowed; `null` without a sitemap. */
  readonly allowed: number | null;
  /** Those that a robots.txt denies; `null` without a sitemap. */
  readonly denied: number | null;
  /** Those that are out of scope, or that its sitemaps may not list; `null` without a sitemap. */
  readonly outOfScope: number | null;
  /** URLs that were left out because the plan is bounded. */
  readonly uncounted: number;
  /** Estimated pages, within the bounds; without a sitemap, as many as the bounds allow. */
  readonly pages: number;
  /** Requests of the crawl, robots.txt included. */
  readonly requests: number;
  /** From one request to the next as its robots.txt now requires, and what sets that. */
  readonly intervalMs: number;
  readonly intervalFrom: CurrentPace['from'];
  /** Whether its file names hours (Visit-time), or rates for hours. */
  readonly hasHours: boolean;
  /** The average time of an answer; 0 if none was received. */
  readonly answerMs: number;
  /** From the crawl's start to its last page; `null` if it has none. */
  readonly tookMs: number | null;
  /** Whether the estimate ends before everything that is known, or may exist, is fetched. */
  readonly isCut: boolean;
  /** Why it cannot be requested now, and until when; `null` if it can. */
  readonly wait: Pick<HostWait, 'reason' | 'untilMs'> | null;
}

/** The result of `planCrawl`. */
export interface CrawlPlan {
  readonly format: 1;
  /** When the plan was made, how long that took, and with how many requests. */
  readonly plannedAtMs: number;
  readonly planningMs: number;
  readonly planningRequests: number;
  /** Whether everything was read: nothing stopped it, not even a bound of the plan itself. */
  readonly isComplete: boolean;
  /** Whether links may lead to hosts that no seed and no sitemap names (`scope.within: 'any'`). */
  readonly isOpenEnded: boolean;
  /** The outcome of reading: seeds and entries of sitemaps that a crawl would not request, by status and reason. */
  readonly outcomes: CrawlReport['outcomes'];
  /** Hosts of the seeds and of sitemaps, in descending order of time. */
  readonly hosts: readonly PlannedHost[];
  /** `isAtMost`: the pages of some host are not known, so it may be over sooner. */
  readonly estimate: PlannedTotals & { readonly isAtMost: boolean };
  /**
   * The size of the crawl. `least`: links lead only to what seeds and sitemaps name. `most`: they lead to as much as
   * the bounds allow, to all hosts or only to those without a sitemap, whichever takes longer. Both assume that hosts
   * answer as fast as they did, and that nothing is requested again.
   */
  readonly range: { readonly least: PlannedTotals; readonly most: PlannedTotals };
  /**
   * The bound that is reached first, from the crawl's start; `null` if none. Depth and bytes cannot be predicted.
   * `isAtMost`: no sitemap confirms that there is so much.
   */
  readonly firstBound: (NonNullable<Forecast['firstBound']> & { readonly isAtMost: boolean }) | null;
}

type PlannedTotals = Pick<Forecast, 'durationMs' | 'pages' | 'requests' | 'ends'>;

interface PlanOptions {
  /**
   * A directory for the plan's own logs: `requests.jsonl`, `decisions.jsonl`, `robots/`. It is emptied each time, and
   * is not the crawl's directory. @default none
   */
  readonly out?: string;
  /** Aborting it ends the reading; the plan uses what is known by then. */
  readonly signal?: AbortSignal;
}

const MS_PER_MINUTE = 60_000;

/**
 * Plans a crawl: reads robots.txt and sitemaps of its hosts, and tells what the crawl may fetch and how long it will
 * take. It resolves after the pause of every host, at most a minute: the crawl may then begin at once.
 * @param options - As for `createCrawler`. Store, sinks, hooks and archive are not used.
 * @throws MannerlyError as `createCrawler`; `directory-taken`, `directory-in-use`, `log-failed` with `out`.
 */
export async function planCrawl(options: CrawlerOptions, planOptions: PlanOptions = {}): Promise<CrawlPlan> {
  checkOptions('planCrawl', planOptions, { out: 'string', signal: 'signal' });
  const { out, signal = NEVER_ABORTED } = planOptions;
  const resolved = resolveOptions(options, planCrawl);
  const parts = partsInMemory(options);
  const survey = new Survey(parts.clock);
  const runStop = new RunStop(parts.clock);
  const emitter = createCrawlEmitter(() => undefined);
  const write = logFunctionOf(resolved.log);
  const log = write === null ? null : new CrawlLog(write, emitter, () => parts.clock.nowMs(), true);
  const run = await Run.open({
    ...BARE_RUN,
    ...parts,
    options: resolveOptions(surveyOptions(options)),
    handlers: new Handlers(),
    emitter,
    ...present({ log }),
    stop: runStop,
    out: out ?? null,
    reset: out !== undefined,
    survey,
  });
  if (signal.aborted) runStop.request();
  const release = onAbort(signal, () => runStop.request());
  const report = await performRun(run).finally(release);
  const plan = planOf(resolved, report, survey);
  await waitUntil(options.clock ?? systemClock(), pausesEndAt(plan, survey.hosts), signal);
  return plan;
}

/** The time when every host's pause is over, so that a crawl which begins then makes no request early. */
function pausesEndAt(plan: CrawlPlan, hosts: ReadonlyMap<string, SurveyedHost>): number {
  return plan.hosts.reduce((latest, { host, intervalMs }) => {
    const { lastEndMs = 0 } = hosts.get(host) ?? {};
    return Math.max(latest, lastEndMs + Math.min(intervalMs, MAX_PLAN_WAIT_MS));
  }, 0);
}

async function waitUntil(clock: Clock, untilMs: number, signal: AbortSignal): Promise<void> {
  const wakeup = new Wakeup(clock);
  const release = onAbort(signal, () => wakeup.wake());
  while (!signal.aborted && clock.nowMs() < untilMs) await wakeup.sleep(untilMs);
  release();
}

/** The options of a crawl, for a run that only reads robots.txt and sitemaps. */
function surveyOptions({ discover, bounds, hosts = [], ...options }: CrawlerOptions): CrawlerOptions {
  const { purposes: _1, datasets: _2, archive: _3, sinks: _4, store: _5, orderSeed: _6, labels: _7, ...more } = options;
  // A hook may refuse a page that the crawl would have requested.
  const { hooks: _8, ...read } = more;
  const { minutes, depth } = bounds;
  return {
    ...read,
    // Only the bounds that decide which pages belong to the crawl.
    hosts: hosts.map(({ bounds: hostBounds, ...entry }) =>
      hostBounds?.depth === undefined ? entry : { ...entry, bounds: { depth: hostBounds.depth } },
    ),
    discover: { sitemaps: true, sitemapUrls: discover?.sitemapUrls ?? [] },
    bounds: { pages: MAX_PLANNED_URLS, queuedUrls: MAX_PLANNED_URLS, ...present({ minutes, depth }) },
  };
}

function planOf(resolved: ResolvedOptions, report: CrawlReport, survey: Survey): CrawlPlan {
  const { bounds, spacing, maxIdleMs, network } = resolved;
  const settings = resolveSettings(frontierSettings(crawlSettings(resolved)));
  const waits = new Map(report.waiting.map((wait) => [wait.host, wait]));
  const surveyed = [...survey.hosts.values()].map((host) => {
    const hostKey = hostKeyOf(`http://${host.host}/`, spacing.hostKeyBy) ?? host.host;
    const wait = waits.get(hostKey) ?? waits.get(host.host) ?? null;
    return { host, wait, known: forecastHost(host, hostKey, wait, resolved, settings) };
  });
  const limits = {
    pages: bounds.pages,
    runningMs: bounds.minutes === null ? null : bounds.minutes * MS_PER_MINUTE,
    maxIdleMs: maxIdleMs * (1 + WAIT_JITTER),
    crawlIntervalMs: settings.politeness.crawlIntervalMs,
    concurrency: network.concurrency,
    steps: MAX_PLAN_STEPS,
  };
  /** @param pagesOf - The pages of each host; `null`: any number. */
  const forecastWith = (pagesOf: (each: (typeof surveyed)[number]) => number | null): Forecast => {
    const hosts = surveyed.map((each) => ({ ...each.known, pages: pagesOf(each) }));
    return forecast(hosts, limits, report.endedAtMs);
  };
  const predicted = forecastWith(({ known }) => known.pages);
  const least = forecastWith(({ known, host }) => known.pages ?? Math.max(1, host.allowed));
  const anywhere = forecastWith(({ known }) => (known.pages === 0 ? 0 : null));
  // Links to the hosts without a sitemap alone may take longer: then a fast host with one does not use up the bound.
  const most = anywhere.durationMs < predicted.durationMs ? predicted : anywhere;
  const planned = surveyed.map(({ host, wait, known }) => plannedHost(host, known, predicted, wait, report.endedAtMs));
  const unknownHosts = new Set(surveyed.flatMap(({ known: { pages, name } }) => (pages === null ? name : [])));
  const { firstBound } = predicted;
  const isAtMost = unknownHosts.size > 0;
  return {
    format: 1,
    plannedAtMs: report.startedAtMs,
    planningMs: report.endedAtMs - report.startedAtMs,
    planningRequests: survey.requests,
    isComplete:
      report.state !== 'stopped' &&
      report.bound === null &&
      report.bounds.every(({ bound }) => bound === 'bounds.depth'),
    isOpenEnded: resolved.scope.within === 'any',
    outcomes: report.outcomes,
    hosts: planned.sort((a, b) => (b.tookMs ?? -1) - (a.tookMs ?? -1) || (a.host < b.host ? -1 : 1)),
    estimate: { ...totalsOf(predicted), isAtMost },
    range: { least: totalsOf(least), most: totalsOf(most) },
    firstBound:
      firstBound === null
        ? null
        : { ...firstBound, isAtMost: firstBound.host === null ? isAtMost : unknownHosts.has(firstBound.host) },
  };
}

function totalsOf({ durationMs, pages, requests, ends }: Forecast): PlannedTotals {
  return { durationMs, pages, requests, ends };
}

function forecastHost(
  surveyed: SurveyedHost,
  hostKey: string,
  wait: HostWait | null,
  options: ResolvedOptions,
  { settingsOf, readRules }: ReturnType<typeof resolveSettings>,
): ForecastHost {
  const { host, files, answerMs, robotsRequests, sitemapRequests, sitemapsRead, allowed } = surveyed;
  const { politeness, limits } = settingsOf(hostKey);
  // If only the robots.txt of another of its ports or schemes cannot be fetched, the pages that were counted can be
  // requested: they were judged by a file that was read.
  const isClosed = wait !== null && (wait.reason !== 'robots-unreachable' || allowed === 0);
  const ownSitemaps = options.sitemapUrls.filter((url) => new URL(url).hostname === host).length;
  const companions = (options.dataTxt ? 1 : 0) + (wantsTdmRep(options.exclusion.page) ? 1 : 0);
  return {
    name: host,
    clock: clockOf(surveyed, hostKey, politeness.perIp, options.spacing.hostKeyBy),
    pace: new HostPace(readRules, politeness, files, answerMs),
    answerMs,
    pagesPerHost: limits.pagesPerHost,
    runningPerHostMs: limits.runningPerHostMs,
    preliminaryRequests:
      robotsRequests + (options.sitemaps ? sitemapRequests : ownSitemaps) + (isClosed ? 0 : companions),
    pages: isClosed || allowed === 0 ? 0 : sitemapsRead > 0 ? allowed : null,
  };
}

/** The name of a host's clock: its own, or that of all hosts at its address, or of those of its domain there. */
function clockOf({ host, address }: SurveyedHost, hostKey: string, perIp: boolean | 'domain', by: HostKeyBy): string {
  if (address === null || perIp === false || (perIp === 'domain' && by === 'domain')) return hostKey;
  return perIp === true ? address : `${address} ${hostKeyOf(`http://${host}/`, 'domain')}`;
}

function plannedHost(
  { host, allowed, denied, outOfScope, uncounted, sitemapsRead, answerMs }: SurveyedHost,
  { pace }: ForecastHost,
  { hosts }: Forecast,
  wait: PlannedHost['wait'],
  nowMs: number,
): PlannedHost {
  const isKnown = sitemapsRead > 0;
  const { pages = 0, requests = 0, tookMs = null, isCut = false } = hosts.get(host) ?? {};
  const { fromEndMs, fromStartMs, from } = pace.at(nowMs);
  return {
    host,
    sitemaps: sitemapsRead,
    allowed: isKnown ? allowed : null,
    denied: isKnown ? denied : null,
    outOfScope: isKnown ? outOfScope : null,
    uncounted,
    pages,
    requests,
    intervalMs: Math.max(fromEndMs, fromStartMs),
    intervalFrom: from,
    hasHours: pace.hasHours,
    answerMs,
    tookMs,
    isCut,
    wait: wait === null ? null : { reason: wait.reason, untilMs: wait.untilMs },
  };
}
