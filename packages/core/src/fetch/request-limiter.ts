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

const GO: LimiterAnswer = { kind: 'go', done: () => undefined };
const MAX_SLEEP_MS = 2 ** 31 - 1;

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
    const answer = await this.#askHost(host, requirements, nowMs);
    const crawl = this.#crawl;
    if (answer.kind === 'wait' || crawl === null) return answer;
    const untilMs = await crawl.enter(nowMs);
    if (untilMs !== null) {
      answer.done(null, nowMs, nowMs);
      return { kind: 'wait', untilMs };
    }
    return {
      kind: 'go',
      done(startedAtMs, endedAtMs, doneAtMs) {
        if (startedAtMs === null) crawl.giveBack();
        answer.done(startedAtMs, endedAtMs, doneAtMs);
      },
    };
  }

  async #askHost(host: string, requirements: HostRequirements, nowMs: number): Promise<LimiterAnswer> {
    let limiter = this.#hosts.get(host);
    if (requirements.crawlDelayMs === null && requirements.requestIntervalMs === null && requirements.bucket === null) {
      // The file of a host that has a limiter no longer sets anything. The delay after the last exchange still holds.
      const last = limiter === undefined ? GO : await limiter.enter(nowMs);
      if (last.kind === 'wait') return last;
      last.done(null, nowMs, nowMs);
      this.#hosts.delete(host);
      return GO;
    }
    if (limiter === undefined || (limiter.inFlight === 0 && !limiter.isFor(requirements))) {
      const last = limiter;
      limiter = new HostLimiter(requirements);
      if (last !== undefined) limiter.continueFrom(last, nowMs);
    }
    this.#hosts.delete(host);
    this.#hosts.set(host, limiter);
    for (const [unused, { inFlight }] of this.#hosts) {
      if (this.#hosts.size <= MAX_HOST_LIMITERS) break;
      if (inFlight === 0) this.#hosts.delete(unused);
    }
    return limiter.enter(nowMs);
  }
}

/**
 * One host's limiter. Its job is an exchange and the delay after it: it ends `crawlDelayMs` after the exchange's end or
 * `requestIntervalMs` after its start, whichever is later (access, DECISION A15). In `bucket` mode each start takes a
 * place of the reservoir for the length of the period instead.
 */
class HostLimiter {
  /** Exchanges that have not ended. */
  inFlight = 0;
  readonly #requirements: HostRequirements;
  readonly #bucket: HostRequirements['bucket'];
  readonly #bottleneck: Bottleneck;
  /** The next job, started when the last one ended: bottleneck takes three timers to start one. */
  #prepared: Promise<((after: Promise<void>) => void) | null> | null = null;
  #lastStartMs = 0;
  #lastEndMs = 0;

  constructor(requirements: HostRequirements) {
    this.#requirements = requirements;
    this.#bucket = boundedBucket(requirements.bucket);
    this.#bottleneck = createBottleneck({ maxConcurrent: 1, reservoir: this.#bucket?.documents ?? null });
    this.#bottleneck.on('idle', () => {
      this.#prepared ??= this.#startJob();
    });
  }

  isFor(requirements: HostRequirements): boolean {
    return JSON.stringify(requirements) === JSON.stringify(this.#requirements);
  }

  /** The host's file changed. The delay after the last exchange is now this limiter's: its first job is only that. */
  continueFrom(last: HostLimiter, nowMs: number): void {
    this.#lastStartMs = last.#lastStartMs;
    this.#lastEndMs = last.#lastEndMs;
    if (this.#openAtMs() <= nowMs) return;
    this.inFlight += 1;
    this.#bottleneck.schedule(() => this.#untilOpen(last.#lastStartMs, last.#lastEndMs, nowMs)).catch(() => undefined);
  }

  async enter(nowMs: number): Promise<LimiterAnswer> {
    const prepared = this.#prepared;
    this.#prepared = null;
    const end = (prepared === null ? null : await prepared) ?? (await this.#startJob());
    if (end === null) return { kind: 'wait', untilMs: Math.max(this.#openAtMs(), nowMs + LIMITER_RECHECK_MS) };
    this.inFlight += 1;
    return { kind: 'go', done: (...times) => end(this.#untilOpen(...times)) };
  }

  /** Resolves to what ends the job, or to `null`: bottleneck drops a job that cannot start at once. */
  #startJob(): Promise<((after: Promise<void>) => void) | null> {
    return new Promise((resolve) => {
      const job = (): Promise<void> => new Promise((end) => resolve(end));
      this.#bottleneck.schedule(job).catch(() => resolve(null));
    });
  }

  async #untilOpen(startedAtMs: number | null, endedAtMs: number, nowMs: number): Promise<void> {
    this.inFlight -= 1;
    const placeAtMs = startedAtMs === null ? nowMs : startedAtMs + (this.#bucket?.periodMs ?? 0);
    if (this.#bucket !== null) returnPlace(this.#bottleneck, placeAtMs - nowMs);
    if (startedAtMs === null) return;
    this.#lastStartMs = startedAtMs;
    this.#lastEndMs = endedAtMs;
    await pause(this.#openAtMs() - nowMs);
  }

  #openAtMs(): number {
    const intervalMs = this.#bucket === null ? (this.#requirements.requestIntervalMs ?? 0) : 0;
    return Math.max(this.#lastEndMs + (this.#requirements.crawlDelayMs ?? 0), this.#lastStartMs + intervalMs);
  }
}

/**
 * The limiter of the whole crawl. Its reservoir has two places, each of which comes back after an interval: requests
 * may be unevenly spaced, since look-ups take different times, but not faster than the rate. Bottleneck takes some
 * milliseconds for a job, so at a fast rate a job is several requests.
 */
class CrawlLimiter {
  readonly #bottleneck = createBottleneck({ reservoir: 2 });
  readonly #batch: number;
  readonly #periodMs: number;
  #granted = 0;
  #fullAtMs = 0;

  constructor(intervalMs: number) {
    this.#batch = Math.ceil(1_000 / LIMITER_JOBS_PER_SECOND / intervalMs);
    this.#periodMs = this.#batch * intervalMs;
  }

  /** Resolves to `null` for go, or to the time at which to ask again. */
  async enter(nowMs: number): Promise<number | null> {
    if (this.#granted === 0) await this.#bottleneck.schedule(() => this.#grant(nowMs)).catch(() => undefined);
    if (this.#granted === 0) return Math.max(nowMs + LIMITER_RECHECK_MS, Math.ceil(this.#fullAtMs - this.#periodMs));
    this.#granted -= 1;
    return null;
  }

  /** A granted request was not sent. */
  giveBack(): void {
    this.#granted += 1;
  }

  async #grant(nowMs: number): Promise<void> {
    this.#granted += this.#batch;
    this.#fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#periodMs;
    returnPlace(this.#bottleneck, this.#fullAtMs - nowMs);
  }
}

/** Loads bottleneck on first use: many crawls need none. */
function createBottleneck(limits: Bottleneck.ConstructorOptions): Bottleneck {
  const Limiter = createRequire(import.meta.url)('bottleneck') as typeof Bottleneck;
  return new Limiter({ ...limits, highWater: 0, strategy: Limiter.strategy.OVERFLOW });
}

function returnPlace(bottleneck: Bottleneck, afterMs: number): void {
  pause(afterMs).then(
    () => bottleneck.incrementReservoir(1),
    () => undefined,
  );
}

/** Keeps no process alive. */
function pause(ms: number): Promise<void> {
  return sleep(Math.min(ms, MAX_SLEEP_MS), undefined, { ref: false });
}

/** Bounds the places of a bucket: a million per hour become a thousand per 3.6 s, which is the same rate. */
function boundedBucket(bucket: HostRequirements['bucket']): HostRequirements['bucket'] {
  if (bucket === null || bucket.documents <= MAX_BUCKET_STARTS) return bucket;
  return { documents: MAX_BUCKET_STARTS, periodMs: (bucket.periodMs * MAX_BUCKET_STARTS) / bucket.documents };
}
