// The second lock on the door, for hosts whose robots.txt asks for a Crawl-delay or a Request-rate. The frontier's clock
// plans; this lock knows nothing of it, keeps time by itself, and is asked when a request is about to leave: go, or wait
// until then. It never queues anything.
//
// The lock of one host is a bottleneck limiter with room for one job, which is dropped when it cannot enter at once. The
// job is the exchange and the silence after it; Request-rate is the limiter's `minTime` from start to start besides, or in
// `bucket` mode its `reservoir`. Beside it stand exact stamps of the last exchange: bottleneck cannot tell
// when it will open, and its verbs pass through timers, so its periods are a few milliseconds shorter and the stamps close
// the gap. Either of the two says no on its own.

import { createRequire } from 'node:module';
import type { HostRequirements } from '@mannerly/frontier';
import type Bottleneck from 'bottleneck';
import { MAX_BUCKET_STARTS } from '../limits.js';
import { LIMITER_RECHECK_MS, LIMITER_SLACK_MS, MAX_HOST_LIMITERS } from './limits.js';

/** What the lock says. */
export type LimiterAnswer =
  | {
      readonly kind: 'go';
      /** The exchange is over; call it exactly once. `startedAtMs` is `null` when nothing left after all. FencingToken milliseconds. */
      readonly done: (startedAtMs: number | null, endedAtMs: number, nowMs: number) => void;
    }
  | { readonly kind: 'wait'; readonly untilMs: number };

/** The locks of all hosts. */
export interface HostLimiter {
  /**
   * Asks for one host's door. Hosts that ask for nothing get `go` at once and cost nothing.
   *
   * @param nowMs - FencingToken milliseconds.
   * Never rejects.
   */
  ask(host: string, asks: HostRequirements, nowMs: number): Promise<LimiterAnswer>;
  /** Hosts with a lock at present. */
  size(): number;
  /** Lets every lock and its timers go. Safe to call twice. */
  close(): void;
}

const FREE: LimiterAnswer = { kind: 'go', done: () => undefined };

/** Makes the locks of one crawl. Never throws. */
export function createHostLimiter(): HostLimiter {
  const locks = new Map<string, HostLock>();
  return {
    async ask(host, asks, nowMs) {
      if (asks.crawlDelayMs === null && asks.requestIntervalMs === null && asks.bucket === null) {
        const stale = locks.get(host);
        if (stale === undefined) return FREE;
        // The host's file stopped asking: what it asked before still holds for the exchange that it was asked about.
        const answer = await stale.enter(stale.asks, nowMs);
        if (answer.kind === 'go' && locks.delete(host)) stale.close();
        return answer.kind === 'go' ? FREE : answer;
      }
      const lock = locks.get(host) ?? new HostLock(asks);
      locks.delete(host);
      locks.set(host, lock);
      if (locks.size > MAX_HOST_LIMITERS) evictIdle(locks);
      return lock.enter(asks, nowMs);
    },
    size: () => locks.size,
    close() {
      for (const lock of locks.values()) lock.close();
      locks.clear();
    },
  };
}

/** The map's order is that of use. A lock with an exchange inside is never let go; those are as few as requests in flight. */
function evictIdle(locks: Map<string, HostLock>): void {
  for (const [host, lock] of locks) {
    if (!lock.isIdle()) continue;
    locks.delete(host);
    lock.close();
    return;
  }
}

/** A job of the limiter. */
interface Job {
  /** What ends it, once it is inside; `null`: it was dropped at the door. */
  readonly entered: Promise<(() => void) | null>;
  /** It has left, and the limiter knows. */
  readonly left: Promise<void>;
}

/**
 * The lock of one host.
 *
 * Entering takes bottleneck a few timers, which under load is long. So the job of the next exchange enters as soon as the
 * silence after the last one is over, and waits inside as a ticket; whoever asks then goes at once.
 */
class HostLock {
  asks: HostRequirements;
  #limiter: Bottleneck;
  #job: Job;
  /** The job is inside, or certain to enter, and no exchange has it. */
  #hasTicket = true;
  /** The next exchange's job is on its way in; `null`: none is. */
  #entering: Promise<void> | null = null;
  #silence: NodeJS.Timeout | null = null;
  #isInside = false;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  /** Starts inside the last bucket period, the oldest first. */
  #starts: number[] = [];

  constructor(asks: HostRequirements) {
    this.asks = asks;
    this.#limiter = createLimiter(asks);
    this.#job = this.#enterLimiter();
  }

  isIdle(): boolean {
    return !this.#isInside;
  }

  async enter(asks: HostRequirements, nowMs: number): Promise<LimiterAnswer> {
    if (!sameAsks(asks, this.asks)) this.#change(asks);
    const readyAtMs = this.#readyAtMs(nowMs);
    if (readyAtMs > nowMs) return { kind: 'wait', untilMs: readyAtMs };
    // There is one already but where a bucket had no room, or the limiter was not open yet when the silence was over.
    if (!this.#hasTicket) await this.#enterNow(nowMs);
    if (!this.#hasTicket || this.#isInside) {
      return { kind: 'wait', untilMs: Math.max(this.#readyAtMs(nowMs), nowMs + LIMITER_RECHECK_MS) };
    }
    this.#hasTicket = false;
    this.#isInside = true;
    let isDone = false;
    return {
      kind: 'go',
      done: (startedAtMs, endedAtMs, doneAtMs) => {
        if (isDone) return;
        isDone = true;
        this.#done(startedAtMs, endedAtMs, doneAtMs);
      },
    };
  }

  close(): void {
    if (this.#silence !== null) clearTimeout(this.#silence);
    this.#silence = null;
    this.#leave();
    this.#limiter.disconnect().catch(ignoreRefusal);
  }

  /** The time that the stamps give: the latest of what was asked (access, DECISION A15). While one is inside, soon. */
  #readyAtMs(nowMs: number): number {
    if (this.#isInside) return nowMs + LIMITER_RECHECK_MS;
    const { crawlDelayMs, requestIntervalMs, bucket } = this.asks;
    const limits = bucketLimits(bucket);
    const oldest = this.#starts[0];
    return Math.max(
      this.#lastEndMs + (crawlDelayMs ?? 0),
      limits === null ? this.#lastStartMs + (requestIntervalMs ?? 0) : 0,
      limits !== null && oldest !== undefined && this.#starts.length >= limits.documents ? oldest + limits.periodMs : 0,
    );
  }

  /** Asks the limiter while somebody waits. In bucket mode, starts that have left the period make room first. */
  async #enterNow(nowMs: number): Promise<void> {
    if (this.#silence !== null) return;
    const limits = bucketLimits(this.asks.bucket);
    if (limits !== null) {
      const kept = this.#starts.filter((start) => start + limits.periodMs > nowMs);
      const returned = this.#starts.length - kept.length;
      this.#starts = kept;
      if (returned > 0) await this.#limiter.incrementReservoir(returned);
    }
    await this.#enterNext();
  }

  /**
   * Lets the next exchange's job enter, when the last one has left. One that is on its way in is waited for: another
   * behind it would wait for it to leave, and it for whoever asks.
   */
  #enterNext(): Promise<void> {
    this.#entering ??= this.#noteTicket(this.#enterAfter(this.#job));
    return this.#entering;
  }

  async #enterAfter(last: Job): Promise<Job> {
    await last.left;
    if (this.#job !== last) return last;
    this.#job = this.#enterLimiter();
    return this.#job;
  }

  /** The job is not counted on before it has entered. */
  async #noteTicket(next: Promise<Job>): Promise<void> {
    const job = await next;
    const leave = await job.entered;
    if (this.#job !== job) return;
    this.#entering = null;
    if (!this.#isInside) this.#hasTicket = leave !== null;
  }

  #enterLimiter(): Job {
    let left: Promise<void> = Promise.resolve();
    const entered = new Promise<(() => void) | null>((resolve) => {
      left = this.#limiter
        .schedule(() => new Promise<void>((leave) => resolve(leave)))
        // Dropped: there was no room, or the time had not come.
        .catch(() => resolve(null));
    });
    return { entered, left };
  }

  /** Ends the job, now or when it has entered. */
  #leave(): void {
    this.#job.entered.then((leave) => leave?.()).catch(ignoreRefusal);
  }

  #done(startedAtMs: number | null, endedAtMs: number, nowMs: number): void {
    this.#isInside = false;
    if (startedAtMs === null) {
      // Nothing left: the job is still inside, and the next exchange may have it.
      this.#hasTicket = true;
      return;
    }
    this.#lastStartMs = startedAtMs;
    this.#lastEndMs = endedAtMs;
    const { crawlDelayMs, requestIntervalMs, bucket } = this.asks;
    if (bucket !== null) this.#starts.push(startedAtMs);
    const rateMs = bucket === null ? (requestIntervalMs ?? 0) - (endedAtMs - startedAtMs) : 0;
    const silenceMs = Math.max(crawlDelayMs ?? 0, rateMs) - LIMITER_SLACK_MS;
    this.#silence = setTimeout(
      () => {
        this.#silence = null;
        this.#leave();
        if (bucket === null) this.#enterNext().catch(ignoreRefusal);
      },
      // It began when the exchange ended, which may be told a while later.
      Math.max(0, silenceMs - Math.max(0, nowMs - endedAtMs)),
    ).unref();
  }

  #change(asks: HostRequirements): void {
    this.asks = asks;
    if (this.#isInside) return;
    // A fresh limiter, open now: the stamps go on telling what was.
    this.close();
    this.#limiter = createLimiter(asks, this.#starts.length);
    this.#job = this.#enterLimiter();
    this.#hasTicket = bucketLimits(asks.bucket) === null;
    this.#entering = this.#hasTicket ? null : this.#noteTicket(Promise.resolve(this.#job));
  }
}

let loaded: typeof Bottleneck | null = null;

/** Loaded with the first host that asks for anything: many crawls meet none. */
function loadBottleneck(): typeof Bottleneck {
  loaded ??= createRequire(import.meta.url)('bottleneck') as typeof Bottleneck;
  return loaded;
}

function createLimiter(asks: HostRequirements, started = 0): Bottleneck {
  const Limiter = loadBottleneck();
  const limits = bucketLimits(asks.bucket);
  const limiter = new Limiter({
    maxConcurrent: 1,
    minTime: limits === null ? Math.max(0, (asks.requestIntervalMs ?? 0) - LIMITER_SLACK_MS) : 0,
    reservoir: limits === null ? null : Math.max(0, limits.documents - started),
    // Never a queue: what cannot enter at once is dropped.
    highWater: 0,
    strategy: Limiter.strategy.OVERFLOW,
  });
  return limiter;
}

/** A bucket of a million an hour is one of a thousand in 3.6 s: the same rate, and a bounded memory of starts. */
function bucketLimits(bucket: HostRequirements['bucket']): { documents: number; periodMs: number } | null {
  if (bucket === null) return null;
  if (bucket.documents <= MAX_BUCKET_STARTS) return bucket;
  return { documents: MAX_BUCKET_STARTS, periodMs: (bucket.periodMs * MAX_BUCKET_STARTS) / bucket.documents };
}

function sameAsks(one: HostRequirements, other: HostRequirements): boolean {
  return (
    one.crawlDelayMs === other.crawlDelayMs &&
    one.requestIntervalMs === other.requestIntervalMs &&
    one.bucket?.documents === other.bucket?.documents &&
    one.bucket?.periodMs === other.bucket?.periodMs
  );
}

function ignoreRefusal(): void {
  // A limiter in memory has no connection to lose, and a job has no other way to fail.
}
