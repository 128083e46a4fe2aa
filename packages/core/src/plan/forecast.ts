// A crawl in fast motion: hosts with so many requests each, at the pace each asks, under the bounds of the crawl. Pure;
// no request is made. Each step is one request: the host that may be asked first is asked, and is due again as its pace
// says.

import type { PlannedBound, PlannedEnd } from './crawl-plan.js';
import { createDueQueue } from './due-hosts.js';
import type { HostPace } from './host-pace.js';

/** A host as the forecast has it: what is asked one at a time, under one clock. */
export interface ForecastHost {
  readonly name: string;
  /** Hosts with the same clock share a name here: those of one domain, or of one address. */
  readonly clock: string;
  readonly pace: HostPace;
  readonly answerMs: number;
  /** Requests before its first page: robots.txt, sitemaps, well-known files. */
  readonly before: number;
  /** Pages that are known; `null`: no one knows, there may be any number. */
  readonly pages: number | null;
  /** Whether it is asked for pages at all. */
  readonly isOpen: boolean;
}

/** What limits the crawl. Milliseconds; `null`: nothing. */
export interface ForecastBounds {
  readonly pages: number | null;
  readonly runningMs: number | null;
  readonly pagesPerHost: number | null;
  readonly runningPerHostMs: number | null;
  readonly maxIdleMs: number;
  /** Least time from one request of the crawl to the next. */
  readonly crawlIntervalMs: number | null;
  /** Requests under way at a time. */
  readonly concurrency: number;
  /** Steps of the forecast at most; past them the rest is estimated in proportion. */
  readonly steps: number;
}

/** What becomes of one host. */
export interface HostForecast {
  readonly pages: number;
  readonly requests: number;
  /** From the start to its last page; `null`: none. */
  readonly tookMs: number | null;
  /** It ends before what is known, or may be there, is fetched. */
  readonly isCut: boolean;
}

/** What becomes of the crawl. */
export interface Forecast {
  readonly durationMs: number;
  readonly pages: number;
  readonly requests: number;
  readonly ends: PlannedEnd;
  readonly firstBound: { readonly bound: PlannedBound; readonly host: string | null; readonly atMs: number } | null;
  /** By the hosts' names. */
  readonly hosts: ReadonlyMap<string, HostForecast>;
}

/** One host on its way. */
interface Runner {
  readonly host: ForecastHost;
  before: number;
  pages: number;
  requests: number;
  firstAtMs: number | null;
  lastMs: number | null;
  /** The end of its last exchange, epoch milliseconds. */
  reachedAtMs: number;
  isCut: boolean;
}

/**
 * Lets a crawl pass.
 *
 * @param startMs - Epoch milliseconds at which it starts: hours that files name depend on it.
 * @throws Never
 */
export function forecast(hosts: readonly ForecastHost[], bounds: ForecastBounds, startMs: number): Forecast {
  const runners = hosts.map(newRunner);
  const due = createDueQueue<readonly Runner[]>();
  for (const shared of byClock(runners)) due.push(startMs, shared);
  const lanes = createDueQueue<null>();
  for (let lane = 0; lane < bounds.concurrency; lane += 1) lanes.push(startMs, null);
  let firstBound: Forecast['firstBound'] = null;
  const bites = (bound: PlannedBound, host: string | null, atMs: number): void => {
    firstBound ??= { bound, host, atMs: Math.max(0, atMs - startMs) };
  };
  const total = { pages: 0, requests: 0, lastMs: startMs, idleMs: startMs, crawlAtMs: startMs };
  let ends: PlannedEnd = 'finished';
  for (let next = due.pop(); next !== null; next = due.pop()) {
    const runner = nextOf(next.value, bounds, next.atMs, bites);
    if (runner === null) {
      // What a host may not give any more is found out when its turn comes.
      if (next.value.some(({ isCut }) => isCut)) total.idleMs = next.atMs;
      continue;
    }
    const { pace, answerMs } = runner.host;
    const isPage = runner.before === 0;
    const { closedUntilMs } = pace.at(next.atMs);
    if (isPage && closedUntilMs !== null && closedUntilMs > next.atMs) {
      due.push(closedUntilMs, next.value);
      // The run ends when nothing else is there to be asked meanwhile.
      continue;
    }
    if (next.atMs - total.lastMs > Math.max(bounds.maxIdleMs, 0) && total.requests > 0) {
      ends = 'waiting';
      runner.isCut = true;
      break;
    }
    const lane = lanes.pop();
    const atMs = Math.max(next.atMs, total.crawlAtMs, lane?.atMs ?? 0);
    if (bounds.runningMs !== null && atMs - startMs >= bounds.runningMs) {
      bites('minutes', null, startMs + bounds.runningMs);
      ends = 'minutes';
      total.lastMs = startMs + bounds.runningMs;
      break;
    }
    const endMs = atMs + answerMs;
    lanes.push(endMs, null);
    total.crawlAtMs = atMs + (bounds.crawlIntervalMs ?? 0);
    total.requests += 1;
    total.lastMs = Math.max(total.lastMs, endMs);
    runner.requests += 1;
    runner.firstAtMs ??= atMs;
    runner.reachedAtMs = endMs;
    if (isPage) {
      total.pages += 1;
      runner.pages += 1;
      runner.lastMs = endMs - startMs;
    } else runner.before -= 1;
    if (total.pages === bounds.pages && runners.some(hasMore)) {
      bites('pages', null, endMs);
      ends = 'pages';
      break;
    }
    const { fromEndMs, fromStartMs } = pace.at(endMs);
    // A first robots.txt may leave before its host's hours begin; what comes after it waits as it says.
    due.push(Math.max(endMs + fromEndMs, atMs + fromStartMs), next.value);
    if (total.requests >= bounds.steps) return inProportion(runners, bounds, total, startMs, firstBound);
  }
  const endMs = ends === 'finished' ? Math.max(total.lastMs, total.idleMs) : total.lastMs;
  return {
    durationMs: endMs - startMs,
    pages: total.pages,
    requests: total.requests,
    ends,
    firstBound,
    hosts: forecasts(runners, ends !== 'finished'),
  };
}

function byClock(runners: readonly Runner[]): readonly (readonly Runner[])[] {
  const shared = new Map<string, Runner[]>();
  for (const runner of runners) {
    const others = shared.get(runner.host.clock);
    if (others === undefined) shared.set(runner.host.clock, [runner]);
    else others.push(runner);
  }
  return [...shared.values()];
}

/** The first of those under one clock that has something left within the bounds; `null`: none. */
function nextOf(
  shared: readonly Runner[],
  { pagesPerHost, runningPerHostMs }: ForecastBounds,
  atMs: number,
  bites: (bound: PlannedBound, host: string, atMs: number) => void,
): Runner | null {
  for (const runner of shared) {
    if (runner.isCut || !(runner.before > 0 || hasMore(runner))) continue;
    if (runner.pages === pagesPerHost) {
      runner.isCut = true;
      bites('pagesPerHost', runner.host.name, runner.reachedAtMs);
    } else if (runningPerHostMs !== null && atMs - (runner.firstAtMs ?? atMs) >= runningPerHostMs) {
      runner.isCut = true;
      bites('minutesPerHost', runner.host.name, (runner.firstAtMs ?? atMs) + runningPerHostMs);
    } else return runner;
  }
  return null;
}

function hasMore({ host, pages, isCut }: Runner): boolean {
  return host.isOpen && !isCut && (host.pages === null || pages < host.pages);
}

function newRunner(host: ForecastHost): Runner {
  return {
    host,
    before: host.before,
    pages: 0,
    requests: 0,
    firstAtMs: null,
    lastMs: null,
    reachedAtMs: 0,
    isCut: false,
  };
}

function forecasts(runners: readonly Runner[], isCutShort: boolean): Map<string, HostForecast> {
  return new Map(
    runners.map((runner) => {
      const { host, pages, requests, lastMs, isCut } = runner;
      return [host.name, { pages, requests, tookMs: lastMs, isCut: isCut || (isCutShort && hasMore(runner)) }];
    }),
  );
}

/** A crawl of more steps than are worth it: the rest goes on as it went so far, up to the first bound. */
function inProportion(
  runners: readonly Runner[],
  { pages: mostPages, runningMs }: ForecastBounds,
  total: { readonly pages: number; readonly requests: number; readonly lastMs: number },
  startMs: number,
  before: Forecast['firstBound'],
): Forecast {
  const known = runners.reduce(
    (sum, { host }) => sum + (host.isOpen ? (host.pages ?? Number.POSITIVE_INFINITY) : 0),
    0,
  );
  const soFarMs = Math.max(1, total.lastMs - startMs);
  const wanted = Math.min(known, mostPages ?? Number.POSITIVE_INFINITY);
  const wantedMs = total.pages === 0 ? soFarMs : (soFarMs * wanted) / total.pages;
  const isOver = runningMs !== null && wantedMs > runningMs;
  const durationMs = isOver ? runningMs : wantedMs;
  const factor = durationMs / soFarMs;
  const ends: PlannedEnd = isOver ? 'minutes' : wanted < known ? 'pages' : 'finished';
  const bound =
    ends === 'finished'
      ? before
      : (before ?? { bound: ends === 'pages' ? 'pages' : 'minutes', host: null, atMs: durationMs });
  return {
    durationMs: Math.round(durationMs),
    pages: Math.round(total.pages * factor),
    requests: Math.round(total.requests * factor),
    ends,
    firstBound: bound,
    hosts: forecasts(runners, true),
  };
}
