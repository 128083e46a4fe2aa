// Hosts that wait for a shared address: how often they ask for it, and when they get it.

import { describe, expect, it } from 'vitest';
import { MAX_KNOWN_ADDRESSES } from './limits.js';
import { createAddressSlots, createCrawlPace } from './shared-spacing.js';

const noStore = { capabilities: { shared: false } } as Parameters<typeof createAddressSlots>[0];

/** Hosts that ask again when they are told to, while `slow` holds the address. */
async function waitFor(heldMs: number, intervalMs: number, hosts: readonly string[]) {
  const slots = createAddressSlots(noStore, true, 0, (error) => {
    throw error;
  });
  await slots.tryTake('slow', '127.0.0.1', intervalMs, 0);
  const due = new Map(hosts.map((host) => [host, 0]));
  let asks = 0;
  let isHeld = true;
  const startsMs: number[] = [];
  while (due.size > 0) {
    const [host, atMs] = [...due].reduce((first, each) => (each[1] < first[1] ? each : first));
    if (isHeld && atMs >= heldMs) {
      slots.free('slow', heldMs, intervalMs);
      isHeld = false;
    }
    asks += 1;
    const againMs = await slots.tryTake(host, '127.0.0.1', intervalMs, atMs);
    if (againMs !== null) due.set(host, againMs);
    else {
      due.delete(host);
      startsMs.push(atMs);
      slots.free(host, atMs, intervalMs);
    }
  }
  return { asks, startsMs };
}

describe('an address that one exchange occupies for ten minutes', () => {
  const hosts = Array.from({ length: 9 }, (_, at) => `h${at}`);

  it('is checked at most once per interval, and free one interval after the exchange ends', async () => {
    const { asks, startsMs } = await waitFor(600_000, 1_000, hosts);
    expect(startsMs[0]).toBeGreaterThanOrEqual(601_000);
    expect(startsMs[0]).toBeLessThan(602_000);
    for (const [at, startMs] of startsMs.slice(1).entries())
      expect(startMs - startsMs[at]!).toBeGreaterThanOrEqual(1_000);
    expect(asks).toBeLessThan(9 * 610);
  });

  it('is checked about once per second if hosts have no interval', async () => {
    const { asks, startsMs } = await waitFor(600_000, 0, hosts);
    expect(startsMs[0]).toBeGreaterThanOrEqual(600_000);
    expect(startsMs[0]).toBeLessThan(601_001);
    expect(asks).toBeLessThan(9 * 660);
  });
});

it('of more addresses than are kept, those that are taken, at rest or waited for are not forgotten', async () => {
  const slots = createAddressSlots(noStore, true, 0, () => undefined);
  await slots.tryTake('a', 'taken', 0, 0);
  await slots.tryTake('b', 'at rest', 60_000, 0);
  slots.free('b', 0, 60_000);
  await slots.tryTake('c', 'waited for', 60_000, 0);
  await slots.tryTake('d', 'waited for', 60_000, 0);
  slots.free('c', null, 60_000);
  for (let at = 0; at < MAX_KNOWN_ADDRESSES; at += 1) await slots.tryTake(`h${at}`, `10.${at}`, 0, 0);
  expect(await slots.tryTake('e', 'taken', 0, 1)).toBeGreaterThan(1);
  expect(await slots.tryTake('e', 'at rest', 0, 1)).toBe(60_000);
  expect(await slots.tryTake('e', 'waited for', 0, 1)).toBeGreaterThan(60_000);
});

it('in a continued crawl, addresses rest for the shortest interval, and as long as the store has them reserved', async () => {
  let nowMs = 0;
  const reservedUntilMs = new Map<string, number>();
  const reserve = async ([{ key, delayMs }]: [{ key: string; delayMs: number }]) => {
    const startMs = Math.max(nowMs, reservedUntilMs.get(key) ?? 0);
    reservedUntilMs.set(key, startMs + delayMs);
    return [startMs - nowMs];
  };
  const open = () =>
    createAddressSlots({ capabilities: { shared: true }, reserve } as never, false, 1_000, () => undefined);
  const before = open();
  expect(await before.tryTake('slow', 'one', 60_000, nowMs)).toBeNull();
  expect(before.tryTake('fast', 'two', 1_000, nowMs)).toBeNull();
  nowMs = 500;
  const slots = open();
  slots.restAll(nowMs);
  for (const address of ['one', 'two', 'three']) expect(slots.tryTake('next', address, 1_000, nowMs)).toBe(1_500);
  expect(slots.tryTake('slower', 'four', 60_000, nowMs)).toBe(1_500);
  nowMs = 1_500;
  expect(await slots.tryTake('next', 'one', 1_000, nowMs)).toBe(60_000);
  expect(await slots.tryTake('next', 'two', 1_000, nowMs)).toBeNull();
  expect(await slots.tryTake('slower', 'four', 60_000, nowMs)).toBeNull();
  nowMs = 60_000;
  expect(await slots.tryTake('next', 'one', 1_000, nowMs)).toBeNull();
});

it.each([
  ['the times of other processes', 1_000, 250, 1_250],
  ['its own last request, if that is later', 1_010, 0, 1_100],
])('the next request of the crawl waits for %s', async (_, nowMs, waitMs, nextAtMs) => {
  const asked: unknown[] = [];
  const reserve = async (slots: unknown) => {
    asked.push(slots);
    return [waitMs];
  };
  const pace = createCrawlPace(100, { capabilities: { shared: true }, reserve } as never);
  pace.noteTaken(1_000 - (waitMs > 0 ? 100 : 0));
  await pace.prepare(nowMs);
  expect(pace.nextAtMs()).toBe(nextAtMs);
  await pace.prepare(nextAtMs + 99);
  expect(asked).toEqual([[{ key: 'pace of the crawl', delayMs: 100 }]]);
  // Others may have counted on a time that was not used.
  await pace.prepare(nextAtMs + 100);
  expect(asked).toHaveLength(2);
});
