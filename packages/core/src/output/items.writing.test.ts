// What is at stake: a sink that fails must be named, and must not keep the others from getting what they hold onto the
// medium.
import { expect, it } from 'vitest';
import { MannerlyError } from '../errors.js';
import { ItemWriter } from './items.js';
import type { Item, Sink } from './sink.js';

const ITEM: Item = { id: 'a/1/0', url: 'http://a.test/', fetchedAtMs: 1, data: 1, expiresAtMs: null, preferences: {} };

/** A sink that notes its calls, and fails in one of them: by rejecting, or by throwing before there is a promise. */
function sink(name: string, calls: string[], fails: 'open' | 'write' | 'close' | null = null, throws = false): Sink {
  const act = (verb: 'open' | 'write' | 'close') => (): Promise<void> => {
    calls.push(`${verb} ${name}`);
    if (verb !== fails) return Promise.resolve();
    if (throws) throw new Error('full');
    return Promise.reject(new Error('full'));
  };
  return { name, open: act('open'), write: act('write'), close: act('close') };
}

it.each([false, true])('names the sink that failed, whichever way (throws: %s)', async (throws) => {
  for (const verb of ['open', 'write', 'close'] as const) {
    const writer = new ItemWriter([sink('disk', [], verb, throws)]);
    const all = async (): Promise<void> => {
      await writer.open();
      await writer.write([ITEM]);
      await writer.close();
    };
    await expect(all()).rejects.toMatchObject({ code: 'sink-failed' });
  }
});

it('closes every sink although one cannot, and none that never opened', async () => {
  const calls: string[] = [];
  const writer = new ItemWriter([sink('a', calls), sink('b', calls, 'close', true), sink('c', calls)]);
  await writer.open();
  await expect(writer.close()).rejects.toThrow('full');
  const late = new ItemWriter([sink('d', calls), sink('e', calls, 'open'), sink('f', calls)]);
  await expect(late.open()).rejects.toThrow('"e"');
  await late.close();
  expect(calls).toEqual(['open a', 'open b', 'open c', 'close a', 'close b', 'close c', 'open d', 'open e', 'close d']);
});

it('a library that is not installed is no failure of the sink', async () => {
  const missing = new MannerlyError('peer-missing', 'it needs pg');
  const told: unknown[] = [];
  const writer = new ItemWriter(
    [{ ...sink('table', []), open: () => Promise.reject(missing) }],
    (cause) => void told.push(cause),
  );
  await expect(writer.open()).rejects.toBe(missing);
  expect(told).toEqual([]);
});
