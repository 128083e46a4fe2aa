// The hostile web on a busy machine: scenarios whose results came late are crawled once more, in a smaller crawl with
// longer timeouts. A real fault fails then too.

import { isDeepStrictEqual } from 'node:util';
import { crawlHostileWeb, type HostileCrawl, type HostileCrawlOptions } from './crawl-hostile-web.js';
import { expectedOf, factsOf } from './judge-scenario.js';
import type { HostileScenario, ScenarioStory } from './scenario.js';

/** Factors for the timeouts of the later crawls. */
const TIMEOUT_FACTORS = [3, 6];
/** The most measurements of the healthy pages. */
const MAX_CRAWLS = 3;
/** The most that the hostile hosts may slow down the healthy pages, as a factor, on a slow machine. */
const MAX_SLOWDOWN = 10;

/**
 * Crawls the hostile web, then once or twice more those scenarios whose results were not as expected.
 *
 * @param waitsForRetries - As in `expectedOf`.
 * @returns The result of the first crawl, with later stories in place of the ones they repeat.
 */
export async function crawlWithSecondChance(
  options: HostileCrawlOptions,
  waitsForRetries: boolean,
): Promise<HostileCrawl> {
  let result = await crawlHostileWeb(options);
  for (const timeoutFactor of TIMEOUT_FACTORS) {
    const unexpected = await unexpectedScenarios(result, waitsForRetries);
    const hasMissingPages = result.healthy.paths < options.healthyHosts * (options.healthyPages + 1);
    if (unexpected.length === 0 && !hasMissingPages) break;
    const names = unexpected.map(({ name }) => name).join(' ');
    console.info(`the hostile web, once more: ${names}${hasMissingPages ? ', and the healthy hosts' : ''}`);
    const next = await crawlHostileWeb({ ...options, scenarios: unexpected, timeoutFactor });
    result = {
      ...result,
      healthy: hasMissingPages ? next.healthy : result.healthy,
      insideConnections: result.insideConnections + next.insideConnections,
      stories: new Map([...result.stories, ...next.stories]),
    };
  }
  return result;
}

/**
 * When the last healthy page was fetched, milliseconds after the start, and the limit: `within`. If the machine is
 * slow, both are measured anew, up to twice, until one crawl is fast enough: the limit is then ten times what the same
 * pages take directly afterwards without any hostile host, if that is longer.
 */
export async function measureHealthy(
  first: HostileCrawl,
  options: HostileCrawlOptions,
  within: number,
): Promise<{ readonly tookMs: number; readonly limitMs: number }> {
  let [tookMs, limitMs] = [first.healthy.lastMs, within];
  for (let crawls = 1; crawls < MAX_CRAWLS && tookMs >= limitMs; crawls += 1) {
    tookMs = (await crawlHostileWeb(options)).healthy.lastMs;
    if (tookMs < within) break;
    const alone = await crawlHostileWeb({ ...options, scenarios: [] });
    limitMs = Math.max(within, MAX_SLOWDOWN * alone.healthy.lastMs);
  }
  return { tookMs, limitMs };
}

async function unexpectedScenarios({ stories }: HostileCrawl, waitsForRetries: boolean): Promise<HostileScenario[]> {
  const unexpected: HostileScenario[] = [];
  for (const [scenario, story] of stories) {
    if (!(await isAsExpected(scenario, story, waitsForRetries))) unexpected.push(scenario);
  }
  return unexpected;
}

async function isAsExpected(
  scenario: HostileScenario,
  story: ScenarioStory,
  waitsForRetries: boolean,
): Promise<boolean> {
  if (!isDeepStrictEqual(factsOf(scenario, story), expectedOf(scenario, story, waitsForRetries))) return false;
  try {
    await scenario.expects.check?.(story);
    return true;
  } catch {
    // If it fails again, the test reports it.
    return false;
  }
}
