// One exchange by a fetcher that may be the user's. A fetcher that rejects, or returns something other than an outcome,
// breaks its contract. That is reported, and becomes a value for the crawl.

import { isObject } from '../parse-json.js';
import { failureDetail } from './failure-code.js';
import type { Fetcher, FetchRequest } from './fetcher.js';
import { type FetchOutcome, unsentFailure } from './outcome.js';

export interface FetcherInUse {
  readonly fetcher: Fetcher;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** Called when the fetcher rejects, or returns something other than an outcome. */
  readonly onFetcherError?: (url: string, error: unknown) => void;
}

/** One exchange. Never rejects. */
export async function fetchOrFail(
  { fetcher, nowMs, onFetcherError }: FetcherInUse,
  request: FetchRequest,
): Promise<FetchOutcome | null> {
  const startedAtMs = nowMs();
  try {
    const came: unknown = await fetcher.fetch(request);
    if (came === null || isOutcome(came)) return came;
    throw new TypeError('`fetch` answered with neither a `FetchOutcome` nor `null`');
  } catch (error) {
    onFetcherError?.(request.url, error);
    const failed = unsentFailure(request.url, nowMs(), 'internal', failureDetail(error));
    // Whether a request was sent is unknown. It counts as sent, so that the host gets its pause.
    return { ...failed, wasSent: true, timing: { ...failed.timing, startedAtMs } };
  }
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
