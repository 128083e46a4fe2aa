// The fetcher contract: one exchange, no redirect followed, bytes and time capped, every ending a value.
// A fetcher never decides whether it may: egress has asked before it is called.

import type { FetchOutcome, HeaderLines } from './outcome.js';
import type { Renderer } from './renderer.js';

/** One request as egress hands it over, complete: a fetcher adds nothing but what the protocol demands (Host, Connection). */
export interface FetchRequest {
  readonly url: string;
  readonly method: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  /** The address to connect to, judged already; names are not looked up again. */
  readonly address: { readonly address: string; readonly family: 4 | 6 };
  readonly limits: FetchLimits;
  /** Whether the body is wanted as it came as well (`encodedBody`): it is held beside the decoded one, unless somebody takes it. @default false */
  readonly keepsEncoded?: boolean;
  /**
   * Asked when the header section has come: who takes the body's bytes as they come, decoded; the outcome's body is empty
   * then. `null`: nobody, the body is kept. A fetcher that leaves it unasked keeps every body.
   */
  readonly consumeBody?: (head: ResponseHead) => BodyConsumer | null;
  /**
   * Awaited after the last byte and before codings are undone, for callers with more urgent things to do. The exchange has
   * ended by then: `timing` says when. @default at once
   */
  readonly beforeDecoding?: () => Promise<void>;
  /** Called last, right before the request leaves: `false` and nothing is sent. */
  readonly mayStart: () => boolean;
  readonly signal: AbortSignal;
}

/** What is known of a response before its body. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderLines;
}

/** Takes the bytes of one body. */
export interface BodyConsumer {
  /** Decoded bytes that it takes at most, instead of `limits.maxBodyBytes`. */
  readonly maxBytes: number;
  /** The next ones, in order; they are its own. Never throws. */
  take(bytes: Uint8Array): void;
}

/** The bounds of one exchange. */
export interface FetchLimits {
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** From sending to the last byte, drip-feeding included. */
  readonly requestTimeoutMs: number;
  /** Decoded bytes kept. */
  readonly maxBodyBytes: number;
  /** Bytes read off the wire. */
  readonly maxEncodedBytes: number;
}

/** What a fetcher can promise and tell. `true` everywhere is the whole contract; what is `false` is known to be missing. */
export interface FetcherCapabilities {
  /** Field lines come one by one, in order, names as sent. `false`: names may be folded and lines joined. */
  readonly rawHeaders: boolean;
  /** `remoteAddress` is told. */
  readonly remoteAddress: boolean;
  /** Connects to the judged address and looks no name up. `false`: the address guard cannot be promised (`network.allowUnpinnedDns`). */
  readonly pinsAddress: boolean;
  /** Undoes codings itself: hands over the body as it came (`encodedBody`), counts and bounds its bytes, sees coded data break off. */
  readonly encodedBody: boolean;
  /** Sends `headers` and adds nothing but what the protocol demands. */
  readonly exactHeaders: boolean;
  /** Asks `mayStart` with the connection made, right before the first byte. `false`: before it connects, so requests may be late. */
  readonly checksMayStart: boolean;
}

/** What talks to the network: one exchange per call, each ending a value. Made by the user, closed by the crawl at the end of a run. */
export interface Fetcher {
  readonly capabilities: FetcherCapabilities;
  /** What opens pages in a browser when they have come. @default pages are handled as they came */
  readonly renderer?: Renderer;
  /** Resolves to `null` when `mayStart` refused. Never rejects. */
  fetch(request: FetchRequest): Promise<FetchOutcome | null>;
  /** Ends idle connections; called once, by the crawler. */
  close(): Promise<void>;
}
