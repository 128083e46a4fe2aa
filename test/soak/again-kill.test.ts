// A recrawl that is killed twice: no committed visit is lost, no decided URL is requested again, and the archive has a
// payload for every 304. `pnpm soak` has a longer version.

import { expect, it } from 'vitest';
import { crawlAgainThroughKills } from './again-kill.js';
import { freshSeed, seeded } from './frontier-kill.js';

it('a killed recrawl continues with the same command', async () => {
  const seed = freshSeed();
  const { statuses, ...report } = await crawlAgainThroughKills(40, 2, seeded(seed));
  const clean = { kills: 2, exits: [0, 0], missing: [], repeated: [], lost: [], faults: [] };
  expect(report, `seed ${seed}`).toEqual(clean);
  expect(statuses['304'], `seed ${seed}`).toBeGreaterThan(10);
}, 120_000);
