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
  readonly before: number;
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
  before: number;
  firstAtMs: number | null = null;
  /** The end of its last request, epoch milliseconds. */
  reachedAtMs = 0;

  constructor(host: ForecastHost) {
    this.host = host;
    this.before = host.before;
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
    const due = new ReadyHeap<{ heapIndex: number; readonly shared: readonly PredictedHost[] }>();
    for (const shared of byClock(this.#hosts).values()) due.set({ heapIndex: -1, shared }, this.#startMs);
    const lanes = new ReadyHeap();
    for (let lane = 0; lane < concurrency; lane += 1) lanes.set({ heapIndex: -1 }, this.#startMs);
    let crawlAtMs = this.#startMs;
    for (let clock = due.peek(); clock !== undefined; clock = due.peek()) {
      const dueMs = due.earliest() ?? this.#startMs;
      const { shared } = clock;
      const next = this.#nextOf(shared, dueMs);
      if (next === null) {
        due.remove(clock);
        // A reached bound of a host is found when its turn comes.
        if (shared.some(({ isCut }) => isCut)) this.#idleMs = dueMs;
        continue;
      }
      const { pace, answerMs } = next.host;
      const isPage = next.before === 0;
      const { closedUntilMs } = pace.at(dueMs);
      if (isPage && closedUntilMs !== null && closedUntilMs > dueMs) {
        due.set(clock, closedUntilMs);
        continue;
      }
      if (dueMs - this.#lastMs > maxIdleMs && this.#requests > 0) {
        next.isCut = true;
        return this.#ended('waiting');
      }
      const lane = lanes.peek()!;
      const atMs = Math.max(dueMs, crawlAtMs, lanes.earliest() ?? 0);
      if (runningMs !== null && atMs - this.#startMs >= runningMs) {
        this.#lastMs = this.#startMs + runningMs;
        this.#reached('minutes', null, this.#lastMs);
        return this.#ended('minutes');
      }
      const endMs = atMs + answerMs;
      lanes.set(lane, endMs);
      crawlAtMs = atMs + (crawlIntervalMs ?? 0);
      this.#requested(next, isPage, atMs, endMs);
      if (this.#pages === pages && this.#hosts.some(({ hasMorePages }) => hasMorePages)) {
        this.#reached('pages', null, endMs);
        return this.#ended('pages');
      }
      const { fromEndMs, fromStartMs } = pace.at(endMs);
      due.set(clock, Math.max(endMs + fromEndMs, atMs + fromStartMs));
      if (this.#requests >= steps) return this.#inProportion();
    }
    this.#lastMs = Math.max(this.#lastMs, this.#idleMs);
    return this.#ended('finished');
  }

  /** The first host under one clock that has something left within the bounds; `null` if none. */
  #nextOf(shared: readonly PredictedHost[], atMs: number): PredictedHost | null {
    for (const each of shared) {
      const { pagesPerHost, runningPerHostMs } = each.host;
      if (each.isCut || !(each.before > 0 || each.hasMorePages)) continue;
      const firstAtMs = each.firstAtMs ?? atMs;
      if (each.pages === pagesPerHost) {
        each.isCut = true;
        this.#reached('pagesPerHost', each.host.name, each.reachedAtMs);
      } else if (runningPerHostMs !== null && atMs - firstAtMs >= runningPerHostMs) {
        each.isCut = true;
        this.#reached('minutesPerHost', each.host.name, firstAtMs + runningPerHostMs);
      } else return each;
    }
    return null;
  }

  #requested(host: PredictedHost, isPage: boolean, atMs: number, endMs: number): void {
    this.#requests += 1;
    this.#lastMs = Math.max(this.#lastMs, endMs);
    host.requests += 1;
    host.firstAtMs ??= atMs;
    host.reachedAtMs = endMs;
    if (isPage) {
      this.#pages += 1;
      host.pages += 1;
      host.tookMs = endMs - this.#startMs;
    } else host.before -= 1;
  }

  #reached(bound: PlannedBound, host: string | null, atMs: number): void {
    this.#firstBound ??= { bound, host, atMs: Math.max(0, atMs - this.#startMs) };
  }

  #ended(ends: PlannedEnd): Forecast {
    const durationMs = this.#lastMs - this.#startMs;
    const hosts = this.#predicted(ends !== 'finished');
    return { durationMs, pages: this.#pages, requests: this.#requests, ends, firstBound: this.#firstBound, hosts };
  }

  /** For a crawl of more steps than are simulated: the rest continues at the same rate, up to the first bound. */
  #inProportion(): Forecast {
    const { pages, runningMs } = this.#bounds;
    const known = this.#hosts.reduce((sum, { host }) => sum + (host.pages ?? Infinity), 0);
    const soFarMs = Math.max(1, this.#lastMs - this.#startMs);
    const wanted = Math.min(known, pages ?? Infinity);
    const wantedMs = this.#pages === 0 ? soFarMs : (soFarMs * wanted) / this.#pages;
    const isOver = runningMs !== null && wantedMs > runningMs;
    const durationMs = isOver ? runningMs : wantedMs;
    const factor = durationMs / soFarMs;
    const ends = isOver ? 'minutes' : wanted < known ? 'pages' : 'finished';
    if (ends !== 'finished') this.#reached(ends, null, this.#startMs + durationMs);
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
    const shared = clocks.get(each.host.clock);
    if (shared === undefined) clocks.set(each.host.clock, [each]);
    else shared.push(each);
  }
  return clocks;
}
