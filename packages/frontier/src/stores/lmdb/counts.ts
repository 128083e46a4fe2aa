// What is true of the whole crawl, in one record that every transaction reads first and writes last.

/** Counts of the crawl, and what tells processes on one file of each other. */
export interface Counts {
  /** Grows with every transaction: who finds another than its own has to look again. */
  generation: number;
  /** The store's clock at the last transaction. */
  latestMs: number;
  /** Entries that are not finished. */
  unfinished: number;
  inFlight: number;
  known: number;
  hosts: number;
  leased: number;
  parked: number;
  /** Next number of a chunk of the fingerprint log. */
  nextChunk: number;
  /** Chunks from this one on stand in the table of fingerprints as well, and new ones only there; `Infinity`: none yet. */
  tableFrom: number;
  /** The first chunk of the log of new entries that is kept, and the next number of one. */
  inboxFrom: number;
  inboxEnd: number;
}

const BYTES = 8 * 12;

/** The counts of an empty crawl. */
export function noCounts(): Counts {
  return {
    generation: 0,
    latestMs: 0,
    unfinished: 0,
    inFlight: 0,
    known: 0,
    hosts: 0,
    leased: 0,
    parked: 0,
    nextChunk: 0,
    tableFrom: Number.POSITIVE_INFINITY,
    inboxFrom: 0,
    inboxEnd: 0,
  };
}

/** The record. */
export function encodeCounts(counts: Counts): Buffer {
  const bytes = Buffer.allocUnsafe(BYTES);
  const { generation, latestMs, unfinished, inFlight, known, hosts, leased, parked, nextChunk, tableFrom } = counts;
  const { inboxFrom, inboxEnd } = counts;
  const fields = [generation, latestMs, unfinished, inFlight, known, hosts, leased, parked, nextChunk, tableFrom];
  for (const [at, field] of [...fields, inboxFrom, inboxEnd].entries()) bytes.writeDoubleBE(field, 8 * at);
  return bytes;
}

/** Reads the record; that of an older format is as none, since its file is refused by its name a moment later. */
export function decodeCounts(bytes: Buffer): Counts {
  if (bytes.length < BYTES) return noCounts();
  const field = (at: number) => bytes.readDoubleBE(8 * at);
  return {
    generation: field(0),
    latestMs: field(1),
    unfinished: field(2),
    inFlight: field(3),
    known: field(4),
    hosts: field(5),
    leased: field(6),
    parked: field(7),
    nextChunk: field(8),
    tableFrom: field(9),
    inboxFrom: field(10),
    inboxEnd: field(11),
  };
}
