// Compares what happened in a scenario with what was expected, both in the same form.

import { HOSTILE_BODY_BYTES } from './crawl-hostile-web.js';
import type { HostileScenario, ScenarioStory } from './scenario.js';

const MIB = 1024 * 1024;
/** A URL is requested four times at most (access §10). */
const MAX_ATTEMPTS = 4;
/** A URL that waits for a retry when the run ends is held. */
const PENDING = { status: 'held', reason: 'waits to be tried again' } as const;

const EXHAUSTED = { status: 'failed', reason: 'retries-exhausted' } as const;

/** What is compared of a scenario. */
export interface ScenarioFacts {
  readonly scenario: string;
  /** How the exchanges for the start URL ended, each result once. */
  readonly results: readonly (string | number | null)[];
  readonly hasExpectedAttempts: boolean;
  readonly status: string | undefined;
  readonly reason: string | undefined;
  readonly truncated: 'limit' | 'connection' | null | undefined;
  readonly paths: readonly string[];
  readonly isReadWithinBounds: boolean;
}

/** What happened. Never throws. */
export function factsOf({ name, expects }: HostileScenario, story: ScenarioStory): ScenarioFacts {
  const { startUrl, requests, decisions, pages, seen, readBytes } = story;
  const results = requests.filter(({ url }) => url === startUrl).map(({ failure, status }) => failure ?? status);
  const [decision] = decisions.filter(({ url }) => url === startUrl);
  const home = new URL(startUrl).hostname;
  const paths = seen
    .filter(({ path }) => path !== '/robots.txt')
    .map(({ host, path }) => (host === home ? path : `${host}${path}`));
  return {
    scenario: name,
    results: [...new Set(results)],
    hasExpectedAttempts: results.length <= (expects.isRetried === true ? MAX_ATTEMPTS : 1),
    ...(expects.isRetried === true && decision?.status === 'held'
      ? PENDING
      : { status: decision?.status, reason: decision?.reason }),
    truncated: pages.find(({ url }) => url === startUrl)?.truncated,
    paths: [...new Set(paths)].sort(),
    isReadWithinBounds:
      readBytes <= (expects.maxReadBytes ?? HOSTILE_BODY_BYTES + 4 * MIB) * Math.max(1, results.length),
  };
}

/**
 * What was expected. Never throws.
 *
 * @param waitsForRetries - The run waited for every retry: each scenario must have its final status.
 */
export function expectedOf(
  { name, start = '/', expects }: HostileScenario,
  { requests, startUrl }: ScenarioStory,
  waitsForRetries: boolean,
): ScenarioFacts {
  const attempts = requests.filter(({ url }) => url === startUrl).length;
  const retried = waitsForRetries || attempts >= MAX_ATTEMPTS ? EXHAUSTED : PENDING;
  return {
    scenario: name,
    results: expects.result === null ? [] : [expects.result],
    hasExpectedAttempts: true,
    ...(expects.isRetried === true ? retried : { status: expects.status, reason: expects.reason }),
    truncated: expects.isRetried === true ? undefined : expects.truncated,
    paths: [...(expects.paths ?? (expects.result === null ? [] : [start]))].sort(),
    isReadWithinBounds: true,
  };
}
