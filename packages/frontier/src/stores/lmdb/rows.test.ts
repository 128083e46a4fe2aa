// Keys of rows sort in the order in which a host's entries are handed out.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntry, encodeEntry, lineEnd, lineKey, readLine, readWaiting } from './rows.js';

const whole = (most: number) =>
  fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 70_000 }), fc.integer({ min: 0, max: most }));
const place = fc.tuple(
  fc.integer({ min: 0, max: 3 }),
  fc.oneof(fc.constantFrom(1, 2, 255, 256, 65_536), whole(2 ** 32 - 1)),
  fc.integer({ min: 0, max: 8 }),
  whole(2 ** 40 - 1),
);
type Place = readonly [host: number, lane: number, rank: number, order: number];

const keyOf = (at: Place) => lineKey(...at);

function compared(a: Place, b: Place): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : Math.sign(a[at]! - b[at]!);
}

describe('keys of entries in line', () => {
  it('sort by host, lane, rank and order', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(Buffer.compare(keyOf(a), keyOf(b))).toBe(compared(a, b));
      }),
    );
  });

  it('are read as they were written', () => {
    fc.assert(
      fc.property(place, ([host, lane, rank, order]) => {
        const key = keyOf([host, lane, rank, order]);
        expect(key.readUInt32BE(0)).toBe(host);
        expect(readLine(key)).toEqual({ lane, rank, order });
        expect(readWaiting(key)).toBeNull();
      }),
    );
  });

  it('end where their line ends', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [host, lane, rank] = a;
        const isBefore = Buffer.compare(keyOf(b), lineEnd(host, lane, rank)) < 0;
        expect(isBefore).toBe(compared([host, lane, rank, 0], [b[0], b[1], b[2], 0]) >= 0);
      }),
    );
  });
});

describe('values of entries', () => {
  it.each([
    { priority: 0, id: 0, attempt: 0, lane: 0, body: Uint8Array.of() },
    { priority: 7, id: 2 ** 40 - 1, attempt: 2 ** 32 - 1, lane: 2 ** 32 - 1, body: new Uint8Array(1_000).fill(9) },
    { priority: 4, id: 0, attempt: 1, lane: 0, body: Uint8Array.of(255) },
  ])('are read as they were written: %j', (entry) => {
    expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
  });
});
