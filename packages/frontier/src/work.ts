// What `take()` hands out: one request that may be made now, under a lease on its host. And what a worker reports back:
// first the exchange (the host's slot becomes free), later the settlement (the URL is finished).

import type { Decision } from '@mannerly/robots';
import type { RobotsAnswer } from '@mannerly/robots/access';
import type { NewUrl, UrlRecord } from './url-record.js';

/** What a host's files require beyond the profile, for a second check at egress; `null`: nothing. */
export interface HostRequirements {
  /** Crawl-delay, from the end of one exchange to the start of the next, milliseconds. */
  readonly crawlDelayMs: number | null;
  /** Request-rate in force, from start to start, milliseconds. */
  readonly requestIntervalMs: number | null;
  /** In `bucket` mode, documents per period; `null` in `spaced` mode. */
  readonly bucket: { readonly documents: number; readonly periodMs: number } | null;
}

/** The right to send requests to a host. */
export interface WorkLease {
  /** The politeness unit: host name, or registrable domain or address by option. */
  readonly host: string;
  readonly requirements: HostRequirements;
}

/** Whether a request may be sent now: the last check, right before the socket. */
export type StartAnswer =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'lost' };

/** A robots.txt to fetch, in its host's slot. A hop of its redirect chain is another such item. */
export interface RobotsWork {
  readonly kind: 'robots';
  readonly lease: WorkLease;
  /** The authority whose rules are needed, as `scheme://host[:port]`; for a hop it is not the authority of `url`. */
  readonly authority: string;
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A URL to fetch: its rules are known and allow it. */
export interface PageWork {
  readonly kind: 'page';
  readonly lease: WorkLease;
  /** Unique in the host, stable across crashes. Sinks use it to be idempotent. */
  readonly entryId: string;
  readonly url: string;
  readonly record: UrlRecord;
  /** The binding decision of the gate. */
  readonly decision: Decision;
  /** Which copy of robots.txt decided. */
  readonly robots: RobotsCopyRef;
  /** What robots.txt says about this URL besides allow and deny, for page-level exclusion. */
  readonly signals: RobotsSignals;
}

/** The lines of robots.txt about use rather than fetching (specification, robots §9.10 and §10). */
export interface RobotsSignals {
  /** A `Noindex` pattern of the selected groups matches. */
  readonly isNoindex: boolean;
  /** Content-Usage and Content-Signal combined; an absent category is unknown. */
  readonly preferences: Readonly<Record<string, 'allow' | 'disallow'>>;
  /** Content-Signal as written. */
  readonly contentSignals: Readonly<Record<string, string>>;
  /** The licences that our groups or the file name for us (licensing §2). */
  readonly licenses: readonly string[];
}

/** One request that may be made now: switch over `kind`. */
export type Work = RobotsWork | PageWork;

/** Which copy of an authority's robots.txt decided. */
export interface RobotsCopyRef {
  readonly authority: string;
  /** State of the access machine: `rules`, `no-rules`, `kept`, `last-good`, … */
  readonly phase: string;
  /** SHA-256 of the body, 64 hex digits; `null`: there is no body. */
  readonly hash: string | null;
  /** When it was received, epoch milliseconds; `null`: no copy. */
  readonly receivedAtMs: number | null;
}

/** The facts of one exchange with a host, whatever its outcome. */
export interface Exchange {
  /** Epoch milliseconds, read just before the request was sent. */
  readonly startedAtMs: number;
  /** Epoch milliseconds of the last byte, or of the failure. */
  readonly endedAtMs: number;
  /** `null`: no response came. */
  readonly status: number | null;
  /** The field's value as received; `null`: absent. */
  readonly retryAfter: string | null;
  /** The failure code of the outcome if there was no complete response. */
  readonly failure: string | null;
  /** Decoded bytes of the body. */
  readonly bytes: number;
  /** Why the host is parked: nothing more may be requested until an operator has checked it. Absent: it continues. */
  readonly parks?: string;
}

/** How a piece of work ended. */
export type Settlement =
  /** The URL is finished; its links are added in this commit. `countsAsPage`: it uses up one page of the bounds. */
  | { readonly kind: 'done'; readonly countsAsPage: boolean; readonly links: readonly NewUrl[] }
  /**
   * The URL is retried, not before `notBeforeMs` and up to a tenth of the wait later; links found so far are kept.
   * After the twentieth retry it fails with `retries-exhausted` instead, and counts as a page.
   */
  | { readonly kind: 'again'; readonly notBeforeMs: number }
  /**
   * No request reached the host: the item is returned unchanged, and the host waits until `untilMs`. With `waits:
   * 'authority'`, only the URLs of its authority wait.
   */
  | { readonly kind: 'returned'; readonly untilMs: number | null; readonly waits?: 'authority' }
  /** For a robots item only: the answer. The frontier follows redirects as further items. */
  | { readonly kind: 'robots'; readonly answer: RobotsAnswer }
  /**
   * For a robots item only: our own rules forbid any request to the authority (address, port). Its URLs are dropped
   * with this reason for an hour or until a restart; then it is tried again.
   */
  | Refusal;

/** What forbids an authority. `detail`: for people. */
export interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
  readonly detail?: string;
}

/** The result for a URL that was added. */
export type AddAnswer =
  | { readonly kind: 'new' }
  | { readonly kind: 'known' }
  /** The queue is full. */
  | { readonly kind: 'full' }
  /** The site's fresh rules deny it, so it is not queued. */
  | {
      readonly kind: 'excluded';
      readonly reason: string;
      readonly line: number | null;
      readonly pattern: string | null;
    }
  /** Not a URL that can be queued (scheme, length, user data). */
  | { readonly kind: 'dropped'; readonly reason: string };
