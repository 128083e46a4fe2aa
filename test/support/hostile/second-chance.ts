// The hostile web on a busy machine: scenarios whose results came late are crawled once more, in a smaller crawl with
// longer timeouts. A real fault fails then too.

import { isDeepStrictEqual } from 'node:util';
import { crawlHostileWeb, type HostileCrawl, type HostileCrawlOptions } from './crawl-hostile-web.js';
import { expectedOf, factsOf } from './judge-scenario.js';
import type { HostileScenario, ScenarioStory } from './scenario.js';

/** Factors for the timeouts of the later crawls. */
const SLOWNESSES = [3, 6];
/** The most measurements of the healthy pages. */
const MOST_CRAWLS = 3;
/** The most that the hostile hosts may slow down the healthy pages, as a factor, on a slow machine. */
const MOST_TIMES_ALONE = 10;

/**
 * Crawls the hostile web, then once or twice more those scenarios whose results were not as expected.
 *
 * @param isPatient - As in `expectedOf`.
 * @returns The result of the first crawl, with later stories in place of the ones they repeat.
 */
export async function crawlWithSecondChance(options: HostileCrawlOptions, isPatient: boolean): Promise<HostileCrawl> {
  let result = await crawlHostileWeb(options);
  for (const slowness of SLOWNESSES) {
    const odd = await oddOnes(result, isPatient);
    const isShort = result.healthy.paths < options.healthyHosts * (options.healthyPages + 1);
    if (odd.length === 0 && !isShort) break;
    const names = odd.map(({ name }) => name).join(' ');
    console.info(`the hostile web, once more: ${names}${isShort ? ', and the healthy hosts' : ''}`);
    const next = await crawlHostileWeb({ ...options, scenarios: odd, slowness });
    result = {
      ...result,
      healthy: isShort ? next.healthy : result.healthy,
      insideConnections: result.insideConnections + next.insideConnections,
      stories: new Map([...result.stories, ...next.stories]),
    };
  }
  return result;
}

/**
 * When the last healthy page was fetched, milliseconds after the start: the minimum of up to three crawls, which stop
 * below `within`. And the limit: `within`, or ten times what the same pages take without any hostile host if that is
 * longer.
 */
export async function leastHealthyMs(
  first: HostileCrawl,
  options: HostileCrawlOptions,
  within: number,
): Promise<{ readonly leastMs: number; readonly mostMs: number }> {
  let leastMs = first.healthy.lastMs;
  for (let crawls = 1; crawls < MOST_CRAWLS && leastMs >= within; crawls += 1) {
    leastMs = Math.min(leastMs, (await crawlHostileWeb(options)).healthy.lastMs);
  }
  if (leastMs < within) return { leastMs, mostMs: within };
  const alone = await crawlHostileWeb({ ...options, scenarios: [] });
  return { leastMs, mostMs: Math.max(within, MOST_TIMES_ALONE * alone.healthy.lastMs) };
}

async function oddOnes({ stories }: HostileCrawl, isPatient: boolean): Promise<HostileScenario[]> {
  const odd: HostileScenario[] = [];
  for (const [scenario, story] of stories) {
    if (!(await isAsExpected(scenario, story, isPatient))) odd.push(scenario);
  }
  return odd;
}

async function isAsExpected(scenario: HostileScenario, story: ScenarioStory, isPatient: boolean): Promise<boolean> {
  if (!isDeepStrictEqual(factsOf(scenario, story), expectedOf(scenario, story, isPatient))) return false;
  try {
    await scenario.expects.also?.(story);
    return true;
  } catch {
    // If it fails again, the test reports it.
    return false;
  }
}
