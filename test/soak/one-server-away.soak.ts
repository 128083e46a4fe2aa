// One of three servers of a crawl is away for half a minute: a primary of a Redis cluster, or one of three PostgreSQL
// servers under one `shardedStore`. Hosts on the other servers are crawled meanwhile, hosts on this one wait. In the
// end no page is lost and no request was early, by the web server's log.

import { describe, expect, it } from 'vitest';
import { HAS_POSTGRES, startPostgres } from '../support/postgres-server.mjs';
import { HAS_REDIS, startCluster } from '../support/redis-server.js';
import { type CrewPlan, crawlWithFour } from './four-crawlers.js';
import { freshSeed, seeded } from './frontier-kill.js';
import type { ForgetfulServer } from './servers-that-forget.js';

const PLAN = {
  hosts: 20,
  pagesPerHost: 40,
  delayMs: 1_000,
  untoldMs: 1_000,
  processes: 3,
  kills: 1,
  stops: 0,
  stopMs: [0, 0],
  serverAfter: 90,
  everyMs: [2_000, 4_000],
  longestMs: 400_000,
} as const satisfies Partial<CrewPlan>;
const AWAY_MS = 30_000;
/** By then, milliseconds after the fault, the running processes have noticed it. */
const NOTICED_MS = 12_000;

interface Servers extends Omit<ForgetfulServer, 'url'> {
  readonly url: readonly string[];
}

/** Stops a server that does not have the crawl's lock, by the hash of its name: the third of three, or of a cluster. */
async function cluster(): Promise<Servers> {
  const { nodes, servers, dispose } = await startCluster();
  return { ...away(servers[2]), dispose, url: nodes.map(({ port }) => `redis://127.0.0.1:${port}`) };
}

async function threePostgres(): Promise<Servers> {
  const servers = await Promise.all([startPostgres(), startPostgres(), startPostgres()]);
  const dispose = async () => void (await Promise.all(servers.map((server) => server.dispose())));
  return { ...away(servers[2]!), dispose, url: servers.map(({ url }) => url) };
}

function away({ kill, start }: Pick<ForgetfulServer, 'kill' | 'start'>): Pick<ForgetfulServer, 'kill' | 'start'> {
  const killed = async () => {
    await kill();
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
  };
  return { kill: killed, start };
}

// Both mostly wait.
describe
  .runIf(process.platform === 'linux')
  .concurrent('one of three servers is away', { timeout: 2 * PLAN.longestMs }, () => {
    it.skipIf(!HAS_REDIS)('of a Redis cluster', () => survive('redis', cluster));
    it.skipIf(!HAS_POSTGRES)('of PostgreSQL servers', () => survive('postgres', threePostgres));
  });

async function survive(kind: 'redis' | 'postgres', start: () => Promise<Servers>): Promise<void> {
  const seed = freshSeed();
  const server = await start();
  try {
    const report = await crawlWithFour({ ...PLAN, store: { kind, url: server.url }, server, random: seeded(seed) });
    const { log, faultMs, exchanges, missing, early, repeated, exits, seconds, output } = report;
    const hostsBetween = (fromMs: number, toMs: number) =>
      new Set(log.filter(({ startMs }) => startMs >= fromMs && startMs < toMs).map(({ host }) => host)).size;
    const meanwhile = hostsBetween(faultMs + NOTICED_MS, faultMs + AWAY_MS);
    console.log(
      `${kind}: ${exchanges} exchanges, ${missing.length} lost, ${early.length} early, ${repeated} requested again; ` +
        `${hostsBetween(faultMs - 15_000, faultMs)} hosts requested before, ${meanwhile} meanwhile, ` +
        `exit codes ${exits.join(', ')}, ${seconds.toFixed(0)} s (seed ${seed})`,
    );
    const about = `seed ${seed}\n${output}`;
    expect(early, about).toEqual([]);
    expect(report.overlapping, about).toEqual([]);
    expect(missing, about).toEqual([]);
    expect(new Set(exits), about).toEqual(new Set([0]));
    // About two thirds of all hosts, without those of the stopped server.
    expect(meanwhile, about).toBeGreaterThan(PLAN.hosts / 3);
    expect(meanwhile, about).toBeLessThan(PLAN.hosts);
  } finally {
    await server.dispose();
  }
}
