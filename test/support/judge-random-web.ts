// Checks the log of a random web against the specification (access §2 to §10), and against what the web knows of its
// own files. It uses nothing of the crawler: no parser, no clock, no log.

import type { UrlDecision } from 'mannerly';
import { ITEMS, type RandomRules } from './random-rules.js';
import { LINKED_ITEMS, type RandomAuthority, type RandomExchange, type RandomWeb } from './random-web.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What is known of one robots.txt after an answer. */
interface RobotsState {
  /** When its last complete answer ended. */
  readonly atMs: number;
  /** `null`: nothing may be requested. */
  readonly freshUntilMs: number | null;
  /** The last good copy; `null`: there is none, or it no longer counts. */
  readonly rules: RandomRules | null;
  readonly copyAtMs: number;
  readonly failures: number;
  readonly retryAtMs: number;
}

const UNKNOWN: RobotsState = { atMs: 0, freshUntilMs: null, rules: null, copyAtMs: 0, failures: 0, retryAtMs: 0 };

/** Every fault, as text; none for a polite crawl. */
export function faultsOf(random: RandomWeb): string[] {
  const log = random.log();
  const formatted = formatterFrom(random.startMs);
  const faults: string[] = [];
  const rulesAt = robotsStates(random, faults);
  for (const seen of log) {
    if (seen.robotsOf !== null) continue;
    const at = authorityOf(random, seen.origin);
    const known = rulesAt(at, seen.startMs);
    if (known.freshUntilMs === null) faults.push(`without an answer of robots.txt: ${formatted(seen)}`);
    // An expired robots.txt still serves the first request to its host after it, however long the host's interval is.
    else if (seen.startMs >= known.freshUntilMs && known.atMs < lastEndMs(log, seen))
      faults.push(`by an expired robots.txt: ${formatted(seen)}`);
    if (log.some((other) => other.robotsOf === at && other.startMs <= seen.startMs && other.endMs > seen.startMs))
      faults.push(`while robots.txt was requested: ${formatted(seen)}`);
    if (known.rules?.closed.has(itemOf(seen.path)) === true) faults.push(`closed: ${formatted(seen)}`);
    const visit = known.rules?.visitHours ?? null;
    if (visit !== null && !isOpen(visit, seen.startMs)) faults.push(`outside of Visit-time: ${formatted(seen)}`);
  }
  for (const host of new Set(log.map((seen) => seen.host)))
    faults.push(
      ...tooEarly(
        log.filter((seen) => seen.host === host),
        random.authorities,
        rulesAt,
        formatted,
      ),
    );
  faults.push(
    ...sharedAddress(
      log.filter((seen) => seen.host.endsWith('.d.test')),
      formatted,
    ),
  );
  faults.push(...redirectsTooEarly(log, formatted));
  return faults;
}

/** A decision, and the number of its run: each run makes its own decisions about what robots.txt closes. */
export type DecisionOfRun = UrlDecision & { readonly run: number };

/** URLs that were requested twice or never, and decisions that contradict the web's log. */
export function decisionFaults(random: RandomWeb, decisions: readonly DecisionOfRun[]): string[] {
  const log = random.log();
  const rulesAt = robotsStates(random, []);
  const faults = repeatedRequests(log, formatterFrom(random.startMs));
  const decided = new Map<string, DecisionOfRun[]>();
  for (const decision of decisions) decided.set(decision.url, [...(decided.get(decision.url) ?? []), decision]);
  const requested = new Set(log.map(({ url }) => url));
  for (const [url, all] of decided) {
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    // A URL that was held in one run ended in a later one.
    const ends = all.filter(({ status }) => status !== 'held');
    const counted = ends.filter(({ replaces }) => replaces === undefined);
    if (new Set(counted.map(({ run }) => run)).size < counted.length && !REPEATED_PATHS.test(path))
      faults.push(`${ends.length} decisions about ${url}`);
    for (const { status, reason, atMs } of ends) {
      const isByRule = status === 'excluded' && reason === 'robots-rule';
      const { rules } = rulesAt(authorityOf(random, origin), atMs);
      if (isByRule && rules?.closed.has(itemOf(path)) !== true) faults.push(`said to be closed, and is open: ${url}`);
      if (!isByRule && !requested.has(url)) faults.push(`${status}, ${reason}, without a request: ${url}`);
    }
  }
  for (const { url, path, origin, status } of log) {
    if (path === '/' && status === 200)
      for (const item of ITEMS.slice(0, LINKED_ITEMS))
        if (!decided.has(origin + item.path)) faults.push(`no decision about ${origin}${item.path}`);
    if (!decided.has(url) && !/^\/(f9|kept|moved-sitemap|robots\.txt|rules-)/.test(path))
      faults.push(`requested without a decision: ${url}`);
  }
  return faults;
}

/** When the request before this one to the same host ended. */
function lastEndMs(log: readonly RandomExchange[], { host, startMs }: RandomExchange): number {
  return Math.max(0, ...log.flatMap((other) => (other.host === host && other.startMs < startMs ? other.endMs : [])));
}

/** Paths that are read as often as robots.txt is, and paths that a handler requests. */
const REPEATED_PATHS = /^\/(f9|kept|data\.txt|\.well-known)/;

function formatterFrom(startMs: number): (exchange: RandomExchange) => string {
  return (exchange) => `${exchange.url} at ${exchange.startMs - startMs}`;
}

function authorityOf({ authorities }: RandomWeb, origin: string): number {
  return authorities.findIndex((each) => each.origin === origin);
}

/** The state of an authority's robots.txt at a time. @param faults - Receives requests for it that came too early. */
function robotsStates(random: RandomWeb, faults: string[]): (at: number, atMs: number) => RobotsState {
  const { authorities, startMs } = random;
  const log = random.log();
  const files = authorities.map((_, at) => robotsHistory(log, authorities, at, faults, formatterFrom(startMs)));
  return (at, atMs) => files[at]!.findLast((known) => known.atMs <= atMs) ?? UNKNOWN;
}

/**
 * The state of an authority's robots.txt after each answer, in order. Adds requests for it that came too early to
 * `faults`.
 */
function robotsHistory(
  log: readonly RandomExchange[],
  authorities: readonly RandomAuthority[],
  at: number,
  faults: string[],
  formatted: (exchange: RandomExchange) => string,
): RobotsState[] {
  const { maxAgeS, versions } = authorities[at]!;
  let known = UNKNOWN;
  const history: RobotsState[] = [known];
  const completeAnswer = (seen: RandomExchange, rules: RandomRules | null, lifetimeMs: number): RobotsState => ({
    atMs: seen.endMs,
    freshUntilMs: seen.endMs + lifetimeMs,
    rules,
    copyAtMs: seen.endMs,
    failures: 0,
    retryAtMs: 0,
  });
  for (const seen of log.filter(({ robotsOf }) => robotsOf === at)) {
    if (seen.path === '/robots.txt') {
      if (seen.startMs < known.retryAtMs) faults.push(`robots.txt again too early: ${formatted(seen)}`);
      if (known.freshUntilMs !== null && seen.startMs < known.freshUntilMs && known.failures === 0)
        faults.push(`robots.txt again while it is fresh: ${formatted(seen)}`);
    }
    const lifetimeMs = Math.min(DAY, Math.max(10 * MINUTE, maxAgeS === null ? DAY : maxAgeS * SECOND));
    if (seen.status === 302) continue;
    if (seen.version === 'same') known = { ...completeAnswer(seen, known.rules, lifetimeMs) };
    else if (seen.version !== null) known = completeAnswer(seen, versions[seen.version]!, lifetimeMs);
    else if (seen.status === 404) known = completeAnswer(seen, null, DAY);
    else if (seen.status === 403) {
      // An earlier copy stays in force until it is a day old.
      const isKept = known.copyAtMs > 0 && known.rules !== null && seen.endMs - known.copyAtMs < DAY;
      known = { ...completeAnswer(seen, isKept ? known.rules : null, HOUR), copyAtMs: isKept ? known.copyAtMs : 0 };
    } else {
      const failures = known.failures + 1;
      const ownMs = Math.min(MINUTE * 2 ** (failures - 1), HOUR);
      const retryAtMs = seen.endMs + Math.max(ownMs, seen.retryAfterS * SECOND);
      known = { ...known, atMs: seen.endMs, freshUntilMs: null, failures, retryAtMs };
    }
    history.push(known);
  }
  return history;
}

/** The spacing of one host name over all its authorities: access §9, and the pauses of §10. */
function tooEarly(
  log: readonly RandomExchange[],
  authorities: readonly RandomAuthority[],
  rulesAt: (at: number, atMs: number) => RobotsState,
  formatted: (exchange: RandomExchange) => string,
): string[] {
  const faults: string[] = [];
  let pausedUntilMs = 0;
  let throttled = 0;
  let failed = 0;
  log.forEach((now, index) => {
    const before = log[index - 1];
    if (before === undefined) return;
    if (now.startMs < before.endMs) faults.push(`two at once: ${formatted(now)}`);
    const rules = authorities.flatMap(({ host }, at) =>
      host === now.host ? (rulesAt(at, now.startMs).rules ?? []) : [],
    );
    const profileMs = Math.min(MINUTE, Math.max(SECOND, 2 * (before.endMs - before.startMs)));
    const delayMs = Math.max(profileMs, ...rules.map((each) => each.delayMs));
    if (now.startMs < before.endMs + delayMs)
      faults.push(`${now.startMs - before.endMs} ms after the last, not ${delayMs}: ${formatted(now)}`);
    const rateMs = Math.max(0, ...rules.map((each) => each.rateMs));
    if (now.startMs < before.startMs + rateMs) faults.push(`sooner than its rate: ${formatted(now)}`);
    if (before.robotsOf === null) {
      if (before.status === 429 || before.status === 503) {
        throttled += 1;
        const ownMs = Math.min(30 * SECOND * 2 ** (throttled - 1), HOUR);
        pausedUntilMs = Math.max(pausedUntilMs, before.endMs + Math.max(ownMs, before.retryAfterS * SECOND));
      } else if (before.status === null || before.status >= 500) {
        failed += 1;
        if (failed >= 5) pausedUntilMs = Math.max(pausedUntilMs, before.endMs + 5 * MINUTE);
      } else if (![401, 402, 403].includes(before.status)) {
        throttled = 0;
        failed = 0;
      }
    } else if (before.status === 429 || before.status === 503) {
      pausedUntilMs = Math.max(pausedUntilMs, before.endMs + Math.max(30 * SECOND, before.retryAfterS * SECOND));
    }
    if (now.startMs < pausedUntilMs)
      faults.push(`in a pause, ${pausedUntilMs - now.startMs} ms before its end: ${formatted(now)}`);
  });
  return faults;
}

/** Hosts of one domain at one address: one request at a time, and at least the minimum pause in between. */
function sharedAddress(log: readonly RandomExchange[], formatted: (exchange: RandomExchange) => string): string[] {
  return log.flatMap((now, index) => {
    const before = log[index - 1];
    return before !== undefined && now.startMs < before.endMs + SECOND
      ? [`at a shared address: ${formatted(now)}`]
      : [];
  });
}

/** A redirect with Retry-After is followed after that time. Only one redirect leads to each target. */
function redirectsTooEarly(log: readonly RandomExchange[], formatted: (exchange: RandomExchange) => string): string[] {
  return log.flatMap((seen) => {
    if (seen.status === null || seen.status < 300 || seen.location === null || seen.status === 304) return [];
    const untilMs = seen.endMs + seen.retryAfterS * SECOND;
    const target = log.find((other) => other.url === seen.location && other.startMs >= seen.startMs);
    const isEarly = target !== undefined && target.startMs < untilMs;
    return isEarly
      ? [`${untilMs - target.startMs} ms before a redirect allows: ${formatted(target)}, from ${seen.url}`]
      : [];
  });
}

/** A page that was answered is not requested again, and no page more than four times. */
function repeatedRequests(log: readonly RandomExchange[], formatted: (exchange: RandomExchange) => string): string[] {
  const answers = new Map<string, RandomExchange[]>();
  for (const seen of log) {
    if (seen.robotsOf === null && !REPEATED_PATHS.test(seen.path))
      answers.set(seen.url, [...(answers.get(seen.url) ?? []), seen]);
  }
  return [...answers.values()].flatMap((all) => {
    const isFinal = ({ status }: RandomExchange): boolean => status !== null && status !== 429 && status < 500;
    const again = all.slice(0, -1).some(isFinal);
    return again || all.length > 4 ? [`${all.length} times: ${formatted(all.at(-1)!)}`] : [];
  });
}

function isOpen([from, to]: readonly [number, number], atMs: number): boolean {
  const hour = (atMs % DAY) / HOUR;
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}

/** The number of an item; -1: none. */
function itemOf(path: string): number {
  return ITEMS.findIndex((item) => path === item.path || path.startsWith(`${item.path}?`));
}
