// Fingerprints that are known: exact, in memory up to a budget, in the file beyond it.
//
//   log     chunks of up to 248 fingerprints in the order they came; read into memory at open, and, when other
//           processes have added some, at the start of each transaction (A1 across processes)
//   table   a row per fingerprint, once the log has outgrown the smallest budget of those who use the file
//
// The log costs 8 bytes a fingerprint and sequential pages; the table some 25 and a page at random.

import { FingerprintLoader } from '../fingerprint-loader.js';
import { FingerprintSet } from '../fingerprint-set.js';
import type { Counts } from './counts.js';
import type { Environment, Table } from './environment.js';

/** Bytes of a chunk: two of them fill a page. */
const CHUNK_BYTES = 1_984;
const FP_BYTES = 8;
const FPS_PER_CHUNK = CHUNK_BYTES / FP_BYTES;
/** Fingerprints to be read that are worth a loader. */
const FPS_LOADED_LEAST = 65_536;
/** What one takes of the set where room was made for it, at most. */
const LOADED_BYTES = 11;
const NO_VALUE = Buffer.alloc(0);

/** The set. `counts` is always the transaction's. */
export class SeenFingerprints {
  readonly #log: Table;
  readonly #table: Table;
  readonly #budgetBytes: number;
  readonly #set = new FingerprintSet();
  /** The next chunk of the log to be read. */
  #nextChunk = 0;
  /** Added in this transaction, not yet in the log. */
  readonly #added = Buffer.alloc(CHUNK_BYTES);
  #addedBytes = 0;
  readonly #chunkKey = Buffer.alloc(6);
  readonly #fingerprintKey = Buffer.alloc(FP_BYTES);

  constructor({ log, seen }: Environment, budgetBytes: number) {
    this.#log = log;
    this.#table = seen;
    this.#budgetBytes = budgetBytes;
  }

  /** Reads what others have added to the log. `mayWrite`: inside a transaction, where what finds no room is moved. */
  catchUp(counts: Counts, mayWrite: boolean): void {
    const end = Math.min(counts.nextChunk, counts.tableFrom);
    this.#loadMany(Math.min(counts.known - this.#set.size, FPS_PER_CHUNK * (end - this.#nextChunk)), end);
    for (; this.#nextChunk < end; this.#nextChunk += 1) {
      // Asked once in a while: it looks at 256 numbers.
      if ((this.#nextChunk & 63) === 63 && this.#set.bytes > this.#budgetBytes) {
        if (mayWrite) this.#moveToTable(counts, this.#nextChunk, end);
        return;
      }
      const chunk = this.#log.getBinaryFast(this.#keyOf(this.#nextChunk));
      const bytes = chunk?.length ?? 0;
      for (let at = 0; at < bytes; at += FP_BYTES)
        this.#set.addWords(chunk!.readUInt32BE(at), chunk!.readUInt32BE(at + 4));
    }
  }

  has(fingerprint: Uint8Array, counts: Counts): boolean {
    return this.#set.has(fingerprint) || (Number.isFinite(counts.tableFrom) && this.#isInTable(fingerprint));
  }

  /** Adds the fingerprint; `false` when it was known. */
  add(fingerprint: Uint8Array, counts: Counts): boolean {
    if (Number.isFinite(counts.tableFrom)) {
      if (this.#set.has(fingerprint) || this.#isInTable(fingerprint)) return false;
      this.#table.putSync(this.#fingerprintKey, NO_VALUE);
    } else {
      if (!this.#set.add(fingerprint)) return false;
      this.#added.set(fingerprint, this.#addedBytes);
      this.#addedBytes += FP_BYTES;
      if (this.#addedBytes === CHUNK_BYTES) this.#writeChunk(counts);
    }
    counts.known += 1;
    return true;
  }

  /** Writes what was added; to be called at the end of the transaction. */
  flush(counts: Counts): void {
    if (this.#addedBytes > 0) this.#writeChunk(counts);
    const isOpen = !Number.isFinite(counts.tableFrom);
    if (isOpen && this.#set.bytes > this.#budgetBytes) counts.tableFrom = counts.nextChunk;
  }

  /** Where many are to be read and all of them find room, as at open. */
  #loadMany(count: number, end: number): void {
    if (count < FPS_LOADED_LEAST || (this.#set.size + count) * LOADED_BYTES > this.#budgetBytes) return;
    const loader = new FingerprintLoader(this.#set, count);
    for (; this.#nextChunk < end; this.#nextChunk += 1) {
      const chunk = this.#log.getBinaryFast(this.#keyOf(this.#nextChunk));
      if (chunk !== undefined) loader.add(chunk);
    }
    loader.finish();
  }

  #writeChunk(counts: Counts): void {
    // Appending fills pages; inserting would leave them half empty.
    const chunk = this.#added.subarray(0, this.#addedBytes);
    const isLast: unknown = this.#log.putSync(this.#keyOf(counts.nextChunk), chunk, { append: true });
    if (isLast === false) throw new Error(`the log of fingerprints has a chunk past ${counts.nextChunk}`);
    counts.nextChunk += 1;
    this.#nextChunk = counts.nextChunk;
    this.#addedBytes = 0;
  }

  /** This client has room for less than those before it: what it cannot hold goes into the table, once. */
  #moveToTable(counts: Counts, from: number, end: number): void {
    for (let chunk = from; chunk < end; chunk += 1) {
      const fingerprints = this.#log.getBinary(this.#keyOf(chunk));
      for (let at = 0; at < (fingerprints?.length ?? 0); at += FP_BYTES) {
        this.#fingerprintKey.set(fingerprints!.subarray(at, at + FP_BYTES));
        this.#table.putSync(this.#fingerprintKey, NO_VALUE);
      }
    }
    counts.tableFrom = from;
    this.#nextChunk = from;
  }

  /** Leaves the key in `#fingerprintKey`. */
  #isInTable(fingerprint: Uint8Array): boolean {
    this.#fingerprintKey.set(fingerprint);
    return this.#table.getBinaryFast(this.#fingerprintKey) !== undefined;
  }

  #keyOf(chunk: number): Buffer {
    this.#chunkKey.writeUIntBE(chunk, 0, 6);
    return this.#chunkKey;
  }
}
