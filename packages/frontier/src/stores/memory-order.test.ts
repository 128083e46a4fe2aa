// The order in which the memory store hands out entries: by priority, then in the order in which they were added.

import { describe, expect, it } from 'vitest';
import type { NewEntry } from '../store.js';
import { memoryStore } from './memory.js';

const HOST = 'h.example';
const entry = (number: number, more: Partial<NewEntry> = {}): NewEntry => {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setUint32(4, number + 1);
  return { host: HOST, lane: `https://${HOST}`, fingerprint, priority: 4, body: Uint8Array.of(number), ...more };
};

async function opened() {
  let now = 1_000;
  const store = memoryStore({ nowMs: () => now });
  await store.open({ crawl: 'c', create: true });
  const lease = async (count: number) => {
    const [found] = await store.lease({ maxHosts: 1, entriesPerHost: count, ttlMs: 1_000 });
    return found!;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { store, lease, pass };
}
const numbers = (entries: readonly { readonly body: Uint8Array }[]) => entries.map(({ body }) => body[0]);

describe('entries of the memory store', () => {
  it('are handed out in the order of adding, a few at a time, and all are counted', async () => {
    const { store, lease } = await opened();
    await store.add([1, 2, 3, 4, 5].map((number) => entry(number)));
    const first = await lease(2);
    expect([numbers(first.entries), first.queued]).toEqual([[1, 2], 3]);
    await store.add([entry(6)]);
    const then = { keep: { ttlMs: 1_000, want: 3 } };
    const answer = await store.commit([{ host: HOST, fencingToken: first.fencingToken, done: ['1', '2'], then }]);
    expect(answer.hosts[0]?.ok === true ? numbers(answer.hosts[0].entries) : null).toEqual([3, 4, 5]);
    expect(await store.readHost!(HOST)).toMatchObject({ queued: 1, inFlight: 3 });
  });

  it('come after those of a better priority that were added later', async () => {
    const { store, lease } = await opened();
    await store.add([entry(1), entry(2), entry(3, { priority: 0 }), entry(4, { priority: 2 })]);
    expect(numbers((await lease(1)).entries)).toEqual([3]);
  });

  it('come before one of their priority that is requeued', async () => {
    const { store, lease } = await opened();
    await store.add([1, 2, 3].map((number) => entry(number)));
    const { fencingToken } = await lease(1);
    const then = { keep: { ttlMs: 1_000, want: 9 } };
    const answer = await store.commit([{ host: HOST, fencingToken, requeue: [{ id: '1' }], then }]);
    expect(answer.hosts[0]?.ok === true ? numbers(answer.hosts[0].entries) : null).toEqual([2, 3, 1]);
  });

  it('make their host due even if another entry of it waits', async () => {
    const { store, lease } = await opened();
    await store.add([entry(1)]);
    const { fencingToken } = await lease(1);
    await store.add([entry(2, { notBeforeMs: 60_000 }), entry(3)]);
    await store.commit([{ host: HOST, fencingToken, done: ['1'], then: { release: { dueInMs: 0 } } }]);
    expect(await store.nextDueInMs()).toBe(0);
    expect(numbers((await lease(9)).entries)).toEqual([3]);
  });

  it('keep their order if there are many, whatever is requeued, returned or added in between', async () => {
    const { store, lease, pass } = await opened();
    const long = (number: number, more: Partial<NewEntry> = {}) => {
      const body = new Uint8Array(60);
      new DataView(body.buffer).setUint32(0, number);
      return entry(number, { body, ...more });
    };
    const read = (entries: readonly { readonly body: Uint8Array }[]) =>
      entries.map(({ body }) => new DataView(body.buffer, body.byteOffset).getUint32(0));
    // The expected order: returned entries first, then by priority, each in order of arrival.
    const lines: number[][] = [[], [], []];
    let added = 0;
    const add = async (count: number, priority: number) => {
      const numbers = Array.from({ length: count }, () => added++);
      await store.add(
        numbers.map((number) => long(number, { priority, lane: `${number % 9 === 0 ? 'http' : 'https'}://${HOST}` })),
      );
      lines[1 + priority]!.push(...numbers);
    };
    const expected = (count: number) => {
      const next: number[] = [];
      for (const line of lines) next.push(...line.splice(0, count - next.length));
      return next;
    };
    for (let round = 0; round < 60; round += 1) {
      // Batches in one lane, in two lanes, and with two priorities.
      if (round % 3 === 0) await add(1 + 40 * (round % 7), round % 12 === 0 ? 0 : 1);
      if (round % 5 === 0) {
        const more = Array.from({ length: 300 }, () => added++);
        await store.add(more.map((number) => long(number, { priority: 1 })));
        lines[2]!.push(...more);
      }
      const { fencingToken, entries } = await lease(40);
      expect(read(entries)).toEqual(expected(40));
      expect((await store.stats()).queued).toBe(lines.flat().length);
      if (round % 4 === 3) {
        pass(2_000);
        lines[0]!.push(...read(entries));
        continue;
      }
      const again = entries.filter((_, at) => at % 10 === 3);
      const done = entries.filter((each) => !again.includes(each)).map(({ id }) => id);
      const requeue = again.map(({ id }) => ({ id, priority: 1 }));
      const then = { release: { dueInMs: 0 } };
      await store.commit([{ host: HOST, fencingToken, done, requeue, then }]);
      lines[2]!.push(...read(again));
    }
    const listed: number[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page = await store.scan(cursor, 70);
      listed.push(...read(page.items.map((item) => item.entry)));
      cursor = page.cursor;
    }
    expect(listed.toSorted((a, b) => a - b)).toEqual(lines.flat().toSorted((a, b) => a - b));
    expect(listed.length).toBeGreaterThan(500);
  });

  it('are skipped in a blocked lane, and handed out when the block ends', async () => {
    const { store, lease, pass } = await opened();
    const other = { lane: `http://${HOST}` };
    await store.add([entry(1), entry(2), entry(3), entry(4, other)]);
    const { fencingToken } = await lease(1);
    const blockLanes = [{ lane: `https://${HOST}`, ms: 500 }];
    await store.commit([{ host: HOST, fencingToken, done: ['1'], blockLanes, then: { release: { dueInMs: 0 } } }]);
    const next = await lease(1);
    expect(numbers(next.entries)).toEqual([4]);
    await store.commit([
      { host: HOST, fencingToken: next.fencingToken, done: ['4'], then: { release: { dueInMs: 0 } } },
    ]);
    expect(await store.nextDueInMs()).toBe(500);
    pass(500);
    expect(numbers((await lease(9)).entries)).toEqual([2, 3]);
  });
});
