// An item as one line of JSON, and the id that stands at the front of such a line.

import type { JsonValue } from '@mannerly/frontier';
import type { Item } from './sink.js';

/** Keys of a line that are ours. An object that has one of these (other than `url`) keeps to itself, under `data`. */
const OWN_KEYS: readonly string[] = ['id', 'fetchedAt', 'expiresAt', 'preferences'];

/**
 * The line of an item, newline included.
 *
 * `{"id", "url", "fetchedAt", …data}`: an emitted object's keys stand next to ours, and its own `url` replaces the
 * page's. What is no object, or has a key of ours, stands under `data` as it is. `expiresAt` and `preferences` where
 * there are any.
 */
export function itemLine(item: Item): string {
  const { id, url, fetchedAtMs, data, expiresAtMs, preferences } = item;
  const spreads = isObject(data) && !OWN_KEYS.some((key) => Object.hasOwn(data, key));
  return `${JSON.stringify({
    id,
    url,
    fetchedAt: new Date(fetchedAtMs).toISOString(),
    ...(expiresAtMs === null ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
    ...(Object.keys(preferences).length === 0 ? {} : { preferences }),
    ...(spreads ? data : { data }),
  })}\n`;
}

// An id is ours, without quotes and backslashes but for what JSON escapes.
const ID = /^\{"id":("(?:[^"\\]|\\.)*")/;

/**
 * The id of a line written by {@link itemLine}; `null` for any other line. Only the beginning of the line is needed.
 * Never throws.
 */
export function idOfLine(line: string): string | null {
  const quoted = ID.exec(line)?.[1];
  if (quoted === undefined) return null;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null; // Escapes that are none: not a line of ours.
  }
}

/** The item of a line written by {@link itemLine}, parsed; `null` for what is none. Never throws. */
export function itemOfLine(told: unknown): Item | null {
  if (typeof told !== 'object' || told === null || Array.isArray(told)) return null;
  const { id, url, fetchedAt, expiresAt, preferences, ...rest } = told as Readonly<Record<string, JsonValue>>;
  if (typeof id !== 'string' || typeof url !== 'string') return null;
  const isWrapped = 'data' in rest && Object.keys(rest).length === 1;
  return {
    id,
    url,
    fetchedAtMs: Date.parse(String(fetchedAt)),
    expiresAtMs: expiresAt === undefined ? null : Date.parse(String(expiresAt)),
    preferences: (preferences ?? {}) as Item['preferences'],
    data: isWrapped ? (rest['data'] ?? null) : rest,
  };
}

function isObject(data: JsonValue): data is { readonly [key: string]: JsonValue } {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
