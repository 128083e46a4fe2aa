// Four crawler processes at one crawl of a loopback web of many hosts, killed and stopped at random while the web writes down
// who asked what and when. What came of it is judged by that log alone.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is tried. */
export interface CrewPlan {
  readonly hosts: number;
  readonly pagesPerHost: number;
  /** Each host's Crawl-delay, whole seconds in milliseconds. */
  readonly delayMs: number;
  readonly processes: number;
  /** Blows with `kill -9`; and stops, each for as long as is drawn from the two. */
  readonly kills: number;
  readonly stops: number;
  readonly stopMs: readonly [number, number];
  /** Milliseconds between two blows. */
  readonly everyMs: readonly [number, number];
  readonly store: { readonly kind: 'lmdb' | 'redis' | 'postgres'; readonly url?: string };
  /** Kills the server of the store and starts it again; once, in the middle. */
  readonly killServer?: () => Promise<void>;
  readonly longestMs: number;
  readonly random: () => number;
}

/** One exchange as the web saw it; milliseconds of this process's clock. */
interface Asked {
  readonly host: string;
  readonly path: string;
  readonly life: string;
  readonly startMs: number;
  endMs: number;
}

/** What was done to a process, or to the server (`life` is `null`). */
interface Blow {
  readonly kind: 'kill' | 'stop' | 'server';
  readonly life: string | null;
  readonly atMs: number;
  untilMs: number;
}

/** What came of it. */
export interface CrewReport {
  readonly exchanges: number;
  /** Requests whose host was asked by another process before. */
  readonly handOvers: number;
  readonly missing: readonly string[];
  /** Asked again although nothing had happened to who asked before. */
  readonly wronglyTwice: readonly string[];
  readonly twice: number;
  readonly early: readonly string[];
  readonly overlapping: readonly string[];
  readonly blows: Readonly<Record<Blow['kind'], number>>;
  /** Exit codes of the processes that were not killed. */
  readonly exits: readonly (number | null)[];
  readonly seconds: number;
  /** What the processes printed last. */
  readonly output: string;
}

const WORKER = fileURLToPath(new URL('four-crawlers-worker.mjs', import.meta.url));
/** An answer may be on its way so long, milliseconds: a process that was killed meanwhile has not had it. */
const ON_ITS_WAY_MS = 500;
/** From the end of an exchange until its page is committed, milliseconds, on a busy machine. */
const COMMITTED_MS = 5_000;

/** Crawls through all blows to the end. */
export async function crawlWithFour(plan: CrewPlan): Promise<CrewReport> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-crew-'));
  const log: Asked[] = [];
  const web = await startHosts(plan, log);
  const begunMs = performance.now();
  try {
    const seeds = web.names.map((name) => `http://${name}:${web.port}/`);
    const lived = await live(plan, { seeds, out: join(folder, 'crawl') }, begunMs);
    return {
      ...judged(plan, log, lived.blows, web.names),
      ...lived.told,
      seconds: (performance.now() - begunMs) / 1_000,
    };
  } finally {
    for (const server of web.servers) server.closeAllConnections();
    await Promise.all(web.servers.map((server) => new Promise((done) => server.close(done))));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Loopback addresses, one server each, all of one port. */
async function startHosts({ hosts, pagesPerHost, delayMs }: CrewPlan, log: Asked[]) {
  const names = Array.from({ length: hosts }, (_, at) => `127.0.${1 + Math.floor(at / 200)}.${1 + (at % 200)}`);
  const servers: Server[] = [];
  let port = 0;
  for (const name of names) {
    const server = createServer((request, response) => {
      const path = request.url ?? '/';
      const [, life = ''] = /crew\/(\S+)/.exec(request.headers['user-agent'] ?? '') ?? [];
      const asked: Asked = { host: name, path, life, startMs: performance.now(), endMs: Number.NaN };
      log.push(asked);
      const end = (body: string): void => {
        asked.endMs = performance.now();
        response.end(body);
      };
      response.once('close', () => {
        if (Number.isNaN(asked.endMs)) asked.endMs = performance.now();
      });
      if (path === '/robots.txt') {
        end(`User-agent: *\nCrawl-delay: ${delayMs / 1_000}\n`);
        return;
      }
      const number = path === '/' ? 0 : Number(path.slice(1));
      const links = [1, 2, 3].map((child) => 3 * number + child).filter((child) => child < pagesPerHost);
      response.setHeader('content-type', 'text/html');
      const html = `<title>${name} ${number}</title>${links.map((link) => `<a href="/${link}">${link}</a>`).join(' ')}`;
      setTimeout(() => end(html), 10 + ((number * 37) % 60));
    });
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen(port, name, done);
    });
    port ||= (server.address() as AddressInfo).port;
    servers.push(server);
  }
  return { names, port, servers };
}

/** Keeps so many processes alive until the crawl is over, and deals the blows. */
async function live(
  plan: CrewPlan,
  crawl: { readonly seeds: readonly string[]; readonly out: string },
  begunMs: number,
) {
  const { random } = plan;
  const blows: Blow[] = [];
  const exits: (number | null)[] = [];
  const alive = new Map<string, ChildProcess>();
  let output = '';
  let lives = 0;
  let isOver = false;
  const start = (): Promise<void> =>
    new Promise((gone) => {
      lives += 1;
      const life = `life${lives}`;
      const told = JSON.stringify({ ...crawl, life, store: plan.store, concurrency: 64 });
      const child = spawn(process.execPath, [WORKER, told], { stdio: ['ignore', 'pipe', 'pipe'] });
      const keep = (chunk: Buffer): void => {
        output = `${output}${life}: ${chunk.toString()}`.slice(-8_000);
      };
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      alive.set(life, child);
      child.once('close', (code) => {
        alive.delete(life);
        const killed = blows.find((blow) => blow.kind === 'kill' && blow.life === life);
        if (killed !== undefined) killed.untilMs = performance.now();
        if (killed === undefined) exits.push(code);
        // Whoever was killed is replaced; a process that has ended found nothing left.
        if (killed !== undefined && !isOver) start().then(gone, gone);
        else gone();
      });
    });
  const all = Promise.all(Array.from({ length: plan.processes }, start));
  const stopped: Promise<void>[] = [];
  /** Neither killed nor stopped at present. */
  const running = (): string[] =>
    [...alive.keys()].filter(
      (life) => !blows.some((blow) => blow.life === life && blow.untilMs === Number.POSITIVE_INFINITY),
    );
  const deal = async (): Promise<void> => {
    const due: Blow['kind'][] = [...Array(plan.kills).fill('kill'), ...Array(plan.stops).fill('stop')];
    for (let at = due.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [due[at], due[other]] = [due[other] as Blow['kind'], due[at] as Blow['kind']];
    }
    if (plan.killServer !== undefined) due.splice(Math.floor(due.length / 2), 0, 'server');
    for (const kind of due) {
      await pause(between(plan.everyMs, random));
      // Two always run, so that the crawl goes on and somebody is there to see the server die.
      while (kind === 'stop' && running().length <= 2 && !isOver) await pause(200);
      if (isOver) return;
      const names = running();
      const life = kind === 'server' ? null : (names[Math.floor(random() * names.length)] ?? null);
      if (kind !== 'server' && life === null) continue;
      const blow: Blow = { kind, life, atMs: performance.now(), untilMs: Number.POSITIVE_INFINITY };
      blows.push(blow);
      const child = life === null ? undefined : alive.get(life);
      if (kind === 'kill') child?.kill('SIGKILL');
      if (kind === 'stop') {
        child?.kill('SIGSTOP');
        const wake = pause(between(plan.stopMs, random)).then(() => {
          blow.untilMs = performance.now();
          child?.kill('SIGCONT');
        });
        stopped.push(wake);
      }
      if (kind === 'server') {
        await plan.killServer?.();
        blow.untilMs = performance.now();
      }
    }
  };
  const timer = setTimeout(
    () => {
      isOver = true;
      for (const child of alive.values()) child.kill('SIGKILL');
    },
    plan.longestMs - (performance.now() - begunMs),
  );
  const dealt = deal();
  await all;
  isOver = true;
  clearTimeout(timer);
  await Promise.all([dealt, ...stopped]);
  const count = (kind: Blow['kind']): number => blows.filter((blow) => blow.kind === kind).length;
  return {
    blows,
    told: { exits, output, blows: { kill: count('kill'), stop: count('stop'), server: count('server') } },
  };
}

/** Judges by the log. Pure. */
function judged(
  { pagesPerHost, delayMs }: CrewPlan,
  log: readonly Asked[],
  blows: readonly Blow[],
  names: readonly string[],
) {
  const early: string[] = [];
  const overlapping: string[] = [];
  const missing: string[] = [];
  const wronglyTwice: string[] = [];
  let handOvers = 0;
  let twice = 0;
  const struck = ({ life, startMs, endMs }: Asked): boolean =>
    blows.some((blow) => blow.life === life && blow.atMs <= endMs + ON_ITS_WAY_MS && blow.untilMs >= startMs);
  const uncommitted = ({ life, startMs, endMs }: Asked): boolean =>
    blows.some(
      (blow) =>
        (blow.life === life || blow.kind === 'server') &&
        blow.atMs <= endMs + COMMITTED_MS &&
        blow.untilMs + COMMITTED_MS >= startMs,
    );
  for (const name of names) {
    const own = log.filter(({ host }) => host === name).sort((a, b) => a.startMs - b.startMs);
    for (const [at, next] of own.entries()) {
      const last = own[at - 1];
      if (last === undefined) continue;
      if (last.life !== next.life) handOvers += 1;
      const isStruck = struck(last);
      if (next.startMs < last.endMs && !isStruck)
        overlapping.push(`${name}: ${next.path} by ${next.life} while ${last.path}`);
      const gapMs = next.startMs - (isStruck ? last.startMs : last.endMs);
      if (gapMs < delayMs)
        early.push(
          `${name}: ${next.path} by ${next.life} ${gapMs.toFixed(1)} ms after ${last.path} by ${last.life}${isStruck ? ' (struck)' : ''}`,
        );
    }
    for (let number = 0; number < pagesPerHost; number += 1) {
      const path = number === 0 ? '/' : `/${number}`;
      const times = own.filter((asked) => asked.path === path);
      if (times.length === 0) missing.push(name + path);
      if (times.length > 1) twice += 1;
      if (times.slice(0, -1).some((asked) => !uncommitted(asked)))
        wronglyTwice.push(
          `${name}${path}: ${times.map(({ life, startMs }) => `${life} at ${startMs.toFixed(0)}`).join(', ')}`,
        );
    }
  }
  return { exchanges: log.length, handOvers, missing, wronglyTwice, twice, early, overlapping };
}

function between([least, most]: readonly [number, number], random: () => number): number {
  return least + random() * (most - least);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
