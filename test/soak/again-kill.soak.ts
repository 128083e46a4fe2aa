// Twelve kills of a recrawl of three hundred pages: no visit lost, no decided URL requested again, every 304 with its
// payload, whenever it is killed.

import { expect, it } from 'vitest';
import { crawlAgainThroughKills } from './again-kill.js';
import { freshSeed, seeded } from './frontier-kill.js';

it('a recrawl of 300 pages continues after every kill -9', async () => {
  const seed = freshSeed();
  const { statuses, ...report } = await crawlAgainThroughKills(300, 12, seeded(seed));
  console.log(`${JSON.stringify(statuses)} (seed ${seed})`);
  const clean = { kills: 12, exits: [0, 0], missing: [], repeated: [], lost: [], faults: [] };
  expect(report, `seed ${seed}`).toEqual(clean);
  expect(statuses['304'], `seed ${seed}`).toBeGreaterThan(100);
}, 600_000);
