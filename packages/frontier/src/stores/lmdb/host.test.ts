// If a record is read back differently, a delay is forgotten or an entry is lost.

import { describe, expect, it } from 'vitest';
import { decodeHost, encodeHost, Host } from './host.js';

const NEVER = Number.POSITIVE_INFINITY;
const LATE = 1_790_000_000_000.125;
const inFlight = (...ids: readonly string[]) =>
  new Map(ids.map((id, at) => [id, { lane: at, rank: at % 9, order: 127 + at, attempt: 1 + 200 * at }]));

const ROWS: readonly [what: string, key: string, changes: Partial<Host>][] = [
  ['that is new', 'a.example', {}],
  ['with an empty key', '', { queued: 1 }],
  ['with a key beyond ASCII', 'bücher.例え', { queued: 3, lineCount: 2 }],
  ['with counts of one byte and of many', 'h', { fencingToken: 127, nextSequence: 128, queued: 2 ** 40 }],
  ['under a lease', 'h', { fencingToken: 9, leaseEndsAt: LATE, delayMs: 0.5, dueAt: LATE + 0.5, holder: 300 }],
  ['that is parked', 'h', { isParked: true, nextAt: LATE }],
  ['whose entries wait', 'h', { queued: 1, waitsUntil: LATE, dueAt: LATE }],
  ['with lanes under a block', 'h', { blockCount: 200, unblocksAt: LATE }],
  ['with a state', 'h', { state: Uint8Array.of(0, 255, 7) }],
  ['with an empty state', 'h', { state: new Uint8Array(0) }],
  ['with entries in flight, named after their place or not', 'h', { inFlight: inFlight('127', '5', '1099511627775') }],
  ['with one line', 'h', { lineCount: 1, onlyLine: { lane: 1, rank: 5, order: 2 ** 39 } }],
  [
    'with everything',
    'h',
    {
      ...{
        leaseEndsAt: LATE,
        waitsUntil: LATE,
        blockCount: 1,
        unblocksAt: LATE,
        dueAt: 1,
        holder: 2,
        nextAt: 3,
        delayMs: 4,
      },
      ...{ isParked: true, state: new Uint8Array(1_024).fill(3), inFlight: inFlight('1', '2', '3') },
      ...{ onlyLine: { lane: 1, rank: 8, order: 2 ** 39 }, lineCount: 1 },
    },
  ],
];

describe('the record of a host', () => {
  it.each(ROWS)('%s is read as it was written', (_what, key, changes) => {
    const host: Host = { ...new Host(77, key), ...changes };
    const bytes = Buffer.from(encodeHost(host));
    const read = decodeHost(77, bytes);
    const { dueAt, holder } = host;
    expect(read).toEqual({
      ...host,
      recordedSequence: host.nextSequence,
      indexedAt: dueAt,
      indexedHolder: holder,
      isDirty: false,
    });
    expect([...read.inFlight.keys()]).toEqual([...host.inFlight.keys()]);
  });

  it('of a waiting host takes some 30 bytes besides its key', () => {
    const host = { ...new Host(1, ''), nextSequence: 90, queued: 60, lineCount: 1, nextAt: LATE, dueAt: LATE };
    expect(encodeHost(host).length).toBeLessThan(32);
  });

  it('does not refer to the bytes from which it was read, which are reused', () => {
    const bytes = Buffer.from(encodeHost({ ...new Host(1, 'h'), state: Uint8Array.of(1, 2) }));
    const read = decodeHost(1, bytes);
    bytes.fill(0);
    expect([read.key, ...(read.state ?? [])]).toEqual(['h', 1, 2]);
    expect(read.waitsUntil).toBe(NEVER);
  });
});
