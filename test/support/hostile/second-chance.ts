// The hostile web on a machine that has other things to do: what came late for want of a processor is asked once more, in a
// smaller crawl and with longer deadlines. What is wrong is wrong then too.

import { isDeepStrictEqual } from 'node:util';
import { crawlHostileWeb, type HostileCrawl, type HostileCrawlOptions } from './crawl-hostile-web.js';
import { expectedOf, factsOf } from './judge-scenario.js';
import type { HostileScenario, ScenarioStory } from './scenario.js';

/** How much longer the deadlines of the second crawl are. */
const SLOWNESS = 3;
/** Healthy pages are measured again so often, at most. */
const MOST_CRAWLS = 3;

/**
 * Crawls the hostile web, and the scenarios that were not as expected once more.
 *
 * @param isPatient - As in `expectedOf`.
 * @returns What came of the first crawl, with the stories of the second in place of those it repeats.
 */
export async function crawlWithSecondChance(options: HostileCrawlOptions, isPatient: boolean): Promise<HostileCrawl> {
  const first = await crawlHostileWeb(options);
  const odd: HostileScenario[] = [];
  for (const [scenario, story] of first.stories) {
    if (!(await isAsExpected(scenario, story, isPatient))) odd.push(scenario);
  }
  if (odd.length === 0) return first;
  console.info(`the hostile web, once more: ${odd.map(({ name }) => name).join(' ')}`);
  const second = await crawlHostileWeb({ ...options, scenarios: odd, slowness: SLOWNESS });
  return {
    ...first,
    insideConnections: first.insideConnections + second.insideConnections,
    stories: new Map([...first.stories, ...second.stories]),
  };
}

/** When the last healthy page was fetched, milliseconds after the start: the least of up to three crawls, until `within`. */
export async function leastHealthyMs(
  first: HostileCrawl,
  options: HostileCrawlOptions,
  within: number,
): Promise<number> {
  let leastMs = first.healthy.lastMs;
  for (let crawls = 1; crawls < MOST_CRAWLS && leastMs >= within; crawls += 1) {
    leastMs = Math.min(leastMs, (await crawlHostileWeb(options)).healthy.lastMs);
  }
  return leastMs;
}

async function isAsExpected(scenario: HostileScenario, story: ScenarioStory, isPatient: boolean): Promise<boolean> {
  if (!isDeepStrictEqual(factsOf(scenario, story), expectedOf(scenario, story, isPatient))) return false;
  try {
    await scenario.expects.also?.(story);
    return true;
  } catch {
    // The test says what is wrong, if it is wrong again.
    return false;
  }
}
