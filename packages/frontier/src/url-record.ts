// What the frontier knows of one URL: the URL itself and how the crawl found it. It passes through the store as an
// opaque body and comes back unchanged.

/** A JSON value: what user data may contain, because it is written to a store. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * How a URL was found. `companion`: a file that is fetched next to robots.txt (data.txt, a well-known file).
 * `subresource`: what a page in a browser requests.
 */
export type Via = (typeof VIAS)[number];

export const VIAS = [
  'seed',
  'link',
  'redirect',
  'sitemap',
  'feed',
  'handler',
  'companion',
  'dataset',
  'subresource',
] as const;

/** A URL to be added to the frontier. */
export interface NewUrl {
  /** Absolute http(s) URL as the URL parser serialises it. A fragment is dropped. */
  readonly url: string;
  /** Links between this URL and its seed; a redirect target keeps the depth of its origin. */
  readonly depth: number;
  readonly via: Via;
  /** The URL it was found on or redirected from; absent for seeds. */
  readonly from?: string;
  /** Redirects followed so far in this chain. @default 0 */
  readonly hops?: number;
  /** Priority class, 0 first, 7 last; others are refused. @default 4 */
  readonly priority?: number;
  /** The route that handles it. */
  readonly label?: string;
  /** Passed to the handler unchanged; at most `limits.maxUserDataBytes` as JSON. */
  readonly userData?: JsonValue;
  /** Epoch milliseconds before which it is not taken (recrawl, Retry-After of a redirect). */
  readonly notBeforeMs?: number;
  /**
   * Identifies another visit to a URL that may be known: a whole number > 0, different from its other visits. Adding
   * the same visit twice answers `known`, also after a crash. Absent or 0: the first visit.
   */
  readonly visit?: number;
  /** `false` queues the URL each time it is added, even if it is known; prefer `visit`. @default true */
  readonly dedupe?: boolean;
}

/** A URL that is queued or in flight, as it was added, with its number of attempts. */
export interface UrlRecord {
  readonly url: string;
  readonly depth: number;
  readonly via: Via;
  readonly from: string | null;
  readonly hops: number;
  readonly label: string | null;
  readonly userData: JsonValue | null;
  /** Exchanges made for it so far, all of which ended in a retry. */
  readonly tries: number;
  /** Which visit of the URL it is; absent for the first. */
  readonly visit?: number;
}
