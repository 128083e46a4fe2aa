// Four crawler processes at one crawl, on each engine: kills, stops and the death of the store's server under load. Every page is
// fetched, none twice without a reason, and no host is asked too soon, by the web's own log.

import { describe, expect, it } from 'vitest';
import { HAS_POSTGRES, startPostgres } from '../support/postgres-server.mjs';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';
import { type CrewPlan, type CrewReport, crawlWithFour } from './four-crawlers.js';
import { freshSeed, seeded } from './frontier-kill.js';

/**
 * Hand-overs that each engine shall see, in how many trials it may, and how many it must see for the trials to say anything: who comes
 * to a host next is the machine's choice, and one that is overloaded keeps the hosts it has. Usual: 2,500 to 3,500 of one trial.
 */
const HAND_OVERS = 2_000;
const MOST_TRIALS = 2;
const LEAST_HAND_OVERS = 300;
/** Of all trials on one engine, milliseconds. */
const LONGEST_MS = MOST_TRIALS * 1_000_000;
const PLAN = {
  hosts: 150,
  pagesPerHost: 27,
  // Longer by a second and a half than a host is kept in hand while it waits, so that hosts change hands on a busy machine too.
  delayMs: 4_000,
  // That of the profile.
  untoldMs: 1_000,
  processes: 4,
  kills: 6,
  stops: 4,
  stopMs: [1_000, 40_000],
  everyMs: [2_000, 6_000],
  longestMs: 900_000,
} as const satisfies Partial<CrewPlan>;

/** A server of a trial's own. */
interface CrewServer extends NonNullable<CrewPlan['server']> {
  readonly url: string;
  readonly dispose: () => Promise<void>;
}

/** Trials until there were hand-overs enough, each judged whole. */
async function tryOut(kind: CrewPlan['store']['kind'], startServer?: () => Promise<CrewServer>): Promise<void> {
  let handOvers = 0;
  for (let trials = 0; trials < MOST_TRIALS && handOvers < HAND_OVERS; trials += 1) {
    const seed = freshSeed();
    const server = await startServer?.();
    try {
      const own = server === undefined ? { store: { kind } } : { store: { kind, url: server.url }, server };
      const report = await crawlWithFour({ ...PLAN, ...own, random: seeded(seed) });
      expectAllWell(report, told(kind, seed, report), server !== undefined);
      handOvers += report.handOvers;
    } finally {
      await server?.dispose();
    }
  }
  expect(handOvers, kind).toBeGreaterThanOrEqual(LEAST_HAND_OVERS);
}

function told(engine: string, seed: number, report: CrewReport): string {
  const { exchanges, handOvers, blows, twice, early, seconds, output } = report;
  console.log(
    `${engine}: ${exchanges} exchanges, ${handOvers} hand-overs, ${blows.kill} kills, ${blows.stop} stops, ${blows.server} of the server, ` +
      `${twice} pages asked again, ${early.length} early, ${seconds.toFixed(0)} s (seed ${seed})`,
  );
  return `${engine}, seed ${seed}\n${output}`;
}

function expectAllWell(report: CrewReport, about: string, hasServer: boolean): void {
  expect(report.early, about).toEqual([]);
  expect(report.overlapping, about).toEqual([]);
  expect(report.missing, about).toEqual([]);
  expect(report.wronglyTwice, about).toEqual([]);
  expect(new Set(report.exits), about).toEqual(new Set([0]));
  if (!hasServer) return;
  expect(report.blows.server, about).toBe(1);
  expect([...report.said].sort(), about).toEqual(['holding', 'resumed']);
}

describe.skipIf(process.platform !== 'linux')('four crawlers and 150 hosts', () => {
  it('on lmdb, in one crawl directory', () => tryOut('lmdb'), LONGEST_MS);

  it.skipIf(!HAS_REDIS)(
    'on redis, whose server is killed too',
    () => tryOut('redis', () => startRedis('--appendonly', 'yes')),
    LONGEST_MS,
  );

  it.skipIf(!HAS_POSTGRES)(
    'on postgres, whose server is killed too',
    () => tryOut('postgres', () => startPostgres()),
    LONGEST_MS,
  );
});
