// Compares what happened in a scenario with what was expected, both in the same form.

import { HOSTILE_BODY_BYTES } from './crawl-hostile-web.js';
import type { HostileScenario, ScenarioStory } from './scenario.js';

const MIB = 1024 * 1024;
/** A URL is requested four times at most (access §10). */
const MOST_TRIES = 4;
/** A URL that waits for a retry when the run ends is held. */
const PENDING = { status: 'held', reason: 'waits to be tried again' } as const;

const EXHAUSTED = { status: 'failed', reason: 'retries-exhausted' } as const;

/** What is compared of a scenario. */
export interface ScenarioFacts {
  readonly scenario: string;
  /** How the exchanges for the start URL ended, each result once. */
  readonly told: readonly (string | number | null)[];
  readonly hasRightTries: boolean;
  readonly status: string | undefined;
  readonly reason: string | undefined;
  readonly truncated: 'limit' | 'connection' | null | undefined;
  readonly paths: readonly string[];
  readonly readsWithinBounds: boolean;
}

/** What happened. Never throws. */
export function factsOf({ name, expects }: HostileScenario, story: ScenarioStory): ScenarioFacts {
  const { startUrl, requests, decisions, pages, seen, readBytes } = story;
  const told = requests.filter(({ url }) => url === startUrl).map(({ failure, status }) => failure ?? status);
  const [decision] = decisions.filter(({ url }) => url === startUrl);
  const home = new URL(startUrl).hostname;
  const paths = seen
    .filter(({ path }) => path !== '/robots.txt')
    .map(({ host, path }) => (host === home ? path : `${host}${path}`));
  return {
    scenario: name,
    told: [...new Set(told)],
    hasRightTries: told.length <= (expects.again === true ? MOST_TRIES : 1),
    ...(expects.again === true && decision?.status === 'held'
      ? PENDING
      : { status: decision?.status, reason: decision?.reason }),
    truncated: pages.find(({ url }) => url === startUrl)?.truncated,
    paths: [...new Set(paths)].sort(),
    readsWithinBounds: readBytes <= (expects.maxRead ?? HOSTILE_BODY_BYTES + 4 * MIB) * Math.max(1, told.length),
  };
}

/**
 * What was expected. Never throws.
 *
 * @param isPatient - The run waited for every retry: each scenario must have its final status.
 */
export function expectedOf(
  { name, start = '/', expects }: HostileScenario,
  { requests, startUrl }: ScenarioStory,
  isPatient: boolean,
): ScenarioFacts {
  const tries = requests.filter(({ url }) => url === startUrl).length;
  const again = isPatient || tries >= MOST_TRIES ? EXHAUSTED : PENDING;
  return {
    scenario: name,
    told: expects.told === null ? [] : [expects.told],
    hasRightTries: true,
    ...(expects.again === true ? again : { status: expects.status, reason: expects.reason }),
    truncated: expects.again === true ? undefined : expects.truncated,
    paths: [...(expects.paths ?? (expects.told === null ? [] : [start]))].sort(),
    readsWithinBounds: true,
  };
}
