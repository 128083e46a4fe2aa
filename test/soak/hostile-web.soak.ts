// The hostile web once more, with time for every retry: each scenario has its final status, after four attempts if it
// is retried.

import { beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_WEB } from '../support/hostile/catalogue.js';
import type { HostileCrawl } from '../support/hostile/crawl-hostile-web.js';
import { expectedOf, factsOf } from '../support/hostile/judge-scenario.js';
import { crawlWithSecondChance, measureHealthy } from '../support/hostile/second-chance.js';

const WITHIN_MS = 30_000;

let result: HostileCrawl;
let healthy = { tookMs: Number.POSITIVE_INFINITY, limitMs: 0 };

beforeAll(async () => {
  const options = {
    scenarios: HOSTILE_WEB,
    // Retries come after 10, 20 and 40 s; a failed robots.txt is requested again after one minute, then after two.
    maxIdleMs: 100_000,
    minutes: 30,
    healthyHosts: 10,
    healthyPages: 10,
  };
  result = await crawlWithSecondChance(options, true);
  healthy = await measureHealthy(result, { ...options, maxIdleMs: 2_000 }, WITHIN_MS);
  console.info(
    `the hostile web: ${HOSTILE_WEB.length} scenarios in ${Math.round(result.tookMs / 1_000)} s, healthy pages in ${Math.round(healthy.tookMs / 1_000)} s`,
  );
}, 2_400_000);

it('ends by itself, every healthy page fetched within thirty seconds of the start', () => {
  expect(result.report.state).toBe('waiting');
  expect(result.healthy.paths).toBe(110);
  // Longer if the machine is as slow with the healthy pages alone.
  expect(healthy.tookMs).toBeLessThan(healthy.limitMs);
  expect(result.insideConnections).toBe(0);
});

describe('a host that', () => {
  it.each(HOSTILE_WEB.map((scenario) => [scenario.does, scenario] as const))('%s', (_does, scenario) => {
    const story = result.stories.get(scenario);
    if (story === undefined) throw new Error(`nothing is known of ${scenario.name}`);
    expect(factsOf(scenario, story)).toEqual(expectedOf(scenario, story, true));
    const attempts = story.requests.filter(({ url }) => url === story.startUrl).length;
    if (scenario.expects.isRetried === true) expect(attempts).toBe(4);
  });
});
