// A host that comes out of its packing other than it went in loses a URL, or its delay.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HostEntries } from './host-entries.js';
import { HostNumbers } from './host-numbers.js';
import { HostQueueState } from './host-queue-state.js';
import { freeRun, hasPackedKey, packedKey, packHost, packNewHost, repackHost, unpackHost } from './packed-host.js';
import { Slabs } from './slabs.js';

const NOW = 5_000.5;
const name = fc.oneof(
  fc.domain(),
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1 }),
);
const bytes = fc.uint8Array({ maxLength: 300 });
const entry = fc.record({
  lane: fc.option(fc.oneof(name, fc.constant('https://'))),
  priority: fc.nat(7),
  body: bytes,
  readyAt: fc.constantFrom(0, NOW, NOW + 0.25, 1e12),
  attempt: fc.nat(9),
  isInFront: fc.boolean(),
  id: fc.integer({ min: 1, max: 2 ** 40 }),
});

const seen = (host: HostQueueState) => {
  const { entries, ...rest } = host;
  return { ...rest, ...entries.save(NOW) };
};

describe('a packed host', () => {
  it('comes out as it went in', () => {
    const numbers = fc.record({
      nextAt: fc.double({ min: 0, max: 1e15, noNaN: true }),
      delayMs: fc.nat(86_400_000),
      fencingToken: fc.nat(2 ** 31 - 1),
      isParked: fc.boolean(),
      state: fc.option(bytes),
    });
    const slabs = new Slabs();
    fc.assert(
      fc.property(name, numbers, fc.option(entry), fc.boolean(), (key, kept, one, laneHasKey) => {
        const lane = one?.lane != null && laneHasKey ? `${one.lane}${key}` : (one?.lane ?? null);
        const text = new TextEncoder().encode(`{"u":"${lane ?? ''}/","f":"${lane ?? ''}/"}`);
        const body = one !== null && one.attempt % 2 === 0 ? text : (one?.body ?? text);
        const entries = one === null ? [] : [{ ...one, lane, body }];
        const restored = HostEntries.restore({ nextId: 2 ** 40 + 1, entries, holds: [] }, NOW);
        const host = { ...new HostQueueState(key, 7), ...kept, entries: restored };
        const address = packHost(slabs, host, NOW);
        expect(address).toBeGreaterThan(0);
        expect([packedKey(slabs, address), hasPackedKey(slabs, address, key)]).toEqual([key, true]);
        expect(hasPackedKey(slabs, address, `${key}x`) || hasPackedKey(slabs, address, key.slice(1))).toBe(false);
        const unpacked = seen(unpackHost(slabs, address, 7, NOW));
        // An time that has passed means at once.
        const due = (readyAt: number) => (readyAt > NOW ? readyAt : 0);
        const whole = seen(host);
        const expected = { ...whole, entries: whole.entries.map((had) => ({ ...had, readyAt: due(had.readyAt) })) };
        expect({
          ...unpacked,
          entries: unpacked.entries.map((had) => ({ ...had, readyAt: due(had.readyAt) })),
        }).toEqual(expected);
        freeRun(slabs, address);
      }),
      { numRuns: 500, seed: 20_270 },
    );
    expect(slabs.bytes).toBeLessThanOrEqual(2 * 1_048_576);
  });

  it('is written over its run again and again, and over no other', () => {
    const numbers = fc.record({
      nextAt: fc.double({ min: 0, max: 1e15, noNaN: true }),
      delayMs: fc.oneof(fc.nat(86_400_000), fc.double({ min: 0, max: 1e9, noNaN: true })),
      fencingToken: fc.oneof(fc.nat(99), fc.integer({ min: 0, max: 2 ** 47 })),
      nextId: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 2 ** 47 })),
      isParked: fc.boolean(),
      state: fc.option(bytes),
    });
    const turns = fc.array(fc.tuple(fc.nat(2), numbers), { minLength: 1, maxLength: 20 });
    const slabs = new Slabs();
    fc.assert(
      fc.property(fc.tuple(name, name, name), turns, (keys, steps) => {
        const runs = keys.map((key) => packNewHost(slabs, key));
        const models = keys.map((key, at) => seen(new HostQueueState(key, at)));
        for (const [at, { nextId, ...kept }] of steps) {
          const host = Object.assign(new HostQueueState(keys[at]!, at, new HostEntries(nextId)), kept);
          runs[at] = repackHost(slabs, runs[at]!, host);
          models[at] = seen(host);
          expect(runs.map((run, number) => seen(unpackHost(slabs, run, number, NOW)))).toEqual(models);
          expect(runs.map((run, number) => hasPackedKey(slabs, run, keys[number]!))).toEqual([true, true, true]);
        }
        for (const run of runs) freeRun(slabs, run);
      }),
      { numRuns: 200, seed: 20_272 },
    );
    expect(slabs.bytes).toBe(1_048_576);
  });

  it('is not packed with two entries, under a lease, with a lane held, or when it is too long', () => {
    const slabs = new Slabs();
    const host = new HostQueueState('h', 0);
    host.entries.add(null, 0, new Uint8Array(1), 0, NOW);
    expect(packHost(slabs, host, NOW)).toBeGreaterThan(0);
    expect(packHost(slabs, { ...host, leaseEndsAt: 1 }, NOW)).toBe(0);
    host.entries.add(null, 0, new Uint8Array(1), 0, NOW);
    expect(packHost(slabs, host, NOW)).toBe(0);
    const held = new HostQueueState('h', 0);
    held.entries.hold('lane', NOW + 1, NOW);
    expect(packHost(slabs, held, NOW)).toBe(0);
    const long = new HostQueueState('h', 0);
    long.entries.add(null, 0, new Uint8Array(60_000), 0, NOW);
    expect(packHost(slabs, long, NOW)).toBe(0);
    expect(packNewHost(slabs, 'é'.repeat(200))).toBe(0);
  });
});

describe('numbers of hosts', () => {
  it('agree with a map', () => {
    const keys: string[] = [];
    const numbers = new HostNumbers({
      keyOf: (number) => keys[number]!,
      hasKey: (number, key) => keys[number] === key,
    });
    for (let at = 0; at < 5_000; at += 1) {
      const key = `host-${(at * 7) % 3_001}.test`;
      const known = keys.indexOf(key);
      expect(numbers.find(key)).toBe(known);
      if (known >= 0) continue;
      expect(numbers.add(key)).toBe(keys.length);
      keys.push(key);
    }
    expect(numbers.size).toBe(3_001);
  });
});
