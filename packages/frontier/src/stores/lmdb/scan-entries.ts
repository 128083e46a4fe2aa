// Listing entries: first the log of new ones in the order they came, then a walk over the rows, which is by host. The cursor
// is the last place or the last key. An entry that goes from the log to its row between two pages may be listed twice.

import type { Entry, ScanListing } from '../../store.js';
import type { CrawlView } from './crawl-view.js';
import { decodeEntry } from './entry-value.js';
import { entryPlace } from './host-keys.js';
import type { HostState } from './host-state.js';
import { firstPlaceFrom } from './inbox.js';

/** Most items one page of a scan may ask for. */
const SCAN_LIMIT = 10_000;
/** Records of the log that one page may look at, per item asked for. */
const STEPS_PER_ITEM = 4;
/** Cursors of the log begin with it. */
const LOG = 'log ';

/**
 * One page.
 *
 * @param only - Number of the only host.
 */
export function scanEntries(view: CrawlView, cursor: string | null, limit: number, only: number | null): ScanListing {
  const wanted = Math.min(limit, SCAN_LIMIT);
  if (cursor !== null && !cursor.startsWith(LOG)) return scanRows(view, cursor, wanted, only, []);
  const from = cursor === null ? 0 : Number(cursor.slice(LOG.length));
  const page = only === null ? scanLog(view, from, wanted) : scanLogOf(view, from, wanted, only);
  return page.cursor === null ? scanRows(view, null, wanted, only, page.items) : page;
}

function scanLog(view: CrawlView, from: number, wanted: number): ScanListing {
  const { inbox, hosts } = view;
  const items: ScanListing['items'][number][] = [];
  const most = wanted * STEPS_PER_ITEM;
  let steps = 0;
  for (const { place, host: number } of inbox.walk(Math.max(from, inbox.begin), most + 1)) {
    if (items.length === wanted || steps === most) return { cursor: `${LOG}${place}`, items };
    steps += 1;
    const host = hosts.byNumber(number);
    const entry = pendingEntry(view, host, place);
    if (entry !== null) items.push({ host: host.key, entry });
  }
  return { cursor: null, items };
}

function scanLogOf(view: CrawlView, from: number, wanted: number, only: number): ScanListing {
  const host = view.hosts.byNumber(only);
  const places = view.inbox.placesOf(only, host.foldedTo);
  const first = firstPlaceFrom(places, from);
  const items = places.slice(first, first + wanted).flatMap((place) => {
    const entry = pendingEntry(view, host, place);
    return entry === null ? [] : [{ host: host.key, entry }];
  });
  const next = places[first + wanted];
  return { cursor: next === undefined ? null : `${LOG}${next}`, items };
}

/** An entry of the log under the id it will have in its row; `null` when it is in its row already. */
function pendingEntry({ inbox }: CrawlView, host: HostState, place: number): Entry | null {
  const places = inbox.placesOf(host.number, host.foldedTo);
  const at = firstPlaceFrom(places, place);
  if (places[at] !== place) return null;
  const { priority, body } = inbox.read(place, host.key);
  return { id: String(host.nextSequence + at), priority, body: new Uint8Array(body), attempt: 0 };
}

function scanRows(
  { tables, hosts }: CrawlView,
  cursor: string | null,
  wanted: number,
  only: number | null,
  items: ScanListing['items'][number][],
): ScanListing {
  const start = cursor === null ? hostKey(only ?? 0) : Buffer.from(cursor, 'hex');
  const end = hostKey(only === null ? 0xffff_ffff : only + 1);
  const limit = wanted - items.length;
  // An empty cursor stands for the beginning of the rows.
  if (limit === 0) return { cursor: start.toString('hex'), items };
  let last: Buffer | null = null;
  let read = 0;
  for (const { key, value } of tables.entries.getRange({ start, end, limit, exclusiveStart: cursor !== null })) {
    const place = entryPlace(key);
    const { id: keptId, priority, attempt, body } = decodeEntry(value);
    const id = String(place.kind !== 'line' ? place.id : keptId > 0 ? keptId : place.order);
    const host = hosts.byNumber(key.readUInt32BE(0));
    const entry = { id, priority, body, attempt: host.hand.get(id)?.attempt ?? attempt };
    items.push({ host: host.key, entry });
    last = key;
    read += 1;
  }
  return { cursor: last === null || read < limit ? null : last.toString('hex'), items };
}

function hostKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(number);
  return key;
}
