// The second lock on requests: bottleneck limiters, which keep time independently of the frontier's plan. A job lasts
// until its place is free again, and a job that would wait is refused (docs/decisions/0003).

import { createRequire } from 'node:module';
import type { HostRequirements } from '@mannerly/frontier';
import type Bottleneck from 'bottleneck';
import { MAX_BUCKET_STARTS } from '../limits.js';
import { LIMITER_JOB_MS, LIMITER_RECHECK_MS, MAX_HOST_LIMITERS, MAX_LIMITER_SLEEP_MS } from './limits.js';

/** An exchange, and when its end is reported, epoch milliseconds. `null`: nothing was sent. */
type Over = { readonly startedAtMs: number; readonly endedAtMs: number; readonly nowMs: number } | null;

/** Whether a request may go on; then `done` is called once, when it is over. `untilMs`: epoch milliseconds. */
export type LimiterAnswer =
  | { readonly kind: 'go'; readonly done: (over: Over) => void }
  | { readonly kind: 'wait'; readonly untilMs: number };

const UNLIMITED: LimiterAnswer = { kind: 'go', done: () => undefined };

/** `setText`: what the host's robots.txt sets, as JSON. `last`: its last exchange. `isBusy`: one is in flight. */
type HostLimiters = { readonly setText: string; limiters: TakePlace[]; last: Over; isBusy: boolean };

/**
 * Takes a place until an exchange and the pause after it are over. @returns `null`; if none is free, when one will be.
 */
type TakePlace = (over: Promise<Over>) => Promise<number | null>;

/** The limiters of one crawl: for hosts that set a Crawl-delay or Request-rate, and one for `requestsPerSecond`. */
export class RequestLimiter {
  /** Ordered by last use. */
  readonly #hosts = new Map<string, HostLimiters>();
  /** `null`: no limit. */
  readonly #crawl: TakePlace | null;
  /** Requests that the crawl's limiter allowed but that were not sent. Others may use their places. */
  #unsent = 0;

  /** @param crawlIntervalMs - Milliseconds between two requests of the whole crawl; `null`: no limit. */
  constructor(crawlIntervalMs: number | null) {
    // Two places: requests may be unevenly spaced, since look-ups take different times, but not faster than the rate.
    // At a fast rate, it adds as many as return while bottleneck works on one job.
    const ms = crawlIntervalMs ?? 0;
    const places = 1 + Math.ceil(LIMITER_JOB_MS / ms);
    const freeAt = ({ nowMs }: NonNullable<Over>, lastMs: number): number => Math.max(lastMs, nowMs) + ms;
    this.#crawl = crawlIntervalMs === null ? null : limiterOf(places, freeAt);
  }

  get size(): number {
    return this.#hosts.size;
  }

  /** Asks for one request. Never rejects. */
  async ask(host: string, sets: HostRequirements, nowMs: number): Promise<LimiterAnswer> {
    const isLimited = sets.crawlDelayMs !== null || sets.requestIntervalMs !== null || sets.bucket !== null;
    if (!isLimited && this.#crawl === null && !this.#hosts.has(host)) return UNLIMITED;
    // If the file no longer sets anything, the delay after the last exchange still applies.
    const ofHost = isLimited ? this.#limitersOf(host, sets, nowMs) : this.#hosts.get(host);
    let done = (_over: Over): void => undefined;
    const over = new Promise<Over>((resolve) => {
      done = resolve;
    });
    let openAtMs: number | null = null;
    for (const take of ofHost?.limiters ?? []) openAtMs ??= await take(over);
    if (openAtMs === null && this.#unsent > 0) this.#unsent -= 1;
    else openAtMs ??= (await this.#crawl?.(Promise.resolve({ startedAtMs: nowMs, endedAtMs: nowMs, nowMs }))) ?? null;
    if (openAtMs !== null) {
      done(null);
      return { kind: 'wait', untilMs: Math.max(Math.ceil(openAtMs), nowMs + LIMITER_RECHECK_MS) };
    }
    if (!isLimited) this.#hosts.delete(host);
    if (ofHost !== undefined) ofHost.isBusy = true;
    const end = (exchange: Over): void => {
      if (exchange === null) this.#unsent += 1;
      if (ofHost !== undefined) Object.assign(ofHost, { isBusy: false, last: exchange ?? ofHost.last });
      done(exchange);
    };
    return { kind: 'go', done: end };
  }

  #limitersOf(host: string, sets: HostRequirements, nowMs: number): HostLimiters {
    const setText = JSON.stringify(sets);
    let ofHost = this.#hosts.get(host);
    if (ofHost === undefined || (!ofHost.isBusy && ofHost.setText !== setText)) {
      const last = ofHost?.last ?? null;
      ofHost = { setText, limiters: hostLimiters(sets), last, isBusy: false };
      // What the file sets now counts from the same exchange.
      if (last !== null) for (const take of ofHost.limiters) take(Promise.resolve({ ...last, nowMs }));
    }
    this.#hosts.delete(host);
    this.#hosts.set(host, ofHost);
    for (const [unused, { isBusy }] of this.#hosts) {
      if (this.#hosts.size <= MAX_HOST_LIMITERS) break;
      if (!isBusy) this.#hosts.delete(unused);
    }
    return ofHost;
  }
}

/** The place of an exchange, free when delay and rate allow (access, DECISION A15), and those of a `bucket`. */
function hostLimiters({ crawlDelayMs, requestIntervalMs, bucket }: HostRequirements): TakePlace[] {
  const intervalMs = bucket === null ? (requestIntervalMs ?? 0) : 0;
  const exchange = limiterOf(1, ({ startedAtMs, endedAtMs }) =>
    Math.max(endedAtMs + (crawlDelayMs ?? 0), startedAtMs + intervalMs),
  );
  if (bucket === null) return [exchange];
  const documents = Math.min(bucket.documents, MAX_BUCKET_STARTS);
  // A million per hour become a thousand per 3.6 s, which is the same rate.
  const placeMs = (bucket.periodMs * documents) / bucket.documents;
  return [exchange, limiterOf(documents, ({ startedAtMs }) => startedAtMs + placeMs)];
}

/** A bottleneck limiter. @param freeAt - When an exchange's place is free; `lastMs`: the last one that was taken. */
function limiterOf(places: number, freeAt: (exchange: NonNullable<Over>, lastMs: number) => number): TakePlace {
  const Limiter = createRequire(import.meta.url)('bottleneck') as typeof Bottleneck;
  const make = () => new Limiter({ maxConcurrent: places, highWater: 0, strategy: Limiter.strategy.OVERFLOW });
  let bottleneck = make();
  let wallMs = Date.now();
  /** The pauses of the places that are taken. */
  const taken = new Set<Promise<void>>();
  const freeAtMs: number[] = [];
  /**
   * bottleneck starts no job before the time of its last start. If the wall clock is set back, a new limiter takes
   * over.
   */
  const atPresent = (): Bottleneck => {
    const nowMs = Date.now();
    if (nowMs < wallMs) {
      bottleneck = make();
      for (const pause of taken) void bottleneck.schedule(() => pause);
    }
    wallMs = nowMs;
    return bottleneck;
  };
  const pauseAfter = async (over: Promise<Over>): Promise<void> => {
    const exchange = await over;
    if (exchange === null) return;
    const atMs = freeAt(exchange, freeAtMs.at(-1) ?? 0);
    if (freeAtMs.push(atMs) > places) freeAtMs.shift();
    const pauseMs = Math.min(Math.max(0, atMs - exchange.nowMs), MAX_LIMITER_SLEEP_MS);
    // The global timer, since Jest's virtual clock does not affect that of node:timers. It keeps no process alive.
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  };
  return (over) =>
    new Promise((resolve) => {
      const job = (): Promise<void> => {
        resolve(null);
        const pause = pauseAfter(over).finally(() => taken.delete(pause));
        taken.add(pause);
        return pause;
      };
      atPresent()
        .schedule(job)
        .catch(() => resolve(freeAtMs.at(-places) ?? 0));
    });
}
