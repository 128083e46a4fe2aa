// JSON values in the records of a crawl's store, and the keys of records about URLs.

import { hash } from 'node:crypto';
import { type Frontier, FrontierError } from '@mannerly/frontier';
import { parseJson } from './parse-json.js';

export type RecordStore = Pick<Frontier, 'readRecord' | 'writeRecord'>;

export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The value of a record that {@link encodeJson} made. @throws FrontierError `record-unreadable`, with its name. */
export function decodeJson<T>(bytes: Uint8Array, what = 'a record'): T {
  const value = parseJson(new TextDecoder().decode(bytes));
  if (value !== undefined) return value as T;
  const hint = 'Another program wrote it, or it is damaged: put a copy of the store back, or start over (--reset).';
  throw new FrontierError('record-unreadable', `${what} in the store cannot be read`, { hint });
}

/** The same, but `null` if there is no record or it is not JSON. */
export function decodeIfJson<T>(bytes: Uint8Array | null): T | null {
  return bytes === null ? null : ((parseJson(new TextDecoder().decode(bytes)) ?? null) as T | null);
}

/** The value under a key; `null`: there is none. Rejects with what the store throws. */
export async function readJson<T>(store: Pick<RecordStore, 'readRecord'>, key: string): Promise<T | null> {
  const bytes = await store.readRecord(key);
  return bytes === null ? null : decodeJson<T>(bytes, `the record ${key}`);
}

/** Rejects with what the store throws. */
export function writeJson(store: Pick<RecordStore, 'writeRecord'>, key: string, value: unknown): Promise<void> {
  return store.writeRecord(key, encodeJson(value));
}

const KEY_CHARS = 22;
/** A longer host name is left out of the key: stores list keys of at most 100 characters, and refuse very long ones. */
const HOST_CHARS = 56;

/** The key of a record about a URL, grouped by the URL's host. @param prefix - The kind of record, such as `visit/` */
export function urlKey(prefix: string, url: string): string {
  const { hostname } = new URL(url);
  const host = hostname.length <= HOST_CHARS ? `${hostname}/` : '';
  return `${prefix}${host}${hash('sha256', url, 'base64url').slice(0, KEY_CHARS)}`;
}
