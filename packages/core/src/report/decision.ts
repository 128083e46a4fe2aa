// What a crawl records: a decision for each URL, an entry for each request, and what each run declares. The logs, the
// events and the report share these types.

import type { JsonValue, RobotsCopyRef, RobotsOptions, Via } from '@mannerly/frontier';
import type { resolvePoliteness } from '@mannerly/frontier/internal';
import type { StageCounts } from '../handle/item-stages.js';

/**
 * `excluded`: the site says no. `dropped`: the crawl says no. `failed`: it could not be fetched.
 * `held`: no answer yet at the end of the run.
 */
export type UrlStatus = 'fetched' | 'excluded' | 'dropped' | 'failed' | 'held';

/** One line of the decision log. */
export interface UrlDecision {
  readonly url: string;
  /** The host name of the URL; `null` if it cannot be parsed. */
  readonly host: string | null;
  readonly status: UrlStatus;
  /** A reason of `REASONS`. */
  readonly reason: string;
  readonly layer: 'scope' | 'bounds' | 'robots' | 'page' | 'fetch' | 'frontier' | 'hook';
  readonly httpStatus: number | null;
  /** The line of robots.txt that decided, if any. */
  readonly line: number | null;
  readonly pattern: string | null;
  readonly dialect: string | null;
  readonly robots: RobotsCopyRef | null;
  readonly depth: number | null;
  readonly from: string | null;
  readonly atMs: number;
  /** Details for people. */
  readonly detail: string | null;
  /** The state of its host when it was requested; for a held URL, until when it waits. */
  readonly clock?: HostClockReading;
  /** URLs queued at that time, over all hosts; only for pages. */
  readonly queued?: number;
  /** Whether it counts against `bounds.pages`. Absent: it does not. */
  readonly isPage?: true;
  /** With `nearDuplicates`: the text of the page, 16 hex digits. Absent: it was not compared. */
  readonly simhash?: string;
  /** With `nearDuplicates`: the first page that says nearly the same. Absent: none is known. */
  readonly similarTo?: string;
  /**
   * For another visit of a known page, and for a URL that robots.txt closed before: its earlier decision, which no
   * longer counts.
   */
  readonly replaces?: Pick<UrlDecision, 'status' | 'reason'>;
  /** Only for a failure: the data queued with the URL, for a retry. */
  readonly carried?: { readonly via: Via; readonly label?: string; readonly userData?: JsonValue };
}

/** The state of a host at a decision: of the URL's last request, and what follows. Times are epoch milliseconds. */
export interface HostClockReading extends Pick<RequestRecord, 'host' | 'gapMs' | 'crawlDelayMs' | 'requestIntervalMs'> {
  /** `null` if no request was sent. */
  readonly startedAtMs: number | null;
  /** The end of the host's wait; `null` if it does not wait, or if that is not known. */
  readonly untilMs: number | null;
}

/** One request that was sent: a line of the request log. */
export interface RequestRecord {
  readonly url: string;
  readonly host: string;
  readonly purpose:
    | 'page'
    | 'robots'
    | 'sitemap'
    | 'data-txt'
    | 'well-known'
    | 'handler'
    | 'subresource'
    | 'requisite'
    | 'license'
    | 'login';
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly encodedBytes: number;
  readonly remoteAddress: string | null;
  readonly userAgent: string;
  /** Whether it carried a signature. Absent: no. */
  readonly signed?: true;
  /** Whether it carried the credential of `signIn`, which is not recorded. Absent: no. */
  readonly signedIn?: true;
  /** Absent: GET. */
  readonly method?: 'HEAD' | 'POST';
  /** What the host required when the request was sent, milliseconds; `null` if nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
  /** The gap before it: milliseconds after the end of the host's last request. */
  readonly gapMs: number | null;
  /** What cut the body off; `null` if it is complete. */
  readonly truncated: 'limit' | 'connection' | null;
  /** The body was not read, because no handler takes its kind: `truncated` is `limit`. Absent: it was read. */
  readonly unread?: true;
  /** Retry-After as received. */
  readonly retryAfter: string | null;
  /** The copy of robots.txt that allowed it; `null` for robots.txt itself. */
  readonly robots: RobotsCopyRef | null;
  /** For a request for robots.txt: what is needed to interpret its answer again. */
  readonly robotsAnswer: RobotsReceipt | null;
}

/** The answer to a request for robots.txt. */
export interface RobotsReceipt {
  /** The authority that the rules govern, as `scheme://host[:port]`; after a redirect not that of the URL. */
  readonly authority: string;
  /** The name of its copy in `robots/`, if its status was 2xx and it was complete: its SHA-256 as 64 hex digits. */
  readonly hash: string | null;
  /** The header fields that say what the answer means and for how long: lower-case name to value. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a run declares, so that its requests can be judged by the logs alone: one line of `runs.jsonl`. */
export interface RunDeclaration {
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly versions: { readonly mannerly: string; readonly node: string };
  readonly name: string;
  /** The whole field value of every request. */
  readonly userAgent: string;
  /** Product tokens for which robots.txt is read. */
  readonly tokens: readonly string[];
  /** What is spaced as one. */
  readonly hostKeyBy: 'host' | 'domain';
  /** How robots.txt is read, as in the crawl's options. */
  readonly robots: Omit<RobotsOptions, 'tokens'>;
  readonly pace: RunPace;
  /** Requests in flight at a time, over all hosts; those of handlers count separately. */
  readonly concurrency: number;
  /** How far the crawl may go; `null`: no such bound. Absent: it has no seeds. */
  readonly bounds?: Readonly<Record<'pages' | 'depth' | 'minutes', number | null>> & { readonly within: string };
  /** Request logs that were damaged when it started, one sentence each. Absent: none was found. */
  readonly damaged?: readonly string[];
}

/** The interval if a host requires none: clamp(`factor` × last retrieval time, `minMs`, `maxMs`). */
export type RunPace = Pick<
  ReturnType<typeof resolvePoliteness>,
  'name' | 'factor' | 'minMs' | 'maxMs' | 'rateReplacesRule' | 'perIp'
>;

/** The last line of a run in `runs.jsonl`, if items pass stages. */
export interface StagesLine {
  readonly stages: readonly StageCounts[];
}

/** A comparison of clocks in `runs.jsonl`, for a crawl whose frontier is on a server. Milliseconds. */
export interface ClockLine {
  readonly clock: {
    /** When it was made, by the clock of the crawl. */
    readonly atMs: number;
    /** By how much the server's clock was ahead, and the largest error of that. */
    readonly aheadMs: number;
    readonly errorMs: number;
  };
}

/** The last line of a run in the decision log: URLs without a line, by status and reason; held ones until the next. */
export interface LeftOutLine {
  readonly atMs: number;
  readonly leftOut: OutcomeTable;
}

/** Numbers of URLs by status and reason: `{ excluded: { 'robots-rule': 3 } }`. */
export type OutcomeTable = Readonly<Partial<Record<UrlStatus, Readonly<Record<string, number>>>>>;
