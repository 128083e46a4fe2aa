// One store under four crawler processes: kills, suspensions and the death of the store's server under load. Every page
// is fetched, none twice without a reason, and no host is requested too early, by the web's own log.

import { expect } from 'vitest';
import { type CrewPlan, type CrewReport, crawlWithFour } from './four-crawlers.js';
import { freshSeed, seeded } from './frontier-kill.js';

/**
 * How many hand-overs of hosts between processes a test must see, how many attempts it has, and how many hand-overs
 * make an attempt significant: the machine decides which process leases a host next, and an overloaded one keeps its
 * hosts. Usual: 1,600 to 1,900.
 */
const HAND_OVERS = 1_300;
const MAX_ATTEMPTS = 2;
const MIN_HAND_OVERS = 200;
/** Milliseconds for all attempts on one store. */
export const LONGEST_MS = MAX_ATTEMPTS * 1_000_000;
const PLAN = {
  hosts: 100,
  pagesPerHost: 27,
  // A second and a half longer than a process keeps a waiting host, so that hosts change hands on a busy machine too.
  delayMs: 4_000,
  // The interval of the profile.
  untoldMs: 1_000,
  processes: 4,
  kills: 6,
  stops: 4,
  stopMs: [1_000, 40_000],
  everyMs: [2_000, 6_000],
  longestMs: 900_000,
} as const satisfies Partial<CrewPlan>;

/** A server for this test only. */
export interface CrewServer extends NonNullable<CrewPlan['server']> {
  readonly url: string;
  readonly dispose: () => Promise<void>;
}

/** Repeats the crawl until there were enough hand-overs, and judges each crawl completely. */
export async function crawlOn(kind: CrewPlan['store']['kind'], startServer?: () => Promise<CrewServer>): Promise<void> {
  let handOvers = 0;
  for (let attempts = 0; attempts < MAX_ATTEMPTS && handOvers < HAND_OVERS; attempts += 1) {
    const seed = freshSeed();
    const server = await startServer?.();
    try {
      const own = server === undefined ? { store: { kind } } : { store: { kind, url: server.url }, server };
      const report = await crawlWithFour({ ...PLAN, ...own, random: seeded(seed) });
      expectAllWell(report, summary(kind, seed, report), server !== undefined);
      handOvers += report.handOvers;
    } finally {
      await server?.dispose();
    }
  }
  expect(handOvers, kind).toBeGreaterThanOrEqual(MIN_HAND_OVERS);
}

function summary(engine: string, seed: number, report: CrewReport): string {
  const { exchanges, handOvers, faults, repeated, early, seconds, output } = report;
  console.log(
    `${engine}: ${exchanges} exchanges, ${handOvers} hand-overs, ${faults.kill} kills, ${faults.stop} stops, ` +
      `${faults.server} of the server, ${repeated} pages requested again, ${early.length} early, ${seconds.toFixed(0)} s (seed ${seed})`,
  );
  return `${engine}, seed ${seed}\n${output}`;
}

function expectAllWell(report: CrewReport, about: string, hasServer: boolean): void {
  expect(report.early, about).toEqual([]);
  expect(report.overlapping, about).toEqual([]);
  expect(report.missing, about).toEqual([]);
  expect(report.unexcusedRepeats, about).toEqual([]);
  expect(new Set(report.exits), about).toEqual(new Set([0]));
  if (!hasServer) return;
  expect(report.faults.server, about).toBe(1);
  expect([...report.storeNotices].sort(), about).toEqual(['holding', 'resumed', 'rolled-back']);
}
