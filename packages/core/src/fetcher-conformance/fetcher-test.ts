// One test of the conformance suite of fetchers: its servers, its requests, and its assertions, which depend on no test
// runner.

import { isError, textOf } from '../errors.js';
import { checkedOutcome } from '../fetch/fetch-call.js';
import type { Fetcher, FetcherCapabilities, FetchLimits, FetchRequest } from '../fetch/fetcher.js';
import type { FailureCode, FetchOutcome, ResponseOutcome } from '../fetch/outcome.js';
import { assert, assertEqual, ContractBroken } from './assert.js';
import { type Answer, listenRaw, type RawServer } from './raw-server.js';

export interface FetcherTest {
  /** A sentence; the runner's title. */
  readonly title: string;
  readonly run: (t: TestContext) => Promise<void>;
  /** The capability that the guarantee requires; `null` if it always holds. */
  readonly needs: keyof FetcherCapabilities | null;
}

export const test = (title: string, run: FetcherTest['run']): FetcherTest => ({ title, run, needs: null });

export const testNeeding = (needs: keyof FetcherCapabilities, title: string, run: FetcherTest['run']): FetcherTest => ({
  title,
  run,
  needs,
});

/** Limits that let a correct loopback server finish on a busy machine. */
export const DEFAULT_LIMITS: FetchLimits = {
  connectTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  maxBodyBytes: 100_000,
  maxEncodedBytes: 200_000,
};

/** How much longer than its limits a call may take on a busy machine. */
const GRACE_MS = 20_000;

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

  /** @throws ContractBroken when it rejects, or answers with something other than an outcome or `null`. */
  async fetch(url: string, more: RequestChanges = {}): Promise<FetchOutcome | null> {
    const request: FetchRequest = {
      method: 'GET',
      headers: { 'User-Agent': 'conformance/1.0 (+https://example.org/bot)' },
      address: { address: '127.0.0.1', family: 4 },
      mayStart: () => true,
      signal: new AbortController().signal,
      ...more,
      url,
      limits: { ...DEFAULT_LIMITS, ...more.limits },
    };
    const calledAtMs = Date.now();
    const { connectTimeoutMs, requestTimeoutMs } = request.limits;
    const latestMs = connectTimeoutMs + requestTimeoutMs + GRACE_MS;
    const answer: unknown = await ended('fetch', async () => this.fetcher.fetch(request), latestMs);
    try {
      return checkedOutcome(answer, calledAtMs, Date.now());
    } catch (error) {
      throw new ContractBroken(isError(error) ? error.message : textOf(error));
    }
  }

  async get(answer: Answer, more: RequestChanges = {}): Promise<{ outcome: FetchOutcome; server: RawServer }> {
    const server = await this.serve(answer);
    const outcome = await this.fetch(`${server.origin}/a?b=c`, more);
    assert(outcome !== null, 'mayStart said yes, so `fetch` must resolve to an outcome; it resolved to null');
    return { outcome, server };
  }

  /** As `get`, if the outcome must be a response. */
  async response(answer: Answer, more: RequestChanges = {}): Promise<{ outcome: ResponseOutcome; server: RawServer }> {
    const { outcome, server } = await this.get(answer, more);
    return { outcome: assertResponse(outcome), server };
  }

  async end(): Promise<void> {
    try {
      await ended('close', async () => this.fetcher.close(), GRACE_MS);
    } finally {
      for (const server of this.#servers) await server.close();
    }
  }
}

/** What a method of a fetcher resolves to. @throws ContractBroken when it rejects, or does not end in time. */
async function ended<T>(method: 'fetch' | 'close', call: () => Promise<T>, latestMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new ContractBroken(`\`${method}\` must end; it had not ended after ${latestMs} ms`);
    timer = setTimeout(reject, latestMs, error);
  });
  const rejected = (error: unknown): never => {
    throw new ContractBroken(`\`${method}\` must not reject; it rejected with ${textOf(error)}`);
  };
  try {
    return await Promise.race([call().catch(rejected), late]);
  } finally {
    clearTimeout(timer);
  }
}

export function summary(outcome: FetchOutcome | null): string {
  if (outcome === null) return 'null';
  if (outcome.kind === 'response')
    return `a response with status ${outcome.status}, ${outcome.body.length} bytes, truncated: ${outcome.truncated}`;
  const { failure, wasSent, detail } = outcome;
  return `a failure ${failure}, ${wasSent ? 'sent' : 'not sent'} (${detail})`;
}

/** @throws ContractBroken unless it failed with this code, sent or not. @param what - The request, for messages. */
export function assertFailure(
  outcome: FetchOutcome | null,
  failure: FailureCode,
  wasSent: boolean,
  what: string,
): void {
  const isExpected = outcome?.kind === 'failed' && outcome.failure === failure && outcome.wasSent === wasSent;
  const expected = `a failure ${failure}, ${wasSent ? 'sent' : 'not sent'}`;
  assert(isExpected, `${what} must end as ${expected}; it ended as ${summary(outcome)}`);
}

/** @throws ContractBroken unless it is a response. */
export function assertResponse(outcome: FetchOutcome | null): ResponseOutcome {
  const isResponse = outcome?.kind === 'response';
  assert(isResponse, `the exchange must end as a response; it ended as ${summary(outcome)}`);
  return outcome;
}

/** @throws ContractBroken unless a response has this decoded body, whole. */
export function assertBody(outcome: ResponseOutcome, text: string): void {
  assertEqual(bodyText(outcome), text, 'the decoded body');
  assertEqual(outcome.truncated, null, '`truncated` of the response');
}

export function bodyText({ body }: ResponseOutcome): string {
  return new TextDecoder().decode(body);
}
