// From when on a host might have been asked again: the run's own interval, what the host's files ask for, and the silence
// after answers that say "too much". Worked out from logged exchanges by the specification (access 9 and 10), with no code of
// the frontier's. Where the frontier waits longer by choice (jitter, doubled intervals after refusals), nothing is demanded.

import { parseRetryAfter } from '@mannerly/robots/access';
import { MAX_BUCKET_STARTS } from '../../limits.js';
import type { RequestRecord } from '../decision.js';
import type { RunPace } from '../run-line.js';
import {
  AUDIT_FAILING_PAUSE_MS,
  AUDIT_FAILURES_BEFORE_PAUSE,
  AUDIT_PAUSE_MAX_MS,
  AUDIT_RETRY_AFTER_MAX_MS,
  AUDIT_THROTTLE_PAUSE_MS,
} from './limits.js';
import type { PaceReason } from './violation.js';

/** What a host's files ask for at a time; the strictest of each. */
export interface PaceAsked {
  /** End to start, milliseconds. */
  readonly crawlDelayMs: number | null;
  /** Start to start, milliseconds. */
  readonly rateMs: number | null;
  /** Instead of `rateMs`, where bursts are allowed. */
  readonly bucket: { readonly documents: number; readonly periodMs: number } | null;
}

/** A silence that a host's answers asked for. Epoch milliseconds. */
export interface Pause {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Status and Retry-After, or the failure. */
  readonly why: string;
}

/** The earliest time of a request, and what sets it. */
export interface Earliest {
  /** Epoch milliseconds; `null` for the first request. */
  readonly atMs: number | null;
  readonly reason: PaceReason;
}

/** What is remembered of a host. */
export interface HostPace {
  readonly lastStartedAtMs: number | null;
  readonly lastEndedAtMs: number | null;
  /** The pause that is running, or has run. */
  readonly pause: Pause | null;
  /** When the next request might start. */
  earliest(pace: RunPace, asked: PaceAsked): Earliest;
  /** One exchange has ended. @returns The pause that it brought about; `null`: none. */
  ended(record: RequestRecord, asked: PaceAsked): Pause | null;
}

/** Makes the memory of a host that was never asked. Never throws. */
export function createHostPace(): HostPace {
  let lastStartedAtMs: number | null = null;
  let lastEndedAtMs: number | null = null;
  let retrievalMs = 0;
  let throttled = 0;
  let failed = 0;
  let pause: Pause | null = null;
  let burst: number[] = [];
  return {
    get lastStartedAtMs() {
      return lastStartedAtMs;
    },
    get lastEndedAtMs() {
      return lastEndedAtMs;
    },
    get pause() {
      return pause;
    },
    earliest(pace, asked) {
      if (lastEndedAtMs === null || lastStartedAtMs === null) return { atMs: null, reason: 'interval' };
      const isReplaced = pace.rateReplacesRule && asked.rateMs !== null;
      const candidates: { readonly atMs: number; readonly reason: PaceReason }[] = [
        { atMs: lastEndedAtMs + (isReplaced ? 0 : intervalOf(pace, retrievalMs)), reason: 'interval' },
        { atMs: lastEndedAtMs + (asked.crawlDelayMs ?? 0), reason: 'crawl-delay' },
        { atMs: lastStartedAtMs + (asked.rateMs ?? 0), reason: 'request-rate' },
        { atMs: burstOver(burst, asked.bucket), reason: 'request-rate' },
        { atMs: pause?.untilMs ?? 0, reason: 'pause' },
      ];
      return candidates.reduce((latest, each) => (each.atMs > latest.atMs ? each : latest));
    },
    ended(record, asked) {
      const { startedAtMs, endedAtMs } = record;
      const kind = kindOf(record);
      const tookMs = Math.max(0, endedAtMs - startedAtMs);
      retrievalMs = kind === 'good' ? tookMs : Math.max(retrievalMs, tookMs);
      lastStartedAtMs = Math.max(lastStartedAtMs ?? startedAtMs, startedAtMs);
      lastEndedAtMs = Math.max(lastEndedAtMs ?? endedAtMs, endedAtMs);
      burst = asked.bucket === null ? [] : [...burst, startedAtMs].slice(-MAX_BUCKET_STARTS);
      // robots.txt has waits of its own.
      if (record.purpose === 'robots' || kind === 'ours' || kind === 'refused') return null;
      if (kind === 'good') {
        throttled = 0;
        failed = 0;
        return null;
      }
      if (kind === 'throttled') throttled += 1;
      else failed += 1;
      const pauseMs = kind === 'throttled' ? throttlePauseMs(record, throttled) : failingPauseMs(failed);
      if (pauseMs === 0) return null;
      const asksFor = record.retryAfter === null ? '' : `, Retry-After: ${record.retryAfter}`;
      const why = `${record.status ?? record.failure ?? 'failure'}${asksFor}`;
      const brought = { fromMs: endedAtMs, untilMs: endedAtMs + pauseMs, why };
      if (pause === null || pause.untilMs < brought.untilMs) pause = brought;
      return brought;
    },
  };
}

function intervalOf({ factor, minMs, maxMs }: RunPace, retrievalMs: number): number {
  const wanted = Math.max(minMs, factor * retrievalMs);
  return maxMs === null ? wanted : Math.min(wanted, maxMs);
}

/** When a burst is over that the host allows so many documents of; a large one is judged in shorter pieces. */
function burstOver(starts: readonly number[], bucket: PaceAsked['bucket']): number {
  if (bucket === null) return 0;
  const documents = Math.min(bucket.documents, MAX_BUCKET_STARTS);
  const first = starts[starts.length - documents];
  return first === undefined ? 0 : first + (bucket.periodMs * documents) / bucket.documents;
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 407, 451]);
const OURS: ReadonlySet<string> = new Set([
  'aborted',
  'address-forbidden',
  'port-forbidden',
  'scheme-unsupported',
  'internal',
]);

/** The rows of the table in access 10. */
function kindOf({ status, failure, truncated }: RequestRecord): 'good' | 'throttled' | 'failing' | 'refused' | 'ours' {
  if (status === 429 || status === 503) return 'throttled';
  if (failure !== null) return OURS.has(failure) ? 'ours' : 'failing';
  if (truncated === 'connection' || status === null || status === 408 || status >= 500) return 'failing';
  return REFUSALS.has(status) ? 'refused' : 'good';
}

function throttlePauseMs({ retryAfter, endedAtMs }: RequestRecord, inARow: number): number {
  const requiredMs = retryAfter === null ? 0 : (parseRetryAfter(retryAfter, endedAtMs) ?? 0);
  return Math.max(doubledMs(AUDIT_THROTTLE_PAUSE_MS, inARow - 1), Math.min(requiredMs, AUDIT_RETRY_AFTER_MAX_MS));
}

function failingPauseMs(inARow: number): number {
  if (inARow < AUDIT_FAILURES_BEFORE_PAUSE) return 0;
  return doubledMs(AUDIT_FAILING_PAUSE_MS, inARow - AUDIT_FAILURES_BEFORE_PAUSE);
}

function doubledMs(baseMs: number, times: number): number {
  return Math.min(baseMs * 2 ** Math.min(times, 30), AUDIT_PAUSE_MAX_MS);
}
