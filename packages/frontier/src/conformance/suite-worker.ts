// A crawling process that the suite kills and stops: takes hosts from the store, asks the suite's loopback server for their
// pages one at a time, keeps the rules that every holder keeps, and tells the server what is settled.

import { connect } from 'node:net';
import type { FrontierStore, HostCommit, Lease, NewEntry } from '../store.js';
import { pageLinks } from './little-web.js';
import { nameOf, TRIAL_CRAWL } from './trial.js';

/** What the suite says to its workers, in their environment. */
export const WORKER_SETTING = 'MANNERLY_SUITE_WORKER';

/** That, as JSON. */
export interface WorkerSetting {
  readonly owner: string;
  readonly port: number;
  readonly delayMs: number;
  readonly ttlMs: number;
}

/** How long before its lease ends a worker asks nobody any more. */
const MARGIN_MS = 50;
/** Hosts a worker has at a time. */
const HANDS = 2;
const IDLE_MS = 20;

type Ask = (method: 'GET' | 'PUT', host: string, name: string, mayAsk: () => boolean) => Promise<boolean>;

/**
 * What a process does that was started by `SuiteProcesses`: crawls until it is killed.
 *
 * @param store - A client on the data of the trial, not opened.
 * @throws FrontierError of the store; an `Error` when the process was not started by the suite.
 */
export async function runSuiteWorker(store: FrontierStore): Promise<never> {
  const text = process.env[WORKER_SETTING];
  if (text === undefined) throw new Error(`the suite starts its workers with ${WORKER_SETTING} in their environment`);
  const setting = JSON.parse(text) as WorkerSetting;
  await store.open({ crawl: TRIAL_CRAWL, owner: setting.owner, create: false });
  const hands = Array.from({ length: HANDS }, async () => crawl(store, setting, await createAsker(setting.port)));
  return Promise.race(hands);
}

async function crawl(store: FrontierStore, setting: WorkerSetting, ask: Ask): Promise<never> {
  const { ttlMs } = setting;
  for (;;) {
    const beforeMs = performance.now();
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost: 2, ttlMs, delayMs: setting.delayMs });
    if (lease !== undefined) await serve(store, setting, lease, beforeMs + ttlMs, ask);
    else await sleep(Math.min(IDLE_MS, (await store.nextDueInMs()) ?? IDLE_MS));
  }
}

/** Some pages of a host, and the host given back; or nothing more, once the lease is lost. */
async function serve(
  store: FrontierStore,
  { delayMs, ttlMs }: WorkerSetting,
  { host, fencingToken, entries }: Lease,
  untilMs: number,
  ask: Ask,
): Promise<void> {
  let [nextAt, heldUntilMs] = [performance.now(), untilMs];
  const commit = async (part: Omit<HostCommit, 'host' | 'fencingToken'>, links: readonly NewEntry[] = []) => {
    const beforeMs = performance.now();
    const [answer] = (await store.commit([{ host, fencingToken, delayMs, ...part }], links)).hosts;
    if (answer?.ok === true && 'keep' in part.then) heldUntilMs = beforeMs + ttlMs;
    return answer?.ok === true ? answer.entries : null;
  };
  const queue = [...entries];
  for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
    await until(nextAt);
    const name = nameOf(entry);
    if (!(await ask('GET', host, name, () => performance.now() < heldUntilMs - MARGIN_MS))) return;
    nextAt = performance.now() + delayMs;
    const links = pageLinks(host, name, store.capabilities.fingerprintBytes);
    const more = await commit({ done: [entry.id], then: { keep: { ttlMs, want: 1 } } }, links);
    if (more === null) return;
    await ask('PUT', host, name, () => true);
    queue.push(...more);
    if (Math.random() < 0.3) break;
  }
  await commit({ then: { release: { dueInMs: Math.max(0, Math.ceil(nextAt - performance.now())) } } });
}

/**
 * One connection; one request at a time, written by hand: `mayAsk` is looked at last, in the tick of the write, and nothing
 * of a client stands in between. Answers are short, so their first bytes are their end.
 */
async function createAsker(port: number): Promise<Ask> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let answered: (() => void) | null = null;
  socket.on('data', () => answered?.());
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return (method, host, name, mayAsk) =>
    new Promise((resolve) => {
      answered = () => resolve(true);
      const about = `Host: ${host}\r\nUser-Agent: suite/${process.pid}\r\nContent-Length: 0\r\n\r\n`;
      if (mayAsk()) socket.write(`${method} /${name} HTTP/1.1\r\n${about}`);
      else resolve(false);
    });
}

/** Waits at least so long: timers of Node may fire a millisecond early. */
async function until(time: number): Promise<void> {
  while (performance.now() < time) await sleep(Math.max(1, time - performance.now()));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
