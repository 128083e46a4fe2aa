// Simulates a crawl: hosts with a number of requests each, at their pace, under the bounds of the crawl. Pure. Each
// step is one request: the host that is due first makes it, and is due again according to its pace. That is what its
// robots.txt files require at a given time, read as the crawl reads them, by the same code, and the profile.

import { ReadyHeap, requestInterval, type resolveSettings, SpacingRequirements } from '@mannerly/frontier/internal';

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

type Settings = ReturnType<typeof resolveSettings>;

/** What is required at a given time. Milliseconds. */
export interface CurrentPace {
  /** Least time from the end of one request to the start of the next. */
  readonly fromEndMs: number;
  /** Least time from start to start; 0 if none. */
  readonly fromStartMs: number;
  readonly from: 'profile' | 'crawl-delay' | 'request-rate';
  /** Not before this time, epoch milliseconds; `null`: open. */
  readonly closedUntilMs: number | null;
}

export class HostPace {
  /** Whether a file names hours, or rates for hours. */
  readonly hasHours: boolean;
  readonly #politeness: Settings['politeness'];
  readonly #answerMs: number;
  readonly #required = new SpacingRequirements(0);
  #minute = Number.NaN;
  #now: CurrentPace | null = null;

  /** @param files - The robots.txt bodies of the host, by authority. @param answerMs - How long an answer takes. */
  constructor(
    readRules: Settings['readRules'],
    politeness: Settings['politeness'],
    files: ReadonlyMap<string, Uint8Array>,
    answerMs: number,
  ) {
    this.#politeness = politeness;
    this.#answerMs = answerMs;
    let hasHours = false;
    for (const [authority, body] of files) {
      const { requirements } = readRules.fromCopy({ body, charset: null, robotsUrl: `${authority}/robots.txt` });
      this.#required.note(authority, requirements);
      hasHours ||= requirements.hasHours;
    }
    this.hasHours = hasHours;
  }

  /** @param nowMs - Epoch milliseconds. Files name minutes: within a minute nothing changes. */
  at(nowMs: number): CurrentPace {
    const minute = this.hasHours ? Math.floor(nowMs / 60_000) : 0;
    if (this.#now === null || this.#minute !== minute) this.#now = this.#read(nowMs);
    this.#minute = minute;
    return this.#now;
  }

  #read(nowMs: number): CurrentPace {
    const { spacing, closed } = this.#required.at(nowMs);
    const { crawlDelayMs, requestIntervalMs, bucket } = spacing;
    const rateMs = bucket === null ? requestIntervalMs : Math.ceil(bucket.periodMs / bucket.documents);
    const clock = { lastRetrievalMs: this.#answerMs, adaptiveMs: 0 };
    const required = { crawlDelayMs, requestIntervalMs: rateMs };
    const { fromEndMs, fromStartMs } = requestInterval(clock, required, this.#politeness);
    // Jitter is random for each request: on average half of the maximum.
    const stretchedMs = Math.ceil(fromEndMs * (1 + this.#politeness.jitter / 2));
    const byDelay = crawlDelayMs !== null && crawlDelayMs >= fromEndMs ? 'crawl-delay' : 'profile';
    const from = fromStartMs > stretchedMs + this.#answerMs ? 'request-rate' : byDelay;
    return { fromEndMs: stretchedMs, fromStartMs, from, closedUntilMs: closed?.untilMs ?? null };
  }
}

class PredictedHost {
  readonly host: ForecastHost;
  pages = 0;
  requests = 0;
  /** From the start to its last page; `null` if it has none. */
  tookMs: number | null = null;
  /** Whether it ends before everything that is known, or may exist, is fetched. */
  isCut = false;
  /** Start of its first request and end of its last, epoch milliseconds. */
  firstAtMs: number | null = null;
  lastEndMs = 0;

  constructor(host: ForecastHost) {
    this.host = host;
  }

  get isBeforePages(): boolean {
    return this.requests < this.host.preliminaryRequests;
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
  /** The end of the last request. */
  #lastMs: number;
  #firstBound: Forecast['firstBound'] = null;

  constructor(hosts: readonly ForecastHost[], bounds: ForecastBounds, startMs: number) {
    this.#bounds = bounds;
    this.#startMs = startMs;
    this.#hosts = hosts.map((host) => new PredictedHost(host));
    this.#lastMs = startMs;
  }

  run(): Forecast {
    const { runningMs, pages, maxIdleMs, crawlIntervalMs, concurrency, steps } = this.#bounds;
    const startMs = this.#startMs;
    const due = new ReadyHeap<{ heapIndex: number; readonly group: readonly PredictedHost[] }>();
    for (const group of byClock(this.#hosts)) due.set({ heapIndex: -1, group }, startMs);
    const lanes = new ReadyHeap();
    for (let lane = 0; lane < concurrency; lane += 1) lanes.set({ heapIndex: -1 }, startMs);
    let crawlAtMs = startMs;
    let idleMs = startMs;
    for (let clock = due.peek(); clock !== undefined; clock = due.peek()) {
      const dueMs = due.earliest() ?? startMs;
      const next = this.#nextOf(clock.group, dueMs);
      if (next === null) {
        due.remove(clock);
        // A reached bound of a host is found when its turn comes.
        if (clock.group.some(({ isCut }) => isCut)) idleMs = dueMs;
        continue;
      }
      const { pace, answerMs } = next.host;
      const { closedUntilMs } = pace.at(dueMs);
      if (!next.isBeforePages && closedUntilMs !== null && closedUntilMs > dueMs) {
        due.set(clock, closedUntilMs);
        continue;
      }
      if (dueMs - this.#lastMs > maxIdleMs && this.#requests > 0) {
        next.isCut = true;
        return this.#result('waiting');
      }
      const lane = lanes.peek()!;
      const atMs = Math.max(dueMs, crawlAtMs, lanes.earliest() ?? 0);
      if (runningMs !== null && atMs - startMs >= runningMs) {
        this.#lastMs = startMs + runningMs;
        this.#noteBound('minutes', null, this.#lastMs);
        return this.#result('minutes');
      }
      const endMs = atMs + answerMs;
      lanes.set(lane, endMs);
      crawlAtMs = atMs + (crawlIntervalMs ?? 0);
      this.#addRequest(next, atMs, endMs);
      if (this.#pages === pages && this.#hosts.some(({ hasMorePages }) => hasMorePages)) {
        this.#noteBound('pages', null, endMs);
        return this.#result('pages');
      }
      const { fromEndMs, fromStartMs } = pace.at(endMs);
      due.set(clock, Math.max(endMs + fromEndMs, atMs + fromStartMs));
      if (this.#requests >= steps) return this.#inProportion();
    }
    this.#lastMs = Math.max(this.#lastMs, idleMs);
    return this.#result('finished');
  }

  /** The first host under one clock that has something left within the bounds; `null` if none. */
  #nextOf(group: readonly PredictedHost[], atMs: number): PredictedHost | null {
    for (const each of group) {
      const { name, pagesPerHost, runningPerHostMs } = each.host;
      if (each.isCut || !(each.isBeforePages || each.hasMorePages)) continue;
      const timeUpMs = runningPerHostMs === null ? null : (each.firstAtMs ?? atMs) + runningPerHostMs;
      if (each.pages === pagesPerHost) this.#noteBound('pagesPerHost', name, each.lastEndMs);
      else if (timeUpMs !== null && atMs >= timeUpMs) this.#noteBound('minutesPerHost', name, timeUpMs);
      else return each;
      each.isCut = true;
    }
    return null;
  }

  #addRequest(host: PredictedHost, atMs: number, endMs: number): void {
    if (!host.isBeforePages) {
      this.#pages += 1;
      host.pages += 1;
      host.tookMs = endMs - this.#startMs;
    }
    this.#requests += 1;
    this.#lastMs = Math.max(this.#lastMs, endMs);
    host.requests += 1;
    host.firstAtMs ??= atMs;
    host.lastEndMs = endMs;
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

function byClock(hosts: readonly PredictedHost[]): Iterable<readonly PredictedHost[]> {
  const clocks = new Map<string, PredictedHost[]>();
  for (const each of hosts) {
    const group = clocks.get(each.host.clock) ?? [];
    clocks.set(each.host.clock, group);
    group.push(each);
  }
  return clocks.values();
}
