// The items of a page, each with an id that is the same whenever the same page is handled again.

import { createHash } from 'node:crypto';
import type { JsonValue } from '@mannerly/frontier';
import type { Item } from './sink.js';

/**
 * The items of one page, in the order in which they were emitted.
 *
 * Ids are made of the URL and not of the frontier's entry id: a crawl that starts over in its old directory would give
 * that one to another page, whose items would then count as written. A later visit of the page has its number in the
 * id: what it found is new.
 *
 * @param page - `visit` is 0 at the first.
 * @throws Never
 */
export function itemsOf(
  host: string,
  page: Pick<Item, 'url' | 'fetchedAtMs'> & { readonly visit: number; readonly exclusion: ItemExclusion },
  emitted: readonly JsonValue[],
): Item[] {
  const { url, fetchedAtMs, visit } = page;
  const { expiresAtMs, preferences } = page.exclusion;
  if (emitted.length === 0) return [];
  const hash = createHash('sha256').update(url).digest('hex').slice(0, ITEM_KEY_CHARS);
  const key = `${host}/${hash}${visit === 0 ? '' : `/${visit}`}`;
  return emitted.map((data, at) => ({ id: `${key}/${at}`, url, fetchedAtMs, data, expiresAtMs, preferences }));
}

type ItemExclusion = Pick<Item, 'expiresAtMs' | 'preferences'>;

/** Hex digits of the URL's hash: at a million pages of one host, two meet with a chance of 3 in 10^8. */
const ITEM_KEY_CHARS = 16;
