// The command and its workers: the first opens the crawl, the others join, one that dies is restarted within a bound,
// and a stop reaches all.

import { EventEmitter } from 'node:events';
import type { CrawlReport } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { NO_PROGRESS } from '../../report/crawl-report.js';
import type { CrawlPhase } from '../../run/activity.js';
import { EXIT } from '../exit-codes.js';
import { type FromWorker, type ToWorker, WorkerPool, type WorkerProcess } from './worker-pool.js';

/** A process that a test controls. */
function fakeWorker() {
  const messages: ToWorker[] = [];
  const process = Object.assign(new EventEmitter(), {
    connected: true,
    exitCode: null as number | null,
    signalCode: null as NodeJS.Signals | null,
    send: (message: ToWorker) => messages.push(message) > 0,
    kill: () => exit(null, 'SIGKILL'),
  });
  const says = (message: FromWorker) => process.emit('message', message);
  const exit = (exitCode: number | null, signalCode: NodeJS.Signals | null): boolean => {
    Object.assign(process, { exitCode, signalCode });
    return process.emit('exit', exitCode, signalCode);
  };
  const endsAs = (state: CrawlReport['state'], code: number): void => {
    says({ kind: 'report', report: { state } as CrawlReport });
    exit(code, null);
  };
  return {
    process: process as unknown as WorkerProcess,
    messages,
    says,
    is: (phase: CrawlPhase) => says({ kind: 'state', progress: NO_PROGRESS, phase }),
    exits: (code: number) => exit(code, null),
    hasEnded: () => process.exitCode !== null || process.signalCode !== null,
    isKilled: () => exit(null, 'SIGKILL'),
    /** Ends with a report, as finished. */
    finishes: () => endsAs('finished', EXIT.ok),
    endsAs,
  };
}

function setUp(count: number) {
  const started: ReturnType<typeof fakeWorker>[] = [];
  const lines: string[] = [];
  const pool = new WorkerPool({
    count,
    start() {
      const worker = fakeWorker();
      started.push(worker);
      return worker.process;
    },
    firstMessage: (who) => ({ kind: 'start', args: [], flags: {}, out: 'out', ...who }),
    print: (line) => void lines.push(line),
  });
  const worker = (at: number) => started[at] as ReturnType<typeof fakeWorker>;
  return { pool, started, lines, worker };
}

const settle = () => new Promise((done) => setImmediate(done));

describe('workers', () => {
  it('start together, and the others join when the first has opened the crawl', async () => {
    const { pool, started, worker } = setUp(3);
    await settle();
    expect(started).toHaveLength(3);
    expect(worker(0).messages).toEqual([{ kind: 'start', args: [], flags: {}, out: 'out', isFirst: true }]);
    expect([...worker(1).messages, ...worker(2).messages]).toEqual([]);
    expect(pool.running()).toBe(1);
    worker(0).is('running');
    await settle();
    expect(pool.running()).toBe(3);
    expect(worker(1).messages[0]).toMatchObject({ isFirst: false });
    for (const each of started) each.finishes();
    expect(await pool.ended).toHaveLength(3);
  });

  it.each([
    ['is refused with a usage error', EXIT.usage],
    ['cannot open the store', EXIT.broken],
  ])('end silently when the first %s, which is printed once', async (_, code) => {
    const { pool, started, lines, worker } = setUp(3);
    worker(0).says({ kind: 'failed', lines: ['mannerly: no such place'], code });
    worker(0).exits(code);
    const ends = await pool.ended;
    expect(started.map(({ messages, hasEnded }) => [messages.length, hasEnded()])).toEqual([
      [1, true],
      [0, true],
      [0, true],
    ]);
    expect(lines).toEqual(['mannerly: no such place']);
    expect(ends).toEqual([{ report: null, code }]);
  });

  it.each([EXIT.broken, EXIT.usage])('end with the reason that they state in an open crawl, code %i', async (code) => {
    const { pool, started, lines, worker } = setUp(2);
    worker(0).is('running');
    await settle();
    worker(1).says({ kind: 'failed', lines: ['mannerly: the store is away'], code });
    worker(1).exits(code);
    await settle();
    expect(lines).toEqual(['mannerly: the store is away', `Worker 2 ended with code ${code}.`]);
    worker(0).finishes();
    expect(await pool.ended).toMatchObject([{ code: EXIT.ok }, { report: null, code }]);
    expect(started).toHaveLength(2);
  });

  it('are restarted when they die, at most five times, and that is printed', async () => {
    const { pool, started, lines, worker } = setUp(1);
    for (let at = 0; at < 6; at += 1) {
      worker(at).is('running');
      worker(at).isKilled();
      await settle();
    }
    expect(started).toHaveLength(6);
    // A restarted worker joins the crawl: nothing is reset, unparked or retried twice.
    expect(worker(1).messages[0]).toMatchObject({ isFirst: false });
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe('Worker 1 was killed (SIGKILL) and is restarted.');
    expect(lines[5]).toBe('Worker 1 was killed (SIGKILL) for the 6th time and is not restarted.');
    expect(await pool.ended).toEqual([{ report: null, code: EXIT.broken }]);
  });

  it('join when the replacement of the first has opened the crawl, with its --reset and --retry', async () => {
    const { pool, started, worker } = setUp(2);
    worker(0).isKilled();
    await settle();
    expect(worker(2).messages[0]).toMatchObject({ isFirst: true });
    expect(worker(1).messages).toEqual([]);
    worker(2).is('running');
    await settle();
    expect(worker(1).messages[0]).toMatchObject({ isFirst: false });
    for (const at of [1, 2]) worker(at).finishes();
    await pool.ended;
    expect(started).toHaveLength(3);
  });

  it('join the crawl of a first one that ended before it could say that it is open', async () => {
    const { pool, worker } = setUp(2);
    worker(0).finishes();
    await settle();
    expect(worker(1).messages[0]).toMatchObject({ isFirst: false });
    worker(1).finishes();
    await pool.ended;
  });

  it('all get a stop, also one that was just started, and none is restarted afterwards', async () => {
    const { pool, started, worker } = setUp(2);
    worker(0).is('running');
    await settle();
    pool.stop();
    for (const each of started) expect(each.messages.at(-1)).toEqual({ kind: 'stop' });
    worker(1).isKilled();
    worker(0).finishes();
    expect(await pool.ended).toHaveLength(2);
    expect(started).toHaveLength(2);
  });

  it('all stop once as soon as one says that a handler stops it', async () => {
    const { pool, started, lines, worker } = setUp(3);
    worker(0).is('running');
    await settle();
    worker(1).is('stopping');
    worker(0).is('stopping');
    pool.stop();
    const stops = () => started.map(({ messages }) => messages.filter(({ kind }) => kind === 'stop').length);
    expect(stops()).toEqual([1, 1, 1]);
    worker(2).isKilled();
    for (const at of [0, 1]) worker(at).endsAs('stopped', EXIT.stopped);
    expect(await pool.ended).toHaveLength(3);
    expect(started).toHaveLength(3);
    expect(stops()).toEqual([1, 1, 1]);
    expect(lines).toEqual(['Worker 3 was killed (SIGKILL).']);
  });

  it('stop when one has ended before it could say that a handler stops it', async () => {
    const { pool, started, worker } = setUp(2);
    worker(0).is('running');
    await settle();
    worker(1).endsAs('stopped', EXIT.stopped);
    expect(worker(0).messages.at(-1)).toEqual({ kind: 'stop' });
    worker(0).finishes();
    expect(await pool.ended).toHaveLength(2);
    expect(started).toHaveLength(2);
  });

  it('end silently when a handler stops the first before they could join', async () => {
    const { pool, started, worker } = setUp(3);
    worker(0).endsAs('stopped', EXIT.stopped);
    expect(await pool.ended).toHaveLength(1);
    expect(started.map(({ messages, hasEnded }) => [messages.length, hasEnded()]).slice(1)).toEqual([
      [0, true],
      [0, true],
    ]);
  });

  it('are all ended by a second Ctrl-C, also those that wait to join', async () => {
    const { pool, started } = setUp(2);
    pool.kill();
    expect(started.map(({ hasEnded }) => hasEnded())).toEqual([true, true]);
    expect(await pool.ended).toHaveLength(1);
  });

  it('continue when one of them has finished', async () => {
    const { pool, started, worker } = setUp(2);
    worker(0).is('running');
    await settle();
    worker(1).finishes();
    expect(worker(0).messages).toHaveLength(1);
    worker(0).finishes();
    await pool.ended;
    expect(started).toHaveLength(2);
  });

  it('all end at once when they are killed', async () => {
    const { pool, started, worker } = setUp(2);
    worker(0).is('running');
    await settle();
    pool.kill();
    expect((await pool.ended).map(({ report }) => report)).toEqual([null, null]);
    expect(started).toHaveLength(2);
    expect(pool.running()).toBe(0);
  });
});
