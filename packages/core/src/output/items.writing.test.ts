// At stake: a sink that fails must be named, and must not prevent the others from writing.
import { createManualClock } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { MannerlyError } from '../errors.js';
import { ItemWriter } from './items.js';
import { SINK_CLOSE_MS, SINK_STOP_MS } from './limits.js';
import type { Item, Sink } from './sink.js';

/** For work that is never stopped. */
const UNSTOPPED = { stop: { signal: new AbortController().signal, clock: createManualClock() } };
const ITEM: Item = { id: 'a/1/0', url: 'http://a.test/', fetchedAtMs: 1, data: 1, expiresAtMs: null, preferences: {} };

/** A sink that records its calls, and fails in one of them: it rejects, or throws before it returns a promise. */
function sink(name: string, calls: string[], fails: 'open' | 'write' | 'close' | null = null, throws = false): Sink {
  const act = (verb: 'open' | 'write' | 'close') => (): Promise<void> => {
    calls.push(`${verb} ${name}`);
    if (verb !== fails) return Promise.resolve();
    if (throws) throw new Error('full');
    return Promise.reject(new Error('full'));
  };
  return { name, open: act('open'), write: act('write'), close: act('close') };
}

it.each([false, true])('names the sink that failed, however it fails (throws: %s)', async (throws) => {
  for (const verb of ['open', 'write', 'close'] as const) {
    const writer = new ItemWriter([sink('disk', [], verb, throws)], UNSTOPPED);
    const all = async (): Promise<void> => {
      await writer.open();
      await writer.write([ITEM]);
      await writer.close();
    };
    const hint = expect.stringContaining('run the same crawl again');
    await expect(all()).rejects.toMatchObject({ code: 'sink-failed', hint });
  }
});

it('accepts a sink in JavaScript whose methods return nothing', async () => {
  const written: Item[] = [];
  const plain = {
    name: 'plain',
    open: () => undefined,
    write: (items: Item[]) => void written.push(...items),
    close: () => undefined,
  };
  const writer = new ItemWriter([plain as unknown as Sink], UNSTOPPED);
  await writer.open();
  expect(await writer.write([ITEM])).toBe('written');
  await writer.close();
  expect(written).toEqual([ITEM]);
});

it('closes every sink even if one fails, and none that never opened', async () => {
  const calls: string[] = [];
  const writer = new ItemWriter([sink('a', calls), sink('b', calls, 'close', true), sink('c', calls)], UNSTOPPED);
  await writer.open();
  await expect(writer.close()).rejects.toThrow('full');
  const late = new ItemWriter([sink('d', calls), sink('e', calls, 'open'), sink('f', calls)], UNSTOPPED);
  await expect(late.open()).rejects.toThrow('"e"');
  await late.close();
  expect(calls).toEqual(['open a', 'open b', 'open c', 'close a', 'close b', 'close c', 'open d', 'open e', 'close d']);
});

it.each([
  ['a missing library', 'peer-missing'],
  ['a file with other columns', 'option-invalid'],
] as const)('%s is not a failure of the sink', async (_mistake, code) => {
  const mistake = new MannerlyError(code, 'it needs pg');
  const errors: unknown[] = [];
  const writer = new ItemWriter([{ ...sink('table', []), open: () => Promise.reject(mistake) }], {
    ...UNSTOPPED,
    onFailure: (cause) => void errors.push(cause),
  });
  await expect(writer.open()).rejects.toBe(mistake);
  expect(errors).toEqual([]);
});

it('a write that never ends is awaited until shortly after an immediate stop, and so is the close of its sink', async () => {
  const clock = createManualClock();
  const stop = new AbortController();
  const errors: unknown[] = [];
  const calls: string[] = [];
  const never = (): Promise<void> => new Promise(() => undefined);
  const writer = new ItemWriter([{ ...sink('stuck', calls), write: never, close: never }, sink('disk', calls)], {
    onFailure: (cause, url) => void errors.push([String(cause), url]),
    stop: { signal: stop.signal, clock },
  });
  await writer.open();
  const written = writer.write([ITEM]);
  expect(clock.nextTimerAt()).toBeNull();
  stop.abort();
  clock.advance(SINK_STOP_MS);
  expect(await written).toBe('stopped');
  expect(errors).toEqual([
    [expect.stringContaining('sink "stuck" did not write the items: it had not ended'), ITEM.url],
  ]);
  const closed = writer.close();
  await Promise.resolve();
  clock.advance(SINK_STOP_MS);
  await expect(closed).rejects.toThrow('sink "stuck" could not close: Error: it had not ended');
  expect(calls).toEqual(['open stuck', 'open disk', 'close disk']);
  expect(clock.nextTimerAt()).toBeNull();
});

it('an open that never ends is waited for until a while after a stop at once, and is named', async () => {
  const clock = createManualClock();
  const stop = new AbortController();
  const open = (): Promise<void> => new Promise(() => undefined);
  const writer = new ItemWriter([{ ...sink('stuck', []), open }], { stop: { signal: stop.signal, clock } });
  const opened = writer.open();
  stop.abort();
  clock.advance(SINK_STOP_MS);
  await expect(opened).rejects.toThrow('sink "stuck" could not open: Error: it had not ended');
  expect(clock.nextTimerAt()).toBeNull();
});

it('a close that never ends is reported, after its own bound or shortly after an immediate stop', async () => {
  for (const isStopped of [false, true]) {
    const clock = createManualClock();
    const stop = new AbortController();
    const calls: string[] = [];
    const never = (): Promise<void> => new Promise(() => undefined);
    const writer = new ItemWriter([{ ...sink('stuck', calls), close: never }, sink('disk', calls)], {
      stop: { signal: stop.signal, clock },
    });
    await writer.open();
    if (isStopped) stop.abort();
    const closed = writer.close();
    await Promise.resolve();
    clock.advance(isStopped ? SINK_STOP_MS : SINK_CLOSE_MS);
    await expect(closed).rejects.toThrow('sink "stuck" could not close: Error: it had not ended');
    expect(calls).toEqual(['open stuck', 'open disk', 'close disk']);
    expect(clock.nextTimerAt()).toBeNull();
  }
});
