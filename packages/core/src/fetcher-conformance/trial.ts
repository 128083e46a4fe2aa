// One trial of a fetcher: its servers, its requests, and the end of both.

import type { Fetcher, FetcherCapabilities, FetchLimits, FetchRequest } from '../fetch/fetcher.js';
import type { FailedOutcome, FetchOutcome, ResponseOutcome } from '../fetch/outcome.js';
import { must } from './must.js';
import { type Answer, listenRaw, type RawServer } from './raw-server.js';

/** One promise of the contract, and how it is tried. */
export interface FetcherTrial {
  /** A sentence; the runner's title. */
  readonly title: string;
  /** The cap without which the promise is not made. */
  readonly needs?: keyof FetcherCapabilities;
  readonly run: (trial: Trial) => Promise<void>;
}

/** Bounds that let an honest loopback server finish on a busy machine. */
export const ROOMY: FetchLimits = {
  connectTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  maxBodyBytes: 100_000,
  maxEncodedBytes: 200_000,
};

/** What a trial asks for beside the URL. */
export type Asked = Partial<Omit<FetchRequest, 'limits' | 'url'>> & { readonly limits?: Partial<FetchLimits> };

/** A fetcher on trial, and servers that end with it. */
export class Trial {
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

  /** One exchange. */
  async fetch(url: string, more: Asked = {}): Promise<FetchOutcome | null> {
    return this.fetcher.fetch({
      method: 'GET',
      headers: { 'User-Agent': 'conformance/1.0 (+https://example.org/bot)' },
      address: { address: '127.0.0.1', family: 4 },
      mayStart: () => true,
      signal: new AbortController().signal,
      ...more,
      url,
      limits: { ...ROOMY, ...more.limits },
    });
  }

  /** Serves this answer and asks for it once. */
  async get(answer: Answer, more: Asked = {}): Promise<{ outcome: FetchOutcome; server: RawServer }> {
    const server = await this.serve(answer);
    const outcome = await this.fetch(`${server.origin}/a?b=c`, more);
    must(outcome !== null, 'mayStart said yes, and the fetcher resolved to null');
    return { outcome, server };
  }

  /** As `get`, for what must be a response. */
  async response(answer: Answer, more: Asked = {}): Promise<{ outcome: ResponseOutcome; server: RawServer }> {
    const { outcome, server } = await this.get(answer, more);
    must(outcome.kind === 'response', `expected a response, got ${tell(outcome)}`);
    return { outcome, server };
  }

  /** As `get`, for what must be a failure. */
  async failure(answer: Answer, more: Asked = {}): Promise<{ outcome: FailedOutcome; server: RawServer }> {
    const { outcome, server } = await this.get(answer, more);
    must(outcome.kind === 'failed', `expected a failure, got ${tell(outcome)}`);
    return { outcome, server };
  }

  async end(): Promise<void> {
    await this.fetcher.close();
    for (const server of this.#servers) await server.close();
  }
}

/** An outcome in a few words. */
export function tell(outcome: FetchOutcome | null): string {
  if (outcome === null) return 'null';
  if (outcome.kind === 'failed') return `failed: ${outcome.failure} (${outcome.detail})`;
  return `response ${outcome.status}, ${outcome.body.length} bytes, truncated: ${outcome.truncated}`;
}

/** The decoded body as text. */
export function bodyText({ body }: ResponseOutcome): string {
  return new TextDecoder().decode(body);
}
