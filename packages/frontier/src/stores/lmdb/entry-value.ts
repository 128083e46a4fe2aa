// What a row of the entries table holds beside its key: one byte for most, and the body.

const PRIORITY = 7;
const WITH_ID = 8;
const WITH_ATTEMPT = 16;
const WITH_LANE = 32;
/** Lengths up to which rows are written into what an earlier one was. */
const ROWS_KEPT = 512;

/** The parts of an entry that its key does not say; 0 stands for what is not kept. */
export interface EntryValue {
  readonly priority: number;
  readonly id: number;
  /** Times handed out; of one in hand, before it was. */
  readonly attempt: number;
  readonly lane: number;
  readonly body: Uint8Array;
}

/** The row. Valid until the next call. */
export class EntryWriter {
  #bytes = Buffer.alloc(1_024);
  /** Beginnings of it, by their length: a folding writes thousands of rows at a time. */
  #rows: (Buffer | undefined)[] = [];

  encode({ priority, id, attempt, lane, body }: EntryValue): Buffer {
    const most = 14 + body.length;
    if (most > this.#bytes.length) {
      this.#bytes = Buffer.alloc(2 * most);
      this.#rows = [];
    }
    const bytes = this.#bytes;
    let flags = priority;
    let at = 1;
    if (id > 0) {
      flags |= WITH_ID;
      at = bytes.writeUIntBE(id, at, 5);
    }
    if (attempt > 0) {
      flags |= WITH_ATTEMPT;
      at = bytes.writeUInt32BE(attempt, at);
    }
    if (lane > 0) {
      flags |= WITH_LANE;
      at = bytes.writeUInt32BE(lane, at);
    }
    bytes[0] = flags;
    bytes.set(body, at);
    const length = at + body.length;
    if (length > ROWS_KEPT) return bytes.subarray(0, length);
    const row = this.#rows[length] ?? bytes.subarray(0, length);
    this.#rows[length] = row;
    return row;
  }
}

/** Reads a row; the body is a copy of its own. */
export function decodeEntry(bytes: Buffer): EntryValue {
  const flags = bytes[0] ?? 0;
  let at = 1;
  const next = (flag: number, width: number) => {
    if ((flags & flag) === 0) return 0;
    at += width;
    return bytes.readUIntBE(at - width, width);
  };
  const id = next(WITH_ID, 5);
  const attempt = next(WITH_ATTEMPT, 4);
  const lane = next(WITH_LANE, 4);
  return { priority: flags & PRIORITY, id, attempt, lane, body: new Uint8Array(bytes.subarray(at)) };
}
