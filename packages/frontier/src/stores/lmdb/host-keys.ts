// Keys of the rows of one host. All start with the host's number, so that a host's rows lie together and a scan is a walk.
//
//   entries   host 1 time id          waiting for their time
//             host 2 lane rank order     in line, and in hand until they are finished
//   lines     host 0 rank order lane     open lines, by the place of their first entry
//             host 1 lane rank           every line that holds something → its order above, whether it is put aside
//             host 2 until lane          holds, by their end
//             host 3 lane                holds → their end
//             host 4 name                lane name → number
//
// Of the entries in line there is one row for each URL that waits: their lanes and orders take as few bytes as they need, their number
// first, so that they sort as the numbers do. Pages are some three fifths full, so a byte less is more than a byte of disk.
//
// Keys are written into buffers that the next call for the same kind uses again: a caller that keeps one copies it.

const WAITING = 1;
const IN_LINE = 2;
const SEQUENCE_BYTES = 5;
/** Host and kind, lane, rank, order. */
const LINE_MOST_BYTES = 5 + 5 + 1 + 1 + SEQUENCE_BYTES;

/** What a key of the entries table says. */
export type EntryPlace =
  | { readonly kind: 'waiting'; readonly readyAt: number; readonly id: number }
  | { readonly kind: 'line'; readonly lane: number; readonly rank: number; readonly order: number };

/** Writes keys. One per client. */
export class HostKeys {
  readonly #waiting = Buffer.alloc(18);
  /** Of each length one, all over the same bytes: a view takes longer to make than to fill. */
  readonly #lines = beginningsOf(Buffer.alloc(LINE_MOST_BYTES));
  readonly #lineEnds = beginningsOf(Buffer.alloc(LINE_MOST_BYTES));
  readonly #open = Buffer.alloc(15);
  readonly #head = Buffer.alloc(10);
  readonly #holdEnd = Buffer.alloc(17);
  readonly #hold = Buffer.alloc(9);
  readonly #from = Buffer.alloc(5);
  readonly #to = Buffer.alloc(13);

  waiting(host: number, readyAt: number, id: number): Buffer {
    const key = prefixed(this.#waiting, host, WAITING);
    key.writeDoubleBE(readyAt, 5);
    key.writeUIntBE(id, 13, SEQUENCE_BYTES);
    return key;
  }

  line(host: number, lane: number, rank: number, order: number): Buffer {
    const key = prefixed(this.#lines[LINE_MOST_BYTES]!, host, IN_LINE);
    const at = writeSorted(key, lane, 5);
    key[at] = rank;
    return this.#lines[writeSorted(key, order, at + 1)]!;
  }

  /** Behind every entry of the line. */
  lineEnd(host: number, lane: number, rank: number): Buffer {
    const key = prefixed(this.#lineEnds[LINE_MOST_BYTES]!, host, IN_LINE);
    const at = writeSorted(key, lane, 5);
    key[at] = rank + 1;
    return this.#lineEnds[at + 1]!;
  }

  openLine(host: number, lane: number, rank: number, order: number): Buffer {
    const key = prefixed(this.#open, host, 0);
    key[5] = rank;
    key.writeUIntBE(order, 6, SEQUENCE_BYTES);
    key.writeUInt32BE(lane, 11);
    return key;
  }

  lineHead(host: number, lane: number, rank: number): Buffer {
    const key = prefixed(this.#head, host, 1);
    key.writeUInt32BE(lane, 5);
    key[9] = rank;
    return key;
  }

  holdEnd(host: number, until: number, lane: number): Buffer {
    const key = prefixed(this.#holdEnd, host, 2);
    key.writeDoubleBE(until, 5);
    key.writeUInt32BE(lane, 13);
    return key;
  }

  hold(host: number, lane: number): Buffer {
    const key = prefixed(this.#hold, host, 3);
    key.writeUInt32BE(lane, 5);
    return key;
  }

  laneName(host: number, name: Buffer): Buffer {
    const key = Buffer.allocUnsafe(5 + name.length);
    prefixed(key, host, 4).set(name, 5);
    return key;
  }

  /** In front of every row of a kind. */
  from(host: number, kind: number): Buffer {
    return prefixed(this.#from, host, kind);
  }

  /** Behind every row of a kind; with a time, behind those up to it. */
  to(host: number, kind: number, upTo = Number.POSITIVE_INFINITY): Buffer {
    if (!Number.isFinite(upTo)) return prefixed(this.#to, host, kind + 1).subarray(0, 5);
    const key = prefixed(this.#to, host, kind);
    key.writeBigUInt64BE(doubleBits(upTo) + 1n, 5);
    return key;
  }
}

/** Of rows in the two tables. */
export const ROWS = Object.freeze({ waiting: WAITING, openLines: 0, holdEnds: 2 });

/** Reads a key of the entries table. */
export function entryPlace(key: Buffer): EntryPlace {
  if (key[4] === WAITING) {
    return { kind: 'waiting', readyAt: key.readDoubleBE(5), id: key.readUIntBE(13, SEQUENCE_BYTES) };
  }
  const at = sortedEnd(key, 5);
  return { kind: 'line', lane: readSorted(key, 5), rank: key[at]!, order: readSorted(key, at + 1) };
}

/** Reads a key of the open lines. */
export function openLinePlace(key: Buffer): { readonly rank: number; readonly order: number; readonly lane: number } {
  return { rank: key[5] ?? 0, order: key.readUIntBE(6, SEQUENCE_BYTES), lane: key.readUInt32BE(11) };
}

/** Instants are positive, so their bytes sort as they do. */
function doubleBits(value: number): bigint {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value, 0);
  return bytes.readBigUInt64BE(0);
}

/** Writes a whole number up to 2^40 so that the bytes of a larger one sort behind. @returns Where it ends. */
function writeSorted(bytes: Buffer, value: number, at: number): number {
  let width = 1;
  for (let above = 256; above <= value; above *= 256) width += 1;
  bytes[at] = width;
  return bytes.writeUIntBE(value, at + 1, width);
}

function readSorted(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at + 1, bytes[at]!);
}

function sortedEnd(bytes: Buffer, at: number): number {
  return at + 1 + bytes[at]!;
}

/** By length. */
function beginningsOf(bytes: Buffer): readonly Buffer[] {
  return Array.from({ length: bytes.length + 1 }, (_, length) => bytes.subarray(0, length));
}

function prefixed(key: Buffer, host: number, kind: number): Buffer {
  key.writeUInt32BE(host, 0);
  key[4] = kind;
  return key;
}
