// Whatever grows without end, the process stays small: every bomb, every endless body and every endless header section, each in
// a process of its own with the default caps.

import { expect, it } from 'vitest';
import { BOMBS, HEADERS } from '../support/hostile/bodies.js';
import { ROBOTS } from '../support/hostile/guarded.js';
import { costText, leastCostOf, MAX_PEAK_BYTES, MAX_READ_BYTES } from './memory-of-bombs.js';

const GROWING = [...BOMBS, ...HEADERS, ...ROBOTS].filter(({ name }) => /bomb|endless|flood|many/.test(name));

it('there are more than a dozen of them', () => {
  expect(GROWING.length).toBeGreaterThan(12);
});

it.each(GROWING.map((scenario) => [scenario.name, scenario] as const))(
  '%s: at most 150 MB, and 4 MiB more than the cap off the wire',
  { timeout: 300_000 },
  async (_name, scenario) => {
    const cost = await leastCostOf(scenario);
    console.info(costText(scenario, cost));
    expect(cost.peakBytes).toBeLessThanOrEqual(MAX_PEAK_BYTES);
    expect(cost.readBytes).toBeLessThanOrEqual(MAX_READ_BYTES);
  },
);
