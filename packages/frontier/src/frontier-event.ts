// What the frontier reports to its owner while it works: statuses of URLs, and warnings about hosts.

import type { UrlRecord } from './url-record.js';
import type { RobotsCopyRef } from './work.js';

/** The status of a URL that ends inside the frontier; the worker reports on what it fetched. */
export interface UrlVerdict {
  readonly kind: 'url';
  readonly status: 'excluded' | 'dropped' | 'failed';
  /** From the documented table, such as `robots-rule`, `robots-restricted`, `bound-host-pages`. */
  readonly reason: string;
  readonly url: string;
  readonly record: UrlRecord | null;
  /** The deciding line of robots.txt; `null`: no line decided. */
  readonly line: number | null;
  readonly pattern: string | null;
  readonly dialect: string | null;
  readonly robots: RobotsCopyRef | null;
  /** The detail given with the reason; `null` otherwise. */
  readonly detail: string | null;
  readonly atMs: number;
}

/** Something an operator should know (specification, access §12), reported once each time it occurs. */
export interface HostWarning {
  readonly kind: 'host';
  readonly code:
    | 'robots-forbidden'
    | 'robots-redirect-limit'
    | 'robots-content-type'
    | 'robots-html'
    | 'robots-unreachable'
    | 'robots-last-good-used'
    | 'robots-read'
    | 'crawl-delay-large'
    | 'crawl-delay-clamped'
    | 'visit-time-closed'
    | 'request-rate-closed'
    | 'host-paused'
    | 'host-parked'
    | 'host-refusals'
    | 'page-slow'
    | 'license-terms'
    | 'license-unreadable'
    | 'license-nonconformant'
    | 'license-version-09'
    | 'token-expiring'
    | 'license-changed'
    | 'license-conflict'
    | 'validator-lies'
    | 'validator-restless'
    | 'lastmod-useless'
    | 'change-flapping'
    | 'revisit-without-original'
    | 'signature-wanted'
    | 'signature-clock'
    | 'proxy-down'
    | 'signature-refused'
    | 'comment';
  readonly host: string;
  readonly authority: string | null;
  /** When it ends, epoch milliseconds; `null` if only the operator can end it or it has no duration. */
  readonly untilMs: number | null;
  /** For people: the comment's text, the status, the delay required. */
  readonly detail: string;
  readonly atMs: number;
}

/** Everything the frontier reports: switch over `kind`. */
export type FrontierEvent = UrlVerdict | HostWarning;

/** Why a host waits, and until when. */
export interface HostWait {
  readonly host: string;
  readonly reason:
    | 'interval'
    | 'crawl-delay'
    | 'request-rate'
    | 'robots-unreachable'
    | 'visit-time'
    | 'request-rate-closed'
    | 'host-paused'
    | 'host-parked'
    | 'address-shared'
    | 'not-before';
  /** Epoch milliseconds; `null` for a parked host. */
  readonly untilMs: number | null;
  readonly queued: number;
}
