// Four crawler processes at one crawl, on each engine: kills, stops and the death of the store's server under load. Every page is
// fetched, none twice without a reason, and no host is asked too soon, by the web's own log.

import { afterAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, startPostgres } from '../support/postgres-server.mjs';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';
import { type CrewPlan, type CrewReport, crawlWithFour } from './four-crawlers.js';
import { seeded } from './frontier-kill.js';

/** Hand-overs that each engine has to see. */
const HAND_OVERS = 2_000;
const disposals: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const dispose of disposals) await dispose();
});

const PLAN = {
  hosts: 150,
  pagesPerHost: 34,
  // Longer than a host is kept in hand while it waits, so that hosts change hands.
  delayMs: 2_800,
  processes: 4,
  kills: 6,
  stops: 4,
  stopMs: [1_000, 40_000],
  everyMs: [2_000, 6_000],
  longestMs: 400_000,
} as const satisfies Partial<CrewPlan>;

function told(engine: string, seed: number, report: CrewReport): string {
  const { exchanges, handOvers, blows, twice, early, seconds, output } = report;
  console.log(
    `${engine}: ${exchanges} exchanges, ${handOvers} hand-overs, ${blows.kill} kills, ${blows.stop} stops, ${blows.server} of the server, ` +
      `${twice} pages asked again, ${early.length} early, ${seconds.toFixed(0)} s (seed ${seed})`,
  );
  return `${engine}, seed ${seed}\n${output}`;
}

function expectAllWell(report: CrewReport, about: string): void {
  expect(report.early, about).toEqual([]);
  expect(report.overlapping, about).toEqual([]);
  expect(report.missing, about).toEqual([]);
  expect(report.wronglyTwice, about).toEqual([]);
  expect(report.handOvers, about).toBeGreaterThanOrEqual(HAND_OVERS);
  expect(new Set(report.exits), about).toEqual(new Set([0]));
}

describe.skipIf(process.platform !== 'linux')('four crawlers and 150 hosts', () => {
  it('on lmdb, in one crawl directory', async () => {
    const seed = Date.now() % 1_000_000;
    const report = await crawlWithFour({ ...PLAN, store: { kind: 'lmdb' }, random: seeded(seed) });
    expectAllWell(report, told('lmdb', seed, report));
  }, 500_000);

  const servers = [
    ['redis', HAS_REDIS, () => startRedis('--appendonly', 'yes')],
    ['postgres', HAS_POSTGRES, () => startPostgres()],
  ] as const;
  for (const [kind, isThere, startServer] of servers) {
    it.skipIf(!isThere)(
      `on ${kind}, whose server is killed too`,
      async () => {
        const server = await startServer();
        disposals.push(server.dispose);
        const seed = Date.now() % 1_000_000;
        const killServer = async (): Promise<void> => {
          await server.kill();
          await new Promise((done) => setTimeout(done, 2_000));
          await server.start();
        };
        const store = { kind, url: server.url };
        const report = await crawlWithFour({ ...PLAN, store, killServer, random: seeded(seed) });
        const about = told(kind, seed, report);
        expectAllWell(report, about);
        expect(report.blows.server, about).toBe(1);
        expect(report.output, about).toContain('store resumed');
      },
      500_000,
    );
  }
});
