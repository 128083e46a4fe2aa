// Whatever servers do, a crawl stays bounded, reports what it got, and continues with the others. One crawl visits all
// scenarios of the hostile web together with ten healthy hosts. The servers' log and the crawl's report are checked.

import { beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_WEB } from '../support/hostile/catalogue.js';
import type { HostileCrawl } from '../support/hostile/crawl-hostile-web.js';
import { expectedOf, factsOf } from '../support/hostile/judge-scenario.js';
import type { HostileScenario, ScenarioStory } from '../support/hostile/scenario.js';
import { crawlWithSecondChance } from '../support/hostile/second-chance.js';

const HEALTHY_HOSTS = 10;
const HEALTHY_PAGES = 10;

let result: HostileCrawl;

beforeAll(async () => {
  const options = {
    scenarios: HOSTILE_WEB,
    // Retries are due after ten seconds or more, so the run ends before most of them.
    maxIdleMs: 2_000,
    minutes: 10,
    healthyHosts: HEALTHY_HOSTS,
    healthyPages: HEALTHY_PAGES,
  };
  result = await crawlWithSecondChance(options, false);
}, 600_000);

describe('the crawl', () => {
  // Not within a certain time: the soak suite measures that.
  it('fetches every healthy page', () => {
    expect(result.healthy.paths).toBe(HEALTHY_HOSTS * (HEALTHY_PAGES + 1));
  });

  it('ends by itself, within its bounds', () => {
    expect(result.report.state).toBe('waiting');
  });

  it('never connects to an internal address', () => {
    expect(result.insideConnections).toBe(0);
  });
});

describe('the catalogue', () => {
  it('has a name for each of its scenarios, and at least sixty of them', () => {
    const names = HOSTILE_WEB.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z0-9-]+$/.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(60);
  });
});

describe('a host that', () => {
  it.each(HOSTILE_WEB.map((scenario) => [scenario.does, scenario] as const))('%s', async (_does, scenario) => {
    const story = storyOf(scenario);
    expect(factsOf(scenario, story)).toEqual(expectedOf(scenario, story, false));
    await scenario.expects.check?.(story);
  });
});

function storyOf(scenario: HostileScenario): ScenarioStory {
  const story = result.stories.get(scenario);
  if (story === undefined) throw new Error(`nothing is known of ${scenario.name}`);
  return story;
}
