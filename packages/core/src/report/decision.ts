// The final word about a URL, as the decision log, the events, the report and `explain` tell it; and the table of
// reasons.

import type { JsonValue, RobotsCopyRef, Via } from '@mannerly/frontier';

/**
 * `excluded`: the site says no. `dropped`: the crawl says no. `failed`: it could not be had. `held`: no answer yet at
 * the end of the run.
 */
export type UrlStatus = 'fetched' | 'excluded' | 'dropped' | 'failed' | 'held';

/** One line of the decision log. */
export interface UrlDecision {
  readonly url: string;
  readonly status: UrlStatus;
  /** A word of `REASONS`. */
  readonly reason: string;
  /** Which stage spoke. */
  readonly layer: 'scope' | 'bounds' | 'robots' | 'page' | 'fetch' | 'frontier' | 'hook';
  readonly httpStatus: number | null;
  /** The deciding line of robots.txt, where one decided. */
  readonly line: number | null;
  readonly pattern: string | null;
  readonly dialect: string | null;
  readonly robots: RobotsCopyRef | null;
  readonly depth: number | null;
  readonly from: string | null;
  readonly atMs: number;
  /** For people, where a word is not enough. */
  readonly detail: string | null;
  /**
   * What its host's clock showed: when it was asked, and how long after the last time; of a held URL until when it
   * waits.
   */
  readonly clock?: HostClockReading;
  /** URLs queued when the word fell, over all hosts; of pages only. */
  readonly queued?: number;
  /** Of a failure only: what came along with the URL, for a retry. */
  readonly carried?: { readonly via: Via; readonly label?: string; readonly userData?: JsonValue };
}

/** A host's clock as a decision found it. Times are epoch milliseconds. */
export interface HostClockReading {
  readonly host: string;
  /** When the URL's last request left; `null`: none did. */
  readonly startedAtMs: number | null;
  /** From the end of the host's exchange before to that time, milliseconds. */
  readonly gapMs: number | null;
  /** What the host asked for then, milliseconds; `null`: nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
  /** Until when the host waits; `null`: it does not, or no one knows. */
  readonly untilMs: number | null;
}

/** One request that left, as the request log tells it. */
export interface RequestRecord {
  readonly url: string;
  readonly host: string;
  readonly purpose: 'page' | 'robots' | 'sitemap' | 'data-txt' | 'well-known' | 'handler' | 'subresource';
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly encodedBytes: number;
  readonly remoteAddress: string | null;
  readonly userAgent: string;
  /** What the host asked for when the request left, milliseconds; `null`: nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
  /** The gap the frontier kept before it, for the report; milliseconds after the end of the host's last exchange. */
  readonly gapMs: number | null;
  /** Who ended the body before its end; `null`: no one. */
  readonly truncated: 'limit' | 'connection' | null;
  /** Retry-After as it came. */
  readonly retryAfter: string | null;
  /** The copy of robots.txt that let it out; `null` for robots.txt itself. */
  readonly robots: RobotsCopyRef | null;
  /** Of a request for robots.txt: what is needed to read its answer once more. */
  readonly robotsAnswer: RobotsReceipt | null;
}

/** What came for a robots.txt. */
export interface RobotsReceipt {
  /** Whose rules are wanted, as `scheme://host[:port]`; on a hop of a redirect not the one that the URL names. */
  readonly authority: string;
  /**
   * SHA-256 of the body, first 16 hex digits, where its status was 2xx and it was whole: the name of its copy in
   * `robots/`.
   */
  readonly hash: string | null;
  /** The fields that say what the answer means and for how long: lower-case name to value. */
  readonly headers: Readonly<Record<string, string>>;
}
