// What a worker reports back: first the exchange (the host's slot frees), later the settlement (the URL is finished
// with).

import type { RobotsAnswer } from '@mannerly/robots/access';
import type { NewUrl } from './url-record.js';

/** The facts of one exchange with a host, whatever came of it. */
export interface Exchange {
  /** Epoch milliseconds, read just before the request left. */
  readonly startedAtMs: number;
  /** Epoch milliseconds of the last byte, or of the failure. */
  readonly endedAtMs: number;
  /** `null` when no response came. */
  readonly status: number | null;
  /** The field's value as it came; `null` when absent. */
  readonly retryAfter: string | null;
  /** The outcome's failure word when there was no whole response. */
  readonly failure: string | null;
  /** Decoded bytes of the body. */
  readonly bytes: number;
}

/** How a piece of work ended. */
export type Settlement =
  /** The URL is finished; its links go in with this commit. `countsAsPage`: it uses up one page of the bounds. */
  | { readonly kind: 'done'; readonly countsAsPage: boolean; readonly links: readonly NewUrl[] }
  /**
   * The URL is tried again, not before `notBeforeMs`, up to a tenth of the wait later; links found meanwhile are kept.
   * After the third retry it is not: it has failed with `retries-exhausted`, and counts as a page.
   */
  | { readonly kind: 'again'; readonly notBeforeMs: number }
  /** Nothing was asked of the host: the item goes back as it was, not before `untilMs`. */
  | { readonly kind: 'returned'; readonly untilMs: number | null }
  /** Of a robots item only: what came. Redirects are followed by the frontier, as further items. */
  | { readonly kind: 'robots'; readonly answer: RobotsAnswer }
  /**
   * Of a robots item only: our own rules keep us from asking the authority for anything (address, port). Its URLs are
   * dropped with this reason, for an hour or until a restart; then it is tried again.
   */
  | { readonly kind: 'refused'; readonly reason: string };

/** What became of a URL that was added. */
export type AddAnswer =
  | { readonly kind: 'new' }
  | { readonly kind: 'known' }
  /** Past the high-water mark. */
  | { readonly kind: 'full' }
  /** The site's fresh rules deny it: it is not queued. */
  | {
      readonly kind: 'excluded';
      readonly reason: string;
      readonly line: number | null;
      readonly pattern: string | null;
    }
  /** Not a URL that can be queued (scheme, length, user data). */
  | { readonly kind: 'dropped'; readonly reason: string };
