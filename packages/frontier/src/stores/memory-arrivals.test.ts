// An entry that comes out of its block other than it went in is another URL, or one in another place.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK, countOf, FILL, MIXED, priorityOf, STATE, WORDS } from './host-row.js';
import { type Arrival, MemoryArrivals } from './memory-arrivals.js';
import { Slabs } from './slabs.js';

const KEY = 'höst.example';
const arrival: fc.Arbitrary<Arrival> = fc.record({
  lane: fc.constantFrom(null, KEY, `https://${KEY}`, `http://${KEY}`, `https://${KEY}:8443`, 'elsewhere', ''),
  priority: fc.nat(7),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(new TextEncoder().encode(`{"u":"https://${KEY}/","f":"https://${KEY}/"}`), new Uint8Array(1_500)),
  ),
});
const plain = ({ lane, priority, body }: Arrival) => ({ lane, priority, body: [...body] });
const read = (arrivals: MemoryArrivals, rows: Uint32Array, row: number, count: number, forGood: boolean) => {
  const seen: Arrival[] = [];
  arrivals.read(rows, row, KEY, count, forGood, (lane, priority, body) => seen.push({ lane, priority, body }));
  return seen;
};

describe('arrivals', () => {
  it('come out as they went in, in their order, a few at a time, whatever the blocks of other hosts do', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ host: fc.nat(2), add: arrival }) },
      { weight: 1, arbitrary: fc.record({ host: fc.nat(2), read: fc.integer({ min: 1, max: 5 }) }) },
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
        const slabs = new Slabs();
        const arrivals = new MemoryArrivals(slabs);
        const rows = new Uint32Array(3 * WORDS);
        const waiting: Arrival[][] = [[], [], []];
        for (const each of steps) {
          const row = WORDS * each.host;
          const queue = waiting[each.host]!;
          if ('add' in each) {
            const isFirst = rows[row + BLOCK] === 0 && queue.length === 0;
            const isIn = isFirst ? arrivals.addFirst(rows, row, KEY, each.add) : arrivals.add(rows, row, KEY, each.add);
            if (isIn) queue.push(each.add);
          } else if (queue.length > 0) {
            const seen = read(arrivals, rows, row, each.read, false);
            const gone = read(arrivals, rows, row, each.read, true);
            expect(seen).toEqual(gone);
            expect(gone.map(plain)).toEqual(queue.splice(0, each.read).map(plain));
            taken += gone.length;
          }
          expect(countOf(rows[row + FILL]!)).toBe(queue.length);
          expect(rows[row + BLOCK] === 0).toBe(queue.length === 0);
          const priorities = new Set(queue.map(({ priority }) => priority));
          if (priorities.size > 1) expect(rows[row + STATE]! & MIXED).toBe(MIXED);
          else if (priorities.size === 1 && (rows[row + STATE]! & MIXED) === 0) {
            expect(priorityOf(rows[row + STATE]!)).toBe(queue[0]!.priority);
          }
        }
      }),
      { numRuns: 80, seed: 20_271 },
    );
    expect(taken).toBeGreaterThan(500);
  });

  it('are refused when they are too long, or their block is full; its room is given out again', () => {
    const slabs = new Slabs();
    const arrivals = new MemoryArrivals(slabs);
    const rows = new Uint32Array(WORDS);
    const of = (bytes: number) => ({ lane: null, priority: 1, body: new Uint8Array(bytes) });
    expect(arrivals.addFirst(rows, 0, KEY, of(9_000))).toBe(false);
    expect(arrivals.add(rows, 0, KEY, of(9_000))).toBe(false);
    for (let round = 0; round < 2_000; round += 1) {
      let count = 0;
      while (arrivals.add(rows, 0, KEY, of(997))) count += 1;
      expect(count).toBe(8);
      expect(read(arrivals, rows, 0, Number.POSITIVE_INFINITY, true)).toHaveLength(8);
    }
    expect(slabs.bytes).toBe(1_048_576);
  });
});
