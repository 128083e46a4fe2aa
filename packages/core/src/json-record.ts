// Small records of the store, next to the queues, as JSON.

import type { Frontier } from '@mannerly/frontier';
import { parseJson } from './parse-json.js';

/** Where records are. */
export type RecordStore = Pick<Frontier, 'readRecord' | 'writeRecord'>;

/** A value as the bytes of a record. */
export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The value of a record; `undefined` of bytes that are no JSON, and of none. @throws Never */
export function decodeJson(bytes: Uint8Array | null): unknown {
  return bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes));
}

/** A record that this package wrote; `null`: there is none. @throws What the store throws. */
export async function readJson<T>(store: RecordStore, key: string): Promise<T | null> {
  return (decodeJson(await store.readRecord(key)) as T | undefined) ?? null;
}

/** @throws What the store throws. */
export function writeJson(store: RecordStore, key: string, value: unknown): Promise<void> {
  return store.writeRecord(key, encodeJson(value));
}
