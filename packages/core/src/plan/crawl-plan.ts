// What a plan says: what a crawl may fetch, how long each host takes at its pace, and which bound is reached first.

import type { HostWait } from '@mannerly/frontier';

/** A bound that a crawl reaches. */
export type PlannedBound = 'pages' | 'minutes' | 'pagesPerHost' | 'minutesPerHost';

/** How the crawl is expected to end. */
export type PlannedEnd = 'finished' | 'pages' | 'minutes' | 'waiting';

/** One host of the plan. Times are milliseconds. */
export interface PlannedHost {
  readonly host: string;
  /** Sitemaps that were read; with none it is not known how many pages there are. */
  readonly sitemaps: number;
  /** URLs in its sitemaps and the seeds that are in scope and allowed; `null` without a sitemap. */
  readonly allowed: number | null;
  /** Those that a robots.txt denies; `null` without a sitemap. */
  readonly denied: number | null;
  /** Those that are out of scope, or that its sitemaps may not list; `null` without a sitemap. */
  readonly outOfScope: number | null;
  /** Those that were left out because the plan is bounded. */
  readonly uncounted: number;
  /** Estimated pages, within the bounds; without a sitemap as many as the bounds leave it. */
  readonly pages: number;
  /** Requests of the crawl, robots.txt included. */
  readonly requests: number;
  /** From one request to the next as its robots.txt requires now, and what sets it. */
  readonly intervalMs: number;
  readonly intervalFrom: 'profile' | 'crawl-delay' | 'request-rate';
  /** Its file names hours (Visit-time), or rates for hours. */
  readonly hasHours: boolean;
  /** How long an answer took, on average; 0 when none came. */
  readonly answerMs: number;
  /** From the crawl's start to its last page; `null`: it gives none. */
  readonly tookMs: number | null;
  /** The estimate ends before all is fetched that is known, or may be. */
  readonly isCut: boolean;
  /** Why it cannot be requested now, and until when; `null`: it can. */
  readonly wait: Pick<HostWait, 'reason' | 'untilMs'> | null;
}

/** The result of `planCrawl`. */
export interface CrawlPlan {
  readonly format: 1;
  /** When the plan was made, how long that took, and with how many requests. */
  readonly plannedAtMs: number;
  readonly planningMs: number;
  readonly planningRequests: number;
  /** Whether everything was read: nothing stopped it, and no bound of the plan's own. */
  readonly isWhole: boolean;
  /** Hosts of the seeds and of sitemaps, those that take longest first. */
  readonly hosts: readonly PlannedHost[];
  readonly estimate: {
    readonly durationMs: number;
    readonly pages: number;
    readonly requests: number;
    readonly ends: PlannedEnd;
    /** Pages of some host are not known: it may be over sooner. */
    readonly isAtMost: boolean;
  };
  /** The bound that is reached first, from the crawl's start; `null`: none. Depth and bytes cannot be predicted. */
  readonly firstBound: {
    readonly bound: PlannedBound;
    /** With a bound of each host: which reaches it first. */
    readonly host: string | null;
    readonly atMs: number;
    /** No sitemap says that there is so much. */
    readonly isAtMost: boolean;
  } | null;
}
