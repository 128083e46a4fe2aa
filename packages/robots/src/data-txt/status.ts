// Fetching a data.txt: where it is, what an answer means and how long it is fresh (data-txt §1, §2, §6). A data.txt
// that cannot be read never holds or denies anything: it is an offer, not a restriction (DECISION T1). `nextHop` of the
// robots entry decides about redirects.

import { rootUrl } from '../access/robots-url.js';
import { type HeaderLookup, lifetimeMs } from '../access/timing.js';
import { LIFETIME_1996_MS } from '../limits.js';

/**
 * `parsed`: read the body. `not-modified`: the stored copy is valid. `none`: there is no file. `retry`: try again
 * later.
 */
type DataTxtOutcome = 'parsed' | 'not-modified' | 'none' | 'retry';

/** The end of one chain of exchanges; `status` counts for responses only. */
type DataTxtAnswer =
  | { readonly kind: 'response'; readonly status: number }
  | { readonly kind: 'failure' }
  | { readonly kind: 'redirect-limit' };

const RETRIED_4XX: readonly number[] = [408, 421, 425, 429];

/** The URL of an authority's data.txt; null for a URL that is not http or https (data-txt §1). */
export function dataTxtUrl(url: string): string | null {
  return rootUrl(url, '/data.txt');
}

/** What an answer means. None of the outcomes affects the crawl (data-txt §2). */
export function dataTxtOutcome(answer: DataTxtAnswer, isRevalidation = false): DataTxtOutcome {
  if (answer.kind === 'failure') return 'retry';
  if (answer.kind === 'redirect-limit') return 'none';
  const { status } = answer;
  if (status >= 200 && status <= 299 && status !== 206) return 'parsed';
  if (status === 304 && isRevalidation) return 'not-modified';
  return status >= 400 && status <= 499 && !RETRIED_4XX.includes(status) ? 'none' : 'retry';
}

/** How long an answer is fresh: by its cache headers, ten minutes to a week (data-txt §6, DECISION T8). */
export function dataTxtLifetimeMs(headers: HeaderLookup, receivedAtMs: number): number {
  return lifetimeMs(headers, receivedAtMs, LIFETIME_1996_MS);
}
