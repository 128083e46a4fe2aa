// If the clock ran ahead of events, or not at all, every test that uses it would be worthless.

import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createVirtualClock, type VirtualClockOptions } from './virtual-clock.js';

function clockForTest(options: VirtualClockOptions = {}) {
  const clock = createVirtualClock(options);
  onTestFinished(() => clock.end());
  return clock;
}

const DAY = 86_400_000;
/** A thread that numbers what it is asked, and takes its time. */
const ANSWERS_LATE = `
  const { parentPort } = require('node:worker_threads');
  let asked = 0;
  parentPort.on('message', () => setTimeout(() => parentPort.postMessage((asked += 1)), 50));
`;

describe('a virtual clock', () => {
  it('is used by every reader of the time', async () => {
    const clock = clockForTest({ startMs: 1_000_000 });
    const beganAt = performance.now();
    await clock.advance(DAY);
    expect([clock.nowMs(), Date.now(), new Date(Date.now()).valueOf()]).toEqual(Array(3).fill(1_000_000 + DAY));
    expect(performance.now() - beganAt).toBe(DAY);
    await clock.advance(60 * DAY);
    expect(clock.nowMs()).toBe(1_000_000 + 61 * DAY);
  });

  it('fires timers of every kind at their times, in order, including those set meanwhile', async () => {
    const clock = clockForTest();
    const startMs = clock.nowMs();
    const events: [string, number][] = [];
    const record = (what: string) => events.push([what, clock.nowMs() - startMs]);
    setTimeout(() => record('timeout'), 5_000);
    clock.after(3_000, () => {
      record('after');
      setImmediate(() => record('immediate'));
      setTimeout(() => record('set meanwhile'), 1_000);
    });
    clock.after(3_500, () => record('cancelled'))();
    const interval = setInterval(() => record('interval'), 2_000);
    sleep(4_500).then(
      () => record('sleep'),
      () => undefined,
    );
    await clock.advance(5_000);
    clearInterval(interval);
    expect(events).toEqual([
      ['interval', 2_000],
      ['after', 3_000],
      ['immediate', 3_000],
      ['interval', 4_000],
      ['set meanwhile', 4_000],
      ['sleep', 4_500],
      ['timeout', 5_000],
    ]);
  });

  it('leaves out repeated checks between which nothing happens', async () => {
    const clock = clockForTest({ startMs: 0 });
    const checksMs: number[] = [];
    const repeat = (): void => {
      clock.checkAfter?.(1_000, () => {
        checksMs.push(clock.nowMs());
        queueMicrotask(repeat);
      });
    };
    repeat();
    const cancelled = clock.checkAfter?.(2_000, () => checksMs.push(Number.NaN));
    setTimeout(() => cancelled?.(), 1_500);
    setTimeout(() => undefined, DAY / 2);
    await clock.advance(DAY);
    expect(checksMs).toEqual([1_000, 2_000, DAY / 2]);
  });

  it('runs until a promise is settled, and returns its result', async () => {
    const clock = clockForTest();
    const startMs = clock.nowMs();
    expect(await clock.finish(sleep(14 * DAY).then(() => 'well'))).toBe('well');
    expect(clock.nowMs() - startMs).toBe(14 * DAY);
    await expect(clock.finish(sleep(1).then(() => Promise.reject(new Error('no'))))).rejects.toThrow('no');
  });

  it('stands still while files are read and written, and on request', async () => {
    const clock = clockForTest();
    const startMs = clock.nowMs();
    const path = join(tmpdir(), `mannerly-clock-${process.pid}`);
    setTimeout(() => undefined, 1_000);
    const work = async (): Promise<number[]> => {
      const bytes = Buffer.alloc(3_000_000, 'x');
      await writeFile(path, bytes);
      const read = await readFile(path);
      const atFile = clock.nowMs();
      // The clock cannot notice this work by itself.
      await clock.standStill(() => new Promise((resolve) => gzip(read, resolve)));
      return [atFile - startMs, clock.nowMs() - startMs];
    };
    expect(await clock.finish(work())).toEqual([0, 0]);
  });

  it('stands still while another thread answers, as a TypeScript loader does for each import()', async () => {
    const thread = new Worker(ANSWERS_LATE, { eval: true });
    await new Promise((resolve) => thread.once('online', resolve));
    thread.unref();
    const clock = clockForTest();
    const startMs = clock.nowMs();
    setInterval(() => undefined, 1_000);
    const ask = () =>
      new Promise((resolve) => {
        thread.ref();
        thread.once('message', resolve).postMessage('ask');
      }).finally(() => thread.unref());
    for (const round of [1, 2]) expect([await clock.finish(ask()), clock.nowMs() - startMs]).toEqual([round, 0]);
    // A thread that never answers does not stop time.
    thread.ref();
    await clock.advance(5_000);
    expect(clock.nowMs() - startMs).toBe(5_000);
    await thread.terminate();
  });

  it('waits a moment for hidden work before it says that nothing can proceed', async () => {
    const clock = clockForTest();
    const zipped = new Promise((resolve) => gzip(Buffer.alloc(3_000_000), resolve));
    await expect(clock.finish(zipped)).resolves.toBeNull();
  });

  it.each<[string, VirtualClockOptions, () => Promise<unknown>, RegExp]>([
    ['no timer is left', {}, () => new Promise(() => undefined), /no timer is left at 2026-01-01T00:00:00/],
    [
      'it never ends',
      { maxSteps: 50 },
      () => new Promise(() => void setInterval(() => undefined, 10)),
      /^50 timers have fired/,
    ],
    [
      'it takes longer than the longest wait',
      { maxMs: 30 * DAY },
      () => new Promise(() => void setInterval(() => undefined, DAY)),
      /not over after 30\.000 days/,
    ],
  ])('says when %s', async (_what, options, open, says) => {
    const clock = clockForTest(options);
    const stuck = expect(clock.finish(open())).rejects;
    await stuck.toMatchObject({ code: 'clock-stuck', message: expect.stringMatching(says) });
  });

  it('rethrows what a timer throws', async () => {
    const clock = clockForTest();
    setTimeout(() => {
      throw new Error('thrown in a timer');
    }, 10);
    await expect(clock.finish(sleep(20))).rejects.toThrow('thrown in a timer');
  });

  it('replaces no other timers, and leaves everything as it was', () => {
    const before = [globalThis.setTimeout, globalThis.Date, performance.now];
    const clock = clockForTest();
    expect(() => createVirtualClock()).toThrow(expect.objectContaining({ code: 'clock-unavailable' }));
    clock.end();
    clock.end();
    expect([globalThis.setTimeout, globalThis.Date, performance.now]).toEqual(before);
    vi.useFakeTimers();
    expect(() => createVirtualClock()).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('useRealTimers') }),
    );
    vi.useRealTimers();
    createVirtualClock().end();
  });
});
