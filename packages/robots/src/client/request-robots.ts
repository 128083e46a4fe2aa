// One chain of exchanges for a robots.txt with the caller's `fetch`: every redirect is checked, and the body and the
// time are bounded. Every failure is an answer that means hold.

import type { RobotsAnswer } from '../access/answer.js';
import { copyValidators, type GoodCopy } from '../access/good-copy.js';
import type { ResolvedAccessOptions } from '../access/profile.js';
import { nextHop } from '../access/robots-url.js';
import { MAX_FILE_BYTES, ROBOTS_EXCHANGE_MS } from '../limits.js';

/** What requests need. */
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

/** The body, up to the first byte past the limit. */
async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: BlobPart[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) break;
    chunks.push(chunk.value);
    length += chunk.value.length;
    // The parser cuts a file beyond the limit at a line end.
    if (length <= MAX_FILE_BYTES + BOM_BYTES) continue;
    await reader?.cancel();
    break;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** A byte order mark and one more byte. */
const BOM_BYTES = 4;
