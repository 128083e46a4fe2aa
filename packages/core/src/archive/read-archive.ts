// An archive read back, exchange by exchange in the order in which they were written: warcio reads records, here they
// become what the crawl knew. Bodies are streams that are read, or passed over, before the next exchange is asked for.

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { WARCRecord } from 'warcio';
import { type HttpHead, parseResponseHead } from './http-head.js';
import { createOriginals, type Originals } from './originals.js';
import { splitBlock } from './split-block.js';
import {
  type ArchivedSettings,
  type ArchivedVisit,
  FAILURE_FIELD,
  PURPOSE_FIELD,
  parseJsonField,
  parseWarcFields,
  SETTINGS_FIELD,
  VISIT_FIELD,
  WITHHELD_FIELD,
} from './visit.js';
import { listWarcs } from './warc-files.js';

/** Where an exchange begins. */
export interface ExchangePlace {
  readonly filename: string;
  readonly offset: number;
}

/** One exchange. */
export interface ReadExchange {
  readonly place: ExchangePlace;
  readonly url: string;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly remoteAddress: string | null;
  /** What it was for; `page` where nothing is said. */
  readonly purpose: string;
  /** What its handler knew of its page; `null` for what no handler saw. */
  readonly visit: ArchivedVisit | null;
  readonly settings: ArchivedSettings | null;
  /** Why no response came that could be used; `null`: one came. */
  readonly failure: { readonly word: string; readonly detail: string } | null;
  /** Why the response is not kept; `null`: it is, or none came. */
  readonly withheld: string | null;
  readonly response: ReadResponse | null;
}

/** A response. */
export interface ReadResponse {
  readonly head: HttpHead;
  readonly truncated: 'limit' | 'connection' | null;
  /** The body as it is kept; of a revisit, that of the record it repeats. Read at most once. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads the exchanges of a folder. @throws What warcio and the platform throw. */
export async function* readExchanges(folder: string): AsyncGenerator<ReadExchange> {
  const originals = createOriginals(folder);
  for (const filename of await listWarcs(folder)) yield* exchangesFrom(folder, { filename, offset: 0 }, originals);
}

/** Reads one exchange again. Its settings are not known. @throws What warcio and the platform throw. */
export async function* readExchangeAt(folder: string, place: ExchangePlace): AsyncGenerator<ReadExchange> {
  for await (const exchange of exchangesFrom(folder, place, createOriginals(folder))) {
    yield exchange;
    return;
  }
}

async function* exchangesFrom(
  folder: string,
  { filename, offset }: ExchangePlace,
  originals: Originals,
): AsyncGenerator<ReadExchange> {
  const { WARCParser } = await import('warcio');
  const file = createReadStream(join(folder, filename), { start: offset });
  const parser = new WARCParser(file, { keepHeadersCase: true, parseHttp: false });
  const placeOf = (): ExchangePlace => ({ filename, offset: offset + parser.offset });
  try {
    yield* exchangesOf(parser, placeOf, originals);
  } finally {
    file.destroy();
  }
}

async function* exchangesOf(
  records: AsyncIterable<WARCRecord>,
  placeOf: () => ExchangePlace,
  originals: Originals,
): AsyncGenerator<ReadExchange> {
  let settings: ArchivedSettings | null = null;
  let told: Told | null = null;
  for await (const record of records) {
    switch (record.warcType) {
      case 'warcinfo':
        settings = parseJsonField<ArchivedSettings>(parseWarcFields(await record.readFully()).get(SETTINGS_FIELD));
        break;
      case 'request':
        if (told !== null) yield exchangeOf(told, settings, null);
        told = { place: placeOf(), request: record, fields: new Map() };
        break;
      case 'metadata':
        if (told !== null) told = withFields(told, parseWarcFields(await record.readFully()));
        break;
      case 'response':
      case 'revisit':
        if (told === null) break;
        yield exchangeOf(told, settings, await responseOf(record, originals));
        told = null;
        break;
      default:
        break;
    }
  }
  if (told !== null) yield exchangeOf(told, settings, null);
}

interface Told {
  readonly place: ExchangePlace;
  readonly request: WARCRecord;
  readonly fields: ReadonlyMap<string, string>;
}

function withFields(told: Told, fields: Told['fields']): Told {
  return { ...told, fields };
}

function exchangeOf(
  { place, request, fields }: Told,
  settings: ArchivedSettings | null,
  response: ReadResponse | null,
): ReadExchange {
  const startedAtMs = Date.parse(request.warcDate ?? '') || 0;
  const failure = fields.get(FAILURE_FIELD);
  return {
    place,
    url: request.warcTargetURI ?? '',
    startedAtMs,
    endedAtMs: startedAtMs + (Number(fields.get('fetchTimeMs')) || 0),
    remoteAddress: request.warcHeader('WARC-IP-Address') ?? null,
    purpose: fields.get(PURPOSE_FIELD) ?? 'page',
    visit: parseJsonField<ArchivedVisit>(fields.get(VISIT_FIELD)),
    settings,
    failure: failure === undefined ? null : { word: failure, detail: fields.get('failureDetail') ?? '' },
    withheld: fields.get(WITHHELD_FIELD) ?? null,
    response,
  };
}

async function responseOf(record: WARCRecord, originals: Originals): Promise<ReadResponse | null> {
  const { head, body } = await splitBlock(record.reader);
  const parsed = head === null ? null : parseResponseHead(head);
  if (parsed === null) return null;
  const isCopy = record.warcType === 'revisit' && record.warcPayloadDigest != null && parsed.status !== 304;
  return {
    head: parsed,
    truncated: truncationOf(record.warcHeader('WARC-Truncated') ?? null),
    body: isCopy ? originals.bodyOf(record.warcPayloadDigest as string) : body,
  };
}

function truncationOf(reason: string | null): ReadResponse['truncated'] {
  if (reason === 'length') return 'limit';
  return reason === 'disconnect' ? 'connection' : null;
}
