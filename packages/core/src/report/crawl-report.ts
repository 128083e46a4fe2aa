// The report of a run: how it ended, what it did, and its politeness, measured from its actual requests.

import type { HostWait } from '@mannerly/frontier';
import type { ScopeMove } from '../admit/scope.js';
import type { TrapFinding } from '../admit/trap-rules.js';
import type { StageCounts } from '../handle/item-stages.js';
import type { OutcomeTable, UrlStatus } from './decision.js';
import type { LimitingBound } from './outcome-counts.js';

/**
 * How a run ended. `finished`: nothing left; `bounded`: a bound ended it, or only URLs beyond the bounds are left;
 * `waiting`: all remaining hosts wait longer than `maxIdleMs`, or no known page of a standing crawl (`again` with
 * `recrawl.everyDays`) is due; `stopped`: by `stop`, a handler or a signal.
 */
export type RunState = 'finished' | 'bounded' | 'waiting' | 'stopped';

export interface AskedPrice {
  /** Three letters, as the site writes them. */
  readonly currency: string;
  /** The sum, a decimal number without trailing zeros. */
  readonly amount: string;
  readonly pages: number;
}

/** The politeness towards one host, over all its requests, robots.txt and redirect hops included; URLs by status. */
export interface HostPoliteness extends Readonly<Record<Exclude<UrlStatus, 'fetched'>, number>> {
  readonly host: string;
  readonly requests: number;
  /**
   * The pages that count against `bounds.pages`: no redirects, and nothing without a handler. `null` if read from a
   * decision log that is only a sample.
   */
  readonly pages: number | null;
  readonly robotsRequests: number;
  /** End of one request to the start of the next; `null` if there are fewer than two requests. */
  readonly smallestGapMs: number | null;
  /** The longest interval that the host's robots.txt requires (Crawl-delay or Request-rate); `null` if none. */
  readonly requiredMs: number | null;
  /** The longest Crawl-delay, end to start; `null` if none. */
  readonly requiredGapMs: number | null;
  /** The longest interval of a Request-rate, start to start; `null` if none. */
  readonly requiredStartToStartMs: number | null;
  /** Start to start, while a Request-rate was in force; `null` if none was. */
  readonly smallestStartToStartMs: number | null;
  readonly highestConcurrency: number;
  /** The longest observed pause after a 429, 503 or Retry-After. */
  readonly longestPauseMs: number;
  /** Requests that began earlier than Crawl-delay, Request-rate or a pause allows. Anything but zero is a bug. */
  readonly early: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** The first few exclusions, with the line that excludes them. */
  readonly exclusions: readonly {
    readonly url: string;
    readonly reason: string;
    readonly line: number | null;
    readonly pattern: string | null;
    /** The authority whose robots.txt excludes it; `null` if robots.txt does not. */
    readonly authority: string | null;
  }[];
  readonly comments: readonly string[];
  /** Prices that its pages ask, by currency, if readable. Nothing was paid. Absent: no page asks a price. */
  readonly asked?: readonly AskedPrice[];
  /** What an operator should know about this host. */
  readonly warnings: readonly string[];
}

/** What a recrawl has found so far. */
export interface RecrawlCounts {
  /** Known pages that were visited again. */
  readonly visits: number;
  /** Of these: answered 304; read and unchanged; changed; not found for the second time. */
  readonly notModified: number;
  readonly sameContent: number;
  /** Of `sameContent`: the body changed, but nothing that counts as content. */
  readonly cosmetic: number;
  readonly changed: number;
  readonly gone: number;
  /** Bytes of bodies that were not transferred, by the size of their last transfer. */
  readonly bytesSaved: number;
  /** Known pages, and the expected share of them that is unchanged since the visit: before the run, after it. */
  readonly known: number;
  readonly freshBefore: number | null;
  readonly freshAfter: number | null;
  /** When the first page is due that was not visited, or is due again, epoch milliseconds; `null` if none is. */
  readonly nextDueAtMs: number | null;
}

/** The report of a run. */
export interface CrawlReport {
  readonly state: RunState;
  /** The bound that ended the run; `null` if none did. */
  readonly bound: 'pages' | 'minutes' | 'bytes' | null;
  /** The bounds that kept URLs out of the crawl, with their numbers; empty if none did. */
  readonly bounds: readonly LimitingBound[];
  /**
   * With `stopped`: the reason of `StopCrawl`, `signature-clock: …`, `egress-not-listed: …`, `proxy-down: …`,
   * `no-browser: …` or `sign-in-impossible: …`.
   */
  readonly stopReason?: string;
  /** The longest stall of this run, milliseconds. */
  readonly longestStallMs?: number;
  /** For a run that visited known pages again: the results for these pages. */
  readonly recrawl?: RecrawlCounts;
  /** Whether the run continued earlier ones. If so, all counts are of the crawl, over its runs. */
  readonly resumed: boolean;
  /** The crawl was `finished`, or its bounds were used up, before this run: it made no request. */
  readonly alreadyFinished: boolean;
  /**
   * If several processes work on the crawl: the part of this process. `requests`, `items`, `bytes`, `outcomes` and
   * `politeness` then cover this part over its runs; pages, queue and running time cover the crawl. A count of
   * `outcomes` is below 0 if this part decided again what another had counted: the sum of all parts is right. Absent:
   * only one process.
   */
  readonly part?: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Running time over all runs: what `bounds.minutes` counts. */
  readonly runningMs: number;
  readonly pages: number;
  readonly requests: number;
  /** Requests that carried a signature. Absent: none. */
  readonly signed?: number;
  readonly items: number;
  /** Items that did not match their schema: see `rejected.jsonl`. Absent: none. */
  readonly rejected?: number;
  /** Pages of this run with a truncated body, which were handled anyway: `page.truncated` is `limit`. Absent: none. */
  readonly truncated?: number;
  /** What each stage of `items` did in this run. Absent: there are none. */
  readonly stages?: readonly StageCounts[];
  readonly bytes: number;
  readonly queued: number;
  /** URLs by status and reason. Each URL that was found counts once; `held` URLs are still queued. */
  readonly outcomes: OutcomeTable;
  readonly politeness: readonly HostPoliteness[];
  /** All runs if the crawl directory's logs have them and are not too long, else this one. */
  readonly politenessOf: 'crawl' | 'run';
  /** With `waiting`: each host with its reason and next time; empty if only pages wait (`recrawl.nextDueAtMs`). */
  readonly waiting: readonly HostWait[];
  /** Seeds that led to another host of their domain, which moved their scope; of the whole crawl. */
  readonly scopeMoves: readonly ScopeMove[];
  /** Traps that were found; of the whole crawl. */
  readonly traps: readonly TrapFinding[];
  /**
   * Visits of pages with nearly the same text as another, of the whole crawl: a page that was visited twice counts
   * twice. Absent: they were not compared.
   */
  readonly duplicateText?: {
    readonly pages: number;
    /** The largest hundred groups: the first page, and how many others there are. */
    readonly groups: readonly { readonly url: string; readonly pages: number }[];
  };
  /** Options that are less polite than the default. */
  readonly relaxedDefaults: readonly string[];
}

/** The current state, for a progress line; of the crawl over all its runs. Cheap. */
export interface CrawlProgress {
  readonly pages: number;
  readonly requests: number;
  readonly inFlight: number;
  /** Hosts met so far: requested, or with a decision about one of their URLs. */
  readonly hosts: number;
  readonly queued: number;
  readonly excluded: number;
  readonly dropped: number;
  readonly failed: number;
  readonly items: number;
  readonly bytes: number;
  readonly runningMs: number;
  /** What the crawl waits for if nothing is in flight: which host, why, until when. */
  readonly waitingFor: HostWait | null;
  readonly waitingHosts: number;
  /** The longest stall of the run, milliseconds: a page or a handler that blocked the process. */
  readonly longestStallMs?: number;
  /** Why nothing happens: the store is unavailable, one sentence. Absent: it is available. */
  readonly holding?: string;
}

/** The progress of a crawl that has not begun. */
export const NO_PROGRESS: CrawlProgress = Object.freeze({
  pages: 0,
  requests: 0,
  inFlight: 0,
  hosts: 0,
  queued: 0,
  excluded: 0,
  dropped: 0,
  failed: 0,
  items: 0,
  bytes: 0,
  runningMs: 0,
  waitingFor: null,
  waitingHosts: 0,
});
