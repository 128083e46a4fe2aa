// The politeness ledger: what was really done to each host, request by request. It computes and never decides; fed from
// the request log it gives the same report. Memory is bounded: the hosts past a limit are counted together.

import type { HostWarning } from '@mannerly/frontier';
import { parseUrl } from '../parse-url.js';
import type { HostPoliteness } from './crawl-report.js';
import type { RequestRecord, UrlDecision } from './decision.js';
import { ExchangeMeter, larger } from './exchange-meter.js';
import { MAX_REPORT_HOSTS, MAX_REPORT_LINES_PER_HOST, MAX_REPORT_TEXT, MAX_STATUSES_PER_HOST } from './limits.js';

/** The name of the row that counts the hosts past the limit together; its gaps are not measured. */
export const OTHER_HOSTS = '(other hosts)';

/** Takes the requests, decisions and warnings of a crawl, and reports its politeness. */
export interface PolitenessLedger {
  /** One request has ended. Requests of one host come in the order of their ends. O(1) where they do not overlap. */
  request(record: RequestRecord): void;
  /** One URL has its status. */
  decision(decision: UrlDecision): void;
  /** What an operator should know of a host; pauses are measured from it. */
  warning(warning: HostWarning): void;
  /** Hosts met so far. O(1). */
  hostCount(): number;
  /** The rows so far, in the order in which hosts were met. */
  report(): HostPoliteness[];
}

/** What is counted of one host. */
class Account {
  requests = 0;
  pages = 0;
  robotsRequests = 0;
  bytes = 0;
  readonly meter = new ExchangeMeter();
  readonly statuses = new Map<string, number>();
  readonly outcomes = { excluded: 0, dropped: 0, failed: 0, held: 0 };
  readonly exclusions: HostPoliteness['exclusions'][number][] = [];
  readonly comments = new Set<string>();
  readonly warnings = new Set<string>();
}

/**
 * Makes an empty ledger.
 *
 * `pages` counts the requests made for pages, redirect hops and failures included. URLs dropped as out of scope say
 * nothing of how we treated their host: they make no row of their own.
 *
 * @param limits - `maxHosts`: hosts with a row of their own. @default MAX_REPORT_HOSTS
 * @throws Never
 */
export function createPolitenessLedger(limits: { readonly maxHosts?: number } = {}): PolitenessLedger {
  const maxHosts = limits.maxHosts ?? MAX_REPORT_HOSTS;
  const accounts = new Map<string, Account>();
  const accountOf = (host: string): Account => {
    const name = accounts.has(host) || accounts.size < maxHosts ? host : OTHER_HOSTS;
    const account = accounts.get(name) ?? new Account();
    accounts.set(name, account);
    return account;
  };
  return {
    request(record) {
      const account = accountOf(record.host);
      account.requests += 1;
      if (record.purpose === 'page') account.pages += 1;
      if (record.purpose === 'robots') account.robotsRequests += 1;
      account.bytes += record.encodedBytes;
      countStatus(account.statuses, record, MAX_STATUSES_PER_HOST);
      if (account !== accounts.get(OTHER_HOSTS)) account.meter.add(record);
    },
    decision(decision) {
      const { url, status, layer } = decision;
      const host = parseUrl(url)?.hostname;
      if (host === undefined || status === 'fetched') return;
      if (layer === 'scope' && !accounts.has(host)) return;
      const account = accountOf(host);
      account.outcomes[status] += 1;
      if (status === 'excluded' && account.exclusions.length < MAX_REPORT_LINES_PER_HOST)
        account.exclusions.push(exclusionOf(decision));
    },
    warning(warning) {
      const { code, host, detail, atMs, untilMs } = warning;
      const account = accountOf(host);
      if (code === 'robots-read') return;
      if (code === 'comment') {
        keep(account.comments, detail);
        return;
      }
      if (code === 'host-paused' && untilMs !== null && account !== accounts.get(OTHER_HOSTS))
        account.meter.pause(atMs, untilMs);
      keep(account.warnings, warningText(warning));
    },
    hostCount: () => accounts.size,
    report: () => [...accounts].map(([host, account]) => rowOf(host, account)),
  };
}

/** Counts a request under its status or failure; past `most` different ones under `other`. @throws Never */
export function countStatus(
  counts: Map<string, number>,
  { status, failure }: Pick<RequestRecord, 'status' | 'failure'>,
  most: number,
): void {
  const name = status === null ? (failure ?? 'none') : String(status);
  const key = counts.has(name) || counts.size < most ? name : 'other';
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Text of a site, cut to what a report keeps. @throws Never */
export function cut(text: string): string {
  return text.length <= MAX_REPORT_TEXT ? text : `${text.slice(0, MAX_REPORT_TEXT)}…`;
}

function rowOf(host: string, account: Account): HostPoliteness {
  const { requests, pages, robotsRequests, bytes, meter } = account;
  return {
    host,
    requests,
    pages,
    robotsRequests,
    smallestGapMs: meter.smallestGapMs,
    requiredMs: larger(meter.requiredGapMs, meter.requiredStartToStartMs),
    requiredGapMs: meter.requiredGapMs,
    requiredStartToStartMs: meter.requiredStartToStartMs,
    smallestStartToStartMs: meter.smallestStartToStartMs,
    highestConcurrency: meter.highestConcurrency,
    longestPauseMs: meter.longestPauseMs,
    early: meter.early,
    statuses: Object.fromEntries(account.statuses),
    bytes,
    ...account.outcomes,
    exclusions: [...account.exclusions],
    comments: [...account.comments],
    warnings: [...account.warnings],
  };
}

/**
 * A page that robots.txt allowed and that then excluded itself carries the line that allowed it: that line is left out.
 */
function exclusionOf({ url, reason, layer, line, pattern, robots }: UrlDecision): Account['exclusions'][number] {
  const isByRobots = layer === 'robots';
  return {
    url: cut(url),
    reason,
    line: isByRobots ? line : null,
    pattern: isByRobots && pattern !== null ? cut(pattern) : null,
    authority: isByRobots ? (robots?.authority ?? null) : null,
  };
}

function warningText({ code, authority, detail, untilMs }: HostWarning): string {
  const whose = authority === null ? '' : ` (${authority})`;
  const until = untilMs === null ? '' : `, until ${new Date(untilMs).toISOString()}`;
  return `${code}${whose}: ${detail}${until}`;
}

function keep(lines: Set<string>, line: string): void {
  if (lines.size < MAX_REPORT_LINES_PER_HOST) lines.add(cut(line));
}
