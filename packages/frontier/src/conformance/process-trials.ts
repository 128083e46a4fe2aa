// Processes on one crawl that are killed and stopped at random, judged from the log of the server they ask: no request is
// early, everything is asked, nothing is asked again that was settled (L1, L4, C2 across processes).

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrontierStore } from '../store.js';
import { pageEntry, pagesOfWeb, WEB_HOSTS } from './little-web.js';
import { must, mustEqual } from './must.js';
import { type Blow, ProcessCrew } from './process-crew.js';
import { type Choices, createChoices } from './seeded.js';
import type { SuiteOptions, SuiteProcesses } from './suite-options.js';
import { WORKER_SETTING, type WorkerSetting } from './suite-worker.js';
import { TRIAL_CRAWL } from './trial.js';

/** A share of the whole, as a whole number below this. */
const SHARES = 1_000_000;
/**
 * Blows fall no closer than so many of them over all pages: where processes are slow to start, more would leave nobody at work.
 * Usual on a quiet machine are some two hundred over ten thousand pages.
 */
const MOST_BLOWS = 400;
/** Fewer pages than this between two blows, and processes that take long to start are struck before they have done anything. */
const LEAST_BETWEEN = 3;
/** Between two looks, where there was too little work for a blow, milliseconds. */
const IDLE_MS = 20;
/** The server looks up so often, milliseconds, so that a request which it found late is known to be one. */
const LOOK_MS = 5;
/** The longest that the server means to take over an answer, milliseconds. */
const LONGEST_ANSWER_MS = 15;
/**
 * A server that is later than this, milliseconds, has kept a request waiting for as long as the rules of a holder allow for
 * the whole exchange: when it was under way is then known by the earliest time of its arrival alone.
 */
const LATE_MS = 20;

/** One request as the server saw it: from its arrival to its answer, milliseconds of one clock. */
interface Exchange {
  readonly pid: number;
  readonly host: string;
  readonly name: string;
  /** It had not arrived before this: the server's last look before the one that found it. */
  readonly notBeforeMs: number;
  readonly startMs: number;
  endMs: number;
}

interface Log {
  readonly exchanges: Exchange[];
  /** When the server heard that a page is settled, `host name`. */
  readonly settledMs: Map<string, number>;
}

/** The trial of processes, on data of its own; registered where the suite was told how to start some. */
export function registerProcessTrials({ test, processes, without, seed = 1 }: SuiteOptions): void {
  const invariants = ['L1', 'L4', 'C2'];
  if (processes === undefined || invariants.some((invariant) => without?.includes(invariant))) return;
  test(`${invariants.join(', ')} processes that are killed and stopped keep the gap and complete everything`, () =>
    crawlUnderFire(processes, createChoices(seed)));
}

async function crawlUnderFire(processes: SuiteProcesses, choices: Choices): Promise<void> {
  const { delayMs = 250, ttlMs = 700, seedsPerHost = 2, count = 4 } = processes;
  const made = await processes.make();
  const { store } = made;
  const log: Log = { exchanges: [], settledMs: new Map() };
  const server = await listen(log);
  const { port } = server.address() as AddressInfo;
  const crew = new ProcessCrew((owner) => {
    const setting: WorkerSetting = { owner, port, delayMs, ttlMs };
    return made.start({ [WORKER_SETTING]: JSON.stringify(setting) });
  });
  try {
    await store.open({ crawl: TRIAL_CRAWL, owner: 'suite', create: true });
    const names = Array.from({ length: seedsPerHost }, (_, at) => `s${at}`);
    for (const host of WEB_HOSTS)
      await store.add(names.map((name) => pageEntry(host, name, store.capabilities.fingerprintBytes)));
    for (let started = 0; started < count; started += 1) crew.start();
    const isFinished = await fire(processes, store, crew, choices, log);
    const asked = new Set(log.exchanges.map(({ host, name }) => `${host} ${name}`)).size;
    const { early, again } = judge(log, crew.blows, delayMs);
    const { kills, stops } = crew;
    processes.onReport?.({ exchanges: log.exchanges.length, asked, kills, stops, early: early.length });
    mustEqual(early, [], 'L4', 'requests sooner than the delay after the one before, as the server saw them');
    must(isFinished, 'C2', `not finished in time: ${asked} pages asked, ${crew.fallen} processes ended by themselves`);
    mustEqual(again, [], 'C2', 'pages asked again after they were settled');
    mustEqual(asked, pagesOfWeb(seedsPerHost), 'C2', 'pages asked');
    const { queued, inFlight } = await store.stats();
    if (store.capabilities.exactCounts)
      mustEqual([queued, inFlight], [0, 0], 'C2', 'entries queued and in hand at the end');
  } finally {
    await crew.end();
    await store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await made.dispose();
  }
}

/** Strikes until nothing is left; answers whether it came to that. The suite's own client only reads meanwhile. */
async function fire(
  { blowEveryMs = 150, longestMs = 240_000, stops = 0.5, delayMs = 250, ttlMs = 700, seedsPerHost = 2 }: SuiteProcesses,
  store: FrontierStore,
  crew: ProcessCrew,
  choices: Choices,
  { exchanges }: Log,
): Promise<boolean> {
  const leastBetween = Math.max(LEAST_BETWEEN, pagesOfWeb(seedsPerHost) / MOST_BLOWS);
  let askedBefore = 0;
  const share = () => choices.below(SHARES) / SHARES;
  const startMs = performance.now();
  while (performance.now() - startMs < longestMs && crew.fallen === 0) {
    await sleep(blowEveryMs * (0.5 + share()));
    for (; performance.now() - startMs < longestMs && crew.fallen === 0; await sleep(IDLE_MS)) {
      if ((await store.nextDueInMs()) === null) return true;
      if (exchanges.length - askedBefore >= leastBetween) break;
    }
    askedBefore = exchanges.length;
    if (share() >= stops) crew.kill(share());
    else crew.stop(share(), share() * 2 * (ttlMs + delayMs));
  }
  return false;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Answers a page after some milliseconds, and writes down when it was asked for. A host is the name that is asked for. */
async function listen({ exchanges, settledMs }: Log): Promise<Server> {
  let notBeforeMs = performance.now();
  const looks = setInterval(() => {
    notBeforeMs = performance.now();
  }, LOOK_MS);
  const server = createServer((request, response) => {
    const startMs = performance.now();
    const { host = '', 'user-agent': agent = '' } = request.headers;
    const name = (request.url ?? '').slice(1);
    if (request.method === 'PUT') {
      const page = `${host} ${name}`;
      if (!settledMs.has(page)) settledMs.set(page, startMs);
      response.end();
      return;
    }
    const pid = Number(agent.split('/')[1]);
    const exchange = { pid, host, name, notBeforeMs, startMs, endMs: Number.POSITIVE_INFINITY };
    exchanges.push(exchange);
    setTimeout(
      () => {
        exchange.endMs = performance.now();
        response.end();
      },
      3 + (exchanges.length % (LONGEST_ANSWER_MS - 3)),
    );
  });
  server.once('close', () => clearInterval(looks));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function judge({ exchanges, settledMs }: Log, blows: readonly Blow[], delayMs: number) {
  const last = new Map<string, Exchange>();
  const early: string[] = [];
  const again: string[] = [];
  const wakings = wakingsOf(exchanges, blows);
  for (const exchange of exchanges) {
    if (wakings.has(exchange)) continue;
    const page = `${exchange.host} ${exchange.name}`;
    // Heard of later than it was kept: what comes after we heard of it comes after it was kept.
    if ((settledMs.get(page) ?? Number.POSITIVE_INFINITY) < arrivalOf(exchange)) again.push(page);
    const before = last.get(exchange.host);
    last.set(exchange.host, exchange);
    if (before === undefined) continue;
    const gapMs = exchange.startMs - freeFromMs(before, blows);
    if (gapMs < delayMs) early.push(`${exchange.host}: ${gapMs.toFixed(2)} ms after ${before.pid}, by ${exchange.pid}`);
  }
  return { early, again };
}

/**
 * The first request of a process after each of its stops. It may have been stopped between its last look at the clock and the
 * system call that sends: no holder can close that gap, and no store has a part in it. Every later request has been looked at again.
 */
function wakingsOf(exchanges: readonly Exchange[], blows: readonly Blow[]): Set<Exchange> {
  const firsts = blows.map(({ pid, toMs }) => exchanges.find((each) => each.pid === pid && each.startMs >= toMs));
  return new Set(firsts.filter((first) => first !== undefined));
}

/**
 * From when on the delay counts: the end of the exchange; or its start, where its process was killed or stopped during it, or the
 * server came too late to it, so that its end says nothing.
 */
function freeFromMs(exchange: Exchange, blows: readonly Blow[]): number {
  const { pid, startMs, endMs } = exchange;
  const arrivedMs = arrivalOf(exchange);
  if (blows.some((blow) => blow.pid === pid && blow.fromMs <= endMs && blow.toMs >= arrivedMs)) return arrivedMs;
  return arrivedMs < startMs || endMs - startMs > LONGEST_ANSWER_MS + LATE_MS ? arrivedMs : endMs;
}

/** When it arrived, or earlier. */
function arrivalOf({ notBeforeMs, startMs }: Exchange): number {
  return startMs - notBeforeMs > LOOK_MS + LATE_MS ? notBeforeMs : startMs;
}
