// Reads an archive back, exchange by exchange in the order of writing: warcio reads records, and here they become what
// the crawl knew. Bodies are streams that must be read, or skipped, before the next exchange.

import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import type { AsyncIterReader, WARCRecord } from 'warcio';
import { orIfAbsent, sizeOf } from '../directory/atomic-file.js';
import { MannerlyError } from '../errors.js';
import type { HeaderLines } from '../fetch/outcome.js';
import { MAX_DATE_MS } from '../limits.js';
import { type CdxjFields, REVISIT_MIME, readIndex } from './cdxj.js';
import type { ArchivedOriginal } from './exchange-records.js';
import { type HttpHead, headEnd, parseRequestFields, parseResponseHead } from './http-head.js';
import { MAX_BLOCK_BYTES, MAX_RECORD_HEAD_BYTES, RECORD_START_BYTES } from './limits.js';
import {
  type ArchivedRendering,
  type ArchivedSettings,
  type ArchivedVisit,
  FIELDS,
  parseSettings,
  parseVisit,
  parseWarcFields,
  RENDERED_HTML,
  RENDERED_IMAGE,
} from './visit.js';
import { indexPathOf, listWarcs, type RecordPlace } from './warc-files.js';

export type ReadExchange = ReturnType<typeof exchangeOf>;

export interface ReadResponse {
  readonly head: HttpHead;
  readonly truncated: 'limit' | 'connection' | null;
  /** The body as kept; for a revisit, that of the record it repeats. Read at most once. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Called with a WARC file that cannot be read to its end, and the records read until then. */
type OnDamage = (path: string, records: number) => void;

/** Reads the exchanges of a folder. @throws What warcio and the platform throw. */
export async function* readExchanges(folder: string, onDamage?: OnDamage): AsyncGenerator<ReadExchange> {
  const originals = originalsIn(folder);
  for (const filename of await listWarcs(folder))
    yield* exchangesFrom(folder, { filename, offset: 0 }, originals, onDamage);
}

export interface ReadRequest {
  readonly filename: string;
  readonly url: string;
  readonly startedAtMs: number;
  readonly headers: HeaderLines;
}

/** Reads only the requests of a folder. @throws What warcio and the platform throw. */
export async function* readRequests(folder: string, onDamage?: OnDamage): AsyncGenerator<ReadRequest> {
  for (const filename of await orIfAbsent([], () => listWarcs(folder))) {
    for await (const { record } of readRecords(join(folder, filename), {}, onDamage)) {
      if (record.warcType !== 'request') continue;
      const { head } = await splitBlock(record);
      const startedAtMs = Date.parse(record.warcDate ?? '') || 0;
      yield { filename, url: record.warcTargetURI ?? '', startedAtMs, headers: parseRequestFields(head) };
    }
  }
}

/** The records of a WARC file, or of a part of it, and where they begin. Unread parts of a record are skipped. */
async function* readRecords(
  path: string,
  { start = 0, end }: { readonly start?: number; readonly end?: number } = {},
  onDamage?: OnDamage,
): AsyncGenerator<{ readonly record: WARCRecord; readonly offset: number }> {
  const { AsyncIterReader, LimitReader, WARCParser } = await import('warcio');
  const file = createReadStream(path, { start, ...(end === undefined ? {} : { end }) });
  const source = withLimitedHeads(AsyncIterReader, file);
  const parser = new WARCParser(source, { keepHeadersCase: true, parseHttp: false });
  let records = 0;
  let readTo = start;
  try {
    for await (const record of parser) {
      if (source.headBytes > MAX_RECORD_HEAD_BYTES) break;
      // Taken now, because the library refuses it for a record whose content was decoded.
      const { reader } = record;
      source.headBytes = Number.NEGATIVE_INFINITY;
      yield { record, offset: start + parser.offset };
      // For a record that is cut off in the file, the library would wait forever for the rest.
      for await (const _ of reader) {
        // Skipped.
      }
      if (reader instanceof LimitReader && reader.limit > 0) break;
      source.headBytes = 0;
      records += 1;
      readTo = start + parser.offset + parser.recordLength;
    }
    // The library takes damaged bytes for the end of the file.
    if (onDamage !== undefined && readTo !== (await sizeOf(path))) onDamage(path, records);
  } finally {
    file.destroy();
  }
}

/** The library keeps the head of a record in memory, and a small file may have an endless one: it ends the file. */
function withLimitedHeads(Reader: typeof AsyncIterReader, file: AsyncIterable<Uint8Array>) {
  return new (class extends Reader {
    /** Received of the head; within a block, nothing counts. */
    headBytes = 0;

    override async _next(): Promise<Uint8Array | null> {
      const chunk = this.headBytes > MAX_RECORD_HEAD_BYTES ? null : await super._next();
      this.headBytes += chunk?.length ?? 0;
      return chunk;
    }

    override unread(chunk: Uint8Array): void {
      this.headBytes -= chunk.length;
      super.unread(chunk);
    }
  })(file);
}

/** Reads one exchange again. Its settings are unknown. @throws What warcio and the platform throw. */
export async function* readExchangeAt(folder: string, place: RecordPlace): AsyncGenerator<ReadExchange> {
  for await (const exchange of exchangesFrom(folder, place, originalsIn(folder))) {
    yield exchange;
    return;
  }
}

/** Reads the fields of one record; `null`: there is none for this URL. Never rejects. */
export async function readRecordFields(
  folder: string,
  { filename, offset }: RecordPlace,
  expectedUrl: string,
): Promise<(ArchivedOriginal & { readonly type: string }) | null> {
  let file: FileHandle | null = null;
  try {
    file = await open(join(folder, basename(filename)));
    // A revisit has two URLs.
    const buffer = Buffer.alloc(RECORD_START_BYTES + 2 * expectedUrl.length);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    const start = gunzipSync(buffer.subarray(0, bytesRead), { finishFlush: constants.Z_SYNC_FLUSH });
    const fields = parseWarcFields(start.subarray(0, headEnd(start) ?? 0));
    const [type, url, date] = ['WARC-Type', 'WARC-Target-URI', 'WARC-Date'].map((name) => fields.get(name));
    if (type === undefined || url !== expectedUrl || date === undefined) return null;
    return { type, url, date, digest: fields.get('WARC-Payload-Digest') ?? null };
  } catch {
    // Another file, or none: the record does not exist.
    return null;
  } finally {
    await file?.close();
  }
}

/** An exchange whose response has not been read yet. */
interface PartialExchange {
  readonly place: RecordPlace;
  readonly request: WARCRecord;
  fields: ReadonlyMap<string, string>;
  /** What a browser made of it, by media type. */
  readonly renderings: Map<string, Buffer>;
}

async function* exchangesFrom(
  folder: string,
  { filename, offset: start }: RecordPlace,
  originals: Originals,
  onDamage?: OnDamage,
): AsyncGenerator<ReadExchange> {
  let settings: ArchivedSettings | null = null;
  let pending: PartialExchange | null = null;
  for await (const { record, offset } of readRecords(join(folder, filename), { start }, onDamage)) {
    switch (record.warcType) {
      case 'warcinfo':
        settings = parseSettings(parseWarcFields(await readBlock(record)).get(FIELDS.settings));
        break;
      case 'request':
        if (pending !== null) yield exchangeOf(pending, settings, null);
        pending = { place: { filename, offset }, request: record, fields: new Map(), renderings: new Map() };
        break;
      case 'metadata':
        if (pending !== null) pending.fields = parseWarcFields(await readBlock(record));
        break;
      case 'conversion':
        if (pending !== null && RENDERED.has(record.warcHeader('Content-Type') ?? ''))
          pending.renderings.set(record.warcHeader('Content-Type') ?? '', await readBlock(record));
        break;
      case 'response':
      case 'revisit':
        if (pending !== null)
          yield exchangeOf(pending, settings, await readResponse(record, pending.fields, originals));
        pending = null;
        break;
      default:
        break;
    }
  }
  if (pending !== null) yield exchangeOf(pending, settings, null);
}

const RENDERED: ReadonlySet<string> = new Set([RENDERED_HTML, RENDERED_IMAGE]);

/** A complete block; empty if it is longer than any that is written. */
async function readBlock(record: WARCRecord): Promise<Buffer> {
  const isReadable = Number(record.warcHeader('Content-Length')) <= MAX_BLOCK_BYTES;
  return isReadable ? Buffer.from(await record.readFully()) : Buffer.alloc(0);
}

function exchangeOf(
  { place, request, fields, renderings }: PartialExchange,
  settings: ArchivedSettings | null,
  response: ReadResponse | null,
) {
  const startedAtMs = Date.parse(request.warcDate ?? '') || 0;
  const failure = fields.get(FIELDS.failure);
  const visit = parseVisit(fields.get(FIELDS.visit));
  const durationMs = Number(fields.get(FIELDS.durationMs)) || 0;
  return {
    place,
    url: request.warcTargetURI ?? '',
    startedAtMs,
    endedAtMs: Math.min(MAX_DATE_MS, Math.max(startedAtMs, startedAtMs + durationMs)),
    remoteAddress: request.warcHeader('WARC-IP-Address') ?? null,
    /** Its purpose; `page` if absent. */
    purpose: fields.get(FIELDS.purpose) ?? 'page',
    /** What its handler knew about its page; `null`: no handler saw it; `unreadable`: not as it is written. */
    visit,
    settings,
    /** Why there was no usable response; `null`: there was one. */
    failure: failure === undefined ? null : { code: failure, detail: fields.get(FIELDS.failureDetail) ?? '' },
    /** Why the response is not kept; `null`: it is kept, or there was none. */
    withheld: fields.get(FIELDS.withheld) ?? null,
    response,
    /** The page as a browser had it; `null`: none did. */
    rendered: visit === 'unreadable' ? null : renderedOf(visit, renderings),
  };
}

function renderedOf(visit: ArchivedVisit | null, renderings: PartialExchange['renderings']): ArchivedRendering | null {
  const html = renderings.get(RENDERED_HTML)?.toString('utf8');
  if (visit?.rendering === undefined || html === undefined) return null;
  const screenshot = renderings.get(RENDERED_IMAGE);
  return { ...visit.rendering, html, ...(screenshot === undefined ? {} : { screenshot }) };
}

async function readResponse(
  record: WARCRecord,
  fields: ReadonlyMap<string, string>,
  originals: Originals,
): Promise<ReadResponse | null> {
  const block = await splitBlock(record);
  const head = parseResponseHead(block.head);
  if (head === null) return null;
  const digest = record.warcType === 'revisit' && head.status !== 304 ? record.warcPayloadDigest : null;
  const reason = record.warcType === 'revisit' ? fields.get(FIELDS.truncated) : record.warcHeader('WARC-Truncated');
  return {
    head,
    truncated: reason === 'length' ? 'limit' : reason === 'disconnect' ? 'connection' : null,
    body: digest == null ? block.body : originals(digest),
  };
}

/** Bytes at the end of a header section that may be in an earlier piece than the last one. */
const HEAD_END_BYTES = 3;

/** The header section of a record's block, empty if there is none, and what follows it. */
async function splitBlock({
  reader,
}: WARCRecord): Promise<{ readonly head: Buffer; readonly body: AsyncIterable<Uint8Array> }> {
  const chunks = concat([reader]);
  const received: Uint8Array[] = [];
  let bytes = 0;
  // What was read last, which may contain the end: a hostile archive may deliver single bytes.
  let last = Buffer.alloc(0);
  while (headEnd(last) === null && bytes <= MAX_RECORD_HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    received.push(next.value);
    bytes += next.value.length;
    last = Buffer.concat([last.subarray(-HEAD_END_BYTES), next.value]);
  }
  const start = Buffer.concat(received);
  const end = headEnd(start) ?? 0;
  return { head: start.subarray(0, end), body: concat([[start.subarray(end)], chunks]) };
}

async function* concat(all: readonly (AsyncIterable<Uint8Array> | Iterable<Uint8Array>)[]): AsyncGenerator<Uint8Array> {
  for (const chunks of all) yield* chunks;
}

type Originals = ReturnType<typeof originalsIn>;

/**
 * Reads the payloads that revisits repeat, by their digest. Their places are read from the indexes with the first
 * revisit. The result throws MannerlyError `archive-failed` if the archive does not have the payload.
 */
function originalsIn(folder: string) {
  let places: Promise<ReadonlyMap<string, CdxjFields>> | null = null;
  return async function* (digest: string): AsyncGenerator<Uint8Array> {
    places ??= readPlaces(folder);
    const place = (await places).get(digest);
    const [start, bytes] = [Number(place?.['offset']), Number(place?.['length'])];
    if (place === undefined || !Number.isSafeInteger(start + bytes) || start < 0 || bytes < 1) {
      throw new MannerlyError('archive-failed', `${folder} holds no record with the payload ${digest}`, {
        hint: 'A WARC file of the archive, or its index, is missing.',
      });
    }
    const part = { start, end: start + bytes - 1 };
    // An index that was changed cannot lead out of the folder.
    for await (const { record } of readRecords(join(folder, basename(place['filename'] ?? '')), part))
      yield* (await splitBlock(record)).body;
  };
}

/** Only the places of repeated payloads: an index may be far longer than the list of its revisits. */
async function readPlaces(folder: string): Promise<ReadonlyMap<string, CdxjFields>> {
  const indexes = async function* (): AsyncGenerator<CdxjFields> {
    for (const name of await listWarcs(folder)) yield* readIndex(indexPathOf(join(folder, name)));
  };
  const repeatedDigests = new Set<string>();
  for await (const { mime, digest } of indexes()) if (mime === REVISIT_MIME && digest) repeatedDigests.add(digest);
  const places = new Map<string, CdxjFields>();
  for await (const { mime, digest = '', filename, offset, length } of indexes()) {
    if (mime === REVISIT_MIME || !repeatedDigests.has(digest) || places.has(digest)) continue;
    places.set(digest, { filename, offset, length });
  }
  return places;
}
