// The interval between requests to one host at a given time: what the robots.txt files of its authorities require, and
// the profile. Read as the crawl reads them, by the same code.

import { requestInterval, type resolveSettings, SpacingRequirements } from '@mannerly/frontier/internal';

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
