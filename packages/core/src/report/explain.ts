// Why a URL was or was not fetched, as a value: its decision in the log, and its current state in the gate and the
// queue. It makes no request and changes nothing.

import type { HostInspection, HostKeyBy, QueuedUrl, UrlInspection } from '@mannerly/frontier';
import { parseUrl } from '../parse-url.js';
import type { CodeError } from './code-error.js';
import type { UrlDecision, UrlStatus } from './decision.js';
import type { LoggedHost } from './from-logs.js';
import { type AppliedHostEntry, entriesFor, type HostEntryText } from './host-entry.js';
import { reasonOf } from './reasons.js';

/** What is known of one URL, or of one host, with the line and the copy of robots.txt that decided. */
export interface Explanation extends Pick<UrlDecision, 'line' | 'pattern' | 'dialect' | 'robots'> {
  readonly url: string;
  /** Its status; `waiting`: known, and no decision is kept: it is queued, or has ended; `unknown`: never met. */
  readonly status: UrlStatus | 'waiting' | 'unknown';
  /** A reason of `REASONS`; `null` if there is none. */
  readonly reason: string | null;
  /** What the reason means, one sentence. */
  readonly meaning: string | null;
  readonly advice: string | null;
  /** The earliest time at which it can be tried, epoch milliseconds; `null` if unknown, or decided. */
  readonly untilMs: number | null;
  /** The decision as it was logged. */
  readonly decision: UrlDecision | null;
  /** For a URL without a decision: one in the log that counts as the same; absent if there is none. */
  readonly otherSpelling?: string;
  /** For a host: what the frontier knows about it. */
  readonly host?: HostInspection;
  /** The latest error that a handler, hook or sink threw about it; absent if none is kept. */
  readonly error?: CodeError;
  /** The current state of the URL in the frontier; `null` without a frontier. */
  readonly inspection: UrlInspection | null;
  /** Where it is queued, as far as the queue was searched; only if the crawl is not running. */
  readonly place?: QueuedUrl | null;
  /** The bound of the whole crawl that is used up; only if the crawl is not running. */
  readonly bound?: 'pages' | 'minutes' | 'bytes' | null;
  /** For a host of a crawl that is not running, or whose frontier could not be read: what the logs say about it. */
  readonly logged?: LoggedHost;
  /** Entries of `hosts` that apply; absent if none. */
  readonly hosts?: readonly AppliedHostEntry[];
  /** Its visits, if they are kept (`recrawl`), and when the next one is due. */
  readonly visit?: VisitExplanation;
  /** Why only the logs were read, one sentence. */
  readonly logsOnlyReason?: string | null;
}

const EMPTY_EXPLANATION = {
  reason: null,
  meaning: null,
  advice: null,
  line: null,
  pattern: null,
  dialect: null,
  robots: null,
  untilMs: null,
  decision: null,
  inspection: null,
} as const satisfies Partial<Explanation>;

/**
 * Combines what is known about a URL. A decision takes precedence over the gate: it is what happened.
 * @param decision - The latest of the log; `null` if none.
 * @param inspection - The state in the frontier; `null` if there is none to read.
 * @param place - Where it is queued; `null`: not found; absent: not searched.
 */
export function explain(
  url: string,
  decision: UrlDecision | null,
  inspection: UrlInspection | null,
  place?: QueuedUrl | null,
): Explanation {
  const base = { ...EMPTY_EXPLANATION, url, decision, inspection, ...(place === undefined ? {} : { place }) };
  if (decision !== null && (decision.status !== 'held' || inspection === null)) {
    // A line from elsewhere may lack some.
    const { status, reason, line = null, pattern = null, dialect = null, robots = null } = decision;
    return { ...base, ...meaningOf(reason), status, line, pattern, dialect, robots };
  }
  if (inspection === null) return { ...base, status: 'unknown' };
  const { gate, robots, wait } = inspection;
  const status: Explanation['status'] = decision?.status ?? (inspection.isKnown ? 'waiting' : 'unknown');
  if (gate.kind === 'hold') return { ...base, ...meaningOf(gate.reason), status, robots, untilMs: gate.untilMs };
  const { line, pattern, dialect } = gate;
  const allowed = { ...base, status, line, pattern, dialect, robots };
  if (gate.kind === 'deny') return { ...allowed, ...meaningOf(gate.reason) };
  // If the queue was searched, the reason of the last run's hold is over unless the host still waits.
  const heldReason = place == null ? decision?.reason : undefined;
  const reason = status === 'unknown' ? undefined : (wait?.reason ?? heldReason);
  return reason === undefined ? allowed : { ...allowed, ...meaningOf(reason), untilMs: wait?.untilMs ?? null };
}

/** Adds the error that was kept about the URL, unless it was fetched later; `null` if none. @throws Never */
export function withError(explanation: Explanation, error: CodeError | null): Explanation {
  return error === null || explanation.status === 'fetched' ? explanation : { ...explanation, error };
}

export function withHosts(
  explanation: Explanation,
  { hosts = [], hostKeyBy }: { readonly hosts?: readonly HostEntryText[]; readonly hostKeyBy?: HostKeyBy },
): Explanation {
  const { url, host, inspection } = explanation;
  const names = [host?.host ?? inspection?.host ?? [], parseUrl(url)?.hostname ?? url].flat();
  const applied = entriesFor(hosts, names, hostKeyBy);
  return applied.length === 0 ? explanation : { ...explanation, hosts: applied };
}

/** The explanation of a host. `waiting`: the crawl may request more from it. @throws Never */
export function explainHost(host: HostInspection): Explanation {
  const reason = host.isParked ? 'host-parked' : (host.reachedBound ?? host.wait?.reason ?? null);
  const status = host.isKnown ? 'waiting' : 'unknown';
  const meaning = reason === null ? {} : meaningOf(reason);
  const [robots = null] = host.robots;
  return { ...EMPTY_EXPLANATION, url: host.host, ...meaning, status, robots, untilMs: host.nextAtMs, host };
}

/** A host as the logs know it, if its frontier cannot be read. @throws Never */
export function explainLoggedHost(host: string, logged: LoggedHost, logsOnlyReason: string | null): Explanation {
  const status = logged.requests === 0 && logged.warning === null ? 'unknown' : 'waiting';
  return { ...EMPTY_EXPLANATION, url: host, status, logged, logsOnlyReason };
}

function meaningOf(reason: string): Pick<Explanation, 'reason' | 'meaning' | 'advice'> {
  const { meaning = null, advice = '' } = reasonOf(reason) ?? {};
  return { reason, meaning, advice: advice === '' ? null : advice };
}

/** Whether a question is about a host: a name without scheme and path. @throws Never */
export function isHostName(text: string): boolean {
  return !text.includes('/') && parseUrl(`http://${text}/`) !== null;
}

/** A URL as it is requested and logged: serialized, without fragment. Other text is unchanged. @throws Never */
export function requestedForm(text: string): string {
  const url = parseUrl(text);
  if (url === null) return text;
  url.hash = '';
  return url.href;
}

/**
 * The state of a host while no run works on it. A wait that is over is left out. A killed run does not write its wait,
 * so that is derived from the host's interval and its last answers. @throws Never
 */
export function inspectStoppedHost(inspection: HostInspection, nowMs: number): HostInspection {
  const { host, wait, nextAtMs, isParked, interval, consecutive } = inspection;
  // Requests in flight when a run was killed come first when the crawl continues.
  const queued = inspection.queued + inspection.inFlight;
  const stopped = { ...inspection, queued, inFlight: 0 };
  if (isParked || nextAtMs === null || nextAtMs <= nowMs) return { ...stopped, wait: isParked ? wait : null };
  if (wait !== null && (wait.untilMs === null || wait.untilMs > nowMs))
    return { ...stopped, wait: { ...wait, queued } };
  const { from, ms } = interval;
  const ofInterval = from === 'crawl-delay' || from === 'request-rate' ? from : 'interval';
  const byInterval = nextAtMs <= nowMs + ms ? ofInterval : null;
  const reason = byInterval ?? (consecutive.throttled + consecutive.failed > 0 ? 'host-paused' : null);
  return { ...stopped, wait: reason === null ? null : { host, reason, untilMs: nextAtMs, queued } };
}

/** The visits of a page. Times are epoch milliseconds. */
export interface VisitExplanation {
  /** 0: it was never fetched. */
  readonly visits: number;
  /** The last visit with a result, and how many have failed since; if there is none, the first attempt. */
  readonly lastVisitMs: number;
  readonly failures: number;
  /** Changes that were seen, and the last of them; initially the first visit. */
  readonly changes: number;
  readonly changedAtMs: number;
  /** The gamma distribution of its changes per day, and its mean. */
  readonly shape: number;
  readonly days: number;
  readonly changesPerDay: number;
  /** The probability that it is unchanged since its visit, 0 to 1. */
  readonly fresh: number;
  /** How many other pages it is worth, and what a visit now is worth, in days of staleness. */
  readonly importance: number;
  readonly value: number;
  /** When the next visit is due; `null`: never, because it is gone. */
  readonly dueAtMs: number | null;
  /**
   * The reason for that time: the bounds of a run alone; the interval from how often it changes; the lifetime in its
   * response; it was not found once; visits failed, and each doubles the wait; it is gone.
   */
  readonly why: 'bounds' | 'interval' | 'lifetime' | 'missing' | 'failed' | 'gone' | 'named';
  /** Its validators as received, `null` if the next request has none; whether those of its host are sent back. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly isEtagTrusted: boolean;
  readonly isLastModifiedTrusted: boolean;
  /** No conditional request to the host until then; `null` if its ETags have been correct. */
  readonly untrustedUntilMs: number | null;
  /** What sitemaps and feeds say about it since the last visit; `null` if nothing. */
  readonly lastmod: 'changed' | 'unchanged' | null;
  /** How often that was true for pages of its host, and how much it counts: 0 to 1. */
  readonly lastmodTrust: { readonly changed: number; readonly unchanged: number; readonly weight: number };
}
