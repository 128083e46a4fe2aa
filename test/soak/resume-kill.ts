// A crawl by the command, killed at random moments and started again with the same arguments. It is judged by the
// servers' log, and otherwise only by what had been written when a kill came.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND } from '../support/command.js';
import { judge } from '../support/politeness.js';
import { page, type Route, startWeb, text, type Web, type WebExchange, webNow } from '../support/web.js';

/** The crawl, and its kills. */
export interface ResumePlan {
  readonly hosts: number;
  readonly pagesPerHost: number;
  /**
   * The interval from end to start, at every host; half of the hosts ask for it in robots.txt if it is whole seconds.
   */
  readonly delayMs: number;
  /** Kills of a crawl that has sent a request. */
  readonly kills: number;
  /** The most milliseconds that a crawl runs after its first request. */
  readonly aliveMs: number;
  /** Kills before the first request. */
  readonly startupKills: number;
  /** The most milliseconds after its start at which a process is killed during start-up. */
  readonly startupMs: number;
  readonly longestMs: number;
  readonly random: () => number;
}

/** The result. */
export interface ResumeReport {
  readonly exchanges: readonly WebExchange[];
  /** Exit codes of the processes that were not killed: the last run, and one more after it. */
  readonly exits: readonly (number | null)[];
  readonly kills: number;
  /** Requests after the end: a finished crawl makes none. */
  readonly afterEnd: number;
  /** Pages that were never requested. */
  readonly missing: readonly string[];
  /** Pages that were requested again. */
  readonly refetched: readonly string[];
  /** Those of them that had a final status when the kill came, or that no killed run had requested. */
  readonly wronglyRefetched: readonly string[];
  readonly early: readonly string[];
  readonly overlapping: readonly string[];
  /** Item ids in the order of the file. */
  readonly itemUrls: readonly string[];
  /** From the start of a process to its first request, milliseconds; only for runs that sent one. */
  readonly toFirstRequestMs: readonly number[];
  /** The longest time without a request to a host with pages left, while a process was running. */
  readonly longestSilenceMs: number;
  /** The last output of the command. */
  readonly output: string;
}

/** A process that crawled. */
interface ProcessLife {
  readonly startMs: number;
  /** When the kill was sent; `endMs` if it ended by itself. */
  readonly killedMs: number;
  endMs: number;
  readonly exit: number | null;
  /** URLs with a final status when it ended. */
  readonly decided: ReadonlySet<string>;
}

const CONTACT = 'https://example.org/our-crawler';

/** Crawls and kills, until the crawl ends by itself. */
export async function crawlThroughKills(plan: ResumePlan): Promise<ResumeReport> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-resume-'));
  const names = hostNames(plan.hosts);
  const web = await startWeb({ hosts: Object.fromEntries(names.map((name, at) => [name, site(plan, names, at)])) });
  const relays = await Promise.all(names.filter((name) => name !== '127.0.0.1').map((name) => relay(name, web.port)));
  try {
    const out = join(folder, 'crawl');
    const argv = [...names.map((name) => web.url(name)), '--out', out, '--interval', String(plan.delayMs / 1_000)];
    const lives = await live(plan, web, out, argv, () => silenceOf(relays));
    const requestsBefore = web.log.length;
    const last = await run(argv, () => null);
    lives.exits.push(last.exit);
    return {
      ...judgeLog(plan, web.log, lives.all, names),
      ...lives,
      ...endOf(out, web, requestsBefore),
      output: last.output,
    };
  } finally {
    await web.close();
    for (const server of relays) await new Promise((done) => server.close(done));
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Linux has many loopback addresses, other systems have one. */
function hostNames(count: number): string[] {
  if (process.platform !== 'linux') return ['127.0.0.1'];
  return Array.from({ length: count }, (_, at) => `127.0.0.${at + 2}`);
}

/** Pages in a tree; each takes time, so that kills come while a request is in flight. */
function site({ pagesPerHost, delayMs }: ResumePlan, names: readonly string[], at: number): Record<string, Route> {
  const asks = at % 2 === 0 && delayMs % 1_000 === 0 ? `Crawl-delay: ${delayMs / 1_000}\n` : '';
  const routes: Record<string, Route> = { '/robots.txt': text(`User-agent: *\n${asks}Disallow: /closed\n`) };
  for (let number = 0; number < pagesPerHost; number += 1) {
    const children = [1, 2, 3].map((child) => 3 * number + child).filter((child) => child < pagesPerHost);
    const links = [
      ...children.map((child) => `/${child}`),
      '/',
      '/closed',
      ...(number === 0 ? [] : [`/${number}#part`]),
    ];
    const body = page(`${names[at]} ${number}`, links);
    const reply = { body, headers: { 'content-type': 'text/html' }, delayMs: 20 + ((number * 37 + at * 61) % 150) };
    routes[number === 0 ? '/' : `/${number}`] = reply;
  }
  return routes;
}

/** Forwards the same port at another address of this machine. */
function relay(address: string, port: number): Promise<Server> {
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, address, () => done(server));
  });
}

/** Starts the command again and again, each time once nothing of the last process is in flight. */
async function live(plan: ResumePlan, web: Web, out: string, argv: readonly string[], silence: () => Promise<void>) {
  const all: ProcessLife[] = [];
  const exits: (number | null)[] = [];
  const overMs = webNow() + plan.longestMs;
  let kills = 0;
  let startupKills = 0;
  while (exits.length === 0 && webNow() < overMs) {
    const startMs = webNow();
    const requestsBefore = web.log.length;
    // Start-up kills are spread over the start, middle and end of the crawl.
    const isStartup = startupKills < plan.startupKills && kills >= (startupKills * plan.kills) / plan.startupKills;
    const delay = plan.random() * (isStartup ? plan.startupMs : plan.aliveMs);
    const isLast = !isStartup && kills >= plan.kills;
    const dieAt = (): number | null => {
      if (isLast) return null;
      if (isStartup) return startMs + delay;
      const first = web.log[requestsBefore];
      return first === undefined ? null : first.startMs + delay;
    };
    const { exit, killedMs } = await run(argv, dieAt);
    await silence();
    all.push({ startMs, killedMs: killedMs ?? webNow(), endMs: webNow(), exit, decided: decidedIn(out) });
    if (exit !== null) exits.push(exit);
    else if (isStartup) startupKills += 1;
    else kills += 1;
  }
  return { all, exits, kills: kills + startupKills };
}

/**
 * Waits until everything that a dead process sent has arrived: on a busy machine its last request may arrive after the
 * news of its death, and would count as one of the next process.
 */
async function silenceOf(relays: readonly Server[]): Promise<void> {
  const open = (relay: Server): Promise<number> =>
    new Promise((done) => relay.getConnections((_error, count) => done(count)));
  do await new Promise((done) => setTimeout(done, SILENCE_MS));
  while ((await Promise.all(relays.map(open))).some((count) => count > 0));
}

/** Runs one process of the command. @returns `exit`: `null` if it was killed. */
function run(
  argv: readonly string[],
  dieAt: () => number | null,
): Promise<{ exit: number | null; killedMs: number | null; output: string }> {
  const who = ['--name', 'resumer', '--contact', CONTACT, '--allow-address', '127.0.0.0/8'];
  const bounds = ['--pages', '100000', '--depth', '100', '--minutes', '60'];
  const child: ChildProcess = spawn(process.execPath, [COMMAND, 'crawl', ...argv, ...who, ...bounds], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let killedMs: number | null = null;
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const reaper = setInterval(() => {
    const atMs = dieAt();
    if (atMs === null || webNow() < atMs) return;
    killedMs ??= webNow();
    child.kill('SIGKILL');
  }, 2);
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => {
      clearInterval(reaper);
      done({ exit: code, killedMs, output });
    });
  });
}

function decidedIn(out: string): Set<string> {
  return new Set(
    linesOf(join(out, 'decisions.jsonl')).flatMap(({ url, status }) => (status === 'fetched' ? [String(url)] : [])),
  );
}

/** Complete lines; a kill may have torn the last one. */
function linesOf(path: string): Record<string, unknown>[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function endOf(out: string, web: Web, requestsBefore: number): Pick<ResumeReport, 'afterEnd' | 'itemUrls'> {
  const text = readFileSync(join(out, 'items.jsonl'), 'utf8');
  if (!text.endsWith('\n')) throw new Error('items.jsonl ends in the middle of a line');
  return {
    afterEnd: web.log.length - requestsBefore,
    itemUrls: linesOf(join(out, 'items.jsonl')).map(({ url }) => String(url)),
  };
}

/** Judges by the servers' log. Pure. */
function judgeLog(
  plan: ResumePlan,
  log: readonly WebExchange[],
  lives: readonly ProcessLife[],
  names: readonly string[],
) {
  const kills = lives.filter(({ exit }) => exit === null);
  // Exchanges that a kill cut off count from their start.
  const seen = log.map((each) =>
    kills.some(({ killedMs, endMs }) => each.startMs <= endMs && each.endMs >= killedMs - ON_ITS_WAY_MS)
      ? { ...each, endMs: each.startMs }
      : each,
  );
  const rules = Object.fromEntries(names.map((name) => [name, { gapMs: plan.delayMs }]));
  const { early, overlapping } = judge(seen, { contact: CONTACT, rules });
  const pages = names.flatMap((name) =>
    Array.from({ length: plan.pagesPerHost }, (_, number) => (number === 0 ? `${name}/` : `${name}/${number}`)),
  );
  const requestsBefore = new Map<string, WebExchange[]>();
  for (const each of log) {
    const name = each.host + each.path;
    requestsBefore.set(name, [...(requestsBefore.get(name) ?? []), each]);
  }
  const refetched = pages.filter((name) => (requestsBefore.get(name)?.length ?? 0) > 1);
  return {
    exchanges: log,
    early,
    overlapping,
    missing: pages.filter((name) => !requestsBefore.has(name)),
    refetched,
    wronglyRefetched: refetched.filter((name) => !isExcused(requestsBefore.get(name) ?? [], lives)),
    toFirstRequestMs: lives.flatMap(({ startMs, endMs }) => {
      const first = log.find((each) => each.startMs >= startMs && each.startMs <= endMs);
      return first === undefined ? [] : [first.startMs - startMs];
    }),
    longestSilenceMs: Math.max(...names.map((name) => longestSilence(log, lives, name))),
  };
}

/** How many milliseconds an answer may be in flight: a process that was killed meanwhile has not got it. */
const ON_ITS_WAY_MS = 200;
/** Milliseconds between checks for data in flight. */
const SILENCE_MS = 50;

/**
 * Each repeated request comes after a kill of the process that sent the one before, which had no final status by then.
 */
function isExcused(requests: readonly WebExchange[], lives: readonly ProcessLife[]): boolean {
  return requests.slice(1).every((again, index) => {
    const before = requests[index] as WebExchange;
    const asker = lives.find(({ startMs, endMs }) => before.startMs >= startMs && before.startMs <= endMs);
    const wasDecided = asker?.decided.has(`http://${before.authority}${before.path}`) === true;
    return asker !== undefined && asker.exit === null && again.startMs >= asker.endMs && !wasDecided;
  });
}

/**
 * Measured while a process runs, from its start or the host's last request, until the last page was first requested.
 */
function longestSilence(log: readonly WebExchange[], lives: readonly ProcessLife[], host: string): number {
  const own = log.filter((each) => each.host === host);
  const firsts = own.filter((each, at) => own.findIndex(({ path }) => path === each.path) === at);
  const lastMs = firsts.at(-1)?.startMs ?? 0;
  let longestMs = 0;
  for (const life of lives) {
    const during = own.filter(({ startMs }) => startMs >= life.startMs && startMs <= life.endMs);
    const times = [life.startMs, ...during.map(({ startMs }) => startMs), life.endMs].filter((atMs) => atMs <= lastMs);
    for (const [at, atMs] of times.slice(1).entries()) longestMs = Math.max(longestMs, atMs - (times[at] ?? atMs));
  }
  return longestMs;
}
