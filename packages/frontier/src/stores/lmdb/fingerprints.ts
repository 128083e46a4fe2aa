// Known fingerprints: exact, in memory up to a budget, beyond it in the file.
//
//   log     chunks of up to 248 fingerprints in order of arrival, 8 bytes each. Read into memory at open; each
//           transaction first reads what other processes have added (A1 across processes)
//   table   a row per fingerprint, about 25 bytes, once the log has outgrown the smallest budget of the file's users

import { unreadable } from '../../errors.js';
import { FINGERPRINT_BYTES } from '../../limits.js';
import type { Listing } from '../../store.js';
import { FingerprintSet } from '../fingerprint-set.js';
import type { Environment, Table } from './environment.js';
import type { Counts } from './meta.js';

/** Bytes of a chunk: two chunks fill a page. */
const CHUNK_BYTES = 1_984;
const FINGERPRINTS_PER_CHUNK = CHUNK_BYTES / FINGERPRINT_BYTES;
/** From this many fingerprints on, adding many at once is faster. */
const MIN_BULK_LOAD = 65_536;
/** The most bytes of memory per fingerprint after loading. */
const MAX_BYTES_PER_FINGERPRINT = 11;
/** The size of the set is checked after reading this many chunks. */
const CHUNKS_PER_CHECK = 64;
const NO_VALUE = Buffer.alloc(0);

export class Fingerprints {
  readonly #log: Table;
  readonly #table: Table;
  readonly #budgetBytes: number;
  readonly #currentCounts: () => Counts;
  readonly #set = new FingerprintSet();
  /** The next chunk of the log to read. */
  #nextChunk = 0;
  /** Fingerprints added in this transaction that are not in the log yet. */
  readonly #added = Buffer.alloc(CHUNK_BYTES);
  #addedBytes = 0;

  constructor({ log, seen }: Environment, budgetBytes: number, currentCounts: () => Counts) {
    this.#log = log;
    this.#table = seen;
    this.#budgetBytes = budgetBytes;
    this.#currentCounts = currentCounts;
  }

  /**
   * Reads what others have added to the log. `mayWrite`: it runs in a transaction and moves the excess to the table.
   */
  catchUp(mayWrite: boolean): void {
    const counts = this.#currentCounts();
    const end = Math.min(counts.nextChunk, counts.tableFrom);
    this.#loadMany(Math.min(counts.known - this.#set.size, FINGERPRINTS_PER_CHUNK * (end - this.#nextChunk)), end);
    for (; this.#nextChunk < end; this.#nextChunk += 1) {
      const isChecked = this.#nextChunk % CHUNKS_PER_CHECK === CHUNKS_PER_CHECK - 1;
      if (isChecked && this.#set.bytes > this.#budgetBytes) {
        if (mayWrite) this.#moveToTable(counts, this.#nextChunk, end);
        return;
      }
      for (const fingerprint of this.#chunk(this.#nextChunk)) this.#set.add(fingerprint);
    }
  }

  has(fingerprint: Uint8Array): boolean {
    if (this.#set.has(fingerprint)) return true;
    return (
      Number.isFinite(this.#currentCounts().tableFrom) && this.#table.getBinary(Buffer.from(fingerprint)) !== undefined
    );
  }

  add(fingerprint: Uint8Array): boolean {
    const counts = this.#currentCounts();
    if (Number.isFinite(counts.tableFrom)) {
      if (this.has(fingerprint)) return false;
      this.#table.putSync(Buffer.from(fingerprint), NO_VALUE);
    } else {
      if (!this.#set.add(fingerprint)) return false;
      this.#added.set(fingerprint, this.#addedBytes);
      this.#addedBytes += FINGERPRINT_BYTES;
      if (this.#addedBytes === CHUNK_BYTES) this.#writeChunk(counts);
    }
    counts.known += 1;
    return true;
  }

  /** Writes the added fingerprints. Call it at the end of the transaction. */
  flush(): void {
    const counts = this.#currentCounts();
    if (this.#addedBytes > 0) this.#writeChunk(counts);
    const isInLog = !Number.isFinite(counts.tableFrom);
    if (isInLog && this.#set.bytes > this.#budgetBytes) counts.tableFrom = counts.nextChunk;
  }

  /**
   * A page of all fingerprints: chunks of the log, then rows of the table, which repeats the log from some chunk on.
   * The counts are the file's, which may be newer than those of the last transaction.
   */
  list(cursor: string | null, limit: number, { nextChunk, tableFrom }: Counts): Listing<Uint8Array> {
    const end = Math.min(nextChunk, tableFrom);
    if (!cursor?.startsWith('row ')) {
      const from = Number(cursor ?? 0);
      const to = Math.min(end, from + Math.ceil(limit / FINGERPRINTS_PER_CHUNK));
      const items = Array.from({ length: Math.max(0, to - from) }, (_, at) => this.#chunk(from + at)).flat();
      const isLast = to >= end;
      return { cursor: !isLast ? String(to) : Number.isFinite(tableFrom) ? 'row ' : null, items };
    }
    const start = Buffer.from(cursor.slice(4), 'hex');
    const items = [...this.#table.getKeys({ start, limit, exclusiveStart: start.length > 0 })].map((key) =>
      Buffer.from(key),
    );
    return { cursor: items.length < limit ? null : `row ${items.at(-1)!.toString('hex')}`, items };
  }

  /** Used when there are many to read and the budget has space for all of them, as at open. */
  #loadMany(count: number, end: number): void {
    if (count < MIN_BULK_LOAD || (this.#set.size + count) * MAX_BYTES_PER_FINGERPRINT > this.#budgetBytes) return;
    this.#set.load(this.#chunksUpTo(end), count);
  }

  /** The bytes of each chunk are valid until the next one. */
  *#chunksUpTo(end: number): Generator<Uint8Array> {
    for (; this.#nextChunk < end; this.#nextChunk += 1) {
      yield checkedChunk(this.#nextChunk, this.#log.getBinaryFast(chunkKey(this.#nextChunk)));
    }
  }

  #writeChunk(counts: Counts): void {
    // Appending fills pages. Inserting would leave them half empty.
    const chunk = this.#added.subarray(0, this.#addedBytes);
    const isLast: unknown = this.#log.putSync(chunkKey(counts.nextChunk), chunk, { append: true });
    if (isLast === false) throw new Error(`the log of fingerprints has a chunk past ${counts.nextChunk}`);
    counts.nextChunk += 1;
    this.#nextChunk = counts.nextChunk;
    this.#addedBytes = 0;
  }

  /** This client's budget is smaller than earlier ones: what does not fit moves to the table, once. */
  #moveToTable(counts: Counts, from: number, end: number): void {
    for (let chunk = from; chunk < end; chunk += 1) {
      for (const fingerprint of this.#chunk(chunk)) this.#table.putSync(fingerprint, NO_VALUE);
    }
    counts.tableFrom = from;
    this.#nextChunk = from;
  }

  #chunk(number: number): Buffer[] {
    const bytes = checkedChunk(number, this.#log.getBinary(chunkKey(number)));
    return Array.from({ length: bytes.length / FINGERPRINT_BYTES }, (_, at) =>
      bytes.subarray(FINGERPRINT_BYTES * at, FINGERPRINT_BYTES * (at + 1)),
    );
  }
}

/** @throws FrontierError `record-unreadable`: it is missing, or no chunk. Its URLs would be requested again. */
function checkedChunk(number: number, chunk: Buffer | undefined): Buffer {
  if (chunk !== undefined && chunk.length <= CHUNK_BYTES && chunk.length % FINGERPRINT_BYTES === 0) return chunk;
  throw unreadable(`the chunk ${number} of the known URLs`);
}

function chunkKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(6);
  key.writeUIntBE(number, 0, 6);
  return key;
}
