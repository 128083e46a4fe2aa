// Whether what happened at a scenario is what had to come of it: both in the same words, for a test to compare.

import { HOSTILE_BODY_BYTES } from './crawl-hostile-web.js';
import type { HostileScenario, ScenarioStory } from './scenario.js';

const MIB = 1024 * 1024;
/** A URL is asked for four times at most (access §10). */
const MOST_TRIES = 4;
/** What is to be tried again is held when the run ends before that. */
const PENDING = { status: 'held', reason: 'waits to be tried again' } as const;

const EXHAUSTED = { status: 'failed', reason: 'retries-exhausted' } as const;

/** What is compared of a scenario. */
export interface ScenarioFacts {
  readonly scenario: string;
  /** How the exchanges for the start URL were told, each word once. */
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
 * What had to happen. Never throws.
 *
 * @param isPatient - The run waited for every retry: each scenario has to have its final word.
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
