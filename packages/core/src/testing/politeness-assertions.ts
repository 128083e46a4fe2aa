// Assertions about the requests that a host received, as functions for any test runner and as matchers for vitest and
// jest. An error names the host, the two requests, and the difference.

import { AssertionError } from 'node:assert';
import { parseUrl } from '../parse-url.js';

/** One request as the server saw it; a `FakeExchange` is one. */
export interface SeenRequest {
  readonly url: string;
  /** Host name without port. */
  readonly host: string;
  /** When it arrived, milliseconds of any clock. */
  readonly startMs: number;
  /** When its answer was sent, or it was aborted; `Infinity` while it is in flight. */
  readonly endMs: number;
}

/** Requests in any order, or their source: a fake web, or a crawl of it. */
type SeenRequests =
  | readonly SeenRequest[]
  | { readonly exchanges: readonly SeenRequest[]; readonly report?: { readonly state: string } };

interface Verdict {
  readonly isTrue: boolean;
  /** The finding, for people. */
  readonly says: string;
}

/**
 * No request to the host began sooner than `gapMs` after the end of the previous one, robots.txt and redirects
 * included.
 * @throws AssertionError; also if the host received fewer than two requests, because that proves nothing.
 */
export const assertKeepsGap = assertion('assertKeepsGap', keepsGap);

/**
 * No request to the host began sooner than `intervalMs` after the start of the previous one: a Request-rate.
 * @throws AssertionError, as `assertKeepsGap`.
 */
export const assertKeepsPace = assertion('assertKeepsPace', keepsPace);

/** No two requests to the host were in flight at once. @throws AssertionError, as `assertKeepsGap`. */
export const assertOneAtATime = assertion('assertOneAtATime', isOneAtATime);

/**
 * Nothing was requested from the host before an answer to its robots.txt was received, for each scheme and port
 * separately.
 * @throws AssertionError; also if nothing was requested from it.
 */
export const assertRobotsFirst = assertion('assertRobotsFirst', askedRobotsFirst);

/** This URL, or one that the pattern matches, was requested. @throws AssertionError */
export const assertRequested = assertion('assertRequested', wasRequested);

/**
 * Neither this URL nor any that the pattern matches was requested. @throws AssertionError; also if there was no
 * request.
 */
export const assertNotRequested = assertion('assertNotRequested', wasNotRequested);

/** The matchers as `expect` shows them, for the type declarations of a runner. */
export interface PolitenessMatchers<R = unknown> {
  /** As `assertKeepsGap`. */
  toKeepGap(host: string, gapMs: number): R;
  /** As `assertKeepsPace`. */
  toKeepPace(host: string, intervalMs: number): R;
  /** As `assertOneAtATime`. */
  toBeOneAtATime(host: string): R;
  /** As `assertRobotsFirst`. */
  toHaveAskedRobotsFirst(host: string): R;
  /** As `assertRequested`. */
  toHaveRequested(url: string | RegExp): R;
  /** As `assertNotRequested`. */
  notToHaveRequested(url: string | RegExp): R;
}

/**
 * For `expect.extend(politenessMatchers)`. Each throws if there is nothing to judge, even under `.not`.
 *
 * @example
 * ```ts
 * import { type PolitenessMatchers, politenessMatchers } from 'mannerly/testing';
 * import { expect } from 'vitest';
 *
 * declare module 'vitest' {
 *   interface Matchers<T = any> extends PolitenessMatchers<T> {}
 * }
 * expect.extend(politenessMatchers);
 * ```
 */
export const politenessMatchers = Object.freeze({
  toKeepGap: matcher(keepsGap),
  toKeepPace: matcher(keepsPace),
  toBeOneAtATime: matcher(isOneAtATime),
  toHaveAskedRobotsFirst: matcher(askedRobotsFirst),
  toHaveRequested: matcher(wasRequested),
  notToHaveRequested: matcher(wasNotRequested),
});

function matcher<A extends readonly unknown[]>(judge: (seen: SeenRequests, ...args: A) => Verdict) {
  return (seen: SeenRequests, ...args: A): { readonly pass: boolean; readonly message: () => string } => {
    const { isTrue, says } = judge(seen, ...args);
    return { pass: isTrue, message: () => says };
  };
}

function keepsGap(seen: SeenRequests, host: string, gapMs: number): Verdict {
  return isSpaced(seen, host, gapMs, 'end');
}

function keepsPace(seen: SeenRequests, host: string, intervalMs: number): Verdict {
  return isSpaced(seen, host, intervalMs, 'start');
}

function isSpaced(seen: SeenRequests, host: string, requiredMs: number, from: 'end' | 'start'): Verdict {
  const tooEarly = (last: SeenRequest, next: SeenRequest): string | null => {
    const fromMs = last[`${from}Ms`];
    const hadMs = next.startMs - fromMs;
    if (hadMs >= requiredMs) return null;
    if (hadMs < 0) return overlap(last, next);
    const had = `${Number(hadMs.toFixed(3))} ms after the ${from} of ${last.url} (${time(fromMs)})`;
    return `${next.url} at ${time(next.startMs)}, ${had} instead of ${requiredMs} ms`;
  };
  return judgePairs(seen, host, tooEarly, `no sooner than ${requiredMs} ms after the ${from} of each request`);
}

function isOneAtATime(seen: SeenRequests, host: string): Verdict {
  const atOnce = (last: SeenRequest, next: SeenRequest): string | null =>
    next.startMs < last.endMs ? overlap(last, next) : null;
  return judgePairs(seen, host, atOnce, 'one thing at a time');
}

function askedRobotsFirst(seen: SeenRequests, host: string): Verdict {
  const requests = requestsTo(seen, host);
  if (requests.length === 0) nothingShown(`${host} was asked for nothing: there is no order to judge`);
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
  const fault =
    robots === undefined ? 'and never for its robots.txt' : `before its robots.txt was there at ${time(robots)}`;
  const says = `${host} was asked for ${first.url} at ${time(first.startMs)}, ${fault}${more(early.length - 1)}`;
  return { isTrue: false, says };
}

function wasRequested(seen: SeenRequests, url: string | RegExp): Verdict {
  const requests = requestsOf(seen);
  const wanted = typeof url === 'string' ? (parseUrl(url)?.href ?? url) : url;
  // A stateful pattern (`g`, `y`) would miss every second match.
  const pattern = typeof wanted === 'string' ? null : new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, ''));
  const found = requests.filter((request) => (pattern === null ? request.url === wanted : pattern.test(request.url)));
  const [first] = found;
  if (first !== undefined) {
    const times = found.length === 1 ? '' : `, ${found.length} times in all`;
    return { isTrue: true, says: `${first.url} was asked for at ${time(first.startMs)}${times}` };
  }
  const asked = [...new Set(requests.map((request) => request.url))];
  if (asked.length === 0) return { isTrue: false, says: `${url} was not asked for, nor was anything else` };
  const listed = asked.slice(0, LISTED).map((each) => `\n  ${each}`);
  const rest = asked.length > LISTED ? `\n  and ${asked.length - LISTED} more` : '';
  return { isTrue: false, says: `${url} was not asked for. These were:${listed.join('')}${rest}` };
}

function wasNotRequested(seen: SeenRequests, url: string | RegExp): Verdict {
  const { isTrue, says } = wasRequested(seen, url);
  if (requestsOf(seen).length === 0) nothingShown(says);
  return { isTrue: !isTrue, says };
}

/** URLs that a message lists. */
const LISTED = 20;

/** Judges each request and the one before it. */
function judgePairs(
  seen: SeenRequests,
  host: string,
  faultOf: (last: SeenRequest, next: SeenRequest) => string | null,
  expected: string,
): Verdict {
  const requests = requestsTo(seen, host);
  if (requests.length < 2) {
    const asked = requests.length === 0 ? 'nothing' : `${requests[0]?.url} alone`;
    const gaveUp = 'report' in seen && seen.report?.state === 'waiting';
    const why = gaveUp ? '. The run did not wait for its hosts (state `waiting`): raise `maxIdleMs`' : '';
    nothingShown(`${host} was asked for ${asked}: there are no two requests to judge${why}`);
  }
  const faults = requests.slice(1).flatMap((next, index) => faultOf(requests[index] as SeenRequest, next) ?? []);
  const [first] = faults;
  return first === undefined
    ? { isTrue: true, says: `${host} was asked ${expected} (${requests.length} requests)` }
    : { isTrue: false, says: `${host} was asked too soon: ${first}${more(faults.length - 1)}` };
}

function overlap(last: SeenRequest, next: SeenRequest): string {
  const until = Number.isFinite(last.endMs) ? `until ${time(last.endMs)}` : 'still';
  return `${next.url} at ${time(next.startMs)}, while ${last.url} (since ${time(last.startMs)}) was ${until} being answered`;
}

function more(count: number): string {
  return count > 0 ? `; and ${count} more like it` : '';
}

/** Epoch milliseconds as a date; times of another clock unchanged. */
function time(ms: number): string {
  return ms > 1e11 && ms < 1e14 ? new Date(ms).toISOString() : `${Number(ms.toFixed(3))} ms`;
}

function requestsOf(seen: SeenRequests): readonly SeenRequest[] {
  return 'exchanges' in seen ? seen.exchanges : seen;
}

/** The requests to one host, in order. */
function requestsTo(seen: SeenRequests, host: string): SeenRequest[] {
  const requests = requestsOf(seen).filter((request) => request.host === host);
  return requests.sort((a, b) => a.startMs - b.startMs);
}

function assertion<A extends readonly unknown[]>(operator: string, judge: (seen: SeenRequests, ...args: A) => Verdict) {
  return (seen: SeenRequests, ...args: A): void => {
    const { isTrue, says } = judge(seen, ...args);
    if (!isTrue) throw new AssertionError({ message: says, operator });
  };
}

/** Nothing to judge: a test that cannot fail proves nothing. */
function nothingShown(message: string): never {
  throw new AssertionError({ message: `nothing is shown: ${message}`, operator: 'nothing is shown' });
}
