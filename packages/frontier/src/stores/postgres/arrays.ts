// Lists in PostgreSQL's binary format of arrays, which the server reads without parsing.

const HEADER_BYTES = 20;
const EMPTY_HEADER_BYTES = 12;

/** The types of lists, by their numbers in every server's catalogue. */
const OIDS = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25 } as const;

type Nullable<T> = readonly (T | null)[];

export const int2Array = (values: Nullable<number>) =>
  arrayOf(OIDS.int2, values, 2, (bytes, value, at) => bytes.writeInt16BE(value, at));
export const int4Array = (values: Nullable<number>) =>
  arrayOf(OIDS.int4, values, 4, (bytes, value, at) => bytes.writeInt32BE(value, at));
export const int8Array = (values: Nullable<bigint>) =>
  arrayOf(OIDS.int8, values, 8, (bytes, value, at) => bytes.writeBigInt64BE(value, at));
export const boolArray = (values: readonly boolean[]) =>
  arrayOf(OIDS.bool, values, 1, (bytes, value, at) => bytes.writeUInt8(value ? 1 : 0, at));
export const byteaArray = (values: Nullable<Uint8Array>, oid: number = OIDS.bytea) =>
  arrayOf(
    oid,
    values,
    ({ length }) => length,
    (bytes, value, at) => bytes.set(value, at),
  );
export const textArray = (values: readonly string[]) =>
  byteaArray(
    values.map((value) => Buffer.from(value)),
    OIDS.text,
  );

/** Numbers of a list in text, `{1,2}`. */
export function readNumbers(text: unknown): bigint[] {
  const inside = typeof text === 'string' ? text.slice(1, -1) : '';
  return inside === '' ? [] : inside.split(',').map(BigInt);
}

/** Number of dimensions, whether there are nulls, type; length and first index of the dimension; then the values. */
function arrayOf<T>(
  oid: number,
  values: Nullable<T>,
  size: number | ((value: T) => number),
  write: (bytes: Buffer, value: T, at: number) => void,
): Buffer {
  const sizeOf = (value: T | null) => (value === null ? 0 : typeof size === 'number' ? size : size(value));
  const isEmpty = values.length === 0;
  const header = isEmpty ? EMPTY_HEADER_BYTES : HEADER_BYTES;
  const bytes = Buffer.alloc(values.reduce((sum, value) => sum + 4 + sizeOf(value), header));
  bytes.writeInt32BE(isEmpty ? 0 : 1, 0);
  bytes.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  if (isEmpty) return bytes;
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = header;
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? -1 : sizeOf(value), at);
    if (value === null) continue;
    write(bytes, value, at);
    at += sizeOf(value);
  }
  return bytes;
}
