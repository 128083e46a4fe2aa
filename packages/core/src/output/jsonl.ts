// Items as lines of JSON: the text of one, how it is read back, and the sink.

import type { FileHandle } from 'node:fs/promises';
import type { JsonValue } from '@mannerly/frontier';
import { checkOptions } from '../call-options.js';
import { invalidOption } from '../errors.js';
import type { ItemLicense } from '../item-license.js';
import { isObject, parseJson } from '../parse-json.js';
import { appendSink, readEntries } from './append-sink.js';
import { readItemId } from './items.js';
import { JSONL_TAIL_BYTES, JSONL_TAIL_PAGES } from './limits.js';
import type { Item, Sink } from './sink.js';

/** Options of a JSONL sink. */
interface JsonlSinkOptions {
  /** The file; created if absent. Its directory has to exist. One sink at a time may write it. */
  readonly path: string;
  /** When lines have to be on disk: at the end, or before a page counts as done. @default 'close' */
  readonly sync?: 'close' | 'write';
}

/** A sink that appends to a file of JSON lines. @throws MannerlyError `option-invalid`, `option-unknown` */
export function jsonlSink(options: JsonlSinkOptions): Sink {
  checkOptions('jsonlSink', options, { path: 'string!', sync: 'any' });
  const { path, sync = 'close' } = options;
  if (sync !== 'close' && sync !== 'write') throw invalidOption('jsonlSink.sync', 'close or write', sync);
  const encode = (items: Parameters<Sink['write']>[0]): string => items.map(itemLine).join('');
  return appendSink('jsonl', path, { read: readTail, encode }, sync);
}

/**
 * Reads enough of the end to include the items of enough pages: pages that are handled again after a crash wrote last.
 */
async function readTail(file: FileHandle, addId: (id: string) => unknown): Promise<number> {
  const { size } = await file.stat();
  for (let tailBytes = JSONL_TAIL_BYTES; ; tailBytes *= 4) {
    const start = Math.max(0, size - tailBytes);
    let isPartialLine = start > 0;
    let completeEnd = 0;
    let pages = 0;
    let lastPage = '';
    await readEntries(file, start, false, (head, end) => {
      completeEnd = end;
      // The tail begins inside a line, which is skipped.
      const id = isPartialLine ? null : idOfLine(head);
      isPartialLine = false;
      if (id === null) return;
      addId(Buffer.from(id, 'latin1').toString('utf8'));
      const page = id.slice(0, id.lastIndexOf('/'));
      if (page !== lastPage) pages += 1;
      lastPage = page;
    });
    if (start === 0 || pages >= JSONL_TAIL_PAGES) return completeEnd;
  }
}

/** Our own keys of a line. An object with one of these (other than `url`) is under `data` as a whole. */
export const RESERVED_KEYS: readonly string[] = ['id', 'fetchedAt', 'expiresAt', 'preferences'];

/** Whether a value is a licence of ours; a page's own value under that key has another shape. */
function isLicense(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'outcome' in value && 'document' in value && 'digest' in value;
}

/**
 * The line of an item, newline included: `{"id", "url", "fetchedAt", …data}`. An emitted object's keys are next to
 * ours, and its own `url` replaces the page's. A value that is not an object, or has a key of ours, is under `data`.
 * `expiresAt`, `preferences` and `license` only if present.
 */
export function itemLine({ id, url, fetchedAtMs, data, expiresAtMs, preferences, license }: Item): string {
  const isAmbiguous = isObject(data) && 'license' in data && (license !== undefined || isLicense(data['license']));
  const isSpread = isObject(data) && !isAmbiguous && !RESERVED_KEYS.some((key) => Object.hasOwn(data, key));
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

// An id is ours: its only quotes and backslashes are those of JSON escapes.
const ID = /^\{"id":("(?:[^"\\]|\\.)*")/;

/** The id of a line of {@link itemLine}, or of its beginning; `null` for any other line. Never throws. */
export function idOfLine(line: string): string | null {
  // A line with invalid escapes is not ours.
  return (parseJson(ID.exec(line)?.[1] ?? '') ?? null) as string | null;
}

/** The item of a parsed line of {@link itemLine}; `null` for anything else. Never throws. */
export function itemOfLine(value: unknown): Item | null {
  if (!isObject(value)) return null;
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
