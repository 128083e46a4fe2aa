// Items as sinks on servers and in databases take them: as lines of JSON in portions of bounded length, of which only
// one is in memory while it is sent; and as the row of a table.

import { hash } from 'node:crypto';
import { itemLine } from '../output/jsonl.js';
import type { Item } from '../output/sink.js';
import { MAX_BODY_CHARS } from './limits.js';

/** The portions in order, each made on demand: their lines, each with its line feed, and the hash of their ids. */
export function* itemBodies(items: readonly Item[]) {
  let lines: string[] = [];
  let ids: string[] = [];
  let chars = 0;
  for (const item of items) {
    const line = itemLine(item);
    if (lines.length > 0 && chars + line.length > MAX_BODY_CHARS) {
      yield { lines, key: hash('sha256', ids.join('\n')) };
      [lines, ids, chars] = [[], [], 0];
    }
    lines.push(line);
    ids.push(item.id);
    chars += line.length;
  }
  if (lines.length > 0) yield { lines, key: hash('sha256', ids.join('\n')) };
}

/** Names of the columns, in the order of `itemRow`. Times are epoch milliseconds, the others text. */
export const ITEM_COLUMNS = ['id', 'url', 'fetched_at', 'expires_at', 'preferences', 'license', 'removed', 'data'];

/** The values of a row; `data`, `preferences` and `license` are JSON. Never throws. */
export function itemRow(item: Item): (string | number | null)[] {
  const { id, url, fetchedAtMs, expiresAtMs, preferences, license, removed = null, data } = item;
  const terms = license === undefined ? null : JSON.stringify(license);
  const times = [Math.round(fetchedAtMs), expiresAtMs === null ? null : Math.round(expiresAtMs)];
  return [id, url, ...times, JSON.stringify(preferences), terms, removed, JSON.stringify(data)];
}

export function quotedName(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
}
