// A bomb uses no more memory than its limit. Three of them here, in separate processes; all of them in the soak suite.

import { expect, it } from 'vitest';
import { BOMBS } from '../support/hostile/bodies.js';
import { DEFAULT_BODY_BYTES, MAX_READ_BYTES, minCostOf } from './memory-of-bombs.js';

/** The soak suite requires 150 MB; here the machine may be busy with other tests. */
const GENEROUS_PEAK_BYTES = 250_000_000;

it.each(['bomb-br', 'bomb-in-bomb', 'endless-body'])(
  '%s stays within its bounds',
  { timeout: 300_000 },
  async (name) => {
    const scenario = BOMBS.find((one) => one.name === name);
    if (scenario === undefined) throw new Error(`no scenario is called ${name}`);
    const cost = await minCostOf(scenario, GENEROUS_PEAK_BYTES);
    expect(cost.pages).toHaveLength(1);
    expect(cost.pages[0]?.truncated).toBe('limit');
    expect(cost.pages[0]?.maxBodyBytes).toBeLessThanOrEqual(DEFAULT_BODY_BYTES);
    expect(cost.peakBytes).toBeLessThanOrEqual(GENEROUS_PEAK_BYTES);
    expect(cost.readBytes).toBeLessThanOrEqual(MAX_READ_BYTES);
  },
);
