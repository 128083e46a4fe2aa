// Processes on one crawl that are killed and stopped at random. The log of the server they request pages from must show
// that no request is early, every page is requested, and no page is requested again once it is settled (L1, L4, C2
// across processes).

import type { ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrontierStore } from '../store.js';
import { assert, assertEqual, type Choices, createChoices, names, TEST_CRAWL, testEntry } from './store-test.js';
import type { SuiteOptions, SuiteProcesses } from './suite-options.js';
import { pagesOfWeb, WEB_HOSTS, WORKER_SETTING, type WorkerSetting } from './suite-worker.js';

/** Resolution of a random share. */
const SHARES = 1_000_000;
/** The most faults over all pages: if processes start slowly, more faults would leave none at work. */
const MAX_FAULTS = 400;
/**
 * The least number of pages between two faults, so that a slowly starting process does something before it is killed.
 */
const MIN_PAGES_BETWEEN_FAULTS = 3;
/** Pause when there was too little work for a fault, milliseconds. */
const IDLE_MS = 20;
/** The server notes the time this often, milliseconds, so that it knows which requests it received late. */
const TICK_MS = 5;
/** The longest planned time of an answer, milliseconds. */
const MAX_ANSWER_MS = 15;
/**
 * Milliseconds: a server that is later than this cannot tell when an exchange ended, so the earliest arrival counts.
 */
const LATE_MS = 20;

const DEFAULTS = {
  ...{ count: 4, delayMs: 250, ttlMs: 700, seedsPerHost: 2 },
  ...{ faultEveryMs: 150, stops: 0.5, longestMs: 240_000 },
};
type Settings = SuiteProcesses & typeof DEFAULTS;

/** One request as the server saw it, from its arrival to its answer, milliseconds of one clock. */
interface Exchange {
  readonly pid: number;
  readonly host: string;
  readonly name: string;
  /** The request had not arrived before this: the server's last tick before the one that found it. */
  readonly notBeforeMs: number;
  readonly startMs: number;
  endMs: number;
}

interface Log {
  readonly exchanges: Exchange[];
  /** When the server learned that a page is settled, by `host name`. */
  readonly settledMs: Map<string, number>;
}

/** The test with processes, on its own data. It is registered if the options say how to start processes. */
export function processTests(
  register: (invariants: string, title: string, body: () => Promise<void>) => void,
  { processes, seed = 1 }: SuiteOptions,
): void {
  if (processes === undefined) return;
  register('L1, L4, C2', 'processes that are killed and stopped keep the gap and complete everything', () =>
    crawlWithFaults({ ...DEFAULTS, ...processes }, createChoices(seed)),
  );
}

async function crawlWithFaults(settings: Settings, choices: Choices): Promise<void> {
  const { delayMs, ttlMs, seedsPerHost, count } = settings;
  const made = await settings.make();
  const { store } = made;
  const log: Log = { exchanges: [], settledMs: new Map() };
  const server = await listen(log);
  const { port } = server.address() as AddressInfo;
  const workers = new WorkerGroup(() => {
    const setting: WorkerSetting = { port, delayMs, ttlMs };
    return made.start({ [WORKER_SETTING]: JSON.stringify(setting) });
  });
  try {
    await store.open({ crawl: TEST_CRAWL, create: true });
    for (const host of WEB_HOSTS) {
      await store.add(names('s', seedsPerHost).map((name) => testEntry(host, name)));
    }
    for (let started = 0; started < count; started += 1) workers.start();
    const isFinished = await injectFaults(settings, store, workers, choices, log);
    const requested = new Set(log.exchanges.map(({ host, name }) => `${host} ${name}`)).size;
    const { early, repeated } = findViolations(log, workers.faults, delayMs);
    const { kills, stops, failed } = workers;
    settings.onReport?.({ exchanges: log.exchanges.length, requested, kills, stops, early: early.length });
    assertEqual(early, [], 'requests sooner than the delay after the one before, as the server saw them', 'L4');
    const progress = `${requested} pages requested, ${failed} processes ended by themselves`;
    assert(isFinished, `not finished in time: ${progress}`, 'C2');
    assertEqual(repeated, [], 'pages requested again after they were settled', 'C2');
    assertEqual(requested, pagesOfWeb(seedsPerHost), 'pages requested', 'C2');
    const { queued, inFlight } = await store.stats();
    assertEqual([queued, inFlight], [0, 0], 'entries queued and in flight at the end', 'C2');
  } finally {
    await workers.end();
    await store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await made.dispose();
  }
}

/** Kills and stops workers until nothing is left. Returns whether that happened. Meanwhile `store` is only read. */
async function injectFaults(
  { faultEveryMs, longestMs, stops, delayMs, ttlMs, seedsPerHost }: Settings,
  store: FrontierStore,
  workers: WorkerGroup,
  choices: Choices,
  { exchanges }: Log,
): Promise<boolean> {
  const minPagesBetween = Math.max(MIN_PAGES_BETWEEN_FAULTS, pagesOfWeb(seedsPerHost) / MAX_FAULTS);
  const share = () => choices.below(SHARES) / SHARES;
  const startMs = performance.now();
  const mayContinue = () => performance.now() - startMs < longestMs && workers.failed === 0;
  let exchangesBefore = 0;
  while (mayContinue()) {
    await sleep(faultEveryMs * (0.5 + share()));
    for (; mayContinue(); await sleep(IDLE_MS)) {
      if ((await store.nextDueInMs()) === null) return true;
      if (exchanges.length - exchangesBefore >= minPagesBetween) break;
    }
    exchangesBefore = exchanges.length;
    if (share() >= stops) workers.kill(share());
    else workers.stop(share(), share() * 2 * (ttlMs + delayMs));
  }
  return false;
}

/** Answers and logs a page of the host in the header. A PUT reports a page as settled. */
async function listen({ exchanges, settledMs }: Log): Promise<Server> {
  let notBeforeMs = performance.now();
  const ticks = setInterval(() => {
    notBeforeMs = performance.now();
  }, TICK_MS);
  // Workers may have nothing to request for longer than Node.js keeps a connection.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
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
    const answer = () => {
      exchange.endMs = performance.now();
      response.end();
    };
    setTimeout(answer, 3 + (exchanges.length % (MAX_ANSWER_MS - 3)));
  });
  server.once('close', () => clearInterval(ticks));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function findViolations({ exchanges, settledMs }: Log, faults: readonly Fault[], delayMs: number) {
  const last = new Map<string, Exchange>();
  const early: string[] = [];
  const repeated: string[] = [];
  const afterStops = firstAfterStops(exchanges, faults);
  for (const exchange of exchanges) {
    if (afterStops.has(exchange)) continue;
    const page = `${exchange.host} ${exchange.name}`;
    // The report comes after the commit, so what arrives after the report arrives after the commit.
    if ((settledMs.get(page) ?? Number.POSITIVE_INFINITY) < arrivalOf(exchange)) repeated.push(page);
    const before = last.get(exchange.host);
    last.set(exchange.host, exchange);
    if (before === undefined) continue;
    const gapMs = exchange.startMs - delayStartMs(before, faults);
    if (gapMs < delayMs) early.push(`${exchange.host}: ${gapMs.toFixed(2)} ms after ${before.pid}, by ${exchange.pid}`);
  }
  return { early, repeated };
}

/**
 * The first request of a process after each of its stops. The process may have been stopped between its last check of
 * the clock and the system call that sends. No store can close that gap.
 */
function firstAfterStops(exchanges: readonly Exchange[], faults: readonly Fault[]): Set<Exchange> {
  const firsts = faults.map(({ pid, toMs }) => exchanges.find((each) => each.pid === pid && each.startMs >= toMs));
  return new Set(firsts.filter((first) => first !== undefined));
}

/**
 * When the delay begins to count: at the end of the exchange, or at its start if its process was killed or stopped
 * during it, or if the server answered so late that the end says nothing.
 */
function delayStartMs(exchange: Exchange, faults: readonly Fault[]): number {
  const { pid, startMs, endMs } = exchange;
  const arrivedMs = arrivalOf(exchange);
  if (faults.some((fault) => fault.pid === pid && fault.fromMs <= endMs && fault.toMs >= arrivedMs)) return arrivedMs;
  return arrivedMs < startMs || endMs - startMs > MAX_ANSWER_MS + LATE_MS ? arrivedMs : endMs;
}

/** The earliest time at which it may have arrived. */
function arrivalOf({ notBeforeMs, startMs }: Exchange): number {
  return startMs - notBeforeMs > TICK_MS + LATE_MS ? notBeforeMs : startMs;
}

/** A kill or a stop, milliseconds of one clock. */
export interface Fault {
  readonly pid: number;
  readonly fromMs: number;
  /** `Infinity` for a kill, and until a stop ends. */
  toMs: number;
}

export class WorkerGroup {
  readonly faults: Fault[] = [];
  kills = 0;
  stops = 0;
  readonly #startOne: () => ChildProcess;
  readonly #workers: ChildProcess[] = [];
  readonly #stopped = new Set<ChildProcess>();

  constructor(startOne: () => ChildProcess) {
    this.#startOne = startOne;
  }

  start(): void {
    this.#workers.push(this.#startOne());
  }

  /** Kills one process and starts another. `share`: which one, from 0 to 1. */
  kill(share: number): void {
    const [victim] = this.#workers.splice(Math.floor(share * this.#workers.length), 1);
    if (victim === undefined) return;
    this.kills += 1;
    this.#stopped.delete(victim);
    this.#addFault(victim);
    victim.kill('SIGKILL');
    this.start();
  }

  stop(share: number, forMs: number): void {
    const victim = this.#workers[Math.floor(share * this.#workers.length)];
    if (victim === undefined || this.#stopped.has(victim)) return;
    this.stops += 1;
    const fault = this.#addFault(victim);
    this.#stopped.add(victim);
    victim.kill('SIGSTOP');
    setTimeout(() => {
      if (!this.#stopped.delete(victim)) return;
      victim.kill('SIGCONT');
      fault.toMs = performance.now();
    }, forMs);
  }

  /** Workers that ended without being killed. */
  get failed(): number {
    return this.#workers.filter(({ exitCode }) => exitCode !== null).length;
  }

  /** Kills all processes; resolves when they are gone. */
  async end(): Promise<void> {
    this.#stopped.clear();
    const alive = this.#workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = alive.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of alive) worker.kill('SIGKILL');
    await Promise.all(gone);
  }

  #addFault({ pid = 0 }: ChildProcess): Fault {
    const fault = { pid, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.faults.push(fault);
    return fault;
  }
}
