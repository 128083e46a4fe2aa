// The second lock on a request: bottleneck limiters, which keep time by themselves and know nothing of the frontier's
// plan. A limiter that would wait refuses with a time; nothing queues here (docs/decisions/0003).

import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { HostRequirements } from '@mannerly/frontier';
import type Bottleneck from 'bottleneck';
import { MAX_BUCKET_STARTS } from '../limits.js';
import { LIMITER_JOB_MS, LIMITER_RECHECK_MS, MAX_HOST_LIMITERS } from './limits.js';

/** Whether a request may go on. `untilMs`: epoch milliseconds. */
export type LimiterAnswer =
  | {
      readonly kind: 'go';
      /** Call it once, when the exchange is over. Epoch milliseconds; `startedAtMs` is `null` if nothing was sent. */
      readonly done: (startedAtMs: number | null, endedAtMs: number, nowMs: number) => void;
    }
  | { readonly kind: 'wait'; readonly untilMs: number };

/** The limiters of one crawl: one per host that set a Crawl-delay or Request-rate, and one for `requestsPerSecond`. */
export class RequestLimiter {
  /** In the order of their last use. */
  readonly #hosts = new Map<string, HostLimiter>();
  readonly #crawl: CrawlLimiter | null;

  /** @param crawlIntervalMs - Milliseconds between two requests of the whole crawl; `null`: no limit. */
  constructor(crawlIntervalMs: number | null) {
    this.#crawl = crawlIntervalMs === null ? null : new CrawlLimiter(crawlIntervalMs);
  }

  /** Hosts that have a limiter. */
  get size(): number {
    return this.#hosts.size;
  }

  /** Asks for one request. Never rejects. */
  async ask(host: string, requirements: HostRequirements, nowMs: number): Promise<LimiterAnswer> {
    const isLimited = Object.values(requirements).some((value) => value !== null);
    // Where the file no longer sets anything, the delay after the last exchange still holds.
    const limiter = isLimited ? this.#limiterOf(host, requirements, nowMs) : this.#hosts.get(host);
    if (limiter !== undefined && !(await limiter.take())) return waitUntil(limiter.openAtMs, nowMs);
    if (!isLimited) this.#hosts.delete(host);
    if (this.#crawl !== null && !(await this.#crawl.take(nowMs))) {
      limiter?.done(null, nowMs, nowMs);
      return waitUntil(this.#crawl.openAtMs, nowMs);
    }
    return {
      kind: 'go',
      done: (startedAtMs, endedAtMs, doneAtMs) => {
        if (startedAtMs === null && this.#crawl !== null) this.#crawl.unsent += 1;
        limiter?.done(startedAtMs, endedAtMs, doneAtMs);
      },
    };
  }

  #limiterOf(host: string, requirements: HostRequirements, nowMs: number): HostLimiter {
    const limiter = this.#hosts.get(host) ?? new HostLimiter();
    if (!limiter.isBusy) limiter.require(requirements, nowMs);
    this.#hosts.delete(host);
    this.#hosts.set(host, limiter);
    for (const [unused, { isBusy }] of this.#hosts) {
      if (this.#hosts.size <= MAX_HOST_LIMITERS) break;
      if (!isBusy) this.#hosts.delete(unused);
    }
    return limiter;
  }
}

const waitUntil = (openAtMs: number, nowMs: number): LimiterAnswer => ({
  kind: 'wait',
  untilMs: Math.max(Math.ceil(openAtMs), nowMs + LIMITER_RECHECK_MS),
});

/**
 * One host's limiter. An exchange has the one place until `crawlDelayMs` after its end or `requestIntervalMs` after its
 * start, whichever is later (access, DECISION A15). In `bucket` mode each start has a place of the bucket for the
 * length of the period instead.
 */
class HostLimiter {
  isBusy = false;
  #requirements: HostRequirements | null = null;
  #exchange: Places | null = null;
  #bucket: Places | null = null;
  #startedAtMs = 0;
  #endedAtMs = 0;

  /** What the host's file requires. Where that is new, the delay after the last exchange is a new one too. */
  require(requirements: HostRequirements, nowMs: number): void {
    if (isDeepStrictEqual(requirements, this.#requirements)) return;
    const { bucket } = requirements;
    this.#requirements = requirements;
    this.#bucket = bucket === null ? null : new Places(Math.min(bucket.documents, MAX_BUCKET_STARTS));
    this.#exchange = new Places(0);
    this.#exchange.giveBack(this.openAtMs - nowMs);
  }

  /** When the next exchange may start. */
  get openAtMs(): number {
    const { crawlDelayMs, requestIntervalMs, bucket } = this.#requirements ?? {};
    const intervalMs = bucket === null ? (requestIntervalMs ?? 0) : 0;
    return Math.max(this.#endedAtMs + (crawlDelayMs ?? 0), this.#startedAtMs + intervalMs);
  }

  /** Whether an exchange may start. */
  async take(): Promise<boolean> {
    if (!(await this.#exchange?.take())) return false;
    this.isBusy = this.#bucket === null || (await this.#bucket.take());
    if (!this.isBusy) this.#exchange?.giveBack(0);
    return this.isBusy;
  }

  done(startedAtMs: number | null, endedAtMs: number, nowMs: number): void {
    this.isBusy = false;
    if (startedAtMs !== null) [this.#startedAtMs, this.#endedAtMs] = [startedAtMs, endedAtMs];
    this.#exchange?.giveBack(startedAtMs === null ? 0 : this.openAtMs - nowMs);
    const { documents = 1, periodMs = 0 } = this.#requirements?.bucket ?? {};
    // A million per hour become a thousand per 3.6 s, which is the same rate.
    const placeMs = periodMs * Math.min(1, MAX_BUCKET_STARTS / documents);
    this.#bucket?.giveBack(startedAtMs === null ? 0 : startedAtMs + placeMs - nowMs);
  }
}

/**
 * The limiter of the whole crawl: two places, each of which comes back an interval after the one before it. So requests
 * may be unevenly spaced, since look-ups take different times, but not faster than the rate. At a fast rate there are
 * as many more places as come back while bottleneck works on one job.
 */
class CrawlLimiter {
  /** Requests that might start and were not sent: others may start for them. */
  unsent = 0;
  readonly #places: Places;
  readonly #count: number;
  readonly #intervalMs: number;
  #fullAtMs = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
    this.#count = 1 + Math.ceil(LIMITER_JOB_MS / intervalMs);
    this.#places = new Places(this.#count);
  }

  /** When the next place comes back. */
  get openAtMs(): number {
    return this.#fullAtMs - (this.#count - 1) * this.#intervalMs;
  }

  async take(nowMs: number): Promise<boolean> {
    if (this.unsent > 0) {
      this.unsent -= 1;
      return true;
    }
    if (!(await this.#places.take())) return false;
    this.#fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#intervalMs;
    this.#places.giveBack(this.#fullAtMs - nowMs);
    return true;
  }
}

/** Places for requests: the reservoir of a bottleneck limiter, which is loaded on first use. */
class Places {
  readonly #bottleneck: Bottleneck;

  constructor(count: number) {
    const Limiter = createRequire(import.meta.url)('bottleneck') as typeof Bottleneck;
    this.#bottleneck = new Limiter({ reservoir: count, highWater: 0, strategy: Limiter.strategy.OVERFLOW });
  }

  /** Whether there was a free one: bottleneck drops a job that cannot start at once. */
  take(): Promise<boolean> {
    return this.#bottleneck.schedule(async () => true).catch(() => false);
  }

  /** One is free again after so many milliseconds. The timer keeps no process alive. */
  giveBack(afterMs: number): void {
    const add = () => this.#bottleneck.incrementReservoir(1);
    if (afterMs <= 0) add();
    else sleep(Math.min(afterMs, MAX_SLEEP_MS), undefined, { ref: false }).then(add);
  }
}

const MAX_SLEEP_MS = 2 ** 31 - 1;
