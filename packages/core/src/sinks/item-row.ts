// An item as the row of a table, with the columns that every database sink has.

import type { Item } from '../output/sink.js';

/** Names of the columns, in the order of `itemRow`. Times are epoch milliseconds, the others text. */
export const ITEM_COLUMNS = ['id', 'url', 'fetched_at', 'expires_at', 'preferences', 'license', 'removed', 'data'];

/** The values of a row; `data`, `preferences` and `license` are JSON. Never throws. */
export function itemRow(item: Item): (string | number | null)[] {
  const { id, url, fetchedAtMs, expiresAtMs, preferences, license, removed = null, data } = item;
  const terms = license === undefined ? null : JSON.stringify(license);
  const times = [Math.round(fetchedAtMs), expiresAtMs === null ? null : Math.round(expiresAtMs)];
  return [id, url, ...times, JSON.stringify(preferences), terms, removed, JSON.stringify(data)];
}

/** A name as SQL quotes it. Never throws. */
export function quotedName(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
}
