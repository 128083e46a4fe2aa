// Records next to the queues, and reserved slots: two name spaces of one table.

import type { RecordListing, ReserveSlot } from '../../store.js';
import { type Environment, rowsOf, type Table } from './environment.js';
import { readTextKey, textKey } from './rows.js';

const RECORD = 1;
const SLOT = 2;
const FIRST_SLOT = Buffer.of(SLOT);
const BEHIND_SLOTS = Buffer.of(SLOT + 1);
/** Slots read, per slot taken, to remove those whose time has passed. */
const SWEPT_PER_SLOT = 2;

export class LmdbRecords {
  readonly #table: Table;
  #sweepFrom: Buffer = FIRST_SLOT;

  constructor({ records }: Environment) {
    this.#table = records;
  }

  /** The record, a copy; `null` when absent. */
  read(key: string): Uint8Array | null {
    const kept = this.#table.getBinary(textKey(RECORD, key));
    return kept === undefined ? null : new Uint8Array(kept);
  }

  write(key: string, value: Uint8Array | null): void {
    const rowKey = textKey(RECORD, key);
    if (value === null) this.#table.removeSync(rowKey);
    else this.#table.putSync(rowKey, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }

  /** Records with short keys; the cursor is the last key. */
  list(prefix: string, cursor: string | null, limit: number): RecordListing {
    const first = textKey(RECORD, prefix);
    const start = cursor === null ? first : Buffer.concat([textKey(RECORD, cursor), Buffer.of(0)]);
    const rows = rowsOf(this.#table, start, Buffer.concat([first, Buffer.of(0xff)]), limit + 1);
    const items = rows.slice(0, limit).map(({ key, value }) => ({
      key: readTextKey(key),
      value: new Uint8Array(value),
    }));
    return { cursor: rows.length > limit ? items.at(-1)!.key : null, items };
  }

  /** Takes one slot after the other. @returns How long to wait for each, milliseconds (R2). */
  reserve(slots: readonly ReserveSlot[], now: number): number[] {
    const waits = slots.map(({ key, delayMs }) => {
      const rowKey = textKey(SLOT, key);
      const start = Math.max(now, this.#table.getBinary(rowKey)?.readDoubleBE(0) ?? now);
      const value = Buffer.allocUnsafe(8);
      value.writeDoubleBE(start + delayMs);
      this.#table.putSync(rowKey, value);
      return start - now;
    });
    this.#sweep(SWEPT_PER_SLOT * slots.length, now);
    return waits;
  }

  /** Slots whose time has passed mean nothing: a few are checked each time, round and round. */
  #sweep(count: number, now: number): void {
    const rows = rowsOf(this.#table, this.#sweepFrom, BEHIND_SLOTS, count + 1);
    for (const { key, value } of rows.slice(0, count)) if (value.readDoubleBE(0) <= now) this.#table.removeSync(key);
    this.#sweepFrom = rows[count]?.key ?? FIRST_SLOT;
  }
}
