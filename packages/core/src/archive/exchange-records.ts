// One exchange as WARC records: request, response (or revisit) and metadata.
//
//   request ── metadata ──▶ response or revisit: both name it (WARC-Concurrent-To) and come before it, so that a
//   reader knows what a body is for before it comes
//
// Bodies keep their content codings where the fetcher has them; see docs/decisions/0013.

import type { BodyFile, FetchOutcome, ResponseOutcome } from '../fetch/outcome.js';
import { requestHead, responseHead } from './http-head.js';
import { MAX_OUTLINKS } from './limits.js';
import { mimeOf, REVISIT_MIME } from './mime.js';
import { pageLineOf } from './page-line.js';
import type { PayloadMemory } from './payload-memory.js';
import {
  type ArchivedPage,
  FAILURE_FIELD,
  PURPOSE_FIELD,
  SEED,
  TITLE_FIELD,
  VISIT_FIELD,
  WITHHELD_FIELD,
  warcFields,
} from './visit.js';
import type { ArchiveBatch, PlannedRecord } from './warc-files.js';
import {
  createRecord,
  type DigestAlgorithm,
  digestsOf,
  isEmptyPayload,
  newRecordId,
  type WarcBlock,
  type WarcFields,
} from './warc-record.js';

/** A request as egress sent it. */
export interface SentRequest {
  readonly url: string;
  readonly purpose: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An exchange that is over, and what is known of it. */
export interface ArchivedExchange {
  readonly sent: SentRequest;
  readonly outcome: FetchOutcome;
  /** Why what came is not kept; `null`: it is. `no-store` keeps the header section. */
  readonly withheld: 'noarchive' | 'no-store' | null;
  /** What its page says; `null` for what no handler sees. */
  readonly page: ArchivedPage | null;
}

/** What records are made with. */
export interface RecordTools {
  readonly digest: DigestAlgorithm;
  readonly payloads: PayloadMemory;
  readonly warcinfoId: string;
}

/** Puts the records of an exchange together. @throws What reading a body's file threw. */
export async function recordsOf(exchange: ArchivedExchange, tools: RecordTools): Promise<ArchiveBatch> {
  const { sent, outcome, withheld, page } = exchange;
  const date = new Date(outcome.timing.startedAtMs).toISOString();
  const common: WarcFields = [
    ['WARC-Target-URI', sent.url],
    ['WARC-Date', date],
    ['WARC-IP-Address', outcome.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? null],
    ['WARC-Warcinfo-ID', tools.warcinfoId],
  ];
  const came =
    outcome.kind === 'response' && withheld !== 'noarchive'
      ? await responseRecord(outcome, withheld, date, common, tools)
      : null;
  const first = came?.record.id ?? null;
  const request = await plainRecord('request', first, common, requestHead(sent.url, sent.headers), tools);
  const about = warcFields(metadataOf(exchange));
  const metadata = await plainRecord('metadata', first ?? request.record.id, common, about, tools);
  if (came === null) return { records: [request, metadata], pageLine: null };
  const title = titleOf(exchange);
  const pageLine = title === null ? null : pageLineOf({ url: sent.url, date, title, isSeed: page?.visit.via === SEED });
  return { records: [request, metadata, came], pageLine };
}

async function responseRecord(
  outcome: ResponseOutcome,
  withheld: ArchivedExchange['withheld'],
  date: string,
  common: WarcFields,
  { digest, payloads }: RecordTools,
): Promise<PlannedRecord> {
  const { payload, isDecoded } = keptBody(outcome, withheld);
  const head = responseHead(outcome, isDecoded);
  const whole: WarcBlock = { head, payload };
  const digests = await digestsOf(whole, digest);
  const seen = earlier(outcome, whole, digests.payload, payloads);
  const id = newRecordId();
  const fields: WarcFields = [
    ...common,
    ['Content-Type', 'application/http; msgtype=response'],
    ['WARC-Payload-Digest', seen?.profile === NOT_MODIFIED ? null : digests.payload],
    ['WARC-Truncated', truncation(outcome, withheld)],
  ];
  const said = { url: outcome.url, atMs: outcome.timing.startedAtMs, status: outcome.status, digest: digests.payload };
  if (seen === null) {
    payloads.keep(digests.payload, { url: outcome.url, date });
    payloads.keep(`url ${outcome.url}`, { url: outcome.url, date });
    const record = createRecord(
      'response',
      id,
      [...fields, ['WARC-Block-Digest', digests.block]],
      whole,
      digests.blockBytes,
    );
    return { record, index: { ...said, mime: mimeOf(outcome.headers) } };
  }
  const block: WarcBlock = { head, payload: NOTHING };
  const ofHead = await digestsOf(block, digest);
  const record = createRecord(
    'revisit',
    id,
    [
      ...fields,
      ['WARC-Profile', seen.profile],
      ['WARC-Refers-To-Target-URI', seen.url],
      ['WARC-Refers-To-Date', seen.date],
      ['WARC-Block-Digest', ofHead.block],
    ],
    block,
    ofHead.blockBytes,
  );
  return { record, index: { ...said, mime: REVISIT_MIME } };
}

/** What this response repeats; `null`: nothing that is known. */
function earlier(
  { status, url }: ResponseOutcome,
  block: WarcBlock,
  payloadDigest: string,
  payloads: PayloadMemory,
): { readonly profile: string; readonly url: string; readonly date: string } | null {
  if (status === 304) {
    const known = payloads.find(`url ${url}`);
    return known === null ? null : { ...known, profile: NOT_MODIFIED };
  }
  const known = isEmptyPayload(block) ? null : payloads.find(payloadDigest);
  return known === null ? null : { ...known, profile: IDENTICAL };
}

/** The body as it is kept: as it came, or, where that is not known, with its codings undone. */
function keptBody(
  { body, file, encodedBody, headers }: ResponseOutcome,
  withheld: ArchivedExchange['withheld'],
): { readonly payload: Uint8Array | BodyFile; readonly isDecoded: boolean } {
  if (withheld !== null) return { payload: NOTHING, isDecoded: false };
  if (encodedBody !== undefined) return { payload: encodedBody, isDecoded: false };
  const isCoded = headers.some(
    ([name, value]) => /^content-encoding$/i.test(name) && !/^(identity)?$/i.test(value.trim()),
  );
  return { payload: file ?? body, isDecoded: isCoded };
}

/** The words of WARC 1.1 §5.13 for why a block is not the whole one. */
function truncation({ truncated }: ResponseOutcome, withheld: ArchivedExchange['withheld']): string | null {
  if (withheld !== null) return 'unspecified';
  switch (truncated) {
    case 'limit':
      return 'length';
    case 'connection':
      return 'disconnect';
    case null:
      return null;
  }
}

function metadataOf({ sent, outcome, withheld, page }: ArchivedExchange): [string, string | null][] {
  const { startedAtMs, endedAtMs } = outcome.timing;
  const isFailure = outcome.kind === 'failed';
  return [
    [PURPOSE_FIELD, sent.purpose],
    ['fetchTimeMs', String(Math.max(0, endedAtMs - startedAtMs))],
    ['via', page?.visit.from ?? null],
    [WITHHELD_FIELD, withheld],
    // Nothing of the response is kept then: that one came is.
    ['status', outcome.kind === 'response' && withheld === 'noarchive' ? String(outcome.status) : null],
    [FAILURE_FIELD, isFailure ? outcome.failure : null],
    ['failureDetail', isFailure ? outcome.detail : null],
    [VISIT_FIELD, page === null ? null : JSON.stringify(page.visit)],
    [TITLE_FIELD, titleOf({ sent, outcome, withheld, page })],
    // Of a page that asks not to be archived nothing is, its links among it.
    ...(withheld === null ? (page?.outlinks ?? []) : [])
      .slice(0, MAX_OUTLINKS)
      .map((url): [string, string] => ['outlink', url]),
  ];
}

/** The title under which people look for a page; `null` for what is none, or is not kept. */
function titleOf({ sent, outcome, withheld, page }: ArchivedExchange): string | null {
  if (page === null || !page.isHtml || withheld !== null || outcome.kind === 'failed') return null;
  return page.title ?? sent.url;
}

async function plainRecord(
  type: 'request' | 'metadata',
  concurrentTo: string | null,
  common: WarcFields,
  bytes: Buffer,
  { digest }: RecordTools,
): Promise<PlannedRecord> {
  const block: WarcBlock = type === 'request' ? { head: bytes, payload: NOTHING } : { head: NOTHING, payload: bytes };
  const digests = await digestsOf(block, digest);
  const fields: WarcFields = [
    ...common,
    ['WARC-Concurrent-To', concurrentTo],
    ['Content-Type', type === 'request' ? 'application/http; msgtype=request' : 'application/warc-fields'],
    ['WARC-Block-Digest', digests.block],
  ];
  return { record: createRecord(type, newRecordId(), fields, block, digests.blockBytes), index: null };
}

const NOTHING = Buffer.alloc(0);
const IDENTICAL = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';
const NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';
