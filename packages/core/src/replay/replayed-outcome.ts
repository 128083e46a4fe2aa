// The outcome of an archived exchange, as the fetcher returned it: the body is decoded again under the same limit, or
// into a file where the page's handler wants that.

import { originalFields } from '../archive/http-head.js';
import type { ReadExchange, ReadResponse } from '../archive/read-archive.js';
import { BodyCollector } from '../fetch/body.js';
import { parseContentEncoding } from '../fetch/content-coding.js';
import type { BodyConsumer, ResponseHead } from '../fetch/fetcher.js';
import {
  type FailedOutcome,
  type FailureCode,
  type FetchOutcome,
  headerValue,
  type ResponseOutcome,
} from '../fetch/outcome.js';
import type { Spool, SpooledBody } from '../fetch/spool.js';

/** How bodies are taken. */
export interface ReplayedBodies {
  /** Decoded bytes kept in memory. */
  readonly maxBodyBytes: number;
  /** Decoded bytes that may go to a file; `null`: the body is held. */
  readonly largeBody: (head: ResponseHead) => number | null;
  readonly spool: Spool;
}

/** Makes the outcome anew; the caller removes a body's file. @throws What reading the archive threw. */
export async function replayedOutcome(exchange: ReadExchange, bodies: ReplayedBodies): Promise<FetchOutcome> {
  const { url, startedAtMs, endedAtMs, remoteAddress, response, failure, withheld } = exchange;
  const timing = { startedAtMs, headersAtMs: null, endedAtMs };
  if (response === null) {
    const word = (failure?.word ?? 'internal') as FailureCode;
    const detail = failure?.detail ?? `not kept: ${withheld ?? 'no response'}`;
    return { kind: 'failed', url, failure: word, detail, remoteAddress, wasSent: true, timing } satisfies FailedOutcome;
  }
  const { status, statusText, headers } = response.head;
  const fields = originalFields(headers);
  const maxBytes = bodies.largeBody({ status, headers: fields });
  const spooled = maxBytes === null ? null : bodies.spool.open(maxBytes);
  const { body, truncated, encodedBytes } = await decode(response, maxBytes ?? bodies.maxBodyBytes, spooled);
  const kept = spooled === null ? { body, file: null } : spooled.end();
  return {
    kind: 'response',
    url,
    status,
    statusText,
    headers: fields,
    body: kept.body,
    ...(kept.file === null ? {} : { file: kept.file }),
    truncated,
    encodedBytes,
    remoteAddress,
    timing,
  } satisfies ResponseOutcome;
}

/** What comes after a full body is passed over anyway. */
const NO_CALLBACK = () => undefined;

async function decode(
  { head, body, truncated }: ReadResponse,
  maxBodyBytes: number,
  taker: SpooledBody | BodyConsumer | null,
): Promise<Pick<ResponseOutcome, 'body' | 'truncated' | 'encodedBytes'>> {
  // Fields that the archive has renamed no longer say anything about the bytes that it holds.
  const coding = parseContentEncoding(headerValue(head.headers, 'content-encoding'));
  const limits = { maxBodyBytes, maxEncodedBytes: Number.MAX_SAFE_INTEGER, keepsEncoded: false };
  const collector = new BodyCollector(coding.kind === 'known' ? coding.codings : [], limits, NO_CALLBACK, taker);
  let isFull = false;
  for await (const bytes of body) {
    if (!isFull) isFull = collector.push(bytes) === 'full';
  }
  const decoded = await collector.end(truncated ?? 'whole');
  if (decoded.kind === 'undecodable') return { body: new Uint8Array(0), truncated: 'connection', encodedBytes: 0 };
  return { body: decoded.body, truncated: decoded.cut, encodedBytes: collector.encodedBytes };
}
