// What an exchange says about its host: the rows of the table in access §10, as one word.
// The table of failure words lives here and nowhere else.

import type { Exchange } from '../settlement.js';

/**
 * - `good`: the host answered and wants no slower crawl (404 included).
 * - `throttled`: 429 or 503, "you are asking too much".
 * - `failing`: another 5xx, 408, or no whole response came.
 * - `refused`: 401, 403, 407 or 451.
 * - `ours`: nothing was asked of the host, or we gave up ourselves: it says nothing about the host.
 */
export type AnswerKind = 'good' | 'throttled' | 'failing' | 'refused' | 'ours';

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 407, 451]);

/** Failure words that are about us, not about the host. */
const OURS: ReadonlySet<string> = new Set([
  'aborted',
  'address-forbidden',
  'port-forbidden',
  'scheme-unsupported',
  'internal',
]);

/**
 * Reads one exchange. A status that throttles counts even when the body then failed; otherwise a failure counts before
 * the status, since a cut-off 200 is no good answer. Failure words that are not known count as `failing`: the slower
 * reading. 408 is the server's own word for a timeout and is read as one.
 *
 * @throws Never.
 * @see specification, access §10
 */
export function answerKind(exchange: Pick<Exchange, 'status' | 'failure'>): AnswerKind {
  const { status, failure } = exchange;
  if (status === 429 || status === 503) return 'throttled';
  if (failure !== null) return OURS.has(failure) ? 'ours' : 'failing';
  if (status === null || status === 408 || status >= 500) return 'failing';
  return REFUSALS.has(status) ? 'refused' : 'good';
}
