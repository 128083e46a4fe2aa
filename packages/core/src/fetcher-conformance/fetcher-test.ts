// One test of the conformance suite of fetchers: its servers, its requests, and its assertions, which depend on no test
// runner.

import type { Fetcher, FetcherCapabilities, FetchLimits, FetchRequest } from '../fetch/fetcher.js';
import type { FailedOutcome, FetchOutcome, ResponseOutcome } from '../fetch/outcome.js';
import { assert, assertEqual } from './assert.js';
import { type Answer, listenRaw, type RawServer } from './raw-server.js';

export interface FetcherTest {
  /** A sentence; the runner's title. */
  readonly title: string;
  readonly run: (t: TestContext) => Promise<void>;
  /** The capability that the guarantee requires; `null` if it always holds. */
  readonly needs: keyof FetcherCapabilities | null;
}

/** Makes a test. Never throws. */
export function test(title: string, run: FetcherTest['run']): FetcherTest {
  return { title, run, needs: null };
}

/** Makes a test of a guarantee that a capability makes. Never throws. */
export function testNeeding(needs: keyof FetcherCapabilities, title: string, run: FetcherTest['run']): FetcherTest {
  return { title, run, needs };
}

/** Limits that let a correct loopback server finish on a busy machine. */
export const GENEROUS: FetchLimits = {
  connectTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  maxBodyBytes: 100_000,
  maxEncodedBytes: 200_000,
};

type RequestChanges = Partial<Omit<FetchRequest, 'limits' | 'url'>> & {
  readonly limits?: Partial<FetchLimits>;
};

/** The fetcher of one test, and servers that end with it. */
export class TestContext {
  readonly fetcher: Fetcher;
  readonly #servers: RawServer[] = [];

  constructor(fetcher: Fetcher) {
    this.fetcher = fetcher;
  }

  async serve(answer: Answer): Promise<RawServer> {
    const server = await listenRaw(answer);
    this.#servers.push(server);
    return server;
  }

  async fetch(url: string, more: RequestChanges = {}): Promise<FetchOutcome | null> {
    return this.fetcher.fetch({
      method: 'GET',
      headers: { 'User-Agent': 'conformance/1.0 (+https://example.org/bot)' },
      address: { address: '127.0.0.1', family: 4 },
      mayStart: () => true,
      signal: new AbortController().signal,
      ...more,
      url,
      limits: { ...GENEROUS, ...more.limits },
    });
  }

  /** Serves this answer and requests it once. */
  async get(answer: Answer, more: RequestChanges = {}): Promise<{ outcome: FetchOutcome; server: RawServer }> {
    const server = await this.serve(answer);
    const outcome = await this.fetch(`${server.origin}/a?b=c`, more);
    assert(outcome !== null, 'mayStart said yes, and the fetcher resolved to null');
    return { outcome, server };
  }

  /** As `get`, if the outcome must be a response. */
  async response(answer: Answer, more: RequestChanges = {}): Promise<{ outcome: ResponseOutcome; server: RawServer }> {
    const { outcome, server } = await this.get(answer, more);
    assert(outcome.kind === 'response', `expected a response, got ${summary(outcome)}`);
    return { outcome, server };
  }

  /** As `get`, if the outcome must be a failure. */
  async failure(answer: Answer, more: RequestChanges = {}): Promise<{ outcome: FailedOutcome; server: RawServer }> {
    const { outcome, server } = await this.get(answer, more);
    assert(outcome.kind === 'failed', `expected a failure, got ${summary(outcome)}`);
    return { outcome, server };
  }

  async end(): Promise<void> {
    await this.fetcher.close();
    for (const server of this.#servers) await server.close();
  }
}

/** An outcome in a few words. */
export function summary(outcome: FetchOutcome | null): string {
  if (outcome === null) return 'null';
  if (outcome.kind === 'failed') return `failed: ${outcome.failure} (${outcome.detail})`;
  return `response ${outcome.status}, ${outcome.body.length} bytes, truncated: ${outcome.truncated}`;
}

/** @throws ContractBroken unless a response has this decoded body, complete or truncated. */
export function assertBody(
  outcome: ResponseOutcome,
  text: string,
  truncated: ResponseOutcome['truncated'] = null,
): void {
  assertEqual([bodyText(outcome), outcome.truncated], [text, truncated], 'body and truncated');
}

export function bodyText({ body }: ResponseOutcome): string {
  return new TextDecoder().decode(body);
}
