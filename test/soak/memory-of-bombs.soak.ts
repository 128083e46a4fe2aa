// The process stays small with every bomb, every endless body and every endless header section, each in its own process
// with the default limits, compared with a crawl of one honest page on the same machine.

import { beforeAll, expect, it } from 'vitest';
import { BOMBS, HEADERS } from '../support/hostile/bodies.js';
import { ROBOTS } from '../support/hostile/guarded.js';
import {
  costText,
  honestPeakBytes,
  MAX_EXTRA_BYTES,
  MAX_PEAK_BYTES,
  MAX_READ_BYTES,
  minCostOf,
} from './memory-of-bombs.js';

const GROWING = [...BOMBS, ...HEADERS, ...ROBOTS].filter(({ name }) => /bomb|endless|flood|many/.test(name));

let honestBytes = 0;
beforeAll(async () => {
  honestBytes = await honestPeakBytes();
  console.info(`a crawl of one honest page: peak ${Math.round(honestBytes / 1e6)} MB`);
}, 300_000);

it('there are more than a dozen of them', () => {
  expect(GROWING.length).toBeGreaterThan(12);
});

it.each(GROWING.map((scenario) => [scenario.name, scenario] as const))(
  '%s: takes little more than a crawl of an honest page, and reads at most 4 MiB beyond the limit',
  { timeout: 900_000 },
  async (_name, scenario) => {
    const cost = await minCostOf(scenario, MAX_PEAK_BYTES);
    console.info(costText(scenario, cost));
    expect(cost.peakBytes).toBeLessThanOrEqual(honestBytes + MAX_EXTRA_BYTES);
    expect(cost.readBytes).toBeLessThanOrEqual(MAX_READ_BYTES);
  },
);
