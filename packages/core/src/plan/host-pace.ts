// How slowly one host is asked: what the robots.txt files of its authorities say, and the profile next to them. The
// same reading as the crawl's own, by the packages that own it; here it is asked for times that have not come yet.

import { type Politeness, requestInterval } from '@mannerly/frontier/internal';
import { type CompileOptions, compileRules, parseRobots, type RobotsRules } from '@mannerly/robots';
import type { ResolvedOptions } from '../options/options.js';
import type { PlannedHost } from './crawl-plan.js';

/** What holds at a time. Milliseconds. */
export interface PaceNow {
  /** Least time from the end of one exchange to the start of the next. */
  readonly fromEndMs: number;
  /** Least time from start to start; 0: none. */
  readonly fromStartMs: number;
  /** Not before this time, epoch milliseconds; `null`: open. */
  readonly closedUntilMs: number | null;
}

/** The pace of a host. */
export interface HostPace {
  /** @param nowMs - Epoch milliseconds. Files name minutes: within one nothing changes. */
  at(nowMs: number): PaceNow;
  readonly hasHours: boolean;
  /** Who asks for the interval that is in force at a time. */
  from(nowMs: number): PlannedHost['intervalFrom'];
}

/** What pace is made of. */
export interface PaceParts {
  readonly options: Pick<ResolvedOptions, 'identity' | 'robots'>;
  readonly politeness: Politeness;
  /** The robots.txt bodies of the host, by authority. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** How long an answer takes, milliseconds. */
  readonly answerMs: number;
}

const DAY_S = 86_400;

/** Reads the pace of a host. @throws Never; options were checked before. */
export function readPace({ options, politeness, files, answerMs }: PaceParts): HostPace {
  const { crawlDelay, visitTime = 'hold' } = options.robots;
  const longestMs = (crawlDelay?.maxSeconds ?? DAY_S) * 1_000;
  const rules = [...files].map(([authority, body]) =>
    compileRules(parseRobots(body, { robotsUrl: `${authority}/robots.txt` }), compileOptions(options)),
  );
  const delays = rules.flatMap(({ crawlDelayMs }) => (crawlDelayMs === null ? [] : [crawlDelayMs]));
  const crawlDelayMs = delays.length === 0 ? null : Math.min(longestMs, Math.max(...delays));
  const hasHours = rules.some(
    (one) =>
      (one.visitWindows.length > 0 && visitTime === 'hold') || one.requestRates.some(({ window }) => window !== null),
  );
  const read = (nowMs: number): PaceNow => {
    const { rateMs, closedUntilMs } = timedAsks(rules, visitTime, nowMs);
    const clock = { lastRetrievalMs: answerMs, adaptiveMs: 0 };
    const interval = requestInterval(clock, { crawlDelayMs, requestIntervalMs: rateMs || null }, politeness);
    // Jitter is drawn anew for each request: half of the most of it, on average.
    const fromEndMs = Math.ceil(interval.fromEndMs * (1 + politeness.jitter / 2));
    return { fromEndMs, fromStartMs: interval.fromStartMs, closedUntilMs };
  };
  let minute = Number.NaN;
  let now: PaceNow | null = null;
  const at = (nowMs: number): PaceNow => {
    const wanted = hasHours ? Math.floor(nowMs / 60_000) : 0;
    if (now === null || wanted !== minute) {
      minute = wanted;
      now = read(nowMs);
    }
    return now;
  };
  return {
    at,
    hasHours,
    from(nowMs) {
      const { fromEndMs, fromStartMs } = at(nowMs);
      if (fromStartMs > fromEndMs + answerMs) return 'request-rate';
      return crawlDelayMs !== null && crawlDelayMs >= Math.floor(fromEndMs / (1 + politeness.jitter / 2))
        ? 'crawl-delay'
        : 'profile';
    },
  };
}

/** The slowest rate, and the latest end of a closed time, of all authorities together. */
function timedAsks(rules: readonly RobotsRules[], visitTime: 'hold' | 'warn' | 'ignore', nowMs: number) {
  let rateMs = 0;
  let closedUntilMs: number | null = null;
  for (const one of rules) {
    const schedule = one.schedule(nowMs);
    if (schedule.kind === 'open') rateMs = Math.max(rateMs, schedule.intervalMs ?? 0);
    else if (visitTime === 'hold' || schedule.reason === 'closed-rate') {
      closedUntilMs = Math.max(closedUntilMs ?? 0, schedule.untilMs);
    }
  }
  return { rateMs, closedUntilMs };
}

/** The options of reading among those of robots. */
function compileOptions({ identity, robots }: PaceParts['options']): CompileOptions {
  const { dialect, policy, inheritPoliteness, cacheDelay } = robots;
  return {
    tokens: identity.tokens,
    ...(dialect === undefined ? {} : { dialect }),
    ...(policy === undefined ? {} : { policy }),
    ...(inheritPoliteness === undefined ? {} : { inheritPoliteness }),
    ...(cacheDelay === undefined ? {} : { cacheDelay }),
  };
}
