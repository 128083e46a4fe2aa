// Lists as PostgreSQL's binary format of arrays: the server reads them without parsing digits, quotes and commas.

const HEADER_BYTES = 20;

/** The types a list may have here, by their numbers in every server's catalogue. */
const OIDS = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25 } as const;

/** Whole numbers of 16 bits; `null` where there is none. */
export function int2Array(values: readonly (number | null)[]): Buffer {
  return fixed(OIDS.int2, 2, values, (bytes, value, at) => bytes.writeInt16BE(value, at));
}

/** Whole numbers of 32 bits. */
export function int4Array(values: readonly (number | null)[]): Buffer {
  return fixed(OIDS.int4, 4, values, (bytes, value, at) => bytes.writeInt32BE(value, at));
}

/** Whole numbers of 64 bits. */
export function int8Array(values: readonly (bigint | null)[]): Buffer {
  return fixed(OIDS.int8, 8, values, (bytes, value, at) => bytes.writeBigInt64BE(value, at));
}

/** Yes and no. */
export function boolArray(values: readonly boolean[]): Buffer {
  return fixed(OIDS.bool, 1, values, (bytes, value, at) => bytes.writeUInt8(value ? 1 : 0, at));
}

/** Texts. */
export function textArray(values: readonly string[]): Buffer {
  return varying(
    OIDS.text,
    values.map((value) => Buffer.from(value)),
  );
}

/** Bytes; `null` where there are none. */
export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  return varying(OIDS.bytea, values);
}

/** Numbers of a list in text, `{1,2}`. */
export function readNumbers(text: unknown): bigint[] {
  const inside = typeof text === 'string' ? text.slice(1, -1) : '';
  return inside === '' ? [] : inside.split(',').map(BigInt);
}

function fixed<T>(
  oid: number,
  size: number,
  values: readonly (T | null)[],
  write: (bytes: Buffer, value: T, at: number) => void,
): Buffer {
  if (values.length === 0) return header(oid, 0, false);
  const nulls = values.filter((value) => value === null).length;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + 4 * values.length + size * (values.length - nulls));
  header(oid, values.length, nulls > 0).copy(bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? -1 : size, at);
    if (value === null) continue;
    write(bytes, value, at);
    at += size;
  }
  return bytes;
}

function varying(oid: number, values: readonly (Uint8Array | null)[]): Buffer {
  if (values.length === 0) return header(oid, 0, false);
  const length = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(length);
  header(oid, values.length, values.includes(null)).copy(bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? -1 : value.length, at);
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

/** Dimensions, whether there are nulls, the type; then of the only dimension its length and first index. */
function header(oid: number, length: number, hasNulls: boolean): Buffer {
  const bytes = Buffer.alloc(length === 0 ? 12 : HEADER_BYTES);
  bytes.writeInt32BE(length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(hasNulls ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  if (length === 0) return bytes;
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}
