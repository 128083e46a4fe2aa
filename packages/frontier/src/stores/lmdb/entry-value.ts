// What a row of the entries table holds beside its key: one octet for most, and the body.

const BAND = 7;
const WITH_ID = 8;
const WITH_ATTEMPT = 16;
const WITH_LANE = 32;
/** Lengths up to which rows are written into what an earlier one was. */
const ROWS_KEPT = 512;

/** The parts of an entry that its key does not say; 0 stands for what is not kept. */
export interface EntryValue {
  readonly band: number;
  readonly id: number;
  /** Times handed out; of one in hand, before it was. */
  readonly attempt: number;
  readonly lane: number;
  readonly body: Uint8Array;
}

/** The row. Valid until the next call. */
export class EntryWriter {
  #octets = Buffer.alloc(1_024);
  /** Beginnings of it, by their length: a folding writes thousands of rows at a time. */
  #rows: (Buffer | undefined)[] = [];

  encode({ band, id, attempt, lane, body }: EntryValue): Buffer {
    const most = 14 + body.length;
    if (most > this.#octets.length) {
      this.#octets = Buffer.alloc(2 * most);
      this.#rows = [];
    }
    const octets = this.#octets;
    let flags = band;
    let at = 1;
    if (id > 0) {
      flags |= WITH_ID;
      at = octets.writeUIntBE(id, at, 5);
    }
    if (attempt > 0) {
      flags |= WITH_ATTEMPT;
      at = octets.writeUInt32BE(attempt, at);
    }
    if (lane > 0) {
      flags |= WITH_LANE;
      at = octets.writeUInt32BE(lane, at);
    }
    octets[0] = flags;
    octets.set(body, at);
    const length = at + body.length;
    if (length > ROWS_KEPT) return octets.subarray(0, length);
    const row = this.#rows[length] ?? octets.subarray(0, length);
    this.#rows[length] = row;
    return row;
  }
}

/** Reads a row; the body is a copy of its own. */
export function decodeEntry(octets: Buffer): EntryValue {
  const flags = octets[0] ?? 0;
  let at = 1;
  const next = (flag: number, bytes: number) => {
    if ((flags & flag) === 0) return 0;
    at += bytes;
    return octets.readUIntBE(at - bytes, bytes);
  };
  const id = next(WITH_ID, 5);
  const attempt = next(WITH_ATTEMPT, 4);
  const lane = next(WITH_LANE, 4);
  return { band: flags & BAND, id, attempt, lane, body: new Uint8Array(octets.subarray(at)) };
}
