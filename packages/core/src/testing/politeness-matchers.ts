// The assertions on politeness as matchers, for `expect.extend` of vitest and jest.

import {
  askedRobotsFirst,
  isOneAtATime,
  keepsGap,
  keepsPace,
  type SeenRequests,
  type Verdict,
  wasNotRequested,
  wasRequested,
} from './politeness-assertions.js';

/** What a matcher answers. */
export interface MatcherAnswer {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The matchers as `expect` shows them, for the type declarations of a runner. */
export interface PolitenessMatchers<R = unknown> {
  /** No request to the host began sooner than so many milliseconds after the end of the one before. */
  toKeepGap(host: string, gapMs: number): R;
  /** No request to the host began sooner than so many milliseconds after the start of the one before. */
  toKeepPace(host: string, intervalMs: number): R;
  /** No two requests to the host were under way at once. */
  toBeOneAtATime(host: string): R;
  /** Nothing was asked of the host before its robots.txt had come. */
  toHaveAskedRobotsFirst(host: string): R;
  /** The URL, or one that the pattern matches, was asked for. */
  toHaveRequested(url: string | RegExp): R;
  /** Neither the URL nor any that the pattern matches was asked for, though something was. */
  notToHaveRequested(url: string | RegExp): R;
}

function answer({ isTrue, says }: Verdict): MatcherAnswer {
  return { pass: isTrue, message: () => says };
}

/**
 * For `expect.extend(politenessMatchers)`; they judge a fake web, a crawl on it, or an array of requests. Each throws
 * where there is nothing to judge, under `.not` as well.
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
  toKeepGap: (seen: SeenRequests, host: string, gapMs: number) => answer(keepsGap(seen, host, gapMs)),
  toKeepPace: (seen: SeenRequests, host: string, intervalMs: number) => answer(keepsPace(seen, host, intervalMs)),
  toBeOneAtATime: (seen: SeenRequests, host: string) => answer(isOneAtATime(seen, host)),
  toHaveAskedRobotsFirst: (seen: SeenRequests, host: string) => answer(askedRobotsFirst(seen, host)),
  toHaveRequested: (seen: SeenRequests, url: string | RegExp) => answer(wasRequested(seen, url)),
  notToHaveRequested: (seen: SeenRequests, url: string | RegExp) => answer(wasNotRequested(seen, url)),
});
