// The politeness ledger: what the crawl actually did to each host, request by request. It computes and never decides;
// from the request log it computes the same report. Memory is bounded: hosts past a limit are counted together.

import type { HostWarning } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import { Concurrency } from './concurrency.js';
import type { HostPoliteness } from './crawl-report.js';
import type { OutcomeTable, RequestRecord, UrlDecision } from './decision.js';
import {
  MAX_MEASURED_CONCURRENCY,
  MAX_REPORT_HOSTS,
  MAX_REPORT_LINES_PER_HOST,
  MAX_REPORT_TEXT,
  MAX_STATUSES_PER_HOST,
} from './limits.js';
import { PriceSums } from './price-sums.js';
import { iso } from './table.js';

/** The name of the row that counts the hosts past the limit together; its gaps are not measured. */
export const OTHER_HOSTS = '(other hosts)';

/**
 * Takes the requests, decisions and warnings of a crawl, and reports its politeness. No method throws. `pages` counts
 * against `bounds.pages`. URLs dropped as out of scope make no row of their own: they say nothing about how we treated
 * their host.
 */
export class PolitenessLedger {
  readonly #hosts = new Map<string, HostLedger>();
  readonly #maxHosts: number;
  /** Whether there are pages without a line of their own: the pages per host are not known then. */
  #hasUnlistedPages = false;

  /** @param maxHosts - Hosts with a row of their own. */
  constructor(maxHosts = MAX_REPORT_HOSTS) {
    this.#maxHosts = maxHosts;
  }

  hostCount(): number {
    return this.#hosts.size;
  }

  /** Takes one request. Requests of one host come in the order of their ends. O(1) if they do not overlap. */
  request(record: RequestRecord): void {
    this.#hostOf(record.host).request(record);
  }

  decision(decision: UrlDecision): void {
    const { url, status, layer, isPage } = decision;
    const host = status === 'fetched' && isPage !== true ? undefined : parseUrlParts(url)?.host;
    if (host === undefined || (layer === 'scope' && !this.#hosts.has(host))) return;
    this.#hostOf(host).decision(decision);
  }

  /** Uncounts an earlier run's decision about the URL that this one replaces. */
  uncount({ url, replaces }: UrlDecision): void {
    if (replaces === undefined || replaces.status === 'fetched') return;
    const row = this.#hosts.get(parseUrlParts(url)?.host ?? '')?.row;
    // The replaced decision may have no line of its own.
    if (row !== undefined && row[replaces.status] > 0) row[replaces.status] -= 1;
  }

  /** Takes a page whose decision does not count, because a later one about its URL does. */
  page({ url }: UrlDecision): void {
    const host = parseUrlParts(url)?.host;
    if (host !== undefined) this.#hostOf(host).row.pages += 1;
  }

  /** Takes how many URLs a decision log leaves out, by status and reason. */
  leftOut(counts: OutcomeTable): void {
    this.#hasUnlistedPages ||= ['fetched', 'excluded', 'failed'].some((status) => status in counts);
  }

  /** Takes a warning for the operator about a host; pauses are measured from it. */
  warning(warning: HostWarning): void {
    this.#hostOf(warning.host).warning(warning);
  }

  /** The rows so far, in the order in which hosts were met. */
  report(): HostPoliteness[] {
    const rows = [...this.#hosts.values()].map((ledger) => ledger.report());
    return this.#hasUnlistedPages ? rows.map((row) => ({ ...row, pages: null })) : rows;
  }

  #hostOf(host: string): HostLedger {
    const name = this.#hosts.has(host) || this.#hosts.size < this.#maxHosts ? host : OTHER_HOSTS;
    let ledger = this.#hosts.get(name);
    if (ledger === undefined) {
      ledger = new HostLedger(name);
      this.#hosts.set(name, ledger);
    }
    return ledger;
  }
}

export class RequestCounts {
  requests = 0;
  pages = 0;
  robotsRequests = 0;
  signed = 0;
  /** Pages that one of our limits truncated. Not those that no handler takes. */
  truncated = 0;
  bytes = 0;
  readonly statuses = new Map<string, number>();

  /** @param maxStatuses - Different statuses that are counted separately; later ones count as `other`. */
  add({ purpose, encodedBytes, status, failure, signed, truncated, unread }: RequestRecord, maxStatuses: number): void {
    this.requests += 1;
    if (purpose === 'page') this.pages += 1;
    if (purpose === 'robots') this.robotsRequests += 1;
    if (signed === true) this.signed += 1;
    const isPage = purpose === 'page' && status !== null && status >= 200 && status <= 299;
    if (isPage && truncated === 'limit' && unread !== true) this.truncated += 1;
    this.bytes += encodedBytes;
    const name = status === null ? (failure ?? 'none') : String(status);
    const key = this.statuses.has(name) || this.statuses.size < maxStatuses ? name : 'other';
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
  }
}

/** Text of a site, cut to the length that a report keeps. @throws Never */
export function truncate(text: string): string {
  return text.length <= MAX_REPORT_TEXT ? text : `${text.slice(0, MAX_REPORT_TEXT)}…`;
}

/** The larger of two; `null` is less than every number. @throws Never */
export function larger(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.max(a, b);
}

/** One host: gaps, overlaps and pauses from the times of its requests, each seen when it ends. No list is kept. */
class HostLedger {
  readonly row: { -readonly [K in keyof HostPoliteness]: HostPoliteness[K] } & { pages: number };
  readonly #isMeasured: boolean;
  readonly #counts = new RequestCounts();
  readonly #exclusions: HostPoliteness['exclusions'][number][] = [];
  readonly #comments = new Set<string>();
  readonly #prices = new PriceSums();
  readonly #warnings = new Set<string>();
  readonly #concurrency = new Concurrency(MAX_MEASURED_CONCURRENCY);
  #lastStartedAtMs: number | null = null;
  #lastEndedAtMs: number | null = null;
  #pause: { readonly fromMs: number; readonly untilMs: number } | null = null;

  constructor(host: string) {
    this.row = { host, ...EMPTY_ROW };
    this.#isMeasured = host !== OTHER_HOSTS;
  }

  request(record: RequestRecord): void {
    this.#counts.add(record, MAX_STATUSES_PER_HOST);
    if (!this.#isMeasured) return;
    const row = this.row;
    const { startedAtMs, endedAtMs } = record;
    row.requiredGapMs = larger(row.requiredGapMs, record.crawlDelayMs);
    row.requiredStartToStartMs = larger(row.requiredStartToStartMs, record.requestIntervalMs);
    const isTooSoon = this.#measureGap(record);
    const isInPause = this.#measurePause(startedAtMs);
    if (isTooSoon || isInPause) row.early += 1;
    row.highestConcurrency = Math.max(row.highestConcurrency, this.#concurrency.add(startedAtMs, endedAtMs));
    this.#lastStartedAtMs = larger(this.#lastStartedAtMs, startedAtMs);
    this.#lastEndedAtMs = larger(this.#lastEndedAtMs, endedAtMs);
  }

  decision(decision: UrlDecision): void {
    const { status, isPage } = decision;
    if (isPage === true) this.row.pages += 1;
    if (status === 'fetched') return;
    this.row[status] += 1;
    // A price makes a page fail, or a licence holds it.
    if (status === 'failed' || status === 'held') this.#prices.decision(decision);
    if (status === 'excluded' && this.#exclusions.length < MAX_REPORT_LINES_PER_HOST)
      this.#exclusions.push(exclusionOf(decision));
  }

  warning(warning: HostWarning): void {
    const { code, detail, atMs, untilMs } = warning;
    if (code === 'robots-read') return;
    if (code === 'host-paused' && untilMs !== null) {
      // A pause that begins while another one is running extends it.
      const { fromMs = atMs, untilMs: before = untilMs } = this.#pause ?? {};
      this.#pause = { fromMs: Math.min(fromMs, atMs), untilMs: Math.max(before, untilMs) };
    }
    const lines = code === 'comment' ? this.#comments : this.#warnings;
    if (lines.size < MAX_REPORT_LINES_PER_HOST) lines.add(truncate(code === 'comment' ? detail : warningText(warning)));
  }

  report(): HostPoliteness {
    const { requests, robotsRequests, statuses, bytes } = this.#counts;
    const { requiredGapMs, requiredStartToStartMs } = this.row;
    const asked = this.#prices.sums();
    return {
      ...this.row,
      ...{ requests, robotsRequests, bytes },
      requiredMs: larger(requiredGapMs, requiredStartToStartMs),
      statuses: Object.fromEntries(statuses),
      exclusions: [...this.#exclusions],
      comments: [...this.#comments],
      ...(asked.length === 0 ? {} : { asked }),
      warnings: [...this.#warnings],
    };
  }

  /** @returns Whether the request began earlier than Crawl-delay or Request-rate allow. */
  #measureGap({ startedAtMs, crawlDelayMs, requestIntervalMs }: RequestRecord): boolean {
    if (this.#lastStartedAtMs === null || this.#lastEndedAtMs === null) return false;
    const row = this.row;
    const gapMs = Math.max(0, startedAtMs - this.#lastEndedAtMs);
    row.smallestGapMs = Math.min(row.smallestGapMs ?? gapMs, gapMs);
    if (requestIntervalMs === null) return gapMs < (crawlDelayMs ?? 0);
    const startToStartMs = Math.abs(startedAtMs - this.#lastStartedAtMs);
    row.smallestStartToStartMs = Math.min(row.smallestStartToStartMs ?? startToStartMs, startToStartMs);
    return gapMs < (crawlDelayMs ?? 0) || startToStartMs < requestIntervalMs;
  }

  /** @returns Whether the request began in a pause. The first one after the pause shows that it was kept. */
  #measurePause(startedAtMs: number): boolean {
    if (this.#pause === null || startedAtMs < this.#pause.fromMs) return false;
    const { fromMs, untilMs } = this.#pause;
    if (startedAtMs < untilMs) return true;
    this.row.longestPauseMs = Math.max(this.row.longestPauseMs, untilMs - fromMs);
    this.#pause = null;
    return false;
  }
}

const EMPTY_ROW: Omit<HostPoliteness, 'host'> & { readonly pages: number } = {
  ...{ requests: 0, pages: 0, robotsRequests: 0, smallestGapMs: null },
  ...{ requiredMs: null, requiredGapMs: null, requiredStartToStartMs: null, smallestStartToStartMs: null },
  ...{ highestConcurrency: 0, longestPauseMs: 0, early: 0, statuses: {}, bytes: 0 },
  ...{ excluded: 0, dropped: 0, failed: 0, held: 0, exclusions: [], comments: [], warnings: [] },
};

/** A page that robots.txt allowed and that excluded itself has the line that allowed it, which is not shown here. */
function exclusionOf({ url, reason, layer, line, pattern, robots }: UrlDecision): HostPoliteness['exclusions'][number] {
  const isByRobots = layer === 'robots';
  return {
    url: truncate(url),
    reason,
    line: isByRobots ? line : null,
    pattern: isByRobots && pattern !== null ? truncate(pattern) : null,
    authority: isByRobots ? (robots?.authority ?? null) : null,
  };
}

function warningText({ code, authority, detail, untilMs }: HostWarning): string {
  const whose = authority === null ? '' : ` (${authority})`;
  const until = untilMs === null ? '' : `, until ${iso(untilMs)}`;
  return `${code}${whose}: ${detail}${until}`;
}
