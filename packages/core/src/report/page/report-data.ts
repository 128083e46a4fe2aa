// What `report.json` holds and `report.html` shows. The schema next to the package (`schema/report.schema.json`) says
// the same for other languages, and a test holds the two together. Times are epoch milliseconds, lengths milliseconds,
// sizes bytes.

import type { StageCounts } from '../../handle/item-stages.js';
import type { AuditReport, PaceReason } from '../audit/audit-report.js';
import type { Pause } from '../audit/host-pace.js';
import type { RunPromise, UrlStatus } from '../decision.js';
import type { BoundMet } from '../outcome-counts.js';

/** The report of a crawl. */
export interface ReportData {
  readonly format: 2;
  readonly generatedAtMs: number;
  readonly generator: { readonly mannerly: string; readonly node: string };
  readonly crawl: {
    readonly name: string;
    readonly tokens: readonly string[];
    /** The first of them. */
    readonly seeds: readonly string[];
    readonly seedCount: number;
    readonly createdAtMs: number;
    /** Start of the first request and end of the last; `null` without requests. */
    readonly startedAtMs: number | null;
    readonly endedAtMs: number | null;
    /** The latest, at most `MAX_PAGE_RUNS`. */
    readonly runs: readonly RunPromise[];
  };
  readonly totals: {
    readonly requests: number;
    /** For pages, redirects and failures included. */
    readonly pageRequests: number;
    readonly robotsRequests: number;
    /** Those that carried a signature; absent: none. */
    readonly signed?: number;
    /** Pages whose body was cut at a limit of ours, each visit by itself; absent: none. */
    readonly truncated?: number;
    readonly bytes: number;
    readonly hosts: number;
    /** URLs that were found: the sum of `outcomes`. */
    readonly found: number;
    readonly outcomes: Readonly<Record<UrlStatus, number>>;
  };
  readonly audit: AuditReport;
  /** Hosts with most requests, at most `MAX_PAGE_HOSTS`. */
  readonly hosts: readonly ReportedHost[];
  readonly hostsLeftOut: number;
  /** Pauses that hosts required, in the order in which they began, at most `MAX_PAGE_PAUSES`. */
  readonly pauses: readonly ReportedPause[];
  readonly pausesLeftOut: number;
  /** Every status and reason, the most frequent first. */
  readonly reasons: readonly ReportedReason[];
  /** The bounds that kept URLs out, the one that cost most first. */
  readonly bounds: readonly BoundMet[];
  /** Lines of robots.txt that excluded most URLs, at most `MAX_PAGE_RULES`. */
  readonly rules: readonly ReportedRule[];
  readonly statuses: readonly { readonly status: string; readonly requests: number }[];
  /** Responses by the size of their bodies on the wire, which is less than `belowBytes`. */
  readonly sizes: readonly { readonly belowBytes: number; readonly responses: number }[];
  /** URLs by their links from a seed. */
  readonly depths: readonly ReportedDepth[];
  /** What the stages of `items` did in all runs that ended by themselves; absent: there are none. */
  readonly stages?: readonly StageCounts[];
  readonly progress: Progress;
  readonly timeline: Timeline;
  /** One paragraph for a paper. */
  readonly methods: string;
}

/** How one host was treated, and its URLs by status. */
export interface ReportedHost extends Readonly<Record<Exclude<UrlStatus, 'fetched'>, number>> {
  readonly host: string;
  readonly requests: number;
  readonly pageRequests: number;
  readonly robotsRequests: number;
  readonly bytes: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** The smallest gap between the end of an exchange and the start of the next; `null` with fewer than two. */
  readonly smallestGapMs: number | null;
  /** The request that came nearest to what was required: its gap, what was required of it, and by what. */
  readonly tightest: { readonly gapMs: number; readonly requiredGapMs: number; readonly requiredBy: PaceReason } | null;
  /** The longest that its robots.txt files require. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
  readonly pauses: number;
  readonly pausedMs: number;
  readonly violations: number;
}

/** One pause, and what came after it. */
export interface ReportedPause extends Pause {
  readonly host: string;
  /** The next request that it forbade; `null`: none came. */
  readonly nextAtMs: number | null;
  readonly isObeyed: boolean;
}

/** A reason, and how many URLs have it. */
export interface ReportedReason {
  readonly status: UrlStatus;
  readonly reason: string;
  readonly urls: number;
  readonly means: string;
  readonly examples: readonly string[];
}

/** A line of a robots.txt, and what it closed. */
export interface ReportedRule {
  readonly authority: string;
  readonly line: number;
  readonly pattern: string;
  /** The copy: its name in `robots/`, and when it was received. */
  readonly hash: string | null;
  readonly receivedAtMs: number | null;
  readonly urls: number;
  readonly example: string;
}

/** URLs of one depth, by status. `orDeeper`: of all depths from this one on. */
export type ReportedDepth = Readonly<Record<UrlStatus, number>> & {
  readonly depth: number;
  readonly orDeeper?: boolean;
};

/** What is counted over time. */
export type Counted = 'requests' | 'bytes' | 'fetched' | 'excluded' | 'dropped' | 'failed';

/** Counts at the ends of equal spans of time; cumulative but for `queued`. */
export interface Progress extends Readonly<Record<'atMs' | Counted, readonly number[]>> {
  /** URLs in the queue; `null` where the log does not say. */
  readonly queued: readonly (number | null)[];
}

/** Requests of the hosts with most of them. Where a host has too many, some are left out, never its tightest. */
interface Timeline {
  readonly hosts: readonly string[];
  readonly points: readonly TimelinePoint[];
  readonly pointsLeftOut: number;
}

/** Start, index of the host, status (0: none), gap, required gap, whether it violates anything. */
export type TimelinePoint = readonly [
  startedAtMs: number,
  host: number,
  status: number,
  gapMs: number | null,
  requiredGapMs: number | null,
  isViolation: 0 | 1,
];
