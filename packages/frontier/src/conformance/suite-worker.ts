// A worker process that the suite kills and stops. It leases hosts, requests their pages one at a time from the suite's
// loopback server, follows the rules for every holder, and reports settled pages to the server.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrontierStore, HostCommit, Lease, NewEntry } from '../store.js';
import { nameOf, TEST_CRAWL, testEntry } from './store-test.js';

/** The variable with which the suite configures its workers. */
export const WORKER_SETTING = 'MANNERLY_SUITE_WORKER';

export interface WorkerSetting {
  readonly port: number;
  readonly delayMs: number;
  readonly ttlMs: number;
}

/**
 * A worker sends no request within this time before the end of its lease, milliseconds: on a busy machine it may lose
 * the processor between its check of the clock and the system call that sends.
 */
const MARGIN_MS = 150;
const CONCURRENCY = 2;
const IDLE_MS = 20;

/** Sends a request; `false`: `maySend` did not allow it. */
type Send = (method: 'GET' | 'PUT', host: string, name: string, maySend: () => boolean) => Promise<boolean>;

/**
 * The body of a process started by `SuiteProcesses`: it crawls until it is killed.
 *
 * @param store - A client on the data of the test, not open.
 * @throws FrontierError of the store; an `Error` if the suite did not start the process.
 */
export async function runSuiteWorker(store: FrontierStore): Promise<never> {
  const text = process.env[WORKER_SETTING];
  if (text === undefined) throw new Error(`the suite starts its workers with ${WORKER_SETTING} in their environment`);
  const setting = JSON.parse(text) as WorkerSetting;
  await store.open({ crawl: TEST_CRAWL, create: false });
  const crawls = Array.from({ length: CONCURRENCY }, async () => crawl(store, setting, await connectTo(setting.port)));
  return Promise.race(crawls);
}

async function crawl(store: FrontierStore, setting: WorkerSetting, send: Send): Promise<never> {
  const { ttlMs } = setting;
  for (;;) {
    const beforeMs = performance.now();
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 2, ttlMs, delayMs: setting.delayMs });
    if (lease !== undefined) await serve(store, setting, lease, beforeMs + ttlMs, send);
    else await sleep(Math.min(IDLE_MS, (await store.nextDueInMs()) ?? IDLE_MS));
  }
}

/** Crawls some pages of a host and releases it. Stops once the lease is lost. */
async function serve(
  store: FrontierStore,
  { delayMs, ttlMs }: WorkerSetting,
  { host, fencingToken, entries }: Lease,
  untilMs: number,
  send: Send,
): Promise<void> {
  let [nextAt, leasedUntilMs] = [performance.now(), untilMs];
  const commit = async (part: Omit<HostCommit, 'host' | 'fencingToken'>, links: readonly NewEntry[] = []) => {
    const beforeMs = performance.now();
    const [answer] = (await store.commit([{ host, fencingToken, delayMs, ...part }], links)).hosts;
    if (answer?.ok === true && 'keep' in part.then) leasedUntilMs = beforeMs + ttlMs;
    return answer?.ok === true ? answer.entries : null;
  };
  const queue = [...entries];
  for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
    // Node's timers may fire a millisecond early.
    while (performance.now() < nextAt) await sleep(Math.max(1, nextAt - performance.now()));
    const name = nameOf(entry);
    if (!(await send('GET', host, name, () => performance.now() < leasedUntilMs - MARGIN_MS))) return;
    nextAt = performance.now() + delayMs;
    const links = pageLinks(host, name);
    const more = await commit({ done: [entry.id], then: { keep: { ttlMs, want: 1 } } }, links);
    if (more === null) return;
    await send('PUT', host, name, () => true);
    queue.push(...more);
    if (Math.random() < 0.3) break;
  }
  await commit({ then: { release: { dueInMs: Math.max(0, Math.ceil(nextAt - performance.now())) } } });
}

/**
 * One connection, one request at a time, without an HTTP client: `maySend` is called last, in the tick of the write.
 * Answers are so short that they arrive in one piece.
 */
async function connectTo(port: number): Promise<Send> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let answered: (() => void) | null = null;
  socket.on('data', () => answered?.());
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.once('close', () => {
    throw new Error('the connection to the suite ended');
  });
  return (method, host, name, maySend) =>
    new Promise((resolve) => {
      answered = () => resolve(true);
      const headers = `Host: ${host}\r\nUser-Agent: suite/${process.pid}\r\nContent-Length: 0\r\n\r\n`;
      if (maySend()) socket.write(`${method} /${name} HTTP/1.1\r\n${headers}`);
      else resolve(false);
    });
}

const MAX_DEPTH = 2;

export const WEB_HOSTS: readonly string[] = Array.from({ length: 12 }, (_, at) => `h${at}.example`);

/** Two pages one level deeper, on the same host and on another, and one that every page of this depth links to. */
export function pageLinks(host: string, name: string): NewEntry[] {
  const depth = name.split('.').length - 1;
  if (depth >= MAX_DEPTH) return [];
  const elsewhere = WEB_HOSTS[(WEB_HOSTS.indexOf(host) + 5) % WEB_HOSTS.length]!;
  return [
    testEntry(host, `${name}.a`),
    testEntry(elsewhere, `${name}.b`),
    testEntry(WEB_HOSTS[depth]!, `all.${depth}.x`),
  ];
}

/** The number of pages in the test's web: the seeds of each host, and all pages they lead to. */
export function pagesOfWeb(seedsPerHost: number): number {
  return WEB_HOSTS.length * seedsPerHost * (2 ** (MAX_DEPTH + 1) - 1) + MAX_DEPTH;
}
