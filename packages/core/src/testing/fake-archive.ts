// A web from the archive of a crawl (WARC): each URL answers as it did then, in the order of the visits.

import { buffer } from 'node:stream/consumers';
import { type ReadExchange, readExchanges } from '../archive/read-archive.js';
import { MannerlyError } from '../errors.js';
import type { FailureCode } from '../fetch/outcome.js';
import { parseUrl } from '../parse-url.js';
import type { FakeAnswerParts, FakeRequest } from './fake-answer.js';
import type { FakeHost } from './fake-web.js';
import { MAX_FAKE_ARCHIVE_BYTES } from './limits.js';

/**
 * Reads an archive into hosts for `createFakeWeb`, with bodies in memory: at most 256 MiB. A URL that was visited more
 * than once answers with one visit after the other, and then always with the last. Content withheld from the archive
 * answers 404; an answer 304 is left out, because its request is not repeated.
 *
 * Call it before virtual time begins.
 * @param folder - The folder of WARC files: `archive` in a crawl directory.
 * @example createFakeWeb({ hosts: { ...(await hostsFromArchive('tidepools/archive')), 'other.example': {} } }) Rejects
 *   with MannerlyError `option-invalid` for an archive without exchanges and for one that is too large; with what the
 *   reader throws, without `warcio` above all.
 */
export async function hostsFromArchive(folder: string): Promise<Record<string, FakeHost>> {
  const sites = new Map<string, Map<string, FakeAnswerParts[]>>();
  let bytes = 0;
  for await (const exchange of readExchanges(folder)) {
    const answer = await answerOf(exchange);
    const url = parseUrl(exchange.url);
    if (answer === null || url === null) continue;
    bytes += answer.body?.length ?? 0;
    if (bytes > MAX_FAKE_ARCHIVE_BYTES) {
      throw invalid(folder, `holds more than ${MAX_FAKE_ARCHIVE_BYTES} bytes of bodies`, 'archive a smaller crawl');
    }
    const { origin, pathname, search } = url;
    const site = sites.get(origin) ?? new Map<string, FakeAnswerParts[]>();
    sites.set(origin, site);
    const path = pathname + search;
    site.set(path, [...(site.get(path) ?? []), answer]);
  }
  if (sites.size === 0) {
    throw invalid(folder, 'holds no exchange', 'name the folder of the WARC files: `archive` in a crawl directory');
  }
  return Object.fromEntries(
    [...sites].map(([origin, site]) => {
      const answer = ({ path, before }: FakeRequest): FakeAnswerParts | null => {
        const answers = site.get(path) ?? [];
        return answers[Math.min(before, answers.length - 1)] ?? null;
      };
      return [origin, { robots: answer, pages: answer }];
    }),
  );
}

/** `null` if it cannot be answered again. */
async function answerOf({ failure, response }: ReadExchange): Promise<FakeAnswerParts | null> {
  if (failure !== null) return { failure: failure.code as FailureCode };
  if (response === null || response.head.status === 304) return null;
  const body = await buffer(response.body);
  const { status, statusText, headers } = response.head;
  // A truncated body ends at the same byte: a fake web sends half of what it has.
  const isCut = response.truncated === 'connection';
  return { status, statusText, headers, body: isCut ? Buffer.concat([body, body]) : body, isCut };
}

function invalid(folder: string, says: string, hint: string): MannerlyError {
  return new MannerlyError('option-invalid', `the archive in ${JSON.stringify(folder)} ${says}`, { hint });
}
