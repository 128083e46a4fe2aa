// The clock of a file never stands still: hosts would wait for it forever, without a word.

import { expect, it } from 'vitest';
import { bootName } from '../processes/process-identity.js';
import type { Table } from './environment.js';
import { anchorClock } from './meta.js';

/** A table with the anchor of this boot, whose clock is at this time now; `null`: it has none. */
function tableAt(atMs: number | null) {
  const offsetMs = atMs === null ? null : atMs - Number(process.hrtime.bigint()) / 1e6;
  let stored: Buffer | undefined =
    offsetMs === null ? undefined : Buffer.from(JSON.stringify({ boot: bootName(), offsetMs }));
  const table = {
    getBinary: () => stored,
    putSync: (_key: unknown, value: Buffer) => {
      stored = value;
    },
  };
  return { table: table as unknown as Table, anchor: () => stored?.toString() };
}

it.runIf(bootName() !== null)('the clock goes on as the file says, and no process moves it', () => {
  const { table, anchor } = tableAt(5_000);
  const before = anchor();
  expect(anchorClock(table, 4_000)()).toBeLessThan(10_000);
  expect(anchor()).toBe(before);
});

it.runIf(bootName() !== null)('a clock that is behind the file goes on from there, in every process', () => {
  const { table } = tableAt(5_000);
  const clock = anchorClock(table, 1e12);
  expect(clock()).toBeGreaterThanOrEqual(1e12);
  expect(anchorClock(table, 4_000)()).toBeGreaterThanOrEqual(1e12);
});

it('a new file has the wall clock, if that is not behind its latest time', () => {
  expect(anchorClock(tableAt(null).table, 0)()).toBeGreaterThan(1e12);
  expect(anchorClock(tableAt(null).table, 9e12)()).toBeGreaterThanOrEqual(9e12);
});
