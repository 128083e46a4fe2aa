// Assertions about the requests that a host received, as functions for any test runner and as matchers for vitest and
// jest. An error names the host, the two requests, and the difference.

import { AssertionError } from 'node:assert';
import { invalidOption } from '../errors.js';
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
  readonly passes: boolean;
  /** The finding, for people. */
  readonly message: string;
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
export const assertRobotsFirst = assertion('assertRobotsFirst', requestedRobotsFirst);

/**
 * This URL, or one that the pattern matches, was requested.
 * @throws AssertionError; MannerlyError `option-invalid` for a text that is not an absolute URL, such as a path.
 */
export const assertRequested = assertion('assertRequested', wasRequested);

/**
 * Neither this URL nor any that the pattern matches was requested.
 * @throws AssertionError; also if there was no request. MannerlyError, as `assertRequested`.
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
  toHaveAskedRobotsFirst: matcher(requestedRobotsFirst),
  toHaveRequested: matcher(wasRequested),
  notToHaveRequested: matcher(wasNotRequested),
});

function matcher<A extends readonly unknown[]>(check: (seen: SeenRequests, ...args: A) => Verdict) {
  return (seen: SeenRequests, ...args: A): { readonly pass: boolean; readonly message: () => string } => {
    const { passes, message } = check(seen, ...args);
    return { pass: passes, message: () => message };
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
    const pauseMs = next.startMs - fromMs;
    if (pauseMs >= requiredMs) return null;
    if (pauseMs < 0) return overlap(last, next);
    const pause = `${Number(pauseMs.toFixed(3))} ms after the ${from} of ${last.url} (${time(fromMs)})`;
    return `${next.url} at ${time(next.startMs)}, ${pause} instead of ${requiredMs} ms`;
  };
  return checkPairs(seen, host, tooEarly, `no sooner than ${requiredMs} ms after the ${from} of each request`);
}

function isOneAtATime(seen: SeenRequests, host: string): Verdict {
  const atOnce = (last: SeenRequest, next: SeenRequest): string | null =>
    next.startMs < last.endMs ? overlap(last, next) : null;
  return checkPairs(seen, host, atOnce, 'one thing at a time');
}

function requestedRobotsFirst(seen: SeenRequests, host: string): Verdict {
  const requests = requestsTo(seen, host);
  if (requests.length === 0) failInconclusive(`${host} was asked for nothing: there is no order to judge`);
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
  if (first === undefined)
    return { passes: true, message: `${host} was asked for its robots.txt before anything else` };
  const robots = answered.get(new URL(first.url).origin);
  const fault =
    robots === undefined ? 'and never for its robots.txt' : `before its robots.txt was there at ${time(robots)}`;
  const message = `${host} was asked for ${first.url} at ${time(first.startMs)}, ${fault}${more(early.length - 1)}`;
  return { passes: false, message };
}

function wasRequested(seen: SeenRequests, url: string | RegExp): Verdict {
  const requests = requestsOf(seen);
  const target = typeof url === 'string' ? requestedUrl(url) : url;
  // A stateful pattern (`g`, `y`) would miss every second match.
  const pattern = typeof target === 'string' ? null : new RegExp(target.source, target.flags.replace(/[gy]/g, ''));
  const found = requests.filter((request) => (pattern === null ? request.url === target : pattern.test(request.url)));
  const [first] = found;
  if (first !== undefined) {
    const times = found.length === 1 ? '' : `, ${found.length} times in all`;
    return { passes: true, message: `${first.url} was asked for at ${time(first.startMs)}${times}` };
  }
  const requestedUrls = [...new Set(requests.map((request) => request.url))];
  if (requestedUrls.length === 0) return { passes: false, message: `${url} was not asked for, nor was anything else` };
  const listed = requestedUrls.slice(0, MAX_LISTED_URLS).map((each) => `\n  ${each}`);
  const rest = requestedUrls.length > MAX_LISTED_URLS ? `\n  and ${requestedUrls.length - MAX_LISTED_URLS} more` : '';
  return { passes: false, message: `${url} was not asked for. These were:${listed.join('')}${rest}` };
}

/** As a server sees it. A path would match nothing, and `assertNotRequested` would always pass. */
function requestedUrl(text: string): string {
  const url = parseUrl(text);
  if (url === null) throw invalidOption('url', 'an absolute URL or a RegExp', text);
  url.hash = '';
  return url.href;
}

function wasNotRequested(seen: SeenRequests, url: string | RegExp): Verdict {
  const { passes, message } = wasRequested(seen, url);
  if (requestsOf(seen).length === 0) failInconclusive(message);
  return { passes: !passes, message };
}

const MAX_LISTED_URLS = 20;

/** Judges each request and the one before it. */
function checkPairs(
  seen: SeenRequests,
  host: string,
  faultOf: (last: SeenRequest, next: SeenRequest) => string | null,
  expected: string,
): Verdict {
  const requests = requestsTo(seen, host);
  if (requests.length < 2) {
    const requestedText = requests.length === 0 ? 'nothing' : `${requests[0]?.url} alone`;
    const isWaiting = 'report' in seen && seen.report?.state === 'waiting';
    const hint = isWaiting ? '. The run did not wait for its hosts (state `waiting`): raise `maxIdleMs`' : '';
    failInconclusive(`${host} was asked for ${requestedText}: there are no two requests to judge${hint}`);
  }
  const faults = requests.slice(1).flatMap((next, index) => faultOf(requests[index] as SeenRequest, next) ?? []);
  const [first] = faults;
  return first === undefined
    ? { passes: true, message: `${host} was asked ${expected} (${requests.length} requests)` }
    : { passes: false, message: `${host} was asked too soon: ${first}${more(faults.length - 1)}` };
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

function requestsTo(seen: SeenRequests, host: string): SeenRequest[] {
  const requests = requestsOf(seen).filter((request) => request.host === host);
  return requests.sort((a, b) => a.startMs - b.startMs);
}

function assertion<A extends readonly unknown[]>(operator: string, check: (seen: SeenRequests, ...args: A) => Verdict) {
  return (seen: SeenRequests, ...args: A): void => {
    const { passes, message } = check(seen, ...args);
    if (!passes) throw new AssertionError({ message, operator });
  };
}

/** Nothing to judge: a test that cannot fail proves nothing. */
function failInconclusive(message: string): never {
  throw new AssertionError({ message: `nothing is shown: ${message}`, operator: 'nothing is shown' });
}
