// The politeness ledger: what was really done to each host, told request by request as it happens.
// It computes and never decides; the same ledger fed from the request log gives the same report. Memory is bounded by the
// number of hosts, and past that by counting the rest together.

import type { HostWarning } from '@mannerly/frontier';
import { parseUrl } from '../parse-url.js';
import type { HostPoliteness } from './crawl-report.js';
import type { RequestRecord, UrlDecision } from './decision.js';
import { createExchangeMeter, type ExchangeMeter, larger } from './exchange-meter.js';
import { MAX_REPORT_HOSTS, MAX_REPORT_LINES_PER_HOST, MAX_REPORT_TEXT, MAX_STATUSES_PER_HOST } from './limits.js';

/** The name of the row that counts the hosts past the bound together; its gaps are not measured. */
export const OTHER_HOSTS = '(other hosts)';

/** Takes the facts of a crawl and tells the politeness of it. */
export interface PolitenessLedger {
  /** One request has ended. Requests of one host come in the order of their ends. O(1) where they do not overlap. */
  request(record: RequestRecord): void;
  /** One URL has its final word. */
  decision(decision: UrlDecision): void;
  /** What an operator should know of a host; pauses are measured from it. */
  warning(warning: HostWarning): void;
  /** Hosts met so far. O(1). */
  hostCount(): number;
  /** The rows so far, in the order in which hosts were met. */
  report(): HostPoliteness[];
}

/** One host's account. */
interface Account {
  readonly meter: ExchangeMeter | null;
  requests: number;
  pages: number;
  robotsRequests: number;
  bytes: number;
  readonly statuses: Map<string, number>;
  readonly words: { excluded: number; dropped: number; failed: number; held: number };
  readonly exclusions: HostPoliteness['exclusions'][number][];
  readonly comments: Set<string>;
  readonly warnings: Set<string>;
}

/**
 * Makes an empty ledger.
 *
 * `pages` counts the requests made for pages, redirect hops and failures included. URLs dropped as out of scope are not
 * a matter between us and their host: they make no row of their own.
 *
 * @param limits - `maxHosts`: hosts described one by one. @default MAX_REPORT_HOSTS
 * @throws Never
 */
export function createPolitenessLedger(limits: { readonly maxHosts?: number } = {}): PolitenessLedger {
  const maxHosts = limits.maxHosts ?? MAX_REPORT_HOSTS;
  const accounts = new Map<string, Account>();
  const accountOf = (host: string): Account => {
    const known = accounts.get(host);
    if (known !== undefined) return known;
    if (accounts.size >= maxHosts && host !== OTHER_HOSTS) return accountOf(OTHER_HOSTS);
    const opened = newAccount(host);
    accounts.set(host, opened);
    return opened;
  };
  return {
    request(record) {
      const account = accountOf(record.host);
      account.requests += 1;
      if (record.purpose === 'page') account.pages += 1;
      if (record.purpose === 'robots') account.robotsRequests += 1;
      account.bytes += record.encodedBytes;
      countStatus(account.statuses, record.status === null ? (record.failure ?? 'none') : String(record.status));
      account.meter?.add(record);
    },
    decision(decision) {
      const host = hostOf(decision.url);
      if (host === null || decision.status === 'fetched') return;
      if (decision.layer === 'scope' && !accounts.has(host)) return;
      const account = accountOf(host);
      account.words[decision.status] += 1;
      if (decision.status === 'excluded' && account.exclusions.length < MAX_REPORT_LINES_PER_HOST) {
        account.exclusions.push(toExclusion(decision));
      }
    },
    warning(warning) {
      const account = accountOf(warning.host);
      if (warning.code === 'robots-read') return;
      if (warning.code === 'comment') {
        keep(account.comments, warning.detail);
        return;
      }
      if (warning.code === 'host-paused' && warning.untilMs !== null)
        account.meter?.pause(warning.atMs, warning.untilMs);
      keep(account.warnings, warningText(warning));
    },
    hostCount: () => accounts.size,
    report: () => [...accounts].map(([host, account]) => toRow(host, account)),
  };
}

function newAccount(host: string): Account {
  return {
    meter: host === OTHER_HOSTS ? null : createExchangeMeter(),
    requests: 0,
    pages: 0,
    robotsRequests: 0,
    bytes: 0,
    statuses: new Map(),
    words: { excluded: 0, dropped: 0, failed: 0, held: 0 },
    exclusions: [],
    comments: new Set(),
    warnings: new Set(),
  };
}

function toRow(host: string, account: Account): HostPoliteness {
  const measures = account.meter?.read();
  return {
    host,
    requests: account.requests,
    pages: account.pages,
    robotsRequests: account.robotsRequests,
    smallestGapMs: measures?.smallestGapMs ?? null,
    requiredMs: larger(measures?.requiredGapMs ?? null, measures?.requiredStartToStartMs ?? null),
    requiredGapMs: measures?.requiredGapMs ?? null,
    requiredStartToStartMs: measures?.requiredStartToStartMs ?? null,
    smallestStartToStartMs: measures?.smallestStartToStartMs ?? null,
    highestConcurrency: measures?.highestConcurrency ?? 0,
    longestPauseMs: measures?.longestPauseMs ?? 0,
    early: measures?.early ?? 0,
    statuses: Object.fromEntries(account.statuses),
    bytes: account.bytes,
    ...account.words,
    exclusions: [...account.exclusions],
    comments: [...account.comments],
    warnings: [...account.warnings],
  };
}

/** A page that robots.txt let us fetch and that then excluded itself carries the line that let us in: that one is not to blame. */
function toExclusion({ url, reason, layer, line, pattern, robots }: UrlDecision): HostPoliteness['exclusions'][number] {
  const isByRobots = layer === 'robots';
  return {
    url: cut(url),
    reason,
    line: isByRobots ? line : null,
    pattern: isByRobots && pattern !== null ? cut(pattern) : null,
    authority: isByRobots ? (robots?.authority ?? null) : null,
  };
}

/** One line about a warning, with its end where it has one. */
function warningText(warning: HostWarning): string {
  const whose = warning.authority === null ? '' : ` (${warning.authority})`;
  const until = warning.untilMs === null ? '' : `, until ${new Date(warning.untilMs).toISOString()}`;
  return `${warning.code}${whose}: ${warning.detail}${until}`;
}

function countStatus(statuses: Map<string, number>, status: string): void {
  const key = statuses.has(status) || statuses.size < MAX_STATUSES_PER_HOST ? status : 'other';
  statuses.set(key, (statuses.get(key) ?? 0) + 1);
}

function keep(lines: Set<string>, line: string): void {
  if (lines.size < MAX_REPORT_LINES_PER_HOST) lines.add(cut(line));
}

function cut(text: string): string {
  return text.length <= MAX_REPORT_TEXT ? text : `${text.slice(0, MAX_REPORT_TEXT)}…`;
}

/** The host name of a URL; `null` where there is none. */
function hostOf(url: string): string | null {
  return parseUrl(url)?.hostname ?? null;
}
