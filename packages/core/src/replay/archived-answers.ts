// Outcomes from an archive, as the fetcher returned them: of an exchange, whose body is decoded again under the same
// limit or into a file if the page's handler wants that, and of requests by `page.fetch` in a replay.

import { originalFields } from '../archive/http-head.js';
import { type ReadExchange, type ReadResponse, readExchangeAt, readExchanges } from '../archive/read-archive.js';
import { BodyCollector } from '../fetch/body.js';
import { parseContentEncoding } from '../fetch/content-coding.js';
import type { BodyConsumer, ResponseHead } from '../fetch/fetcher.js';
import { type FailureCode, type FetchOutcome, headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import type { Spool } from '../fetch/spool.js';
import type { FetchForPage } from '../page/page-fetch.js';

/** Where the body of a replayed exchange goes, and how much of it. */
export interface ReplayedBodies {
  /** Decoded bytes kept in memory. */
  readonly maxBodyBytes: number;
  /** Decoded bytes that may go to a file; `null`: the body stays in memory. */
  readonly largeBody: (head: ResponseHead) => number | null;
  readonly spool: Spool;
}

/** The outcome of an exchange; the caller removes the body's file. @throws Errors of reading the archive. */
export async function archivedOutcome(exchange: ReadExchange, bodies: ReplayedBodies): Promise<FetchOutcome> {
  const { url, startedAtMs, endedAtMs, remoteAddress, response, failure: failed, withheld } = exchange;
  const timing = { startedAtMs, headersAtMs: null, endedAtMs };
  if (response === null) {
    const failure = (failed?.code ?? 'internal') as FailureCode;
    const detail = failed?.detail ?? `not kept: ${withheld ?? 'no response'}`;
    return { kind: 'failed', url, failure, detail, remoteAddress, wasSent: true, timing };
  }
  const { status, statusText, headers: archived } = response.head;
  const headers = originalFields(archived);
  const maxBytes = bodies.largeBody({ status, headers });
  const spooled = maxBytes === null ? null : bodies.spool.open(maxBytes);
  const decoded = await decode(response, maxBytes ?? bodies.maxBodyBytes, spooled);
  const { body, file } = spooled?.end() ?? { body: decoded.body, file: null };
  const content = { ...decoded, body, ...(file === null ? {} : { file }) };
  return { kind: 'response', url, status, statusText, headers, ...content, remoteAddress, timing };
}

async function decode(
  { head, body, truncated }: ReadResponse,
  maxBodyBytes: number,
  consumer: BodyConsumer | null,
): Promise<Pick<ResponseOutcome, 'body' | 'truncated' | 'encodedBytes'>> {
  // Fields that the archive has renamed no longer describe the bytes that it holds.
  const coding = parseContentEncoding(headerValue(head.headers, 'content-encoding'));
  const limits = { maxBodyBytes, maxEncodedBytes: Number.MAX_SAFE_INTEGER, keepsEncoded: false };
  const collector = new BodyCollector(coding.kind === 'known' ? coding.codings : [], limits, () => undefined, consumer);
  let isFull = false;
  // What follows a full body is skipped, so that the next exchange can be read.
  for await (const bytes of body) if (!isFull) isFull = collector.push(bytes) === 'full';
  const decoded = await collector.end(truncated ?? 'complete');
  if (decoded.kind === 'undecodable') return { body: new Uint8Array(0), truncated: 'connection', encodedBytes: 0 };
  return { body: decoded.body, truncated: decoded.truncated, encodedBytes: collector.encodedBytes };
}

/**
 * `page.fetch` in a replay: the archive answers with the exchange that the crawl made. It is read once, at the first
 * request of a handler, and the places of such exchanges are remembered, some 200 bytes each. @param pageStartedAtMs -
 * Of the current page: an answer that came after it is preferred to one from before.
 */
export function createArchivedFetcher(
  folders: readonly string[],
  bodies: () => ReplayedBodies,
  pageStartedAtMs: () => number,
): FetchForPage {
  let known: Promise<ReadonlyMap<string, readonly KnownAnswer[]>> | null = null;
  return async (_page, url) => {
    known ??= readHandlerAnswers(folders);
    const answers = (await known).get(url) ?? [];
    const nowMs = pageStartedAtMs();
    const answer = answers.find(({ startedAtMs }) => startedAtMs >= nowMs) ?? answers.at(-1);
    if (answer !== undefined) {
      for await (const exchange of readExchangeAt(answer.folder, answer.place))
        return archivedOutcome(exchange, { ...bodies(), largeBody: () => null });
    }
    return { kind: 'dropped', url, reason: 'not-archived' };
  };
}

type KnownAnswer = Pick<ReadExchange, 'startedAtMs' | 'place'> & { readonly folder: string };

async function readHandlerAnswers(folders: readonly string[]): Promise<ReadonlyMap<string, readonly KnownAnswer[]>> {
  const answers = new Map<string, KnownAnswer[]>();
  for (const folder of folders) {
    for await (const { purpose, url, startedAtMs, place } of readExchanges(folder)) {
      if (purpose !== 'handler') continue;
      const known = answers.get(url) ?? [];
      answers.set(url, known);
      known.push({ startedAtMs, folder, place });
    }
  }
  return answers;
}
