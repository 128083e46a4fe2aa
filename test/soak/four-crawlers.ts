// Four crawler processes share one crawl of a loopback web of many hosts. They are killed and stopped at random, while
// the web logs every request. The result is judged by that log alone.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CrewExchange, type CrewVerdict, type Fault, judgeCrew } from './four-crawlers-judge.js';

/** What a test does. */
export interface CrewPlan {
  readonly hosts: number;
  readonly pagesPerHost: number;
  /** Each host's Crawl-delay, whole seconds in milliseconds. */
  readonly delayMs: number;
  /** The interval of a host whose robots.txt is not known. */
  readonly untoldMs: number;
  readonly processes: number;
  /** The number of `kill -9`; the number of stops, and the range of their durations. */
  readonly kills: number;
  readonly stops: number;
  readonly stopMs: readonly [number, number];
  /** Milliseconds between two faults. */
  readonly everyMs: readonly [number, number];
  readonly store: { readonly kind: 'lmdb' | 'redis' | 'postgres'; readonly url?: string | readonly string[] };
  /** The server of the store: killed once, under load, until a process has noticed, and then started again. */
  readonly server?: { readonly kill: () => Promise<void>; readonly start: () => Promise<void> };
  /** How many exchanges there must be before the server is killed. @default 0 */
  readonly serverAfter?: number;
  readonly longestMs: number;
  readonly random: () => number;
}

/** The notices of the processes about their store. */
const STORE_NOTICES = ['holding', 'resumed', 'rolled-back'] as const;
type StoreNotice = (typeof STORE_NOTICES)[number];

/** The result. */
export interface CrewReport extends CrewVerdict {
  readonly faults: Readonly<Record<Fault['kind'], number>>;
  /** Exit codes of the processes that were not killed. */
  readonly exits: readonly (number | null)[];
  readonly seconds: number;
  /** From the server's fault until a process could use it again, milliseconds. */
  readonly awayMs: number;
  /** The notices of the processes about their store. */
  readonly storeNotices: ReadonlySet<StoreNotice>;
  /** The last output of the processes. */
  readonly output: string;
  /** The requests, and the time of the server's fault. */
  readonly log: readonly CrewExchange[];
  readonly faultMs: number;
}

const WORKER = fileURLToPath(new URL('four-crawlers-worker.mjs', import.meta.url));
/** The shortest time for which the server stays away, and the longest wait for a notice, milliseconds. */
const AWAY_MS = 2_000;
const NOTICED_WITHIN_MS = 60_000;
/** Milliseconds between two checks. */
const POLL_MS = 100;

/** Crawls through all faults to the end. */
export async function crawlWithFour(plan: CrewPlan): Promise<CrewReport> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-crew-'));
  const log: CrewExchange[] = [];
  const { hosts, delayMs, pagesPerHost } = plan;
  const linksOf = (_host: string, number: number) =>
    [1, 2, 3].map((child) => 3 * number + child).filter((child) => child < pagesPerHost);
  const web = await startHosts({ hosts, delayMs, linksOf }, log);
  const begunMs = performance.now();
  try {
    const lived = await live(plan, { seeds: web.seeds, out: join(folder, 'crawl') }, log);
    return {
      ...judgeCrew(plan, log, lived.faults, web.names),
      ...lived.told,
      seconds: (performance.now() - begunMs) / 1_000,
      log,
      faultMs: lived.faults.find(({ kind }) => kind === 'server')?.atMs ?? 0,
    };
  } finally {
    await web.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Hosts with a Crawl-delay, and the numbers of the pages that each of their pages links to; `/` is number 0. */
export interface CrewWeb {
  readonly hosts: number;
  readonly delayMs: number;
  readonly linksOf: (host: string, number: number) => readonly number[];
}

/** Loopback addresses, one server each, all on one port. `log` gets every request. */
export async function startHosts({ hosts, delayMs, linksOf }: CrewWeb, log: CrewExchange[]) {
  const names = Array.from({ length: hosts }, (_, at) => `127.0.${1 + Math.floor(at / 200)}.${1 + (at % 200)}`);
  const servers: Server[] = [];
  let port = 0;
  for (const name of names) {
    const server = createServer((request, response) => {
      const path = request.url ?? '/';
      const [, life = ''] = /crew\/(\S+)/.exec(request.headers['user-agent'] ?? '') ?? [];
      const exchange: CrewExchange = { host: name, path, life, startMs: performance.now(), endMs: Number.NaN };
      log.push(exchange);
      const end = (body: string): void => {
        exchange.endMs = performance.now();
        response.end(body);
      };
      response.once('close', () => {
        if (Number.isNaN(exchange.endMs)) exchange.endMs = performance.now();
      });
      if (path === '/robots.txt') {
        end(`User-agent: *\nCrawl-delay: ${delayMs / 1_000}\n`);
        return;
      }
      const number = path === '/' ? 0 : Number(path.slice(1));
      const links = linksOf(name, number);
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
  const close = async (): Promise<void> => {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  };
  return { seeds: names.map((name) => `http://${name}:${port}/`), names, close };
}

/** Keeps so many processes alive until the crawl is over, and causes the faults. */
async function live(
  plan: CrewPlan,
  crawl: { readonly seeds: readonly string[]; readonly out: string },
  log: readonly CrewExchange[],
) {
  const { random } = plan;
  const faults: Fault[] = [];
  const exits: (number | null)[] = [];
  const alive = new Map<string, ChildProcess>();
  const storeNotices = new Set<StoreNotice>();
  let output = '';
  let lives = 0;
  let isOver = false;
  const start = (): Promise<void> =>
    new Promise((gone) => {
      lives += 1;
      const life = `life${lives}`;
      const settings = JSON.stringify({ ...crawl, life, store: plan.store, concurrency: 64 });
      const child = spawn(process.execPath, [WORKER, settings], { stdio: ['ignore', 'pipe', 'pipe'] });
      const keep = (chunk: Buffer): void => {
        const text = chunk.toString();
        output = `${output}${life}: ${text}`.slice(-8_000);
        for (const notice of STORE_NOTICES) if (text.includes(`store ${notice}`)) storeNotices.add(notice);
      };
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      alive.set(life, child);
      child.once('close', (code) => {
        alive.delete(life);
        const isKilled = faults.some((fault) => fault.kind === 'kill' && fault.life === life);
        if (!isKilled) exits.push(code);
        // A killed process is replaced; a process that ended by itself found nothing left.
        if (isKilled && !isOver) start().then(gone, gone);
        else gone();
      });
    });
  const all = Promise.all(Array.from({ length: plan.processes }, start));
  const stopped: Promise<void>[] = [];
  /** Processes that are neither killed nor stopped at present. */
  const running = (): string[] =>
    [...alive.keys()].filter(
      (life) => !faults.some((fault) => fault.life === life && fault.untilMs === Number.POSITIVE_INFINITY),
    );
  /**
   * Those of them that have sent a request: the others may be starting, when they keep out other processes that start.
   */
  const atWork = (): string[] => running().filter((life) => log.some((exchange) => exchange.life === life));
  const until = async (isSo: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<void> => {
    for (const untilMs = performance.now() + withinMs; !isOver && !isSo() && performance.now() < untilMs; )
      await pause(POLL_MS);
  };
  const strike = (kind: Fault['kind'], life: string | null): Fault => {
    const fault: Fault = { kind, life, atMs: performance.now(), untilMs: Number.POSITIVE_INFINITY };
    faults.push(fault);
    return fault;
  };
  const strikeServer = async ({ kill, start }: NonNullable<CrewPlan['server']>): Promise<void> => {
    // Some process that uses the server must be running to notice its absence, and to report it.
    await until(() => atWork().length >= 2 && log.length >= (plan.serverAfter ?? 0));
    if (isOver) return;
    const fault = strike('server', null);
    await Promise.all([kill(), pause(AWAY_MS)]);
    await until(() => storeNotices.has('holding'), NOTICED_WITHIN_MS);
    await start();
    await until(() => storeNotices.has('resumed'), NOTICED_WITHIN_MS);
    fault.untilMs = performance.now();
  };
  const deal = async (): Promise<void> => {
    const due: Fault['kind'][] = [...Array(plan.kills).fill('kill'), ...Array(plan.stops).fill('stop')];
    for (let at = due.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [due[at], due[other]] = [due[other] as Fault['kind'], due[at] as Fault['kind']];
    }
    if (plan.server !== undefined) due.splice(Math.floor(due.length / 3), 0, 'server');
    for (const kind of due) {
      await pause(between(plan.everyMs, random));
      if (kind === 'server' && plan.server !== undefined) {
        await strikeServer(plan.server);
        continue;
      }
      // At least two always run, so that the crawl continues.
      if (kind === 'stop') await until(() => running().length > 2 && atWork().length > 0);
      if (isOver) return;
      const names = kind === 'stop' ? atWork() : running();
      const life = names[Math.floor(random() * names.length)];
      const child = life === undefined ? undefined : alive.get(life);
      if (life === undefined || child === undefined) continue;
      const fault = strike(kind, life);
      child.kill(kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      if (kind === 'kill') continue;
      const wake = pause(between(plan.stopMs, random)).then(() => {
        fault.untilMs = performance.now();
        child.kill('SIGCONT');
      });
      stopped.push(wake);
    }
  };
  const giveUp = (): void => {
    isOver = true;
    for (const child of alive.values()) child.kill('SIGKILL');
  };
  const timer = setTimeout(giveUp, plan.longestMs);
  const dealt = deal();
  dealt.catch(giveUp);
  await all;
  isOver = true;
  clearTimeout(timer);
  await Promise.all([dealt, ...stopped]);
  const count = (kind: Fault['kind']): number => faults.filter((fault) => fault.kind === kind).length;
  return {
    faults,
    told: {
      exits,
      output,
      storeNotices,
      awayMs: awayOf(faults),
      faults: { kill: count('kill'), stop: count('stop'), server: count('server') },
    },
  };
}

function awayOf(faults: readonly Fault[]): number {
  const fault = faults.find(({ kind }) => kind === 'server');
  return fault === undefined ? 0 : fault.untilMs - fault.atMs;
}

function between([min, max]: readonly [number, number], random: () => number): number {
  return min + random() * (max - min);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
