// What the store keeps of a queued item: an opaque body that only this file writes and reads. There are two kinds of
// item: a URL to fetch, and one hop of a robots.txt redirect chain (access §3), which is in the queue of the host it
// leads to.

import { FrontierError } from '../errors.js';
import type { JsonValue, NewUrl, UrlRecord, Via } from '../url-record.js';

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
const decoder = new TextDecoder();

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
 * @throws FrontierError `record-unreadable`: the body was not written by this version.
 */
export function decodeItem(body: Uint8Array): QueueItem {
  const fields = readFields(body);
  if (fields['k'] === 'h') {
    return { kind: 'hop', authority: text(fields['a']), chain: text(fields['c']), url: text(fields['u']) };
  }
  const record: UrlRecord = {
    url: text(fields['u']),
    depth: number(fields['d']),
    via: text(fields['v']) as Via,
    from: fields['f'] === undefined ? null : text(fields['f']),
    hops: fields['h'] === undefined ? 0 : number(fields['h']),
    label: fields['l'] === undefined ? null : text(fields['l']),
    userData: fields['x'] === undefined ? null : (fields['x'] as JsonValue),
    tries: fields['r'] === undefined ? 0 : number(fields['r']),
    ...(fields['n'] === undefined ? {} : { visit: number(fields['n']) }),
  };
  const keyed = fields['s'] === 1 ? { isKeyed: true } : {};
  return { kind: 'page', record, addedAtMs: number(fields['t']), ...keyed };
}

function readFields(body: Uint8Array): Readonly<Record<string, unknown>> {
  let fields: unknown;
  try {
    fields = JSON.parse(decoder.decode(body));
  } catch (cause) {
    throw new FrontierError('record-unreadable', 'the store holds an entry that is not JSON', { cause });
  }
  if (typeof fields !== 'object' || fields === null) throw unreadable('an object', fields);
  return fields as Readonly<Record<string, unknown>>;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw unreadable('a string', value);
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw unreadable('a number', value);
  return value;
}

function unreadable(expected: string, got: unknown): FrontierError {
  return new FrontierError('record-unreadable', `expected a queue entry to hold ${expected}, got ${typeof got}`);
}
