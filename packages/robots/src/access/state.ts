// What is known of one authority's robots.txt, as a pure state machine: when it may be requested, and what applies
// meanwhile (access §5, §6, §8). The invariant: `allow` comes only from a fresh `no-rules`, which only an answer that
// access §3 and §4 call unavailable produces, or from the `afterUnreachable` option. A state that is missing, expired
// or being fetched means hold.
//
//     none-yet ──▶ rules · no-rules · restricted · kept      an answer; fresh until a time
//                     │ expired, asked again, no answer
//                     ▼
//                 unreachable ──(30 days, or the profile's time)──▶ last-good     both retried with backoff

import {
  GOOGLE_STOP_MS,
  HOST_ANSWERS_MS,
  KEPT_COPY_MS,
  LIFETIME_1996_MS,
  MAX_JITTER,
  MAX_RETRY_AFTER_MS,
  RESTRICTED_LIFETIME_MS,
  ROBOTS_EXCHANGE_MS,
  UNAVAILABLE_LIFETIME_MS,
} from '../limits.js';
import {
  type AccessNote,
  classifyAnswer,
  copyAfter,
  copyValidators,
  type GoodCopy,
  type RobotsAnswer,
} from './answer.js';
import type { ResolvedAccessOptions } from './profile.js';
import { retryAfterMs, robotsLifetimeMs, robotsRetryMs } from './timing.js';

/** The states of access §8. */
export type AccessPhase = 'none-yet' | 'rules' | 'no-rules' | 'restricted' | 'kept' | 'unreachable' | 'last-good';

/** Everything that is known of one authority. Immutable: `nextAccess` returns a new one. */
export interface AccessState {
  readonly phase: AccessPhase;
  readonly copy: GoodCopy | null;
  /** Epoch milliseconds at which the phase expires; null while none-yet, unreachable and last-good. */
  readonly freshUntilMs: number | null;
  /** Failures in a row. */
  readonly failures: number;
  /** Epoch milliseconds of the first failure. */
  readonly firstFailureMs: number | null;
  /** Epoch milliseconds from which the next attempt is allowed; null outside a series of failures. */
  readonly retryAtMs: number | null;
  /** A request for robots.txt is under way. */
  readonly fetching: boolean;
  /** Epoch milliseconds at which another URL of the authority last got a response (access §5, google). */
  readonly hostAnsweredAtMs: number | null;
  /** What is reported to the operator about the last answer. */
  readonly notes: readonly AccessNote[];
}

/**
 * What can happen. `ask`: a URL needs a decision, which starts a fetch if one is due (a request for robots.txt itself
 * is not an `ask`). `answer`: a fetch ended; `jitter` is the share, 0 to 0.1, added to the next pause. `host-answered`:
 * another URL of the authority got a response, which matters during a series of failures only. `restored`: the process
 * restarted.
 */
export type AccessEvent =
  | { readonly kind: 'ask' }
  | { readonly kind: 'answer'; readonly answer: RobotsAnswer; readonly jitter?: number }
  | { readonly kind: 'host-answered' }
  | { readonly kind: 'restored' };

/** What applies to URLs other than robots.txt. `by-rules`: compile `state.copy`. `untilMs`: when to check again. */
type AccessAdvice =
  | { readonly kind: 'by-rules' }
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'hold'; readonly untilMs: number };

const INITIAL: AccessState = Object.freeze({
  phase: 'none-yet',
  copy: null,
  freshUntilMs: null,
  failures: 0,
  firstFailureMs: null,
  retryAtMs: null,
  fetching: false,
  hostAnsweredAtMs: null,
  notes: Object.freeze([]),
});

/** The state of an unknown authority. */
export function initialAccess(): AccessState {
  return INITIAL;
}

/** The state after an event (access §8). @returns A new state, or the same one when nothing changed. */
export function nextAccess(
  state: AccessState,
  event: AccessEvent,
  nowMs: number,
  options: ResolvedAccessOptions,
): AccessState {
  switch (event.kind) {
    case 'ask':
      return afterAsk(state, nowMs, options);
    case 'answer':
      return afterAnswer(state, event.answer, event.jitter ?? 0, nowMs, options);
    case 'host-answered':
      return state.failures === 0 ? state : { ...state, hostAnsweredAtMs: nowMs };
    case 'restored':
      return restored(state, nowMs);
  }
}

/** Whether robots.txt must be fetched before anything else of the authority (access §2, §8). */
export function isFetchDue(state: AccessState, nowMs: number): boolean {
  return !state.fetching && nowMs >= fetchDueMs(state);
}

/**
 * What applies to a URL of the authority now (access §5, §8).
 * @returns `hold` with the time of the next check: now if a fetch is due, the retry time while unreachable, the end of
 *   the longest possible exchange while one is in flight.
 */
export function accessAdvice(state: AccessState, nowMs: number, options: ResolvedAccessOptions): AccessAdvice {
  if (state.fetching) return { kind: 'hold', untilMs: nowMs + ROBOTS_EXCHANGE_MS };
  if (nowMs >= fetchDueMs(state)) return { kind: 'hold', untilMs: nowMs };
  switch (state.phase) {
    case 'rules':
    case 'kept':
      return state.copy === null ? { kind: 'hold', untilMs: nowMs } : { kind: 'by-rules' };
    case 'no-rules':
      return { kind: 'allow' };
    case 'restricted':
      return { kind: 'deny' };
    case 'none-yet':
    case 'unreachable':
    case 'last-good':
      return adviceAfterFailures(state, nowMs, options) ?? { kind: 'hold', untilMs: fetchDueMs(state) };
  }
}

/** The time from which a fetch is due; -Infinity for a state that never had an answer. */
function fetchDueMs({ freshUntilMs, retryAtMs }: AccessState): number {
  return freshUntilMs ?? retryAtMs ?? -Infinity;
}

function afterAsk(state: AccessState, nowMs: number, options: ResolvedAccessOptions): AccessState {
  const isUnreachable = state.phase === 'unreachable' || state.phase === 'last-good';
  const phase = isUnreachable ? unreachablePhase(state, nowMs, options) : state.phase;
  const fetching = state.fetching || isFetchDue(state, nowMs);
  return phase === state.phase && fetching === state.fetching ? state : { ...state, phase, fetching };
}

function afterAnswer(
  state: AccessState,
  answer: RobotsAnswer,
  jitter: number,
  nowMs: number,
  options: ResolvedAccessOptions,
): AccessState {
  const isRevalidation = answer.kind === 'response' && copyValidators(state.copy, answer.finalUrl) !== null;
  const { meaning, notes } = classifyAnswer(answer, isRevalidation, options);
  if (meaning === 'transient') return afterFailure(state, answer, jitter, nowMs, options);
  const copy = copyAfter(state.copy, meaning, answer, nowMs);
  const settle = (phase: AccessPhase, freshUntilMs: number): AccessState => {
    return { ...INITIAL, hostAnsweredAtMs: state.hostAnsweredAtMs, copy, notes, phase, freshUntilMs };
  };
  const headers = answer.kind === 'response' ? answer.headers : {};
  const lifetimeEndMs = nowMs + robotsLifetimeMs(headers, nowMs, options.profile);
  switch (meaning) {
    case 'parse':
    case 'not-modified':
      return settle('rules', lifetimeEndMs);
    case 'gone':
      return settle('no-rules', lifetimeEndMs);
    case 'restricted':
      return settle('restricted', nowMs + RESTRICTED_LIFETIME_MS);
    case 'unavailable': {
      const hourEndMs = nowMs + UNAVAILABLE_LIFETIME_MS;
      const keptUntilMs = copy === null ? nowMs : copy.receivedAtMs + KEPT_COPY_MS;
      return keptUntilMs > nowMs ? settle('kept', Math.min(hourEndMs, keptUntilMs)) : settle('no-rules', hourEndMs);
    }
  }
}

function afterFailure(
  state: AccessState,
  answer: RobotsAnswer,
  jitter: number,
  nowMs: number,
  options: ResolvedAccessOptions,
): AccessState {
  const failures = state.failures + 1;
  const retryAfter = answer.kind === 'response' ? retryAfterMs(answer.headers, nowMs) : null;
  const next: AccessState = {
    ...state,
    freshUntilMs: null,
    failures,
    firstFailureMs: state.firstFailureMs ?? nowMs,
    // Never earlier than before, so that a short pause cannot undo a long Retry-After of the same series.
    retryAtMs: Math.max(state.retryAtMs ?? 0, nowMs + robotsRetryMs(failures, retryAfter, jitter)),
    fetching: false,
    notes: [],
  };
  return { ...next, phase: unreachablePhase(next, nowMs, options) };
}

function unreachablePhase(state: AccessState, nowMs: number, options: ResolvedAccessOptions): AccessPhase {
  return adviceAfterFailures(state, nowMs, options) === null ? 'unreachable' : 'last-good';
}

/** What section 5 permits after a long series of failures, or an option from the first failure on; null: hold. */
function adviceAfterFailures(
  { copy, firstFailureMs, hostAnsweredAtMs }: AccessState,
  nowMs: number,
  { afterUnreachable, unreachableMs }: ResolvedAccessOptions,
): AccessAdvice | null {
  if (firstFailureMs === null) return null;
  const elapsedMs = nowMs - firstFailureMs;
  const isLong = elapsedMs >= unreachableMs;
  const allow: AccessAdvice = { kind: 'allow' };
  const byCopy: AccessAdvice | null = copy === null ? null : { kind: 'by-rules' };
  switch (afterUnreachable) {
    case 'google':
      if (elapsedMs < GOOGLE_STOP_MS) return null;
      if (!isLong) return byCopy ?? allow;
      return hostAnsweredAtMs !== null && nowMs - hostAnsweredAtMs < HOST_ANSWERS_MS ? allow : null;
    case 'copy-at-once':
      return copy !== null && nowMs - copy.receivedAtMs < unreachableMs ? byCopy : null;
    case 'copy-or-hold':
      return isLong ? byCopy : null;
    case 'copy-or-allow':
      return isLong ? (byCopy ?? allow) : null;
    case 'allow':
      return isLong ? allow : null;
    case 'hold':
      return null;
  }
}

/** No request survives a restart. Times later than any answer can set come from a clock that was set back. */
function restored(state: AccessState, nowMs: number): AccessState {
  const latestRetryMs = nowMs + MAX_RETRY_AFTER_MS * (1 + MAX_JITTER);
  const atMost = (timeMs: number | null, latestMs: number) => (timeMs === null ? null : Math.min(timeMs, latestMs));
  return {
    ...state,
    fetching: false,
    copy: state.copy && { ...state.copy, receivedAtMs: Math.min(state.copy.receivedAtMs, nowMs) },
    freshUntilMs: atMost(state.freshUntilMs, nowMs + LIFETIME_1996_MS),
    retryAtMs: atMost(state.retryAtMs, latestRetryMs),
    firstFailureMs: atMost(state.firstFailureMs, nowMs),
    hostAnsweredAtMs: atMost(state.hostAnsweredAtMs, nowMs),
  };
}
