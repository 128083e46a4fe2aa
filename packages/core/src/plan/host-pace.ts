// The interval between requests to one host at a given time: what the robots.txt files of its authorities require, and
// the profile. Read as the crawl reads them, by the same packages.

import { requestInterval, type resolvePoliteness } from '@mannerly/frontier/internal';
import { type CompileOptions, compileRules, parseRobots, type RobotsRules } from '@mannerly/robots';
import type { ResolvedOptions } from '../options/options.js';

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

type Politeness = ReturnType<typeof resolvePoliteness>;

const DAY_MS = 86_400_000;
/** The options of `@mannerly/robots` on which politeness depends. */
const COMPILE_OPTION_KEYS: readonly string[] = ['dialect', 'policy', 'inheritPoliteness', 'cacheDelay'];

export class HostPace {
  readonly hasHours: boolean;
  readonly #politeness: Politeness;
  readonly #answerMs: number;
  readonly #appliesVisitTime: boolean;
  readonly #rules: readonly RobotsRules[];
  readonly #crawlDelayMs: number | null;
  #minute = Number.NaN;
  #now: CurrentPace | null = null;

  /** @param files - The robots.txt bodies of the host, by authority. @param answerMs - How long an answer takes. */
  constructor(
    { robots, identity }: Pick<ResolvedOptions, 'identity' | 'robots'>,
    politeness: Politeness,
    files: ReadonlyMap<string, Uint8Array>,
    answerMs: number,
  ) {
    const compileOptions = Object.fromEntries(
      Object.entries(robots).filter(([key]) => COMPILE_OPTION_KEYS.includes(key)),
    );
    const compile: CompileOptions = { ...compileOptions, tokens: identity.tokens };
    this.#politeness = politeness;
    this.#answerMs = answerMs;
    this.#appliesVisitTime = (robots.visitTime ?? 'hold') === 'hold';
    this.#rules = [...files].map(([authority, body]) =>
      compileRules(parseRobots(body, { robotsUrl: `${authority}/robots.txt` }), compile),
    );
    const delays = this.#rules.flatMap(({ crawlDelayMs }) => crawlDelayMs ?? []);
    const maxDelayMs = robots.maxCrawlDelayMs ?? DAY_MS;
    this.#crawlDelayMs = delays.length === 0 ? null : Math.min(maxDelayMs, Math.max(...delays));
    this.hasHours = this.#rules.some(
      ({ visitWindows, requestRates }) =>
        (visitWindows.length > 0 && this.#appliesVisitTime) || requestRates.some(({ window }) => window !== null),
    );
  }

  /** @param nowMs - Epoch milliseconds. Files name minutes: within a minute nothing changes. */
  at(nowMs: number): CurrentPace {
    const minute = this.hasHours ? Math.floor(nowMs / 60_000) : 0;
    if (this.#now === null || this.#minute !== minute) this.#now = this.#read(nowMs);
    this.#minute = minute;
    return this.#now;
  }

  #read(nowMs: number): CurrentPace {
    const politeness = this.#politeness;
    const crawlDelayMs = this.#crawlDelayMs;
    let rateMs = 0;
    let closedUntilMs: number | null = null;
    for (const rules of this.#rules) {
      const schedule = rules.schedule(nowMs);
      if (schedule.kind === 'open') rateMs = Math.max(rateMs, schedule.intervalMs ?? 0);
      else if (this.#appliesVisitTime || schedule.reason === 'closed-rate')
        closedUntilMs = Math.max(closedUntilMs ?? 0, schedule.untilMs);
    }
    const clock = { lastRetrievalMs: this.#answerMs, adaptiveMs: 0 };
    const required = { crawlDelayMs, requestIntervalMs: rateMs || null };
    const { fromEndMs, fromStartMs } = requestInterval(clock, required, politeness);
    // Jitter is random for each request: on average half of the maximum.
    const stretchedMs = Math.ceil(fromEndMs * (1 + politeness.jitter / 2));
    const byDelay = crawlDelayMs !== null && crawlDelayMs >= fromEndMs ? 'crawl-delay' : 'profile';
    const from = fromStartMs > stretchedMs + this.#answerMs ? 'request-rate' : byDelay;
    return { fromEndMs: stretchedMs, fromStartMs, from, closedUntilMs };
  }
}
