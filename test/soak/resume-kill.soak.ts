// Ten kills, and three more during start-up, of a crawl of six hundred pages: nothing lost, no finished page requested
// again, and no host requested too early, whenever it is killed.

import { expect, it } from 'vitest';
import { freshSeed, seeded } from './frontier-kill.js';
import { crawlThroughKills } from './resume-kill.js';

it('a crawl of 600 pages on 6 hosts continues after every kill -9', async () => {
  const seed = freshSeed();
  const delayMs = 1_000;
  const report = await crawlThroughKills({
    hosts: 6,
    pagesPerHost: 100,
    delayMs,
    kills: 10,
    // Ten times this is less than the delays of the whole crawl, so it cannot end before its last kill.
    aliveMs: 9_500,
    startupKills: 3,
    startupMs: 400,
    longestMs: 1_200_000,
    random: seeded(seed),
  });
  const { exchanges, refetched, toFirstRequestMs, longestSilenceMs } = report;
  console.log(
    `${exchanges.length} exchanges, ${report.kills} kills, ${refetched.length} pages asked again, ${report.early.length} early; ` +
      `start to first request ${toFirstRequestMs.map(Math.round).join(' ')} ms; longest silence ${Math.round(longestSilenceMs)} ms (seed ${seed})`,
  );
  const about = `seed ${seed}\n${report.output}`;
  expect(report.early, about).toEqual([]);
  expect(report.overlapping, about).toEqual([]);
  expect(report.missing, about).toEqual([]);
  expect(report.wronglyRefetched, about).toEqual([]);
  expect(new Set(report.itemUrls).size, about).toBe(report.itemUrls.length);
  expect(report.itemUrls, about).toHaveLength(exchangesOfPages(exchanges));
  expect({ kills: report.kills, exits: report.exits, afterEnd: report.afterEnd }, about).toEqual({
    kills: 13,
    exits: [0, 0],
    afterEnd: 0,
  });
  // No process waits for the lease of a dead process to end, which takes thirty seconds. A machine that is slow even at
  // the quickest start may take longer, which is not the crawl's fault. The figures are printed above.
  const limitMs = Math.max(25_000, 8 * Math.min(...toFirstRequestMs));
  expect(longestSilenceMs, about).toBeLessThan(limitMs);
  for (const ms of toFirstRequestMs) expect(ms, about).toBeLessThan(limitMs);
}, 1_500_000);

function exchangesOfPages(exchanges: readonly { readonly host: string; readonly path: string }[]): number {
  return new Set(exchanges.filter(({ path }) => path !== '/robots.txt').map(({ host, path }) => host + path)).size;
}
