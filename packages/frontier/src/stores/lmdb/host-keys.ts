// Keys of the rows of one host. All start with the host's number, so that a host's rows lie together and a scan is a walk.
//
//   entries   host 1 instant id          waiting for their time
//             host 2 lane rank order     in line, and in hand until they are finished
//   lines     host 0 rank order lane     open lines, by the place of their first entry
//             host 1 lane rank           every line that holds something → its order above, whether it is put aside
//             host 2 until lane          holds, by their end
//             host 3 lane                holds → their end
//             host 4 name                lane name → number
//
// Keys are written into buffers that the next call for the same kind uses again: a caller that keeps one copies it.

const WAITING = 1;
const IN_LINE = 2;
const SEQUENCE_BYTES = 5;

/** What a key of the entries table says. */
export type EntryPlace =
  | { readonly kind: 'waiting'; readonly readyAt: number; readonly id: number }
  | { readonly kind: 'line'; readonly lane: number; readonly rank: number; readonly order: number };

/** Writes keys. One per client. */
export class HostKeys {
  readonly #waiting = Buffer.alloc(18);
  readonly #line = Buffer.alloc(15);
  readonly #lineEnd = Buffer.alloc(10);
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
    const key = prefixed(this.#line, host, IN_LINE);
    key.writeUInt32BE(lane, 5);
    key[9] = rank;
    key.writeUIntBE(order, 10, SEQUENCE_BYTES);
    return key;
  }

  /** Behind every entry of the line. */
  lineEnd(host: number, lane: number, rank: number): Buffer {
    const key = prefixed(this.#lineEnd, host, IN_LINE);
    key.writeUInt32BE(lane, 5);
    key[9] = rank + 1;
    return key;
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

  /** Behind every row of a kind; with an instant, behind those up to it. */
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
  return {
    kind: 'line',
    lane: key.readUInt32BE(5),
    rank: key[9] ?? 0,
    order: key.readUIntBE(10, SEQUENCE_BYTES),
  };
}

/** Reads a key of the open lines. */
export function openLinePlace(key: Buffer): { readonly rank: number; readonly order: number; readonly lane: number } {
  return { rank: key[5] ?? 0, order: key.readUIntBE(6, SEQUENCE_BYTES), lane: key.readUInt32BE(11) };
}

/** Instants are positive, so their octets sort as they do. */
function doubleBits(value: number): bigint {
  const octets = Buffer.allocUnsafe(8);
  octets.writeDoubleBE(value, 0);
  return octets.readBigUInt64BE(0);
}

function prefixed(key: Buffer, host: number, kind: number): Buffer {
  key.writeUInt32BE(host, 0);
  key[4] = kind;
  return key;
}
