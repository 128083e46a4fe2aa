// A plan before a crawl: robots.txt files and sitemaps are read as politely as the crawl would read them, and what they
// say is let pass in fast motion. Nothing else is asked of anybody.

import { type Clock, systemClock } from '@mannerly/frontier';
import { hostKeyOf, type Politeness, resolvePoliteness } from '@mannerly/frontier/internal';
import { wantsTdmRep } from '@mannerly/robots/page';
import { partsInMemory } from '../default-parts.js';
import { Handlers } from '../handle/handlers.js';
import { createCrawlEmitter } from '../journal/events.js';
import type { CrawlerOptions } from '../options/crawler-options.js';
import { type ResolvedOptions, resolveOptions } from '../options/options.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { performRun } from '../run/perform-run.js';
import { Run } from '../run/run.js';
import { RunStop } from '../run/run-stop.js';
import type { CrawlPlan, PlannedHost } from './crawl-plan.js';
import { type Forecast, type ForecastHost, forecast } from './forecast.js';
import { type HostPace, readPace } from './host-pace.js';
import { MAX_PLAN_REST_MS, MAX_PLAN_STEPS, MAX_PLANNED_URLS } from './limits.js';
import { createSurvey, type SurveyedHost } from './survey.js';

/** What a plan is told next to the crawl's options. */
export interface PlanOptions {
  /**
   * A directory for the plan's own logs: `requests.jsonl`, `decisions.jsonl`, `robots/`. It is begun anew each time,
   * and is not the crawl's. @default none
   */
  readonly out?: string;
  /** Aborting it ends the reading; what is known by then is planned with. */
  readonly signal?: AbortSignal;
}

const MS_PER_MINUTE = 60_000;

/**
 * Plans a crawl: reads robots.txt and sitemaps of its hosts, and says what the crawl may fetch and how long it will
 * take. It answers when every host has had its pause, up to a minute: the crawl may begin at once.
 *
 * @param options - As for `createCrawler`. Store, sinks, hooks and archive are left alone.
 * @throws MannerlyError as `createCrawler`; `directory-taken`, `directory-in-use`, `log-failed` with `out`.
 */
export async function planCrawl(options: CrawlerOptions, { out, signal }: PlanOptions = {}): Promise<CrawlPlan> {
  const resolved = resolveOptions(options);
  const survey = createSurvey();
  const emitter = createCrawlEmitter((error) => {
    process.emitWarning(`a listener of the plan threw: ${String(error)}`, 'MannerlyWarning');
  });
  survey.listen(emitter);
  const parts = partsInMemory(options);
  const runStop = new RunStop(parts.clock);
  const run = await Run.open({
    ...parts,
    options: resolveOptions(readingOnly(options)),
    handlers: new Handlers(),
    emitter,
    stop: runStop,
    storeProblem: () => null,
    isShared: false,
    isOwnStore: true,
    sinks: [],
    out: out ?? null,
    reset: out !== undefined,
    unpark: [],
    retry: null,
    survey,
  });
  const stop = (): void => runStop.request();
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const report = await performRun(run).finally(() => signal?.removeEventListener('abort', stop));
  const plan = planOf({ resolved, report, hosts: survey.hosts, requests: survey.requests() });
  await rest(options.clock ?? systemClock(), pausesEndAt(plan, survey.hosts), signal);
  return plan;
}

/** The time at which every host has had its pause, so that a crawl which begins then makes no request early. */
function pausesEndAt(plan: CrawlPlan, hosts: ReadonlyMap<string, SurveyedHost>): number {
  return plan.hosts.reduce((latest, { host, intervalMs }) => {
    const { lastEndMs = 0 } = hosts.get(host) ?? {};
    return Math.max(latest, lastEndMs + Math.min(intervalMs, MAX_PLAN_REST_MS));
  }, 0);
}

async function rest(clock: Clock, untilMs: number, signal: AbortSignal | undefined): Promise<void> {
  while (signal?.aborted !== true && clock.nowMs() < untilMs) {
    await new Promise<void>((resolve) => {
      const awake = (): void => {
        signal?.removeEventListener('abort', awake);
        cancel();
        resolve();
      };
      const cancel = clock.after(untilMs - clock.nowMs(), awake);
      signal?.addEventListener('abort', awake, { once: true });
    });
  }
}

/** The options of a crawl, for a run that reads what says what may be read. */
function readingOnly({ discover, bounds, ...options }: CrawlerOptions): CrawlerOptions {
  const {
    purposes: _purposes,
    datasets: _datasets,
    archive: _archive,
    sinks: _sinks,
    store: _store,
    // A hook may refuse a page that the crawl would have asked for; it is the crawl that asks it.
    hooks: _hooks,
    // Nothing is taken.
    orderSeed: _seeded,
    ...read
  } = options;
  const { minutes, depth } = bounds;
  return {
    ...read,
    discover: { sitemaps: true, sitemapUrls: discover?.sitemapUrls ?? [] },
    bounds: {
      pages: MAX_PLANNED_URLS,
      queuedUrls: MAX_PLANNED_URLS,
      ...(minutes === undefined ? {} : { minutes }),
      ...(depth === undefined ? {} : { depth }),
    },
  };
}

/** What the reading came to. */
interface Reading {
  readonly resolved: ResolvedOptions;
  readonly report: CrawlReport;
  readonly hosts: ReadonlyMap<string, SurveyedHost>;
  readonly requests: number;
}

function planOf({ resolved, report, hosts, requests }: Reading): CrawlPlan {
  const { bounds, spacing, maxIdleMs, network } = resolved;
  const politeness = resolvePoliteness(spacing.politeness);
  const unitOf = (host: string): string => hostKeyOf(`http://${host}/`, spacing.hostKeyBy) ?? host;
  const waits = new Map(report.waiting.map((wait) => [wait.host, wait]));
  const known = [...hosts.values()].map((host) => {
    const wait = waits.get(unitOf(host.host)) ?? waits.get(host.host) ?? null;
    return asForecast(host, { resolved, politeness, unitOf, isWaiting: wait !== null });
  });
  const foreseen = forecast(
    known,
    {
      pages: bounds.pages,
      runningMs: inMs(bounds.minutes),
      pagesPerHost: bounds.pagesPerHost,
      runningPerHostMs: inMs(bounds.minutesPerHost),
      maxIdleMs,
      crawlIntervalMs: politeness.crawlIntervalMs,
      concurrency: network.concurrency,
      steps: MAX_PLAN_STEPS,
    },
    report.endedAtMs,
  );
  const planned = known.flatMap((one): PlannedHost[] => {
    const surveyed = hosts.get(one.name);
    if (surveyed === undefined) return [];
    const wait = waits.get(unitOf(one.name)) ?? waits.get(one.name) ?? null;
    return [plannedHost(surveyed, one.pace, foreseen, wait, report.endedAtMs)];
  });
  return {
    format: 1,
    plannedAtMs: report.startedAtMs,
    planningMs: report.endedAtMs - report.startedAtMs,
    planningRequests: requests,
    isWhole: report.state === 'finished' || report.state === 'waiting',
    hosts: planned.sort((a, b) => (b.tookMs ?? -1) - (a.tookMs ?? -1) || (a.host < b.host ? -1 : 1)),
    ...estimateOf(foreseen, known),
  };
}

/** A host that has something to give, or nothing. */
function asForecast(
  host: SurveyedHost,
  parts: {
    readonly resolved: ResolvedOptions;
    readonly politeness: Politeness;
    readonly unitOf: (host: string) => string;
    readonly isWaiting: boolean;
  },
): ForecastHost {
  const { resolved, politeness, unitOf, isWaiting } = parts;
  const answerMs = meanAnswerMs(host);
  const hasSitemap = host.sitemapsRead > 0;
  const sitemapUrls = resolved.sitemapUrls.filter((url) => new URL(url).hostname === host.host).length;
  const companions = (resolved.dataTxt ? 1 : 0) + (wantsTdmRep(resolved.exclusion.page) ? 1 : 0);
  return {
    name: host.host,
    clock: (politeness.perIp ? host.address : null) ?? unitOf(host.host),
    pace: readPace({ options: resolved, politeness, files: host.files, answerMs }),
    answerMs,
    before:
      host.robotsRequests + (resolved.sitemaps ? host.sitemapRequests : sitemapUrls) + (isWaiting ? 0 : companions),
    pages: hasSitemap ? host.allowed : null,
    isOpen: !isWaiting && host.allowed > 0,
  };
}

function plannedHost(
  surveyed: SurveyedHost,
  pace: HostPace,
  { hosts }: Forecast,
  wait: PlannedHost['wait'],
  nowMs: number,
): PlannedHost {
  const { host, allowed, denied, outOfScope, uncounted, sitemapsRead } = surveyed;
  const isKnown = sitemapsRead > 0;
  const { pages = 0, requests = 0, tookMs = null, isCut = false } = hosts.get(host) ?? {};
  const { fromEndMs, fromStartMs } = pace.at(nowMs);
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
    intervalFrom: pace.from(nowMs),
    hasHours: pace.hasHours,
    answerMs: meanAnswerMs(surveyed),
    tookMs,
    isCut,
    wait: wait === null ? null : { reason: wait.reason, untilMs: wait.untilMs },
  };
}

function estimateOf(
  { durationMs, pages, requests, ends, firstBound }: Forecast,
  known: readonly ForecastHost[],
): Pick<CrawlPlan, 'estimate' | 'firstBound'> {
  const guessed = new Set(known.filter((host) => host.isOpen && host.pages === null).map(({ name }) => name));
  return {
    estimate: { durationMs, pages, requests, ends, isAtMost: guessed.size > 0 },
    firstBound:
      firstBound === null
        ? null
        : { ...firstBound, isAtMost: firstBound.host === null ? guessed.size > 0 : guessed.has(firstBound.host) },
  };
}

function meanAnswerMs({ exchanges, exchangesMs }: SurveyedHost): number {
  return exchanges === 0 ? 0 : Math.round(exchangesMs / exchanges);
}

function inMs(minutes: number | null): number | null {
  return minutes === null ? null : minutes * MS_PER_MINUTE;
}
