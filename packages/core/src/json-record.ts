// Values in the records of a crawl's store, as JSON.

import type { Frontier } from '@mannerly/frontier';

export type RecordStore = Pick<Frontier, 'readRecord' | 'writeRecord'>;

export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The value of a record that {@link encodeJson} made. @throws SyntaxError */
export function decodeJson<T>(bytes: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

/** The value under a key; `null`: there is none. Rejects with what the store throws. */
export async function readJson<T>(store: Pick<RecordStore, 'readRecord'>, key: string): Promise<T | null> {
  const bytes = await store.readRecord(key);
  return bytes === null ? null : decodeJson<T>(bytes);
}

/** Rejects with what the store throws. */
export function writeJson(store: Pick<RecordStore, 'writeRecord'>, key: string, value: unknown): Promise<void> {
  return store.writeRecord(key, encodeJson(value));
}
