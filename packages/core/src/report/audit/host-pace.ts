// The earliest time of a host's next request: the run's interval, what the host's robots.txt files require, and the
// pause after answers such as 429. Computed from logged requests by the specification (access 9 and 10), without code
// of the frontier. Waits that the frontier adds by choice (jitter, doubled intervals after refusals) are not required.

import type { RobotsRules } from '@mannerly/robots';
import { parseRetryAfter } from '@mannerly/robots/access';
import { rateInForce } from '@mannerly/robots/politeness';
import { MAX_BUCKET_STARTS } from '../../limits.js';
import type { RequestRecord, RunDeclaration, RunPace } from '../decision.js';
import { iso } from '../table.js';
import type { PaceReason } from './audit-report.js';
import {
  AUDIT_CLOSED_SLACK_MS,
  AUDIT_FAILING_PAUSE_MS,
  AUDIT_FAILURES_BEFORE_PAUSE,
  AUDIT_THROTTLE_PAUSE_MS,
  MAX_AUDIT_PAUSE_MS,
  MAX_AUDIT_RETRY_AFTER_MS,
} from './limits.js';
import { clockDifference, type LogClock } from './log-clocks.js';

/** What a host's files require at a given time; the strictest of each. */
export type RequiredPace = ReturnType<typeof paceOf>;

/** A pause that a host's answers require. Epoch milliseconds. */
export interface Pause {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Status and Retry-After, or the failure. */
  readonly why: string;
}

/** The earliest time of a request, epoch milliseconds, and what sets it; 0 for the first request of a host. */
export interface Earliest {
  readonly atMs: number;
  readonly reason: PaceReason;
}

type Bucket = { readonly documents: number; readonly periodMs: number };

const DAY_MS = 86_400_000;

/** What one file, or several, require. @throws Never */
export function paceOf(files: readonly RobotsRules[], atMs: number, run: RunDeclaration) {
  /** End to start, milliseconds. */
  let crawlDelayMs: number | null = null;
  /** Start to start, milliseconds. */
  let rateMs: number | null = null;
  /** Replaces `rateMs` if bursts are allowed. */
  let bucket: Bucket | null = null;
  /** Why no page may be requested; `null` if the host is open. */
  let closed: string | null = null;
  const maxDelayMs = run.robots.maxCrawlDelayMs ?? DAY_MS;
  for (const rules of files) {
    const delayMs = rules.crawlDelayMs;
    if (delayMs !== null) crawlDelayMs = Math.max(crawlDelayMs ?? 0, Math.min(delayMs, maxDelayMs));
    if (rules.requestRates.length === 0 && rules.visitWindows.length === 0) continue;
    const rate = rateInForce(rules.requestRates, atMs);
    const schedule = rules.schedule(atMs);
    if (rules.requestRateMode === 'bucket' && rate.kind === 'rate') {
      const candidate = { documents: rate.rate.documents, periodMs: rate.rate.periodSeconds * 1_000 };
      if (bucket === null || candidate.documents * bucket.periodMs < bucket.documents * candidate.periodMs)
        bucket = candidate;
    } else {
      const ofRate = rate.kind === 'rate' ? rate.intervalMs : null;
      const intervalMs = schedule.kind === 'open' ? schedule.intervalMs : ofRate;
      if (intervalMs !== null) rateMs = Math.max(rateMs ?? 0, intervalMs);
    }
    closed ??= closedBy(rules, atMs, run);
  }
  return { crawlDelayMs, rateMs, bucket, closed };
}

/** Whether the host has been closed for some time: the frontier decides shortly before the request is sent. */
function closedBy(rules: RobotsRules, atMs: number, run: RunDeclaration): string | null {
  const schedule = rules.schedule(atMs);
  if (schedule.kind === 'open' || rules.schedule(atMs - AUDIT_CLOSED_SLACK_MS).kind === 'open') return null;
  const isVisitTime = schedule.reason === 'visit-time';
  if (isVisitTime && (run.robots.visitTime ?? 'hold') !== 'hold') return null;
  return `${isVisitTime ? 'Visit-time' : 'Request-rate'} had the host closed until ${iso(schedule.untilMs)}`;
}

export class HostPace {
  lastStartedAtMs: number | null = null;
  lastEndedAtMs: number | null = null;
  /** The latest pause; it may have ended. */
  pause: Pause | null = null;
  /** Authorities whose robots.txt was answered. */
  readonly authorities = new Set<string>();
  #clock: LogClock | null = null;
  #retrievalMs = 0;
  #throttled = 0;
  #failed = 0;
  #burst: number[] = [];

  /** Converts its times to the clock of the machine that continues. @returns The possible error, milliseconds. */
  switchClock(clock: LogClock | null): { readonly errorMs: number } {
    const { byMs, errorMs } = clockDifference(this.#clock, clock);
    this.#clock = clock;
    if (byMs === 0) return { errorMs };
    const shifted = (atMs: number | null): number | null => (atMs === null ? null : atMs + byMs);
    this.lastStartedAtMs = shifted(this.lastStartedAtMs);
    this.lastEndedAtMs = shifted(this.lastEndedAtMs);
    this.#burst = this.#burst.map((atMs) => atMs + byMs);
    const { pause } = this;
    if (pause !== null) this.pause = { ...pause, fromMs: pause.fromMs + byMs, untilMs: pause.untilMs + byMs };
    return { errorMs };
  }

  earliest(pace: RunPace, required: RequiredPace): Earliest {
    const { lastStartedAtMs, lastEndedAtMs } = this;
    if (lastEndedAtMs === null || lastStartedAtMs === null) return { atMs: 0, reason: 'interval' };
    const isReplaced = pace.rateReplacesRule && required.rateMs !== null;
    const candidates: Earliest[] = [
      { atMs: lastEndedAtMs + (isReplaced ? 0 : intervalOf(pace, this.#retrievalMs)), reason: 'interval' },
      { atMs: lastEndedAtMs + (required.crawlDelayMs ?? 0), reason: 'crawl-delay' },
      { atMs: lastStartedAtMs + (required.rateMs ?? 0), reason: 'request-rate' },
      { atMs: burstEnd(this.#burst, required.bucket), reason: 'request-rate' },
      { atMs: this.pause?.untilMs ?? 0, reason: 'pause' },
    ];
    return candidates.reduce((latest, each) => (each.atMs > latest.atMs ? each : latest));
  }

  /** Takes one request that has ended. @returns The pause that its answer requires; `null` if none. */
  addRequest(record: RequestRecord, required: RequiredPace): Pause | null {
    const { startedAtMs, endedAtMs } = record;
    const kind = kindOf(record);
    const durationMs = Math.max(0, endedAtMs - startedAtMs);
    this.#retrievalMs = kind === 'good' ? durationMs : Math.max(this.#retrievalMs, durationMs);
    this.lastStartedAtMs = Math.max(this.lastStartedAtMs ?? startedAtMs, startedAtMs);
    this.lastEndedAtMs = Math.max(this.lastEndedAtMs ?? endedAtMs, endedAtMs);
    this.#burst = required.bucket === null ? [] : [...this.#burst, startedAtMs].slice(-MAX_BUCKET_STARTS);
    // robots.txt has its own waits, but a 429 or 503 concerns the whole host.
    const robotsPauseMs = kind === 'throttled' ? throttledMs(record, 1) : 0;
    const pauseMs = record.purpose === 'robots' ? robotsPauseMs : this.#pauseMs(record, kind);
    if (pauseMs === 0) return null;
    const retryAfter = record.retryAfter === null ? '' : `, Retry-After: ${record.retryAfter}`;
    const why = `${record.status ?? record.failure ?? 'failure'}${retryAfter}`;
    const pause = { fromMs: endedAtMs, untilMs: endedAtMs + pauseMs, why };
    if (this.pause === null || this.pause.untilMs < pause.untilMs) this.pause = pause;
    return pause;
  }

  /** The length of the pause that an answer requires, given those before it; 0 if none. */
  #pauseMs(record: RequestRecord, kind: AnswerKind): number {
    if (kind === 'good') {
      this.#throttled = 0;
      this.#failed = 0;
      return (record.status ?? 0) < 400 ? 0 : requiredWaitMs(record);
    }
    if (kind === 'failing') {
      this.#failed += 1;
      const extraFailures = this.#failed - AUDIT_FAILURES_BEFORE_PAUSE;
      const pauseMs = extraFailures < 0 ? 0 : doubledMs(AUDIT_FAILING_PAUSE_MS, extraFailures);
      return Math.max(pauseMs, requiredWaitMs(record));
    }
    if (kind === 'refused') return requiredWaitMs(record);
    if (kind !== 'throttled') return 0;
    this.#throttled += 1;
    return throttledMs(record, this.#throttled);
  }
}

function throttledMs(record: RequestRecord, consecutive: number): number {
  return Math.max(doubledMs(AUDIT_THROTTLE_PAUSE_MS, consecutive - 1), requiredWaitMs(record));
}

/** What Retry-After requires; 0: nothing. */
function requiredWaitMs({ retryAfter, endedAtMs }: RequestRecord): number {
  const requiredMs = retryAfter === null ? 0 : (parseRetryAfter(retryAfter, endedAtMs) ?? 0);
  return Math.min(requiredMs, MAX_AUDIT_RETRY_AFTER_MS);
}

function intervalOf({ factor, minMs, maxMs }: RunPace, retrievalMs: number): number {
  const intervalMs = Math.max(minMs, factor * retrievalMs);
  return maxMs === null ? intervalMs : Math.min(intervalMs, maxMs);
}

/** The end of a burst of as many documents as the host allows; a large burst is judged in shorter pieces. */
function burstEnd(starts: readonly number[], bucket: Bucket | null): number {
  if (bucket === null) return 0;
  const documents = Math.min(bucket.documents, MAX_BUCKET_STARTS);
  const first = starts[starts.length - documents];
  return first === undefined ? 0 : first + (bucket.periodMs * documents) / bucket.documents;
}

const REFUSALS: ReadonlySet<number> = new Set([401, 402, 403, 407, 451]);
const LOCAL_FAILURES: ReadonlySet<string> = new Set([
  'aborted',
  'address-forbidden',
  'port-forbidden',
  'scheme-unsupported',
  'proxy',
  'proxy-refused',
  'internal',
]);

type AnswerKind = 'good' | 'throttled' | 'failing' | 'refused' | 'ours';

/** The rows of the table in access 10. */
function kindOf({ status, failure, truncated }: RequestRecord): AnswerKind {
  if (status === 429 || status === 503) return 'throttled';
  if (failure !== null) return LOCAL_FAILURES.has(failure) ? 'ours' : 'failing';
  if (truncated === 'connection' || status === null || status === 408 || status >= 500) return 'failing';
  return REFUSALS.has(status) ? 'refused' : 'good';
}

function doubledMs(baseMs: number, doublings: number): number {
  return Math.min(baseMs * 2 ** Math.min(doublings, 30), MAX_AUDIT_PAUSE_MS);
}
