// The second lock on requests: bottleneck limiters, which keep time independently of the frontier's plan. A job lasts
// until its place is free again, and a job that would wait is refused (docs/decisions/0003).

import { createRequire } from 'node:module';
import type { HostRequirements } from '@mannerly/frontier';
import type Bottleneck from 'bottleneck';
import { MAX_BUCKET_STARTS } from '../limits.js';
import { LIMITER_JOB_MS, LIMITER_RECHECK_MS, MAX_HOST_LIMITERS, MAX_LIMITER_SLEEP_MS } from './limits.js';

/** An exchange, and when its end is reported, epoch milliseconds. `null`: nothing was sent. */
type EndedExchange = { readonly startedAtMs: number; readonly endedAtMs: number; readonly nowMs: number } | null;

/** Whether a request may go on; then `done` is called once, when it is over. `untilMs`: epoch milliseconds. */
export type LimiterAnswer =
  | { readonly kind: 'go'; readonly done: (ended: EndedExchange) => void }
  | { readonly kind: 'wait'; readonly untilMs: number };

/** `requirementsKey`: what the host's robots.txt requires, as JSON. `isBusy`: an exchange is in flight. */
type HostLimiters = { readonly requirementsKey: string; limiters: TakeSlot[]; last: EndedExchange; isBusy: boolean };

/** Takes a place until an exchange and its pause are over. @returns `null`; if none is free, when one will be. */
type TakeSlot = (ended: Promise<EndedExchange>) => Promise<number | null>;

/** The limiters of one crawl: for hosts that set a Crawl-delay or Request-rate, and one for `requestsPerSecond`. */
export class RequestLimiter {
  /** Ordered by last use. */
  readonly #hosts = new Map<string, HostLimiters>();
  /** `null`: no limit. */
  readonly #takeCrawlSlot: TakeSlot | null = null;
  /** Requests that the crawl's limiter allowed but that were not sent. Others may use their places. */
  #unsent = 0;

  /** @param crawlIntervalMs - Milliseconds between two requests of the whole crawl; `null`: no limit. */
  constructor(crawlIntervalMs: number | null) {
    if (crawlIntervalMs === null) return;
    // Two places: requests may be unevenly spaced, since look-ups take different times, but not faster than the rate.
    // At a fast rate, it adds as many as return while bottleneck works on one job.
    const slots = 1 + Math.ceil(LIMITER_JOB_MS / crawlIntervalMs);
    this.#takeCrawlSlot = createSlotLimiter(slots, ({ nowMs }, lastMs) => Math.max(lastMs, nowMs) + crawlIntervalMs);
  }

  get size(): number {
    return this.#hosts.size;
  }

  /** Asks for one request. Never rejects. */
  async ask(host: string, requirements: HostRequirements, nowMs: number): Promise<LimiterAnswer> {
    const isLimited =
      requirements.crawlDelayMs !== null || requirements.requestIntervalMs !== null || requirements.bucket !== null;
    // If the file no longer sets anything, the delay after the last exchange still applies.
    const entry = isLimited ? this.#limitersOf(host, requirements, nowMs) : this.#hosts.get(host);
    let done = (_ended: EndedExchange): void => undefined;
    const ended = new Promise<EndedExchange>((resolve) => {
      done = resolve;
    });
    let openAtMs: number | null = null;
    for (const take of entry?.limiters ?? []) openAtMs ??= await take(ended);
    if (openAtMs === null && this.#unsent > 0) this.#unsent -= 1;
    else
      openAtMs ??=
        (await this.#takeCrawlSlot?.(Promise.resolve({ startedAtMs: nowMs, endedAtMs: nowMs, nowMs }))) ?? null;
    if (openAtMs !== null) {
      done(null);
      return { kind: 'wait', untilMs: Math.max(Math.ceil(openAtMs), nowMs + LIMITER_RECHECK_MS) };
    }
    if (!isLimited) this.#hosts.delete(host);
    if (entry !== undefined) entry.isBusy = true;
    const end = (exchange: EndedExchange): void => {
      if (exchange === null) this.#unsent += 1;
      if (entry !== undefined) Object.assign(entry, { isBusy: false, last: exchange ?? entry.last });
      done(exchange);
    };
    return { kind: 'go', done: end };
  }

  #limitersOf(host: string, requirements: HostRequirements, nowMs: number): HostLimiters {
    const requirementsKey = JSON.stringify(requirements);
    let entry = this.#hosts.get(host);
    if (entry === undefined || (!entry.isBusy && entry.requirementsKey !== requirementsKey)) {
      const last = entry?.last ?? null;
      entry = { requirementsKey, limiters: createHostLimiters(requirements), last, isBusy: false };
      // What the file sets now counts from the same exchange.
      if (last !== null) for (const take of entry.limiters) take(Promise.resolve({ ...last, nowMs }));
    }
    this.#hosts.delete(host);
    this.#hosts.set(host, entry);
    for (const [unused, { isBusy }] of this.#hosts) {
      if (this.#hosts.size <= MAX_HOST_LIMITERS) break;
      if (!isBusy) this.#hosts.delete(unused);
    }
    return entry;
  }
}

/** The place of an exchange, free when delay and rate allow (access, DECISION A15), and those of a `bucket`. */
function createHostLimiters({ crawlDelayMs, requestIntervalMs, bucket }: HostRequirements): TakeSlot[] {
  const intervalMs = bucket === null ? (requestIntervalMs ?? 0) : 0;
  const exchange = createSlotLimiter(1, ({ startedAtMs, endedAtMs }) =>
    Math.max(endedAtMs + (crawlDelayMs ?? 0), startedAtMs + intervalMs),
  );
  if (bucket === null) return [exchange];
  const documents = Math.min(bucket.documents, MAX_BUCKET_STARTS);
  // A million per hour become a thousand per 3.6 s, which is the same rate.
  const slotMs = (bucket.periodMs * documents) / bucket.documents;
  return [exchange, createSlotLimiter(documents, ({ startedAtMs }) => startedAtMs + slotMs)];
}

/** A bottleneck limiter. @param slotFreeAt - When an exchange's slot is free; `lastMs`: the last one that was taken. */
function createSlotLimiter(
  slots: number,
  slotFreeAt: (exchange: NonNullable<EndedExchange>, lastMs: number) => number,
): TakeSlot {
  const Limiter = createRequire(import.meta.url)('bottleneck') as typeof Bottleneck;
  const make = () => new Limiter({ maxConcurrent: slots, highWater: 0, strategy: Limiter.strategy.OVERFLOW });
  let bottleneck = make();
  let wallMs = Date.now();
  /** The pauses of the places that are taken. */
  const pauses = new Set<Promise<void>>();
  const freeAtMs: number[] = [];
  /** bottleneck starts no job before its last start: if the wall clock is set back, a new one takes over. */
  const currentLimiter = (): Bottleneck => {
    const nowMs = Date.now();
    if (nowMs < wallMs) {
      bottleneck = make();
      for (const pause of pauses) void bottleneck.schedule(() => pause);
    }
    wallMs = nowMs;
    return bottleneck;
  };
  const pauseAfter = async (ended: Promise<EndedExchange>): Promise<void> => {
    const exchange = await ended;
    if (exchange === null) return;
    const atMs = slotFreeAt(exchange, freeAtMs.at(-1) ?? 0);
    if (freeAtMs.push(atMs) > slots) freeAtMs.shift();
    const pauseMs = Math.min(Math.max(0, atMs - exchange.nowMs), MAX_LIMITER_SLEEP_MS);
    // The global timer, since Jest's virtual clock does not affect that of node:timers. It keeps no process alive.
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  };
  return (ended) =>
    new Promise((resolve) => {
      const job = (): Promise<void> => {
        resolve(null);
        const pause = pauseAfter(ended).finally(() => pauses.delete(pause));
        pauses.add(pause);
        return pause;
      };
      currentLimiter()
        .schedule(job)
        .catch(() => resolve(freeAtMs.at(-slots) ?? 0));
    });
}
