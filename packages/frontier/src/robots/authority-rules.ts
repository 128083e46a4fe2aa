// A good copy of a robots.txt as this crawl reads it: decisions, required spacing, and messages for the operator.
// `@mannerly/robots` parses and matches; this file converts its answers to the frontier's terms. Rules belong to an
// authority, spacing to the host: if several authorities share a host, the longest interval counts (access §9).

import {
  type CompileOptions,
  compileRules,
  type Decision,
  parseRobots,
  type RobotsDocument,
  type RobotsRules,
} from '@mannerly/robots';
import type { GoodCopy } from '@mannerly/robots/access';
import { dedupeKey } from '@mannerly/robots/dedupe-key';
import { rateInForce } from '@mannerly/robots/politeness';
import { sitePreferences } from '@mannerly/robots/preferences';
import { siteFields } from '@mannerly/robots/site-fields';
import { MAX_CRAWL_DELAY_MS, MAX_SPACING_AUTHORITIES } from '../limits.js';
import { hostKeyOf } from '../url/url.js';
import type { HostRequirements, RobotsSignals } from '../work.js';
import { MAX_AUTHORITIES_PER_HOST } from './limits.js';

export interface AuthorityRules {
  /** What the file says to this crawler. */
  readonly file: RobotsRules;
  readonly requirements: AuthorityRequirements;
  /** Whether its Crawl-delay is longer than the operator accepts; such hosts are skipped. */
  readonly isOverMaxDelay: boolean;
  /** What the file says about a URL besides allow and deny. */
  signals(url: string): RobotsSignals;
  /** The name by which the file identifies a URL (Clean-param, Host); `null`: the URL's own. */
  key(url: string): string | null;
}

/** How this crawl reads files. */
export interface RulesReader {
  fromCopy(copy: Pick<GoodCopy, 'body' | 'charset' | 'robotsUrl'>): AuthorityRules;
  /** The decision if the file itself is refused to us (access §4, restricted). */
  readonly restricted: Decision;
  /** The decision if there is no file. */
  readonly withoutRules: Decision;
}

/** The options for reading that are not part of the rules. */
export interface ResolvedReadingOptions {
  readonly visitTime: 'hold' | 'warn' | 'ignore';
  readonly maxCrawlDelayMs: number;
  readonly onLongCrawlDelay: 'clamp' | 'skip-host';
  readonly cleanParam: 'dedupe' | 'expose';
  readonly host: 'expose' | 'canonicalize';
}

/** The signals of a URL if there are no rules. */
export const NO_SIGNALS: RobotsSignals = Object.freeze({
  isNoindex: false,
  preferences: {},
  contentSignals: {},
  licenses: [],
});

/**
 * @param compile - Which crawler asks and which reading counts.
 * @throws RobotsError for options that `compileRules` refuses.
 */
export function createRulesReader(compile: CompileOptions, options: ResolvedReadingOptions): RulesReader {
  compileRules(parseRobots(''), compile);
  const dialect = compile.dialect ?? 'rfc9309';
  const noMatch = { reason: 'no-group', dialect, line: null, pattern: null, agent: null } as const;
  return {
    fromCopy(copy) {
      const { robotsUrl, charset } = copy;
      const document = parseRobots(copy.body, charset === null ? { robotsUrl } : { robotsUrl, charset });
      return readRules(compileRules(document, compile), siteKey(document, options), options);
    },
    restricted: Object.freeze({ allowed: false, ...noMatch }),
    withoutRules: Object.freeze({ allowed: true, ...noMatch }),
  };
}

/** The reason of an exclusion by the gate. */
export function excludedReason(decision: Decision, phase: string | null): string {
  if (phase === 'restricted') return 'robots-restricted';
  return decision.reason === 'oversize' ? 'robots-oversize' : 'robots-rule';
}

function readRules(rules: RobotsRules, key: AuthorityRules['key'], options: ResolvedReadingOptions): AuthorityRules {
  const fileDelayMs = rules.crawlDelayMs;
  const site = sitePreferences(rules);
  let licenses: readonly string[] | null = null;
  const isOverMax =
    fileDelayMs !== null && (fileDelayMs > options.maxCrawlDelayMs || fileDelayMs >= MAX_CRAWL_DELAY_MS);
  return {
    file: rules,
    requirements: requirementsOf(rules, options),
    isOverMaxDelay: isOverMax && options.onLongCrawlDelay === 'skip-host',
    key,
    signals(url) {
      licenses ??= rules.licenses;
      const { preferences, signals } = site;
      return { isNoindex: rules.isNoindex(url), preferences: preferences(url), contentSignals: signals(url), licenses };
    },
  };
}

function requirementsOf(rules: RobotsRules, options: ResolvedReadingOptions): AuthorityRequirements {
  const { crawlDelayLine, requestRates, visitWindows } = rules;
  const crawlDelayMs = rules.crawlDelayMs === null ? null : Math.min(rules.crawlDelayMs, options.maxCrawlDelayMs);
  const isTimed = requestRates.length > 0 || (visitWindows.length > 0 && options.visitTime !== 'ignore');
  const hasHours =
    (visitWindows.length > 0 && options.visitTime === 'hold') || requestRates.some(({ window }) => window !== null);
  let longestMs = crawlDelayMs ?? 0;
  for (const { documents, periodSeconds } of requestRates) {
    if (documents > 0) longestMs = Math.max(longestMs, Math.ceil((periodSeconds * 1000) / documents));
  }
  const at = isTimed ? (nowMs: number) => timedRequirements(rules, options, nowMs) : null;
  return { crawlDelayMs, crawlDelayLine, at, hasHours, longestMs };
}

type Closed = TimedRequirements['closed'];

function timedRequirements(rules: RobotsRules, options: ResolvedReadingOptions, nowMs: number): TimedRequirements {
  const rate = rateInForce(rules.requestRates, nowMs);
  const schedule = rules.schedule(nowMs);
  const isHeld = schedule.kind === 'closed' && (options.visitTime === 'hold' || schedule.reason === 'closed-rate');
  const isBucket = rules.requestRateMode === 'bucket' && rate.kind === 'rate';
  // If Visit-time is not obeyed, it must not hide what the rate says.
  const intervalMs = schedule.kind === 'open' ? schedule.intervalMs : rate.kind === 'rate' ? rate.intervalMs : null;
  const byRate: Closed = rate.kind === 'closed' ? { reason: 'request-rate-closed', untilMs: rate.untilMs } : null;
  const isVisitTime = schedule.kind === 'closed' && schedule.reason === 'visit-time';
  const reason = isVisitTime ? 'visit-time' : 'request-rate-closed';
  const bySchedule: Closed = schedule.kind === 'closed' ? { reason, untilMs: schedule.untilMs } : null;
  return {
    closed: (isHeld ? bySchedule : null) ?? byRate,
    ignoredClosure: isHeld || options.visitTime === 'ignore' ? null : (bySchedule ?? byRate),
    intervalMs: isBucket ? null : intervalMs,
    bucket: isBucket ? { documents: rate.rate.documents, periodMs: rate.rate.periodSeconds * 1000 } : null,
  };
}

/**
 * The name that a file gives a URL: without the parameters of its Clean-param lines and, if the operator wants that,
 * under the preferred mirror of its Host line. A file speaks for its own site: a Host of another registrable domain is
 * ignored, or one site could make another's pages pass for known. A file without such lines is not kept.
 *
 * @see specification, robots §9.7, §9.8, DECISION R47
 */
export function siteKey(
  document: RobotsDocument,
  options: Pick<ResolvedReadingOptions, 'cleanParam' | 'host'>,
): AuthorityRules['key'] {
  const { cleanParam, host } = options;
  if (cleanParam !== 'dedupe' && host !== 'canonicalize') return () => null;
  const statements = siteFields(document);
  if (statements.host === null && statements.cleanParams.length === 0) return () => null;
  return (url) => {
    const named = dedupeKey(document, url, { cleanParam, host });
    const isOwn = host === 'expose' || hostKeyOf(named, 'domain') === hostKeyOf(url, 'domain');
    const key = isOwn ? named : dedupeKey(document, url, { cleanParam });
    return key === url ? null : key;
  };
}

/** What one file requires at one time. */
export interface TimedRequirements {
  /** No page before `untilMs`, epoch milliseconds. */
  readonly closed: { readonly reason: 'visit-time' | 'request-rate-closed'; readonly untilMs: number } | null;
  /** A closed time that is reported but not obeyed. */
  readonly ignoredClosure: TimedRequirements['closed'];
  /** From start to start, milliseconds. */
  readonly intervalMs: number | null;
  /** Enforced at egress as so many documents per period. */
  readonly bucket: HostRequirements['bucket'];
}

/** What the file of one authority requires. */
export interface AuthorityRequirements {
  /** Milliseconds; `null`: no Crawl-delay. */
  readonly crawlDelayMs: number | null;
  /** The line of the file it comes from; `null`: no Crawl-delay. */
  readonly crawlDelayLine: number | null;
  /** `null`: nothing depends on the time of day, and there is no Request-rate. */
  readonly at: ((nowMs: number) => TimedRequirements) | null;
  /** Whether it depends on the time of day. */
  readonly hasHours: boolean;
  /** The longest interval that it may require at any time, milliseconds. */
  readonly longestMs: number;
}

/** A closed time, and the authority whose file sets it. */
export type ClosedTime = NonNullable<TimedRequirements['closed']> & { readonly authority: string };

/** What a host requires at one time. */
export interface RequirementsNow {
  readonly spacing: HostRequirements;
  /** No page before this time; robots.txt may be fetched (access §2). */
  readonly closed: ClosedTime | null;
  /** A closed time that is reported but not obeyed. */
  readonly ignoredClosure: ClosedTime | null;
}

/** What the authorities of one host require together. */
export class SpacingRequirements {
  readonly #authorities = new Map<string, AuthorityRequirements>();
  #minDelayMs: number;

  /** @param minDelayMs - A delay that applies as well; 0: none. */
  constructor(minDelayMs: number) {
    this.#minDelayMs = minDelayMs;
  }

  get authorities(): ReadonlyMap<string, AuthorityRequirements> {
    return this.#authorities;
  }

  /** Notes what an authority requires; `null`: nothing. @returns Whether anything changed. */
  note(authority: string, required: AuthorityRequirements | null): boolean {
    if ((this.#authorities.get(authority) ?? null) === required) return false;
    if (required === null || !hasRequirements(required)) return this.#authorities.delete(authority);
    this.#authorities.set(authority, required);
    if (this.#authorities.size > MAX_AUTHORITIES_PER_HOST) this.#forgetShortest(authority);
    return true;
  }

  /** What applies now. @see specification, access §9, DECISIONS A14 and A15 */
  at(nowMs: number): RequirementsNow {
    let crawlDelayMs = this.#minDelayMs > 0 ? this.#minDelayMs : null;
    let requestIntervalMs: number | null = null;
    let closed: ClosedTime | null = null;
    let ignoredClosure: ClosedTime | null = null;
    let bucket: HostRequirements['bucket'] = null;
    for (const [authority, one] of this.#authorities) {
      if (one.crawlDelayMs !== null) crawlDelayMs = Math.max(crawlDelayMs ?? 0, one.crawlDelayMs);
      if (one.at === null) continue;
      const timed = one.at(nowMs);
      if (timed.closed !== null && timed.closed.untilMs > (closed?.untilMs ?? 0))
        closed = { ...timed.closed, authority };
      if (timed.ignoredClosure !== null) ignoredClosure = { ...timed.ignoredClosure, authority };
      if (timed.intervalMs !== null) requestIntervalMs = Math.max(requestIntervalMs ?? 0, timed.intervalMs);
      if (timed.bucket !== null) bucket = slowerBucket(bucket, timed.bucket);
    }
    return { spacing: { crawlDelayMs, requestIntervalMs, bucket }, closed, ignoredClosure };
  }

  /** The authorities to keep with the lease, longest intervals first, and a delay that covers the rest. */
  toStore(): { readonly spacingAuthorities: readonly string[]; readonly minDelayMs: number } {
    const ranked = [...this.#authorities].sort(([, a], [, b]) => b.longestMs - a.longestMs);
    return {
      spacingAuthorities: ranked.slice(0, MAX_SPACING_AUTHORITIES).map(([authority]) => authority),
      minDelayMs: Math.max(this.#minDelayMs, ranked[MAX_SPACING_AUTHORITIES]?.[1].longestMs ?? 0),
    };
  }

  /** Forgets the authority with the shortest interval, except `keep`. A delay for the whole host covers it. */
  #forgetShortest(keep: string): void {
    let shortest = '';
    let shortestMs = Number.MAX_SAFE_INTEGER;
    for (const [authority, { longestMs }] of this.#authorities) {
      if (authority !== keep && longestMs < shortestMs) [shortest, shortestMs] = [authority, longestMs];
    }
    this.#authorities.delete(shortest);
    this.#minDelayMs = Math.max(this.#minDelayMs, shortestMs);
  }
}

function hasRequirements(one: AuthorityRequirements): boolean {
  return (one.crawlDelayMs ?? 0) > 0 || one.at !== null;
}

function slowerBucket(
  one: HostRequirements['bucket'],
  other: NonNullable<HostRequirements['bucket']>,
): HostRequirements['bucket'] {
  if (one === null) return other;
  return other.documents * one.periodMs < one.documents * other.periodMs ? other : one;
}
