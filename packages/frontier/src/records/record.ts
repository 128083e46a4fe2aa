// What the store keeps of a queued item: an opaque body that only this file writes and reads. There are two kinds of
// item: a URL to fetch, and one hop of a robots.txt redirect chain (access §3), which is in the queue of the host it
// leads to.

import { unreadable } from '../errors.js';
import type { Entry, HostKey } from '../store.js';
import { isCount, isText, isTime, readJson } from '../stored-value.js';
import { authorityOf, hostKeyOf, parseUrlParts, requestedUrl } from '../url/url.js';
import { type JsonValue, type NewUrl, type UrlRecord, VIAS, type Via } from '../url-record.js';

/** A URL in the queue. */
export interface PageItem {
  readonly kind: 'page';
  readonly record: UrlRecord;
  /** Epoch milliseconds when it was added: a URL on hold does not wait for ever (access §5). */
  readonly addedAtMs: number;
  /**
   * Whether it is queued under the name that the site's rules give it, or keeps its own. If so, the rules are not
   * checked again.
   */
  readonly isKeyed?: boolean;
}

/** A hop of a robots.txt redirect chain. */
export interface HopItem {
  readonly kind: 'hop';
  /** The authority whose rules are needed. */
  readonly authority: string;
  /** The chain it belongs to: a hop of a chain that was given up is dropped. */
  readonly chain: string;
  readonly url: string;
}

export type QueueItem = PageItem | HopItem;

const encoder = new TextEncoder();

/** Creates the record of a URL in admission. @param url - As it will be requested: serialised, without fragment. */
export function recordOf(input: NewUrl, url: string): UrlRecord {
  const { depth, via, from = null, hops = 0, label = null, userData = null, visit = 0 } = input;
  return { url, depth, via, from, hops, label, userData, tries: 0, ...(visit === 0 ? {} : { visit }) };
}

/** Encodes an item: JSON with one-letter names that omits defaults, so it is readable in any store's own tools. */
export function encodeItem(item: QueueItem): Uint8Array {
  if (item.kind === 'hop') {
    return encoder.encode(JSON.stringify({ k: 'h', a: item.authority, c: item.chain, u: item.url }));
  }
  return encoder.encode(jsonOf(item));
}

/** The size of array buffers that bodies share. Longer bodies have their own. */
const SLAB_BYTES = 8_192;
const MAX_SHARED_BYTES = SLAB_BYTES / 4;

/** Encodes many items, in shared array buffers: a separate buffer costs more than a small body. */
export function createItemEncoder(): (item: PageItem) => Uint8Array {
  let slab = new Uint8Array(0);
  let end = 0;
  return (item) => {
    const json = jsonOf(item);
    const maxBytes = 3 * json.length;
    if (maxBytes > MAX_SHARED_BYTES) return encoder.encode(json);
    if (end + maxBytes > slab.length) {
      slab = new Uint8Array(SLAB_BYTES);
      end = 0;
    }
    const start = end;
    end += encoder.encodeInto(json, slab.subarray(start)).written;
    return slab.subarray(start, end);
  };
}

function jsonOf(item: PageItem): string {
  const { record } = item;
  const { url, depth, via, from, hops, label, userData, tries, visit } = record;
  // The JSON is built by hand: nearly every field is a plain string or absent, and there are millions of links.
  let json = `{"u":${toJsonString(url)},"d":${depth},"v":${toJsonString(via)},"t":${item.addedAtMs}`;
  if (from !== null) json += `,"f":${toJsonString(from)}`;
  if (hops > 0) json += `,"h":${hops}`;
  if (label !== null) json += `,"l":${toJsonString(label)}`;
  // What JSON cannot express, such as a function, becomes nothing.
  const data: string | undefined = userData === null ? undefined : JSON.stringify(userData);
  if (data !== undefined) json += `,"x":${data}`;
  if (tries > 0) json += `,"r":${tries}`;
  if (visit !== undefined) json += `,"n":${visit}`;
  if (item.isKeyed === true) json += ',"s":1';
  return `${json}}`;
}

/** Characters that JSON may have to escape: quotes, backslashes, controls, and everything that is not ASCII. */
const NOT_PLAIN = /[^ !#-[\]-~]/;

function toJsonString(text: string): string {
  return NOT_PLAIN.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/**
 * Decodes an item from the store's bytes.
 *
 * @param what - Names the entry for the error.
 * @throws FrontierError `record-unreadable`: the body was not written by this version.
 */
export function decodeItem(body: Uint8Array, what = 'an entry'): QueueItem {
  const fields = readJson(what, body) as Readonly<Record<string, unknown>> | null;
  const read = <T>(name: string, isValid: (value: unknown) => value is T): T => {
    const value = fields?.[name];
    if (!isValid(value)) throw unreadable(what);
    return value;
  };
  const readIf = <T, Absent>(name: string, isValid: (value: unknown) => value is T, absent: Absent): T | Absent =>
    fields?.[name] === undefined ? absent : read(name, isValid);
  if (fields?.['k'] === 'h') {
    return { kind: 'hop', authority: read('a', isAuthority), chain: read('c', isText), url: read('u', isRequestedUrl) };
  }
  const visit = readIf('n', isCount, null);
  const record: UrlRecord = {
    url: read('u', isRequestedUrl),
    depth: read('d', isCount),
    via: read('v', isVia),
    from: readIf('f', isText, null),
    hops: readIf('h', isCount, 0),
    label: readIf('l', isText, null),
    userData: (fields?.['x'] ?? null) as JsonValue,
    tries: readIf('r', isCount, 0),
    ...(visit === null ? {} : { visit }),
  };
  const keyed = fields?.['s'] === 1 ? { isKeyed: true } : {};
  return { kind: 'page', record, addedAtMs: read('t', isTime), ...keyed };
}

/**
 * The item of an entry. Its URL belongs to the host in whose queue it is, because that host's clock spaces it.
 *
 * @throws FrontierError `record-unreadable`: it is not an item of this version, or belongs to another host.
 */
export function itemOf(host: HostKey, { id, body }: Pick<Entry, 'id' | 'body'>): QueueItem {
  const what = `the entry ${id} in the queue of ${host}`;
  const item = decodeItem(body, what);
  const url = item.kind === 'hop' ? item.url : item.record.url;
  // The owner may have changed what shares a clock since it was queued.
  if (hostKeyOf(url) !== host && hostKeyOf(url, 'domain') !== host) throw unreadable(what);
  return item;
}

const isVia = (value: unknown): value is Via => (VIAS as readonly unknown[]).includes(value);
const isAuthority = (value: unknown): value is string => isText(value) && authorityOf(value) === value;

function isRequestedUrl(value: unknown): value is string {
  const parts = isText(value) ? parseUrlParts(value) : null;
  return parts !== null && requestedUrl(parts) === value;
}
