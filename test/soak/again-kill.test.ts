// A recrawl that is killed twice: no visit that was committed is lost, nothing is asked for again that was decided, and
// the archive has a payload for every 304. The same at length: `pnpm soak`.

import { expect, it } from 'vitest';
import { crawlAgainThroughKills } from './again-kill.js';
import { freshSeed, seeded } from './frontier-kill.js';

it('a recrawl that is killed goes on with the same command', async () => {
  const seed = freshSeed();
  const { statuses, ...report } = await crawlAgainThroughKills(40, 2, seeded(seed));
  const clean = { kills: 2, exits: [0, 0], missing: [], repeated: [], lost: [], faults: [] };
  expect(report, `seed ${seed}`).toEqual(clean);
  expect(statuses['304'], `seed ${seed}`).toBeGreaterThan(10);
}, 120_000);
