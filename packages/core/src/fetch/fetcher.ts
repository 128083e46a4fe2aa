// The fetcher contract: one exchange without redirects, with bounded bytes and time, and a value for every ending. A
// fetcher never decides whether to send a request: egress has already done so.

import type { FetchOutcome, HeaderLines } from './outcome.js';
import type { Renderer } from './renderer.js';

/** One complete request: a fetcher adds only what the protocol requires (Host, Connection). */
export interface FetchRequest {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** The body of a POST, which is always a login form. */
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Creates the same fields again, with a new signature, for a fetcher that has waited for its connection. Rejects if
   * the request cannot be signed. Absent: `headers` stay valid.
   */
  readonly headersNow?: () => Promise<Readonly<Record<string, string>>>;
  /** The address to connect to, already checked; names are not looked up again. */
  readonly address: { readonly address: string; readonly family: 4 | 6 };
  readonly limits: FetchLimits;
  /** Whether the body is also kept as received (`encodedBody`), unless it has a consumer. @default false */
  readonly keepsEncoded?: boolean;
  /**
   * Called when the header section has arrived. Returns a consumer for the decoded body; the outcome's body is then
   * empty. `null`: the body is kept. A fetcher that never calls it keeps every body.
   */
  readonly consumeBody?: (head: ResponseHead) => BodyConsumer | null;
  /**
   * Awaited after the last byte and before codings are undone, for callers with more urgent work. The exchange has
   * ended by then: `timing` says when. @default at once
   */
  readonly beforeDecoding?: () => Promise<void>;
  /**
   * Called last, right before the request leaves: `false` and nothing is sent.
   * @param localAddress - The socket's own address, if the fetcher knows it.
   */
  readonly mayStart: (localAddress?: string | null) => boolean;
  readonly signal: AbortSignal;
}

/** What is known about a response before its body. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderLines;
}

/** Takes the bytes of one body. */
export interface BodyConsumer {
  /** The most decoded bytes that it takes, instead of `limits.maxBodyBytes`. */
  readonly maxBytes: number;
  /** Takes the next bytes, in order, and owns them. Never throws. */
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

/** What a fetcher can do. All `true` is the full contract. */
export interface FetcherCapabilities {
  /** Field lines are reported one by one, in order, names as sent. `false`: names may be folded and lines joined. */
  readonly rawHeaders: boolean;
  /** `remoteAddress` is reported. */
  readonly remoteAddress: boolean;
  /** Connects to the checked address and does not resolve names. `false`: needs `network.allowUnpinnedDns`. */
  readonly pinsAddress: boolean;
  /** Undoes codings itself: reports `encodedBody`, bounds its bytes, sees coded data break off. */
  readonly encodedBody: boolean;
  /** Sends `headers` and adds only what the protocol requires. */
  readonly exactHeaders: boolean;
  /** Calls `mayStart` with the connection made, right before the first byte. `false`: before it connects. */
  readonly checksMayStart: boolean;
}

/** The capabilities of a fetcher that guarantees all of them. */
export const ALL_CAPABILITIES: FetcherCapabilities = Object.freeze({
  rawHeaders: true,
  remoteAddress: true,
  pinsAddress: true,
  encodedBody: true,
  exactHeaders: true,
  checksMayStart: true,
});

/** Marks a fetcher of a fake web. By name, because the test kit is a bundle of its own. */
export const IS_FAKE = Symbol.for('mannerly: fake web');

/** Sends requests: one exchange per call, each ending as a value. The crawl closes it at the end of a run. */
export interface Fetcher {
  readonly capabilities: FetcherCapabilities;
  /** Opens received pages in a browser. @default pages are handled as received */
  readonly renderer?: Renderer;
  /** Resolves to `null` when `mayStart` refused. Never rejects. */
  fetch(request: FetchRequest): Promise<FetchOutcome | null>;
  /** Ends idle connections; called once, by the crawler. */
  close(): Promise<void>;
}
