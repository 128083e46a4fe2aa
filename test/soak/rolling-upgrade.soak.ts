// An upgrade while the crawl runs: three processes of an earlier version share a crawl, and are replaced one by one by
// the present one. No page is lost, none is requested twice, no request is early, by the web's own log. If the store's
// format has changed, the other version is refused with a message, and the crawl continues.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStore } from '@mannerly/frontier/postgres';
import { redisStore } from '@mannerly/frontier/redis';
import { Cluster, Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, startPostgres } from '../support/postgres-server.mjs';
import { HAS_REDIS, startCluster, startRedis } from '../support/redis-server.js';
import { buildEarlierVersion, HAS_HISTORY, PRESENT_WORKER } from './earlier-version.js';
import { startHosts } from './four-crawlers.js';
import { type CrewExchange, judgeCrew } from './four-crawlers-judge.js';

const DELAY_MS = 1_000;
const HOSTS = 15;
const MACHINES = ['a', 'b', 'c'];
/** Requests that a process makes before the next step. */
const AT_WORK = 10;
const POLL_MS = 50;
const LONGEST_MS = 600_000;

type Kind = 'redis' | 'postgres';
/** A list has the nodes of a cluster. */
type ServerUrl = string | readonly string[];

let earlier: ReturnType<typeof buildEarlierVersion>;

describe.skipIf(!HAS_HISTORY || process.platform !== 'linux')(
  `an upgrade of a crawl under way${HAS_HISTORY ? '' : ' (not run: no history of git)'}`,
  { timeout: LONGEST_MS },
  () => {
    beforeAll(() => {
      earlier = buildEarlierVersion();
    }, LONGEST_MS);
    afterAll(() => earlier?.dispose());

    it.skipIf(!HAS_REDIS)('on Redis', async () => {
      const server = await startRedis('--appendonly', 'yes');
      await upgrade('redis', server.url).finally(server.dispose);
    });
    it.skipIf(!HAS_REDIS)('on a Redis Cluster', async () => {
      const { nodes, dispose } = await startCluster();
      const urls = nodes.map(({ port }) => `redis://127.0.0.1:${port}`);
      await upgrade('redis', urls).finally(dispose);
    });
    it.skipIf(!HAS_POSTGRES)('on PostgreSQL', async () => {
      const server = await startPostgres();
      await upgrade('postgres', server.url).finally(server.dispose);
    });
  },
);

async function upgrade(kind: Kind, url: ServerUrl): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-upgrade-'));
  const log: CrewExchange[] = [];
  // Pages have further links until all processes are replaced, so the crawl lasts as long as that.
  const found = new Map<string, number>();
  let isGrowing = true;
  const linksOf = (host: string, number: number) => {
    const links = isGrowing ? [number + 1, number + 2] : [];
    found.set(host, Math.max(found.get(host) ?? 0, ...links));
    return links;
  };
  const web = await startHosts({ hosts: HOSTS, delayMs: DELAY_MS, linksOf }, log);
  const crew = createCrew(kind, url, web.seeds, folder);
  const requestsOf = (life: string) => log.filter((exchange) => exchange.life === life).length;
  const untilAtWork = async (process: Started) => {
    while (requestsOf(process.life) < AT_WORK && process.child.exitCode === null) await pause();
    expect(process.child.exitCode, crew.output()).toBe(null);
  };
  const begunMs = performance.now();
  try {
    const old = MACHINES.map((machine) => crew.start(earlier.worker, machine, 'earlier'));
    for (const one of old) await untilAtWork(one);
    const isSame = (await formatOf(kind, url, 'mannerly')) === (await presentFormat(kind, url));
    const exits: (number | null)[] = [];
    if (isSame) {
      for (const [at, one] of old.entries()) {
        one.child.kill('SIGTERM');
        exits.push(await one.gone);
        const next = crew.start(PRESENT_WORKER, one.machine, 'present');
        await untilAtWork(next);
        // Both versions run at once.
        const other = old[at + 1];
        if (other !== undefined) await untilMore(() => requestsOf(other.life), other);
      }
      expect(exits, crew.output()).toEqual([3, 3, 3]);
    } else {
      const refused = crew.start(PRESENT_WORKER, 'd', 'present');
      expect(await refused.gone, crew.output()).toBe(1);
      expect(crew.output()).toMatch(/holds a store of format "\S+ \d+", not "\S+ \d+"/);
      expect(requestsOf(refused.life)).toBe(0);
      for (const one of old) await untilMore(() => requestsOf(one.life), one);
    }
    isGrowing = false;
    const ends = await Promise.all(crew.running().map(({ gone }) => gone));
    expect(ends, crew.output()).toEqual([0, 0, 0]);
    const results = web.names.map((name) => {
      const measure = { pagesPerHost: 1 + (found.get(name) ?? 0), delayMs: DELAY_MS, untoldMs: DELAY_MS };
      return judgeCrew(measure, log, [], [name]);
    });
    const sum = (count: (one: (typeof results)[number]) => number) => results.reduce((all, one) => all + count(one), 0);
    const [lost, twice] = [sum(({ missing }) => missing.length), sum((one) => one.repeated)];
    const early = sum((one) => one.early.length + one.overlapping.length);
    console.log(
      `${kind}${Array.isArray(url) ? ' cluster' : ''}: ${isSame ? 'replaced one by one' : 'refused'}, ${log.length} requests, ${lost} lost, ${early} early, ` +
        `${twice} twice, ${sum((one) => one.handOvers)} hand-overs, ${Math.round((performance.now() - begunMs) / 1_000)} s`,
    );
    expect([lost, early, twice], JSON.stringify(results)).toEqual([0, 0, 0]);
  } finally {
    crew.kill();
    await web.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Started {
  readonly life: string;
  readonly machine: string;
  readonly child: ChildProcess;
  readonly gone: Promise<number | null>;
}

/** Starts crawlers, each with the crawl directory of its machine. */
function createCrew(kind: Kind, url: ServerUrl, seeds: readonly string[], folder: string) {
  const all: Started[] = [];
  let output = '';
  return {
    start(worker: string, machine: string, version: string): Started {
      const life = `${version}-${machine}`;
      const settings = { seeds, out: join(folder, machine), life, store: { kind, url }, concurrency: 64 };
      const child = spawn(process.execPath, [worker, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          output = `${output}${life}: ${chunk}`.slice(-8_000);
        });
      const gone = new Promise<number | null>((done) => child.once('close', done));
      const started = { life, machine, child, gone };
      all.push(started);
      return started;
    },
    running: () => all.filter(({ child }) => child.exitCode === null && child.signalCode === null),
    output: () => output,
    kill: () => {
      for (const { child } of all) child.kill('SIGKILL');
    },
  };
}

/** The format number of a stored crawl. */
async function formatOf(kind: Kind, url: ServerUrl, name: string): Promise<number> {
  if (kind === 'redis') {
    for (const one of [url].flat()) {
      const client = new Redis(one);
      const [key] = await client.keys(`{${name}:*}crawl`);
      const kept = key === undefined ? null : await client.get(key);
      client.disconnect();
      if (kept !== null) return JSON.parse(kept).version;
    }
    throw new Error(`there is no crawl ${name}`);
  }
  const client = new pg.Client(String(url));
  await client.connect();
  const { rows } = await client.query(`SELECT version FROM ${name}.crawl`);
  await client.end();
  return rows[0].version;
}

/** The number that the present version writes. */
async function presentFormat(kind: Kind, url: ServerUrl): Promise<number> {
  const client = typeof url === 'string' ? new Redis(url, { lazyConnect: true }) : new Cluster([...url]);
  const pool = new pg.Pool({ connectionString: String(url), max: 1 });
  const store =
    kind === 'redis'
      ? redisStore({ client, prefix: 'probe', onNotice: () => undefined })
      : postgresStore({ pool, schema: 'probe', allowUnsafe: ['fsync-off'] });
  await store.open({ crawl: 'probe', create: true });
  await store.close();
  client.disconnect();
  await pool.end();
  return formatOf(kind, url, 'probe');
}

/** Waits until there are more requests, or the process has ended. */
async function untilMore(count: () => number, { child }: Started): Promise<void> {
  const before = count();
  while (count() <= before && child.exitCode === null) await pause();
}

function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, POLL_MS));
}
