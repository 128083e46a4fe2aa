// Simulates a crawl: hosts with a number of requests each, at their pace, under the bounds of the crawl. Pure. Each
// step is one request: the host that is due first makes it, and is due again according to its pace.

import { ReadyHeap } from '@mannerly/frontier/internal';
import type { HostPace } from './host-pace.js';

export type PlannedBound = 'pages' | 'minutes' | 'pagesPerHost' | 'minutesPerHost';

type PlannedEnd = 'finished' | 'pages' | 'minutes' | 'waiting';

export interface ForecastHost {
  readonly name: string;
  /** Hosts with the same clock share one interval: those of one domain, or of one address. */
  readonly clock: string;
  readonly pace: HostPace;
  readonly answerMs: number;
  /** Requests before its first page: robots.txt, sitemaps, well-known files. */
  readonly preliminaryRequests: number;
  readonly pagesPerHost: number | null;
  readonly runningPerHostMs: number | null;
  /** The number of known pages, 0 if none may be requested; `null`: any number. */
  readonly pages: number | null;
}

/** The limits of the crawl. Milliseconds; `null`: no limit. */
export interface ForecastBounds {
  readonly pages: number | null;
  readonly runningMs: number | null;
  readonly maxIdleMs: number;
  /** Least time from one request of the crawl to the next. */
  readonly crawlIntervalMs: number | null;
  readonly concurrency: number;
  /** The most steps of the forecast; beyond them the rest is estimated in proportion. */
  readonly steps: number;
}

export interface Forecast {
  readonly durationMs: number;
  readonly pages: number;
  readonly requests: number;
  readonly ends: PlannedEnd;
  /** Time from the start. For a bound of each host: the host that reaches it first. */
  readonly firstBound: { readonly bound: PlannedBound; readonly host: string | null; readonly atMs: number } | null;
  readonly hosts: ReadonlyMap<string, PredictedHost>;
}

/** @param startMs - Epoch milliseconds at which the crawl starts: robots.txt files may name hours. @throws Never */
export function forecast(hosts: readonly ForecastHost[], bounds: ForecastBounds, startMs: number): Forecast {
  return new Simulation(hosts, bounds, startMs).run();
}

/** One host, during the simulation and after it. */
class PredictedHost {
  readonly host: ForecastHost;
  pages = 0;
  requests = 0;
  /** From the start to its last page; `null` if it has none. */
  tookMs: number | null = null;
  /** Whether it ends before everything that is known, or may exist, is fetched. */
  isCut = false;
  /** Requests left before its first page. */
  preliminaryRequests: number;
  firstAtMs: number | null = null;
  /** The end of its last request, epoch milliseconds. */
  reachedAtMs = 0;

  constructor(host: ForecastHost) {
    this.host = host;
    this.preliminaryRequests = host.preliminaryRequests;
  }

  get hasMorePages(): boolean {
    const { pages } = this.host;
    return !this.isCut && (pages === null || this.pages < pages);
  }
}

class Simulation {
  readonly #bounds: ForecastBounds;
  readonly #startMs: number;
  readonly #hosts: readonly PredictedHost[];
  #pages = 0;
  #requests = 0;
  /** The end of the last request, and the last time at which a host was found to have nothing left. */
  #lastMs: number;
  #idleMs: number;
  #firstBound: Forecast['firstBound'] = null;

  constructor(hosts: readonly ForecastHost[], bounds: ForecastBounds, startMs: number) {
    this.#bounds = bounds;
    this.#startMs = startMs;
    this.#hosts = hosts.map((host) => new PredictedHost(host));
    this.#lastMs = startMs;
    this.#idleMs = startMs;
  }

  run(): Forecast {
    const { runningMs, pages, maxIdleMs, crawlIntervalMs, concurrency, steps } = this.#bounds;
    const due = new ReadyHeap<{ heapIndex: number; readonly group: readonly PredictedHost[] }>();
    for (const group of byClock(this.#hosts).values()) due.set({ heapIndex: -1, group }, this.#startMs);
    const lanes = new ReadyHeap();
    for (let lane = 0; lane < concurrency; lane += 1) lanes.set({ heapIndex: -1 }, this.#startMs);
    let crawlAtMs = this.#startMs;
    for (let clock = due.peek(); clock !== undefined; clock = due.peek()) {
      const dueMs = due.earliest() ?? this.#startMs;
      const { group } = clock;
      const next = this.#nextOf(group, dueMs);
      if (next === null) {
        due.remove(clock);
        // A reached bound of a host is found when its turn comes.
        if (group.some(({ isCut }) => isCut)) this.#idleMs = dueMs;
        continue;
      }
      const { pace, answerMs } = next.host;
      const isPage = next.preliminaryRequests === 0;
      const { closedUntilMs } = pace.at(dueMs);
      if (isPage && closedUntilMs !== null && closedUntilMs > dueMs) {
        due.set(clock, closedUntilMs);
        continue;
      }
      if (dueMs - this.#lastMs > maxIdleMs && this.#requests > 0) {
        next.isCut = true;
        return this.#result('waiting');
      }
      const lane = lanes.peek()!;
      const atMs = Math.max(dueMs, crawlAtMs, lanes.earliest() ?? 0);
      if (runningMs !== null && atMs - this.#startMs >= runningMs) {
        this.#lastMs = this.#startMs + runningMs;
        this.#noteBound('minutes', null, this.#lastMs);
        return this.#result('minutes');
      }
      const endMs = atMs + answerMs;
      lanes.set(lane, endMs);
      crawlAtMs = atMs + (crawlIntervalMs ?? 0);
      this.#addRequest(next, isPage, atMs, endMs);
      if (this.#pages === pages && this.#hosts.some(({ hasMorePages }) => hasMorePages)) {
        this.#noteBound('pages', null, endMs);
        return this.#result('pages');
      }
      const { fromEndMs, fromStartMs } = pace.at(endMs);
      due.set(clock, Math.max(endMs + fromEndMs, atMs + fromStartMs));
      if (this.#requests >= steps) return this.#inProportion();
    }
    this.#lastMs = Math.max(this.#lastMs, this.#idleMs);
    return this.#result('finished');
  }

  /** The first host under one clock that has something left within the bounds; `null` if none. */
  #nextOf(group: readonly PredictedHost[], atMs: number): PredictedHost | null {
    for (const each of group) {
      const { pagesPerHost, runningPerHostMs } = each.host;
      if (each.isCut || !(each.preliminaryRequests > 0 || each.hasMorePages)) continue;
      const firstAtMs = each.firstAtMs ?? atMs;
      if (each.pages === pagesPerHost) {
        each.isCut = true;
        this.#noteBound('pagesPerHost', each.host.name, each.reachedAtMs);
      } else if (runningPerHostMs !== null && atMs - firstAtMs >= runningPerHostMs) {
        each.isCut = true;
        this.#noteBound('minutesPerHost', each.host.name, firstAtMs + runningPerHostMs);
      } else return each;
    }
    return null;
  }

  #addRequest(host: PredictedHost, isPage: boolean, atMs: number, endMs: number): void {
    this.#requests += 1;
    this.#lastMs = Math.max(this.#lastMs, endMs);
    host.requests += 1;
    host.firstAtMs ??= atMs;
    host.reachedAtMs = endMs;
    if (isPage) {
      this.#pages += 1;
      host.pages += 1;
      host.tookMs = endMs - this.#startMs;
    } else host.preliminaryRequests -= 1;
  }

  #noteBound(bound: PlannedBound, host: string | null, atMs: number): void {
    this.#firstBound ??= { bound, host, atMs: Math.max(0, atMs - this.#startMs) };
  }

  #result(ends: PlannedEnd): Forecast {
    const durationMs = this.#lastMs - this.#startMs;
    const hosts = this.#predicted(ends !== 'finished');
    return { durationMs, pages: this.#pages, requests: this.#requests, ends, firstBound: this.#firstBound, hosts };
  }

  /** For a crawl of more steps than are simulated: the rest continues at the same rate, up to the first bound. */
  #inProportion(): Forecast {
    const { pages, runningMs } = this.#bounds;
    const known = this.#hosts.reduce((sum, { host }) => sum + (host.pages ?? Infinity), 0);
    const soFarMs = Math.max(1, this.#lastMs - this.#startMs);
    const plannedPages = Math.min(known, pages ?? Infinity);
    const plannedMs = this.#pages === 0 ? soFarMs : (soFarMs * plannedPages) / this.#pages;
    const isOver = runningMs !== null && plannedMs > runningMs;
    const durationMs = isOver ? runningMs : plannedMs;
    const factor = durationMs / soFarMs;
    const ends = isOver ? 'minutes' : plannedPages < known ? 'pages' : 'finished';
    if (ends !== 'finished') this.#noteBound(ends, null, this.#startMs + durationMs);
    return {
      durationMs: Math.round(durationMs),
      pages: Math.round(this.#pages * factor),
      requests: Math.round(this.#requests * factor),
      ends,
      firstBound: this.#firstBound,
      hosts: this.#predicted(true),
    };
  }

  #predicted(isCutShort: boolean): ReadonlyMap<string, PredictedHost> {
    if (isCutShort) for (const each of this.#hosts) each.isCut ||= each.hasMorePages;
    return new Map(this.#hosts.map((each) => [each.host.name, each]));
  }
}

function byClock(hosts: readonly PredictedHost[]): ReadonlyMap<string, readonly PredictedHost[]> {
  const clocks = new Map<string, PredictedHost[]>();
  for (const each of hosts) {
    const group = clocks.get(each.host.clock);
    if (group === undefined) clocks.set(each.host.clock, [each]);
    else group.push(each);
  }
  return clocks;
}
