// One chain of exchanges for a robots.txt with a `fetch` of the caller's: no redirect is followed unseen, the body and
// the time are bounded. Whatever goes wrong is an answer: a failure, which means hold.

import type { RobotsAnswer } from '../access/answer.js';
import { copyValidators, type GoodCopy } from '../access/good-copy.js';
import type { ResolvedAccessOptions } from '../access/profile.js';
import { nextHop } from '../access/robots-url.js';
import { MAX_FILE_BYTES, ROBOTS_EXCHANGE_MS } from '../limits.js';

/** What requests are made with. */
export interface RequestTools {
  readonly fetch: typeof globalThis.fetch;
  readonly userAgent: string;
  readonly access: ResolvedAccessOptions;
}

/** Requests a robots.txt. @param copy - The last good copy, which the server may confirm. Never rejects. */
export async function requestRobots(
  robotsUrl: string,
  copy: GoodCopy | null,
  { fetch, userAgent, access }: RequestTools,
): Promise<RobotsAnswer> {
  const chain = [robotsUrl];
  const signal = AbortSignal.timeout(ROBOTS_EXCHANGE_MS);
  try {
    for (let url = robotsUrl; ; ) {
      const headers = { 'user-agent': userAgent, accept: 'text/plain, */*;q=0.1', ...copyValidators(copy, url) };
      const response = await fetch(url, { headers, redirect: 'manual', signal, credentials: 'omit' });
      const { status } = response;
      const next = nextHop(status, response.headers.get('location'), url, chain, access);
      if (next.kind === 'final') {
        const body = await readBody(response);
        return {
          kind: 'response',
          status,
          headers: Object.fromEntries(response.headers),
          body,
          robotsUrl,
          finalUrl: url,
        };
      }
      await response.body?.cancel();
      if (next.kind === 'redirect-limit') return next;
      if (next.kind === 'redirect-unusable') return { kind: 'failure', failure: 'redirect-unusable' };
      url = next.url;
      chain.push(url);
    }
  } catch {
    return { kind: 'failure', failure: signal.aborted ? 'timeout' : 'other' };
  }
}

/** The body, up to the first byte past what is read of a file. */
async function readBody(response: Response): Promise<Uint8Array> {
  const pieces: BlobPart[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) break;
    pieces.push(piece.value);
    length += piece.value.length;
    // A file past the limit is cut at a line by the parser.
    if (length <= MAX_FILE_BYTES + MARK_BYTES) continue;
    await reader?.cancel();
    break;
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** A byte order mark and one more byte. */
const MARK_BYTES = 4;
