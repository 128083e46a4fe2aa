/**
 * Asking for a data.txt: where it is, what an answer means, when to ask again and how long an answer is fresh.
 *
 * Clause: specification, data-txt §1, §2, §6. A data.txt that cannot be read never holds or closes anything: it is an
 * offer, not a restriction (DECISION T1). Redirects are decided by `nextHop` of the robots entry.
 */
import { type HeaderLookup, lifetimeMs } from '../access/lifetime.js';
import { robotsRetryMs } from '../access/retry.js';
import { rootUrl } from '../access/robots-url.js';
import { LIFETIME_1996_MS, MAX_DATA_TXT_RETRIES } from '../limits.js';

/** `parsed`: read the body. `not-modified`: the copy at hand holds. `none`: there is none. `retry`: ask again later. */
export type DataTxtOutcome = 'parsed' | 'not-modified' | 'none' | 'retry';

/** The end of one chain of exchanges; `status` counts for responses only. */
export type DataTxtAnswer =
  | { readonly kind: 'response'; readonly status: number }
  | { readonly kind: 'failure' }
  | { readonly kind: 'redirect-limit' };

const RETRIED_4XX: readonly number[] = [408, 421, 425, 429];

/**
 * The address of an authority's data.txt.
 *
 * @returns Null when the URL cannot be read or is neither http nor https.
 * @throws Never.
 * @see specification, data-txt §1
 */
export function dataTxtUrl(url: string): string | null {
  return rootUrl(url, '/data.txt');
}

/**
 * What an answer means. None of the outcomes affects the crawl.
 *
 * @param isRevalidation - Whether the request carried validators of a copy still at hand.
 * @throws Never.
 * @see specification, data-txt §2
 */
export function dataTxtOutcome(answer: DataTxtAnswer, isRevalidation = false): DataTxtOutcome {
  if (answer.kind === 'failure') return 'retry';
  if (answer.kind === 'redirect-limit') return 'none';
  const { status } = answer;
  if (status >= 200 && status <= 299 && status !== 206) return 'parsed';
  if (status === 304 && isRevalidation) return 'not-modified';
  return status >= 400 && status <= 499 && !RETRIED_4XX.includes(status) ? 'none' : 'retry';
}

/**
 * The pause after failure number `failures` in a row, or null when it is time to give up: five retries, as for
 * robots.txt.
 *
 * @param failures - From 1.
 * @param retryAfter - Milliseconds, or null for none.
 * @param jitter - Share added, 0 to 0.1.
 * @returns Milliseconds, or null.
 * @throws Never.
 * @see specification, data-txt §2; specification, access §5
 */
export function dataTxtRetryMs(failures: number, retryAfter: number | null, jitter = 0): number | null {
  return failures > MAX_DATA_TXT_RETRIES ? null : robotsRetryMs(failures, retryAfter, jitter);
}

/**
 * How long an answer is fresh: its cache headers, else a week; from ten minutes to a week.
 *
 * @param receivedAtMs - Epoch milliseconds of receipt; stands for a missing `Date`.
 * @returns Milliseconds.
 * @throws Never.
 * @see specification, data-txt §6, DECISION T8
 */
export function dataTxtLifetimeMs(headers: HeaderLookup, receivedAtMs: number): number {
  return lifetimeMs(headers, receivedAtMs, LIFETIME_1996_MS);
}
