// An item as one line of JSON, and back.

import type { JsonValue } from '@mannerly/frontier';
import type { ItemLicense } from '../item-license.js';
import { readItemId } from './items.js';
import type { Item } from './sink.js';

/** Keys of a line that are ours. An object that has one of these (other than `url`) is under `data` as a whole. */
const OWN_KEYS: readonly string[] = ['id', 'fetchedAt', 'expiresAt', 'preferences'];

/** Whether a value is a licence of ours: what a page itself says under that key has another shape. */
function isLicense(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'outcome' in value && 'document' in value && 'digest' in value;
}

/**
 * The line of an item, newline included: `{"id", "url", "fetchedAt", …data}`. An emitted object's keys are next to
 * ours, and its own `url` replaces the page's. What is no object, or has a key of ours, is under `data`. `expiresAt`,
 * `preferences` and `license` where there are any.
 */
export function itemLine({ id, url, fetchedAtMs, data, expiresAtMs, preferences, license }: Item): string {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  const isMistaken = isObject && 'license' in data && (license !== undefined || isLicense(data['license']));
  const isSpread = isObject && !isMistaken && !OWN_KEYS.some((key) => Object.hasOwn(data, key));
  return `${JSON.stringify({
    id,
    url,
    fetchedAt: new Date(fetchedAtMs).toISOString(),
    ...(expiresAtMs === null ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
    ...(Object.keys(preferences).length === 0 ? {} : { preferences }),
    ...(license === undefined ? {} : { license }),
    ...(isSpread ? data : { data }),
  })}\n`;
}

// An id is ours, without quotes and backslashes but for what JSON escapes.
const ID = /^\{"id":("(?:[^"\\]|\\.)*")/;

/** The id of a line of {@link itemLine}, or of its beginning; `null` for any other line. Never throws. */
export function idOfLine(line: string): string | null {
  const quoted = ID.exec(line)?.[1];
  if (quoted === undefined) return null;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null; // Escapes that are none: not a line of ours.
  }
}

/** The item of a parsed line of {@link itemLine}; `null` for anything else. Never throws. */
export function itemOfLine(value: unknown): Item | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { id, url, fetchedAt, expiresAt, preferences, ...more } = value as Readonly<Record<string, JsonValue>>;
  const { license, ...others } = more;
  const rest = isLicense(license) ? others : more;
  if (typeof id !== 'string' || typeof url !== 'string') return null;
  const isWrapped = 'data' in rest && Object.keys(rest).length === 1;
  const removed = readItemId(id)?.isTombstone === true ? rest['removed'] : undefined;
  return {
    id,
    url,
    fetchedAtMs: Date.parse(String(fetchedAt)),
    expiresAtMs: expiresAt === undefined ? null : Date.parse(String(expiresAt)),
    preferences: (preferences ?? {}) as Item['preferences'],
    ...(isLicense(license) ? { license: license as unknown as ItemLicense } : {}),
    data: isWrapped ? (rest['data'] ?? null) : rest,
    ...(typeof removed === 'string' ? { removed } : {}),
  };
}
