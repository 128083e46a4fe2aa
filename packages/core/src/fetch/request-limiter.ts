// The second lock on a request: bottleneck limiters, which keep time by themselves and know nothing of the frontier's
// plan. A limiter that would wait refuses with a time; nothing queues here (docs/decisions/0003).

import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostRequirements } from '@mannerly/frontier';
import type Bottleneck from 'bottleneck';
import { MAX_BUCKET_STARTS } from '../limits.js';
import { LIMITER_JOBS_PER_SECOND, LIMITER_RECHECK_MS, MAX_HOST_LIMITERS } from './limits.js';

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
    const { crawlDelayMs, requestIntervalMs, bucket } = requirements;
    const isLimited = crawlDelayMs !== null || requestIntervalMs !== null || bucket !== null;
    // Where the file no longer sets anything, the delay after the last exchange still holds.
    const limiter = isLimited ? this.#limiterOf(host, requirements, nowMs) : this.#hosts.get(host);
    const hostUntilMs = limiter === undefined ? null : await limiter.take(nowMs);
    if (hostUntilMs !== null) return { kind: 'wait', untilMs: hostUntilMs };
    if (!isLimited) this.#hosts.delete(host);
    const crawlUntilMs = this.#crawl === null ? null : await this.#crawl.take(nowMs);
    if (crawlUntilMs !== null) {
      limiter?.done(null, nowMs, nowMs);
      return { kind: 'wait', untilMs: crawlUntilMs };
    }
    return {
      kind: 'go',
      done: (startedAtMs, endedAtMs, doneAtMs) => {
        if (startedAtMs === null) this.#crawl?.giveBack();
        limiter?.done(startedAtMs, endedAtMs, doneAtMs);
      },
    };
  }

  #limiterOf(host: string, requirements: HostRequirements, nowMs: number): HostLimiter {
    let limiter = this.#hosts.get(host);
    if (limiter === undefined || (limiter.inFlight === 0 && !limiter.isFor(requirements))) {
      limiter = new HostLimiter(requirements, nowMs, limiter);
    }
    this.#hosts.delete(host);
    this.#hosts.set(host, limiter);
    for (const [unused, { inFlight }] of this.#hosts) {
      if (this.#hosts.size <= MAX_HOST_LIMITERS) break;
      if (inFlight === 0) this.#hosts.delete(unused);
    }
    return limiter;
  }
}

/**
 * One host's limiter. An exchange has the one place until `crawlDelayMs` after its end or `requestIntervalMs` after its
 * start, whichever is later (access, DECISION A15). In `bucket` mode each start has a place of the bucket for the
 * length of the period instead.
 */
class HostLimiter {
  /** Exchanges that have not ended. */
  inFlight = 0;
  readonly #requirements: HostRequirements;
  readonly #exchange: Places;
  readonly #bucket: { readonly starts: Places; readonly periodMs: number } | null;
  #lastStartMs = 0;
  #lastEndMs = 0;

  /** @param last - The limiter by the host's former file: the delay after its last exchange is now this one's. */
  constructor(requirements: HostRequirements, nowMs: number, last?: HostLimiter) {
    const { bucket } = requirements;
    this.#requirements = requirements;
    // A million per hour become a thousand per 3.6 s, which is the same rate.
    const starts = Math.min(bucket?.documents ?? 0, MAX_BUCKET_STARTS);
    this.#bucket =
      bucket === null ? null : { starts: new Places(starts), periodMs: (bucket.periodMs * starts) / bucket.documents };
    if (last !== undefined) {
      this.#lastStartMs = last.#lastStartMs;
      this.#lastEndMs = last.#lastEndMs;
    }
    const isOpen = this.#openAtMs() <= nowMs;
    this.#exchange = new Places(isOpen ? 1 : 0);
    if (!isOpen) this.#exchange.giveBack(this.#openAtMs() - nowMs);
  }

  isFor(requirements: HostRequirements): boolean {
    return JSON.stringify(requirements) === JSON.stringify(this.#requirements);
  }

  /** Resolves to `null` for go, or to the time at which to ask again. */
  async take(nowMs: number): Promise<number | null> {
    if (await this.#exchange.take()) {
      this.inFlight += 1;
      if (this.#bucket === null || (await this.#bucket.starts.take())) return null;
      this.inFlight -= 1;
      this.#exchange.giveBack(0);
    }
    return Math.max(this.#openAtMs(), nowMs + LIMITER_RECHECK_MS);
  }

  done(startedAtMs: number | null, endedAtMs: number, nowMs: number): void {
    this.inFlight -= 1;
    if (startedAtMs !== null) {
      this.#lastStartMs = startedAtMs;
      this.#lastEndMs = endedAtMs;
    }
    this.#exchange.giveBack(startedAtMs === null ? 0 : this.#openAtMs() - nowMs);
    this.#bucket?.starts.giveBack(startedAtMs === null ? 0 : startedAtMs + this.#bucket.periodMs - nowMs);
  }

  #openAtMs(): number {
    const { crawlDelayMs, requestIntervalMs } = this.#requirements;
    const intervalMs = this.#bucket === null ? (requestIntervalMs ?? 0) : 0;
    return Math.max(this.#lastEndMs + (crawlDelayMs ?? 0), this.#lastStartMs + intervalMs);
  }
}

/**
 * The limiter of the whole crawl. It has two places, each of which comes back after an interval: requests may be
 * unevenly spaced, since look-ups take different times, but not faster than the rate. Bottleneck takes some
 * milliseconds for a job, so at a fast rate a place is several requests.
 */
class CrawlLimiter {
  readonly #places = new Places(2);
  readonly #batch: number;
  readonly #periodMs: number;
  #granted = 0;
  #fullAtMs = 0;

  constructor(intervalMs: number) {
    this.#batch = Math.ceil(1_000 / LIMITER_JOBS_PER_SECOND / intervalMs);
    this.#periodMs = this.#batch * intervalMs;
  }

  /** Resolves to `null` for go, or to the time at which to ask again. */
  async take(nowMs: number): Promise<number | null> {
    if (this.#granted === 0 && (await this.#places.take())) {
      this.#granted += this.#batch;
      this.#fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#periodMs;
      this.#places.giveBack(this.#fullAtMs - nowMs);
    }
    if (this.#granted === 0) return Math.max(nowMs + LIMITER_RECHECK_MS, Math.ceil(this.#fullAtMs - this.#periodMs));
    this.#granted -= 1;
    return null;
  }

  /** A granted request was not sent. */
  giveBack(): void {
    this.#granted += 1;
  }
}

const MAX_SLEEP_MS = 2 ** 31 - 1;

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
    const over = afterMs > 0 ? sleep(Math.min(afterMs, MAX_SLEEP_MS), undefined, { ref: false }) : Promise.resolve();
    over.then(
      () => this.#bottleneck.incrementReservoir(1),
      () => undefined,
    );
  }
}
