// Pages that are lost or requested again after a kill hurt users and sites: a small crawl by the command, killed twice
// and once during start-up. `pnpm soak` has a longer version.

import { expect, it } from 'vitest';
import { freshSeed, seeded } from './frontier-kill.js';
import { crawlThroughKills } from './resume-kill.js';

it('a killed crawl continues with the same command', async () => {
  const seed = freshSeed();
  const report = await crawlThroughKills({
    hosts: 4,
    pagesPerHost: 8,
    // Longer than a process takes to start, or no restart could be early.
    delayMs: 900,
    kills: 2,
    aliveMs: 2_500,
    startupKills: 1,
    startupMs: 400,
    longestMs: 240_000,
    random: seeded(seed),
  });
  const about = `seed ${seed}\n${report.output}`;
  expect(report.early, about).toEqual([]);
  expect(report.overlapping, about).toEqual([]);
  expect(report.missing, about).toEqual([]);
  expect(report.wronglyRefetched, about).toEqual([]);
  expect(report.itemUrls, about).toHaveLength(process.platform === 'linux' ? 32 : 8);
  expect(new Set(report.itemUrls).size, about).toBe(report.itemUrls.length);
  expect({ exits: report.exits, afterEnd: report.afterEnd }, about).toEqual({ exits: [0, 0], afterEnd: 0 });
  expect(report.kills, about).toBe(3);
}, 360_000);
