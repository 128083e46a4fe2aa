// What is queued, for a report or a person who asks: read from the store, in its order, changing nothing.

import { decodeItem, type QueueItem } from '../records/record.js';
import type { FrontierStore, ScanListing } from '../store.js';
import { authorityOf } from '../url/url.js';
import type { UrlRecord } from '../url-record.js';
import { LIST_MOST, LOOK_SCAN_ENTRIES, LOOK_SCAN_PAGES } from './limits.js';
import { openedCursor, sealedCursor } from './list-cursor.js';

/** One URL that is queued or in flight. */
export interface QueuedUrl {
  /** The host it is queued under. */
  readonly host: string;
  /** The authority whose robots.txt decides. */
  readonly authority: string;
  /** 0 first. */
  readonly priority: number;
  readonly record: UrlRecord;
}

/** Which part of the queue. */
export interface ListRequest {
  /** `null` or absent: from the beginning; then the last listing's `cursor`. */
  readonly cursor?: string | null;
  /** URLs of one listing, 1 … 1,000. @default 100 */
  readonly limit?: number;
  /** Only of this host. */
  readonly host?: string;
  /** Only of this authority, `scheme://host[:port]`. */
  readonly authority?: string;
}

/** One listing. It may have fewer URLs than requested, but is only empty at the end, where the cursor is `null`. */
export interface QueueListing {
  readonly cursor: string | null;
  readonly items: readonly QueuedUrl[];
}

const LIST_USUAL = 100;

interface ScannedItem extends Omit<QueuedUrl, 'record'> {
  readonly item: QueueItem;
}

/**
 * A listing of the queue; robots.txt hops are left out. What changes meanwhile may be missed or seen twice.
 *
 * @throws What the store throws; FrontierError `record-unreadable`; `option-invalid` for a cursor of no listing.
 */
export async function listQueued(store: FrontierStore, request: ListRequest): Promise<QueueListing> {
  const { cursor = null, limit = LIST_USUAL, host, authority } = request;
  const wanted = Math.min(Math.max(1, Math.trunc(limit)), LIST_MOST);
  const items: QueuedUrl[] = [];
  let next = cursor === null ? null : openedCursor(cursor);
  for (let page = 0; page < LOOK_SCAN_PAGES || items.length === 0; page += 1) {
    const missing = wanted - items.length;
    // A small scan ends after a few idle hosts, hops or other authorities: a large one passes over them.
    let found: ScanListing = await store.scan(next, Math.max(missing, LOOK_SCAN_ENTRIES), host);
    const places = [...found.items.keys()].filter((at) => pageOf(found.items[at]!, authority) !== null);
    // It found more than requested: it is read again up to the last of them, since the cursor is behind what was read.
    if (places.length > missing) found = await store.scan(next, places[missing - 1]! + 1, host);
    items.push(...found.items.flatMap((one) => pageOf(one, authority) ?? []).slice(0, missing));
    next = found.cursor;
    if (next === null || items.length >= wanted) break;
  }
  return { cursor: next === null ? null : sealedCursor(next), items };
}

/** The URL of an item; `null` for a robots.txt hop and for another authority. @throws FrontierError */
function pageOf(one: ScanListing['items'][number], authority: string | undefined): QueuedUrl | null {
  const { item, ...queued } = scanned(one);
  if (item.kind !== 'page' || (authority !== undefined && queued.authority !== authority)) return null;
  return { ...queued, record: item.record };
}

/**
 * Reads the items of a host until `visit` answers `false`, or as many listings as one question may read.
 *
 * @returns Whether the end was reached.
 * @throws What the store throws; FrontierError `record-unreadable`.
 */
export async function scanItems(
  store: FrontierStore,
  host: string,
  visit: (item: ScannedItem) => boolean,
): Promise<boolean> {
  let cursor: string | null = null;
  for (let listing = 0; listing < LOOK_SCAN_PAGES; listing += 1) {
    const found: ScanListing = await store.scan(cursor, LOOK_SCAN_ENTRIES, host);
    for (const one of found.items) if (!visit(scanned(one))) return false;
    cursor = found.cursor;
    if (cursor === null) return true;
  }
  return false;
}

function scanned({ host, entry }: ScanListing['items'][number]): ScannedItem {
  const item = decodeItem(entry.body);
  const authority = item.kind === 'hop' ? item.authority : (authorityOf(item.record.url) ?? '');
  return { host, authority, priority: entry.priority, item };
}
