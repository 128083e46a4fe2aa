// One exchange as WARC records: request, metadata, what a browser made of it, and response or revisit. The others refer
// to the last one and come before it, so that a reader knows a body's purpose before reading it. Bodies keep their
// content codings if the fetcher has them (docs/decisions/0013).

import {
  type BodyFile,
  type FetchOutcome,
  type HeaderLines,
  headerValue,
  matchesTag,
  type ResponseOutcome,
} from '../fetch/outcome.js';
import { keepLatest } from '../keep-latest.js';
import { REVISIT_MIME, readIndex } from './cdxj.js';
import { requestHead, responseHead } from './http-head.js';
import { MAX_KNOWN_PAYLOADS, MAX_OUTLINKS } from './limits.js';
import { type ArchivedPage, FIELDS, RENDERED_HTML, RENDERED_IMAGE, warcFields } from './visit.js';
import {
  createPlainRecord,
  createRecord,
  type DigestAlgorithm,
  digestsOf,
  NOTHING,
  payloadBytes,
  type WarcFields,
  type WarcRecord,
} from './warc-record.js';

export interface SentRequest {
  readonly url: string;
  readonly purpose: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The page, sitemap or redirect that named the URL. @default none is known */
  readonly via?: string | null;
}

export interface ArchivedExchange {
  readonly sent: SentRequest;
  readonly outcome: FetchOutcome;
  /** Why the response is not kept; `null`: it is. `no-store` keeps the header section. */
  readonly withheld: 'noarchive' | 'no-store' | null;
  /** `null` if no handler sees it. */
  readonly page: ArchivedPage | null;
  /** For a 304, the record whose validators were sent; `null`: none. @default the last one of its URL */
  readonly original?: ArchivedOriginal | null | undefined;
  /** Whether the payload is written even if another record has it. @default false */
  readonly isFull?: boolean;
}

export interface ArchivedOriginal {
  readonly url: string;
  /** Its WARC-Date; in whole seconds if it is known from an index without dates, as earlier versions wrote it. */
  readonly date: string;
  readonly digest: string | null;
}

interface RecordTools {
  readonly digest: DigestAlgorithm;
  readonly payloads: KnownPayloads;
  readonly warcinfoId: string;
}

/**
 * The latest payloads of an archive, by digest and by URL, so that the next equal one becomes a revisit instead of a
 * second copy. A forgotten one costs only a second copy, or a request without conditions.
 */
export class KnownPayloads {
  readonly #limit: number;
  readonly #byDigest = new Map<string, ArchivedOriginal>();
  readonly #byUrl = new Map<string, ArchivedOriginal>();

  constructor(limit = MAX_KNOWN_PAYLOADS) {
    this.#limit = limit;
  }

  find(digest: string): ArchivedOriginal | null {
    return this.#byDigest.get(digest) ?? null;
  }

  keep(digest: string, { url, date }: Omit<ArchivedOriginal, 'digest'>): void {
    keepLatest(this.#byDigest, digest, { url, date, digest }, this.#limit);
  }

  lastOf(url: string): ArchivedOriginal | null {
    return this.#byUrl.get(url) ?? null;
  }

  /** A URL was answered. @param original - The record with its payload; `null`: it is not kept. */
  recordAnswer(url: string, status: number, original: ArchivedOriginal | null): void {
    if (status < 200 || status > 299) return;
    if (original === null) this.#byUrl.delete(url);
    else keepLatest(this.#byUrl, url, original, this.#limit);
  }

  /** Adds the payloads of an index. @throws The platform's error if it cannot be read. */
  async readIndex(path: string): Promise<void> {
    for await (const { url, digest, mime, timestamp, status, date: indexed } of readIndex(path)) {
      if (url === undefined || digest === undefined || timestamp === undefined) continue;
      const second = timestamp.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z');
      const date = indexed ?? second;
      const isRevisit = mime === REVISIT_MIME;
      if (!isRevisit) this.keep(digest, { url, date });
      this.recordAnswer(url, Number(status), isRevisit ? this.find(digest) : { url, date, digest });
    }
  }
}

/** The records of an exchange. @throws What reading a body's file threw. */
export async function exchangeRecords(exchange: ArchivedExchange, tools: RecordTools): Promise<WarcRecord[]> {
  const { sent, outcome, withheld, page } = exchange;
  const date = new Date(outcome.timing.startedAtMs).toISOString();
  const target: WarcFields = [
    ['WARC-Target-URI', sent.url],
    ['WARC-Date', date],
  ];
  const warcinfo = ['WARC-Warcinfo-ID', tools.warcinfoId] as const;
  const address = outcome.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? null;
  const common: WarcFields = [...target, ['WARC-IP-Address', address], warcinfo];
  const hasResponseRecord = outcome.kind === 'response' && withheld !== 'noarchive';
  const response = hasResponseRecord ? await responseRecord(exchange, outcome, date, common, tools) : null;
  const plainRecord = (type: 'request' | 'metadata', contentType: string, concurrentTo: string | null, bytes: Buffer) =>
    createPlainRecord(
      type,
      [...common, ['WARC-Concurrent-To', concurrentTo], ['Content-Type', contentType]],
      bytes,
      tools.digest,
    );
  const id = response?.id ?? null;
  const head = requestHead(sent.url, sent.headers);
  const request = await plainRecord('request', 'application/http; msgtype=request', id, head);
  const about = warcFields(metadataOf(exchange));
  const metadata = await plainRecord('metadata', 'application/warc-fields', id ?? request.id, about);
  if (response === null) return [request, metadata];
  // A browser's document, and its screenshot: other forms of the same content (WARC 1.1 §6.8). They have no index
  // entry, which would hide the response from replays of the page.
  const { html, screenshot } = (withheld === null && page?.rendered) || {};
  const conversion = (contentType: string, bytes: string | Uint8Array) => {
    const fields: WarcFields = [...target, warcinfo, ['WARC-Refers-To', id], ['Content-Type', contentType]];
    return createPlainRecord('conversion', fields, Buffer.from(bytes), tools.digest);
  };
  const conversions = await Promise.all([
    ...(html === undefined ? [] : [conversion(RENDERED_HTML, html)]),
    ...(screenshot === undefined ? [] : [conversion(RENDERED_IMAGE, screenshot)]),
  ]);
  return [request, metadata, ...conversions, response];
}

async function responseRecord(
  { sent, withheld, original, isFull = false }: ArchivedExchange,
  outcome: ResponseOutcome,
  date: string,
  common: WarcFields,
  { digest, payloads }: RecordTools,
): Promise<WarcRecord> {
  const { url, status, headers } = outcome;
  const { payload, isDecoded } = archivedBody(outcome, withheld);
  const head = responseHead(outcome, isDecoded);
  const digests = await digestsOf({ head, payload }, digest);
  const isNotModified = status === 304;
  // The digest of no bytes means nothing, so an empty payload is never a copy of another.
  const hasPayload = payloadBytes(payload) > 0;
  const about = original === undefined ? payloads.lastOf(url) : original;
  const sentTag = headerValue(Object.entries(sent.headers), 'if-none-match');
  const known = isNotModified
    ? matchesTag(headers, sentTag)
      ? about
      : null
    : hasPayload && !isFull
      ? payloads.find(digests.payload)
      : null;
  const isRepeated = isNotModified && known !== null;
  const payloadDigest = isRepeated ? (isIdentical(headers, sentTag) ? known.digest : null) : digests.payload;
  const fields: WarcFields = [
    ...common,
    ['Content-Type', 'application/http; msgtype=response'],
    ['WARC-Payload-Digest', payloadDigest],
    // A revisit that leaves out a payload is truncated (WARC 1.1, 6.7.2).
    ['WARC-Truncated', known !== null && !isNotModified ? 'length' : truncation(outcome, withheld)],
  ];
  if (known === null && hasPayload) payloads.keep(digests.payload, { url, date });
  payloads.recordAnswer(url, status, withheld === null ? (known ?? { url, date, digest: digests.payload }) : null);
  if (known === null) return createRecord('response', fields, { head, payload }, digests);
  const revisitFields: WarcFields = [
    ...fields,
    ['WARC-Profile', isNotModified ? NOT_MODIFIED : IDENTICAL],
    ['WARC-Refers-To-Target-URI', known.url],
    ['WARC-Refers-To-Date', known.date],
  ];
  return createPlainRecord('revisit', revisitFields, head, digest);
}

const IDENTICAL = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';
const NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';

/** Whether a 304 means identical bytes: a weak tag promises only an equivalent page, a date only one second. */
function isIdentical(headers: HeaderLines, sentTag: string | null): boolean {
  return sentTag !== null && !sentTag.startsWith('W/') && headerValue(headers, 'etag')?.startsWith('W/') !== true;
}

/** The body as received or, if unknown, with its codings undone. */
function archivedBody(
  { body, file, encodedBody, headers }: ResponseOutcome,
  withheld: ArchivedExchange['withheld'],
): { readonly payload: Uint8Array | BodyFile; readonly isDecoded: boolean } {
  if (withheld !== null) return { payload: NOTHING, isDecoded: false };
  if (encodedBody !== undefined) return { payload: encodedBody, isDecoded: false };
  const isDecoded = headers.some(
    ([name, value]) => /^content-encoding$/i.test(name) && !/^(identity)?$/i.test(value.trim()),
  );
  return { payload: file ?? body, isDecoded };
}

/** The terms of WARC 1.1 §5.13 for why a block is incomplete. */
function truncation({ truncated }: ResponseOutcome, withheld: ArchivedExchange['withheld']): string | null {
  if (withheld !== null) return 'unspecified';
  if (truncated === null) return null;
  return truncated === 'limit' ? 'length' : 'disconnect';
}

function metadataOf(exchange: ArchivedExchange): [string, string | null][] {
  const { sent, outcome, withheld, page } = exchange;
  const { startedAtMs, endedAtMs } = outcome.timing;
  const isFailure = outcome.kind === 'failed';
  // Nothing of a withheld page is kept, including its links.
  const outlinks = withheld === null ? (page?.outlinks ?? []) : [];
  return [
    [FIELDS.purpose, sent.purpose],
    [FIELDS.durationMs, String(Math.max(0, endedAtMs - startedAtMs))],
    // A licence document is requested for its own sake.
    ['via', sent.via === sent.url ? null : (sent.via ?? null)],
    [FIELDS.withheld, withheld],
    // There is no response record with the status.
    ['status', outcome.kind === 'response' && withheld === 'noarchive' ? String(outcome.status) : null],
    [FIELDS.truncated, isFailure ? null : truncation(outcome, null)],
    [FIELDS.failure, isFailure ? outcome.failure : null],
    [FIELDS.failureDetail, isFailure ? outcome.detail : null],
    [FIELDS.visit, page === null ? null : JSON.stringify(page.visit)],
    [FIELDS.title, titleOf(exchange)],
    ...outlinks.slice(0, MAX_OUTLINKS).map((url): [string, string] => ['outlink', url]),
  ];
}

/** The title under which people look for a page; `null`: it is not a page, or not kept. */
function titleOf({ sent, outcome, withheld, page }: ArchivedExchange): string | null {
  if (page === null || !page.isHtml || withheld !== null || outcome.kind === 'failed') return null;
  return page.title ?? sent.url;
}
