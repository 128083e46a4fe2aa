// The answer of a fetcher, which may be the user's: what the crawl depends on is checked before it is used.

import { isObject } from '../parse-json.js';
import { MAX_TIME_ERROR_MS } from './limits.js';
import type { FetchOutcome } from './outcome.js';

/**
 * The answer as it is, if it is one.
 *
 * @param calledAtMs - When the fetcher was called, and when it answered, epoch milliseconds.
 * @throws TypeError for an answer of another shape, RangeError for times outside the call.
 */
export function checkedOutcome(answer: unknown, calledAtMs: number, answeredAtMs: number): FetchOutcome | null {
  if (answer === null) return null;
  if (!isOutcome(answer)) throw new TypeError('`fetch` answered with neither a `FetchOutcome` nor `null`');
  checkTimes(answer, calledAtMs, answeredAtMs);
  return answer;
}

/** Whether the answer of a user's fetcher is an outcome, as far as the crawl depends on it. Never throws. */
function isOutcome(answer: unknown): answer is FetchOutcome {
  if (!isObject(answer)) return false;
  const { kind, timing, failure, status, headers, body } = answer;
  if (!isObject(timing) || !Number.isFinite(timing['startedAtMs']) || !Number.isFinite(timing['endedAtMs']))
    return false;
  if (kind === 'failed') return typeof failure === 'string';
  return kind === 'response' && Number.isInteger(status) && Array.isArray(headers) && ArrayBuffer.isView(body);
}

/**
 * The pauses of a host count from these times: those of another clock, such as `performance.now()`, would end them at
 * once. @throws RangeError for times outside the call. Its own may be in any order, since the clock may have been set.
 */
function checkTimes({ timing }: FetchOutcome, calledAtMs: number, answeredAtMs: number): void {
  const { startedAtMs, endedAtMs } = timing;
  const [first, last] = [Math.min(calledAtMs, answeredAtMs), Math.max(calledAtMs, answeredAtMs)];
  const isWithin = (ms: number): boolean => ms >= first - MAX_TIME_ERROR_MS && ms <= last + MAX_TIME_ERROR_MS;
  if (isWithin(startedAtMs) && isWithin(endedAtMs)) return;
  throw new RangeError(
    `\`fetch\` answered with a \`timing\` from ${startedAtMs} to ${endedAtMs}, but ran from ${calledAtMs} to ` +
      `${answeredAtMs}: it takes epoch milliseconds, as from \`Date.now()\``,
  );
}
