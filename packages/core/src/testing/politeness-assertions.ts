// What must be true of the requests that a host saw, as plain functions for any test runner. Each judges the record of
// a fake web, or that of a server of one's own, and says in its error which host, which two requests, and by how much.

import { AssertionError } from 'node:assert';
import { parseUrl } from '../parse-url.js';

/** One request as the side that was asked saw it; a `FakeExchange` is one. */
export interface SeenRequest {
  readonly url: string;
  /** Host name without port. */
  readonly host: string;
  /** It arrived, milliseconds of any clock. */
  readonly startMs: number;
  /** Its answer had left, or it was broken off; `Infinity` while it is under way. */
  readonly endMs: number;
}

/** What is judged: requests in any order, or what holds them: a fake web, a crawl on it. */
export type SeenRequests = readonly SeenRequest[] | { readonly exchanges: readonly SeenRequest[] };

/** What the check found. */
export interface Verdict {
  readonly isTrue: boolean;
  /** What was found, for people. */
  readonly says: string;
}

/**
 * No request to the host began sooner than `gapMs` after the end of the one before, robots.txt and redirects included.
 *
 * @throws AssertionError; also where the host saw fewer than two requests, since nothing is shown then.
 */
export function assertKeepsGap(seen: SeenRequests, host: string, gapMs: number): void {
  confirm(keepsGap(seen, host, gapMs), 'assertKeepsGap');
}

/**
 * No request to the host began sooner than `intervalMs` after the beginning of the one before: a Request-rate.
 *
 * @throws AssertionError, as `assertKeepsGap`.
 */
export function assertKeepsPace(seen: SeenRequests, host: string, intervalMs: number): void {
  confirm(keepsPace(seen, host, intervalMs), 'assertKeepsPace');
}

/** No two requests to the host were under way at once. @throws AssertionError, as `assertKeepsGap`. */
export function assertOneAtATime(seen: SeenRequests, host: string): void {
  confirm(isOneAtATime(seen, host), 'assertOneAtATime');
}

/**
 * Nothing was asked of the host before an answer to its robots.txt had come, for each scheme and port by itself.
 *
 * @throws AssertionError; also where nothing was asked of it at all.
 */
export function assertRobotsFirst(seen: SeenRequests, host: string): void {
  confirm(askedRobotsFirst(seen, host), 'assertRobotsFirst');
}

/** The URL was asked for: the very URL, or one that a pattern matches. @throws AssertionError */
export function assertRequested(seen: SeenRequests, url: string | RegExp): void {
  confirm(wasRequested(seen, url), 'assertRequested');
}

/**
 * The URL was not asked for, nor any that the pattern matches. @throws AssertionError; also where nothing was asked for
 * at all.
 */
export function assertNotRequested(seen: SeenRequests, url: string | RegExp): void {
  confirm(wasNotRequested(seen, url), 'assertNotRequested');
}

/** Judges gaps, from end to start. @throws AssertionError where there is nothing to judge. */
export function keepsGap(seen: SeenRequests, host: string, gapMs: number): Verdict {
  return judgePairs(
    seen,
    host,
    (last, next) => {
      const hadMs = next.startMs - last.endMs;
      if (hadMs >= gapMs) return null;
      return hadMs < 0
        ? overlap(last, next)
        : tooSoon(next, hadMs, `the end of ${last.url} (${time(last.endMs)})`, gapMs);
    },
    `asked no sooner than ${gapMs} ms after the end of each request`,
  );
}

/** Judges intervals, from start to start. @throws AssertionError where there is nothing to judge. */
export function keepsPace(seen: SeenRequests, host: string, intervalMs: number): Verdict {
  return judgePairs(
    seen,
    host,
    (last, next) => {
      const hadMs = next.startMs - last.startMs;
      return hadMs >= intervalMs
        ? null
        : tooSoon(next, hadMs, `the start of ${last.url} (${time(last.startMs)})`, intervalMs);
    },
    `asked no sooner than ${intervalMs} ms after the start of each request`,
  );
}

/** Judges overlaps. @throws AssertionError where there is nothing to judge. */
export function isOneAtATime(seen: SeenRequests, host: string): Verdict {
  return judgePairs(
    seen,
    host,
    (last, next) => (next.startMs < last.endMs ? overlap(last, next) : null),
    'asked one thing at a time',
  );
}

/** Judges what came before the rules. @throws AssertionError where there is nothing to judge. */
export function askedRobotsFirst(seen: SeenRequests, host: string): Verdict {
  const requests = of(seen, host);
  if (requests.length === 0) shown(`${host} was asked for nothing: there is no order to judge`);
  const answered = new Map<string, number>();
  for (const { url, endMs } of requests) {
    const { origin, pathname } = new URL(url);
    if (pathname === '/robots.txt') answered.set(origin, Math.min(endMs, answered.get(origin) ?? endMs));
  }
  const early = requests.filter(({ url, startMs }) => {
    const { origin, pathname } = new URL(url);
    return pathname !== '/robots.txt' && startMs < (answered.get(origin) ?? Number.POSITIVE_INFINITY);
  });
  const [first] = early;
  if (first === undefined) return { isTrue: true, says: `${host} was asked for its robots.txt before anything else` };
  const robots = answered.get(new URL(first.url).origin);
  return {
    isTrue: false,
    says:
      `${host} was asked for ${first.url} at ${time(first.startMs)}, ` +
      (robots === undefined ? 'and never for its robots.txt' : `before its robots.txt was there at ${time(robots)}`) +
      more(early.length - 1),
  };
}

/** Whether a URL was asked for. @throws Never */
export function wasRequested(seen: SeenRequests, url: string | RegExp): Verdict {
  const requests = requestsOf(seen);
  const wanted = typeof url === 'string' ? (parseUrl(url)?.href ?? url) : url;
  // A pattern with a memory (`g`, `y`) would miss every second one.
  const pattern = typeof wanted === 'string' ? null : new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, ''));
  const found = requests.filter((request) => (pattern === null ? request.url === wanted : pattern.test(request.url)));
  const [first] = found;
  if (first === undefined) {
    const asked = [...new Set(requests.map((request) => request.url))];
    const listed = asked
      .slice(0, LISTED)
      .map((each) => `\n  ${each}`)
      .join('');
    return {
      isTrue: false,
      says:
        asked.length === 0
          ? `${url} was not asked for, nor was anything else`
          : `${url} was not asked for. These were:${listed}${asked.length > LISTED ? `\n  and ${asked.length - LISTED} more` : ''}`,
    };
  }
  const times = found.length === 1 ? '' : `, ${found.length} times in all`;
  return { isTrue: true, says: `${first.url} was asked for at ${time(first.startMs)}${times}` };
}

/** Whether a URL was not asked for. @throws AssertionError where there is nothing to judge. */
export function wasNotRequested(seen: SeenRequests, url: string | RegExp): Verdict {
  const { isTrue, says } = wasRequested(seen, url);
  if (requestsOf(seen).length === 0) shown(says);
  return { isTrue: !isTrue, says };
}

/** URLs that a message lists. */
const LISTED = 20;

/** Looks at each request and the one before it. */
function judgePairs(
  seen: SeenRequests,
  host: string,
  fault: (last: SeenRequest, next: SeenRequest) => string | null,
  praise: string,
): Verdict {
  const requests = of(seen, host);
  if (requests.length < 2) {
    shown(
      `${host} was asked for ${requests.length === 0 ? 'nothing' : `${requests[0]?.url} alone`}: there are no two requests to judge`,
    );
  }
  const faults = requests.slice(1).flatMap((next, index) => fault(requests[index] as SeenRequest, next) ?? []);
  const [first] = faults;
  return first === undefined
    ? { isTrue: true, says: `${host} was ${praise} (${requests.length} requests)` }
    : { isTrue: false, says: `${host} was asked too soon: ${first}${more(faults.length - 1)}` };
}

function tooSoon(next: SeenRequest, hadMs: number, since: string, requiredMs: number): string {
  return `${next.url} at ${time(next.startMs)}, ${Number(hadMs.toFixed(3))} ms after ${since} instead of ${requiredMs} ms`;
}

function overlap(last: SeenRequest, next: SeenRequest): string {
  const until = Number.isFinite(last.endMs) ? `until ${time(last.endMs)}` : 'still';
  return `${next.url} at ${time(next.startMs)}, while ${last.url} (since ${time(last.startMs)}) was ${until} being answered`;
}

function more(count: number): string {
  return count > 0 ? `; and ${count} more like it` : '';
}

/** Epoch milliseconds as a date; of another clock, as they are. */
function time(ms: number): string {
  return ms > 1e11 && ms < 1e14 ? new Date(ms).toISOString() : `${Number(ms.toFixed(3))} ms`;
}

function requestsOf(seen: SeenRequests): readonly SeenRequest[] {
  return 'exchanges' in seen ? seen.exchanges : seen;
}

/** Those of one host, in order. */
function of(seen: SeenRequests, host: string): SeenRequest[] {
  return requestsOf(seen)
    .filter((request) => request.host === host)
    .sort((a, b) => a.startMs - b.startMs);
}

function confirm({ isTrue, says }: Verdict, operator: string): void {
  if (!isTrue) throw new AssertionError({ message: says, operator });
}

/** A test that could not fail is none. */
function shown(message: string): never {
  throw new AssertionError({ message: `nothing is shown: ${message}`, operator: 'nothing is shown' });
}
