// A record that is read as something else than was written is a delay forgotten or an entry lost.

import { describe, expect, it } from 'vitest';
import { decodeHost, RecordWriter } from './host-record.js';
import { type HostState, newHostState } from './host-state.js';

const NEVER = Number.POSITIVE_INFINITY;
const LATE = 1_790_000_000_000.125;
const hand = (...ids: readonly string[]) =>
  new Map(ids.map((id, at) => [id, { lane: at, rank: at % 9, order: 127 + at, attempt: 1 + 200 * at }]));

const ROWS: readonly [what: string, key: string, changes: Partial<HostState>][] = [
  ['that nobody has asked', 'a.example', {}],
  ['with an empty key', '', { queued: 1 }],
  ['with a key beyond ASCII', 'bücher.例え', { queued: 3, lineCount: 2 }],
  [
    'with counts of one byte and of many',
    'h',
    { fencingToken: 127, nextSequence: 128, nextLane: 16_384, queued: 2 ** 40 },
  ],
  ['under a lease', 'h', { fencingToken: 9, leaseEndsAt: LATE, delayMs: 0.5, dueAt: LATE + 0.5, dueHolder: 300 }],
  ['that is parked', 'h', { isParked: true, nextAt: LATE }],
  ['whose entries wait', 'h', { queued: 1, ripensAt: LATE, dueAt: LATE }],
  ['with lanes under a hold', 'h', { holdCount: 200, opensAt: LATE }],
  ['with a state', 'h', { state: Uint8Array.of(0, 255, 7) }],
  ['with an empty state', 'h', { state: new Uint8Array(0) }],
  ['with entries in hand, named after their place or not', 'h', { hand: hand('127', '5', '1099511627775') }],
  ['with a first lane that ends with its key', 'h.example', { firstLane: 'https://h.example', nextLane: 2 }],
  ['with a first lane that does not', 'h.example', { firstLane: 'https://h.example:8443', nextLane: 2 }],
  ['with an empty first lane', 'h', { firstLane: '', nextLane: 2 }],
  ['with one line', 'h', { lineCount: 1, onlyLine: { lane: 1, rank: 5, order: 2 ** 39 } }],
  ['with entries out of the log of new ones', 'h', { foldedTo: 2 ** 50 + 17 }],
  [
    'with everything',
    'h',
    {
      ...{
        leaseEndsAt: LATE,
        ripensAt: LATE,
        holdCount: 1,
        opensAt: LATE,
        dueAt: 1,
        dueHolder: 2,
        nextAt: 3,
        delayMs: 4,
      },
      ...{ isParked: true, state: new Uint8Array(1_024).fill(3), hand: hand('1', '2', '3'), foldedTo: 2 ** 50 },
      ...{ firstLane: 'https://h', nextLane: 2, onlyLine: { lane: 1, rank: 8, order: 2 ** 39 }, lineCount: 1 },
    },
  ],
];

describe('the record of a host', () => {
  it.each(ROWS)('%s is read as it was written', (_what, key, changes) => {
    const host: HostState = { ...newHostState(77, key), ...changes };
    const bytes = Buffer.from(new RecordWriter().encode(host));
    const read = decodeHost(77, bytes);
    const { dueAt, dueHolder } = host;
    const indexedHolder = dueAt === null ? 0 : dueHolder;
    expect(read).toEqual({ ...host, indexedAt: dueAt, indexedHolder, isDirty: false, isKept: true });
    expect([...read.hand.keys()]).toEqual([...host.hand.keys()]);
  });

  it('of a host that waits for its time takes some 30 bytes beside its key', () => {
    const host = { ...newHostState(1, ''), nextSequence: 90, queued: 60, lineCount: 1, nextAt: LATE, dueAt: LATE };
    expect(new RecordWriter().encode(host).length).toBeLessThan(32);
  });

  it('does not refer to the bytes it was read from, which are used again', () => {
    const bytes = Buffer.from(new RecordWriter().encode({ ...newHostState(1, 'h'), state: Uint8Array.of(1, 2) }));
    const read = decodeHost(1, bytes);
    bytes.fill(0);
    expect([read.key, ...(read.state ?? [])]).toEqual(['h', 1, 2]);
    expect(read.ripensAt).toBe(NEVER);
  });
});
