// Lists the queue, for a report or a person. It is read from the store, in the store's order, and nothing is changed.

import { checkKeys, invalid } from '../option-value.js';
import { itemOf, type QueueItem } from '../records/record.js';
import type { FrontierStore, ScanListing } from '../store.js';
import { authorityOf } from '../url/url.js';
import type { UrlRecord } from '../url-record.js';
import { MAX_LISTED_URLS, MAX_SCAN_ENTRIES_PER_PAGE, MAX_SCAN_PAGES } from './limits.js';

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
  /** `null` or absent: from the beginning. Later: the last listing's `cursor`. */
  readonly cursor?: string | null;
  /** URLs of one listing, 1 … 1,000. @default 100 */
  readonly limit?: number;
  /** Only URLs of this host. */
  readonly host?: string;
  /** Only URLs of this authority, `scheme://host[:port]`. */
  readonly authority?: string;
}

/** One listing. It may have fewer URLs than requested, but it is empty only at the end, where the cursor is `null`. */
export interface QueueListing {
  readonly cursor: string | null;
  readonly items: readonly QueuedUrl[];
}

const DEFAULT_LISTED_URLS = 100;

interface ScannedItem extends Omit<QueuedUrl, 'record'> {
  readonly item: QueueItem;
}

/**
 * A listing of the queue without robots.txt hops. URLs that change in the meantime may be missed or listed twice.
 *
 * @throws What the store throws; FrontierError `record-unreadable`; `option-invalid` for a cursor that no listing
 *   returned, or a limit that is no number.
 */
export async function listQueued(store: FrontierStore, request: ListRequest): Promise<QueueListing> {
  checkKeys('list.', request, ['cursor', 'limit', 'host', 'authority'] satisfies (keyof ListRequest)[]);
  const { cursor = null, limit = DEFAULT_LISTED_URLS, host, authority } = request;
  for (const [key, value = ''] of Object.entries({ host, authority }))
    if (typeof value !== 'string') throw invalid(`list.${key}`, 'text', value);
  if (typeof limit !== 'number' || Number.isNaN(limit)) throw invalid('limit', 'a number of URLs', limit);
  const max = Math.min(Math.max(1, Math.trunc(limit)), MAX_LISTED_URLS);
  const items: QueuedUrl[] = [];
  let next = cursor === null ? null : openCursor(cursor);
  for (let page = 0; page < MAX_SCAN_PAGES || items.length === 0; page += 1) {
    const missing = max - items.length;
    // A small scan would end after a few idle hosts, hops or other authorities. A large one gets past them.
    let found: ScanListing = await store.scan(next, Math.max(missing, MAX_SCAN_ENTRIES_PER_PAGE), host);
    const indexes = [...found.items.keys()].filter((at) => toQueuedUrl(found.items[at]!, authority) !== null);
    // The scan found more than requested. It is read again up to the last requested URL, because the cursor is after
    // all that was read.
    if (indexes.length > missing) found = await store.scan(next, indexes[missing - 1]! + 1, host);
    items.push(...found.items.flatMap((listed) => toQueuedUrl(listed, authority) ?? []).slice(0, missing));
    next = found.cursor;
    if (next === null || items.length >= max) break;
  }
  return { cursor: next === null ? null : sealCursor(next), items };
}

/** The URL of an item; `null`: a robots.txt hop, or another authority. @throws FrontierError */
function toQueuedUrl(listed: ScanListing['items'][number], authority: string | undefined): QueuedUrl | null {
  const { item, ...queued } = toScannedItem(listed);
  if (item.kind !== 'page' || (authority !== undefined && queued.authority !== authority)) return null;
  return { ...queued, record: item.record };
}

/**
 * Reads the items of a host until `visit` returns `false`, or until the most listings that one question may read.
 *
 * @returns Whether it reached the end.
 * @throws What the store throws; FrontierError `record-unreadable`.
 */
export async function scanItems(
  store: FrontierStore,
  host: string,
  visit: (item: ScannedItem) => boolean,
): Promise<boolean> {
  let cursor: string | null = null;
  for (let listing = 0; listing < MAX_SCAN_PAGES; listing += 1) {
    const found: ScanListing = await store.scan(cursor, MAX_SCAN_ENTRIES_PER_PAGE, host);
    for (const listed of found.items) if (!visit(toScannedItem(listed))) return false;
    cursor = found.cursor;
    if (cursor === null) return true;
  }
  return false;
}

function toScannedItem({ host, entry }: ScanListing['items'][number]): ScannedItem {
  const item = itemOf(host, entry);
  const authority = item.kind === 'hop' ? item.authority : (authorityOf(item.record.url) ?? '');
  return { host, authority, priority: entry.priority, item };
}

/**
 * Converts a store's cursor to the form for callers: with a checksum. Stores would take any text that is not one of
 * their cursors for the beginning, so a text that no listing has returned is refused.
 */
export function sealCursor(cursor: string): string {
  return `${cursor} ${checksum(cursor)}`;
}

/**
 * Converts it back to the store's cursor.
 * @throws FrontierError `option-invalid` for a text that no listing has returned.
 */
export function openCursor(sealed: unknown): string {
  const text = typeof sealed === 'string' ? sealed : '';
  const end = text.lastIndexOf(' ');
  const cursor = text.slice(0, end);
  if (end < 0 || text.slice(end + 1) !== checksum(cursor)) {
    throw invalid('cursor', '`null`, or the `cursor` of the last listing as it was', sealed);
  }
  return cursor;
}

/** FNV-1a, as 8 hex digits: protects against mistakes, not against forgers. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
