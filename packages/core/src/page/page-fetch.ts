// The requests that a handler makes for its page. Their outcomes are values, never exceptions.

import type { FetchOutcome } from '../fetch/outcome.js';

/** Options of `page.fetch`. */
export interface PageFetchOptions {
  /** How long it may wait for its host's turn and for its robots.txt, 0 to 600,000 ms. @default 30_000 */
  readonly waitMs?: number;
  /** More header fields, such as Accept. Those of identity, connection, cookies and credentials are refused. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Decoded bytes kept, 1 to `network.maxBodyBytes`. @default `network.maxBodyBytes` */
  readonly maxBodyBytes?: number;
}

/** The outcome. */
export type PageFetch =
  /** A response of any status, or the code of a failure. No redirect is followed, nothing is retried. */
  | FetchOutcome
  /** Excluded by the site: by a line of its robots.txt, or by its use preferences. */
  | {
      readonly kind: 'excluded';
      readonly url: string;
      readonly reason: string;
      readonly line: number | null;
      readonly pattern: string | null;
      /** The dialect by which the line applies; `null`: no line does. */
      readonly dialect: string | null;
    }
  /** Dropped by us: scope, bounds, not a URL, or too many requests of a page. */
  | { readonly kind: 'dropped'; readonly url: string; readonly reason: string }
  /** It got no turn in time, or cannot. `untilMs`: when it may, epoch milliseconds; `null`: unknown. */
  | { readonly kind: 'held'; readonly url: string; readonly reason: string; readonly untilMs: number | null };

/** What was not requested, and why. */
export type NotFetched = Exclude<PageFetch, FetchOutcome>;

/** Excluded for another reason than a line of robots.txt. */
export function excludedFetch(reason: string, url: string): NotFetched {
  return { kind: 'excluded', url, reason, line: null, pattern: null, dialect: null };
}

/** Makes requests for the handler of a page. Never rejects. */
export type FetchForPage = (
  page: { readonly url: string; readonly depth: number },
  url: string,
  options: PageFetchOptions,
  signal: AbortSignal,
) => Promise<PageFetch>;
