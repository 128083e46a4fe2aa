// Collects the body of one response as it arrives: counts and bounds it, and undoes its content codings. A small coded
// body is decoded in one call at its end, a large one while it arrives.
//
// An endless body costs its limit, and a decompression bomb at most both limits. A body that grows faster than any page
// is cut earlier. The sender is not paused when the decoder is behind: the limit on the wire bounds what waits, and
// undici (7) throws outside every handler if a connection breaks while it is paused.

import type { Transform } from 'node:stream';
import { isError } from '../errors.js';
import { type ContentCoding, createDecoder, decodeSync } from './content-coding.js';
import type { BodyConsumer } from './fetcher.js';
import {
  ENCODED_SLACK_BYTES,
  LARGE_BODY_BYTES,
  MAX_DECODED_RATIO,
  MAX_SPARE_BODY_BYTES,
  MAX_SYNC_DECODE_BYTES,
  MIN_DECODED_LIMIT_BYTES,
} from './limits.js';

/** A body with its codings undone. */
export type DecodedBody =
  /** `limit`: cut by our own limit; `connection`: it ended early, or stopped being decodable on the way. */
  | { readonly kind: 'decoded'; readonly body: Uint8Array; readonly truncated: 'limit' | 'connection' | null }
  /** Not a byte could be decoded. */
  | { readonly kind: 'undecodable'; readonly detail: string };

/** How a body ended: as its framing says, because the connection ended, or because we stopped reading. */
export type BodyEnd = 'complete' | 'connection' | 'limit';

/** The bounds of one body, in bytes. */
export interface BodyLimits {
  /** Decoded bytes kept. */
  readonly maxBodyBytes: number;
  /** Bytes read off the wire. */
  readonly maxEncodedBytes: number;
  /** Whether the received bytes are kept in addition to the decoded ones. */
  readonly keepsEncoded: boolean;
}

/** The limit on the wire for a limit on decoded bytes: a coding adds no more than its own framing. */
export function encodedLimit(maxBodyBytes: number): number {
  return maxBodyBytes + ENCODED_SLACK_BYTES;
}

/**
 * Collects one body. Call `push` for each piece until it returns `full`, then `end` once; or call `discard`. The first
 * coding of a large body is undone as bytes arrive, and a second collector undoes the other codings.
 */
export class BodyCollector {
  /** Bytes pushed. */
  encodedBytes = 0;
  readonly #codings: readonly ContentCoding[];
  readonly #limits: BodyLimits;
  readonly #onFull: () => void;
  readonly #consumer: BodyConsumer | null;
  /** The collector whose coded bytes this one gets, with one coding undone; `null`: it gets the bytes received. */
  readonly #outer: BodyCollector | null;
  /** The bytes as received: encoded if there are codings. */
  readonly #chunks: ChunkBuffer;
  #decoding: Decoding | null = null;
  #isFull = false;

  /**
   * @param onFull - Called when a decoder, which works off the main thread, has reached the limit.
   * @param consumer - Receives the decoded bytes as they arrive; none are kept then.
   * @param outer - The collector that has undone the codings before these; `null`: none.
   */
  constructor(
    codings: readonly ContentCoding[],
    limits: BodyLimits,
    onFull: () => void,
    consumer: BodyConsumer | null = null,
    outer: BodyCollector | null = null,
  ) {
    this.#codings = codings;
    this.#limits = limits;
    this.#onFull = onFull;
    this.#consumer = consumer;
    this.#outer = outer;
    this.#chunks = new ChunkBuffer(codings.length === 0 ? consumer : null);
  }

  /** Takes a piece. `full`: nothing more will be kept. Never throws. */
  push(chunk: Uint8Array): 'more' | 'full' {
    const { maxEncodedBytes, keepsEncoded } = this.#limits;
    const remaining = Math.max(0, this.#decodedLimit() - this.encodedBytes);
    this.encodedBytes += chunk.length;
    if (this.#codings.length === 0) {
      this.#chunks.push(chunk.length > remaining ? chunk.subarray(0, remaining) : chunk);
      this.#isFull ||= chunk.length > remaining;
    } else {
      if (this.#decoding === null || keepsEncoded) this.#chunks.push(chunk);
      if (this.#decoding !== null) {
        this.#decoding.write(chunk);
      } else if (this.encodedBytes > MAX_SYNC_DECODE_BYTES) {
        this.#decoding = this.#decode(this.#chunks.joined(), this.#onFull);
        if (!keepsEncoded) this.#chunks.clear();
      }
    }
    this.#isFull ||= this.encodedBytes > maxEncodedBytes;
    return this.#isFull || this.#decoding?.isFull === true ? 'full' : 'more';
  }

  /** The body, once no more pieces come. A promise only if a decoder is at work. Never throws, never rejects. */
  end(bodyEnd: BodyEnd): DecodedBody | Promise<DecodedBody> {
    const end = this.#isFull ? 'limit' : bodyEnd;
    const truncated = end === 'complete' ? null : end;
    if (this.#codings.length === 0) return { kind: 'decoded', body: this.#chunks.joined(), truncated };
    if (this.encodedBytes === 0) return { kind: 'decoded', body: new Uint8Array(0), truncated };
    if (this.#decoding === null) {
      const encoded = this.#chunks.joined();
      if (truncated === null && this.#consumer === null) {
        const body = tryDecodeSync(this.#codings, encoded, this.#decodedLimit());
        if (body !== null) return { kind: 'decoded', body, truncated: null };
      }
      this.#decoding = this.#decode(encoded, () => undefined);
    }
    return this.#decoding.end(truncated);
  }

  /** The bytes pushed, still coded, in one piece; `null` unless they were to be kept. */
  encodedBody(): Buffer | null {
    return this.#limits.keepsEncoded ? this.#chunks.joined() : null;
  }

  /** Frees the memory. Safe to call twice. */
  discard(): void {
    this.#chunks.clear();
    this.#decoding?.discard();
  }

  /** Decoded bytes kept. A body that grows faster than any page is cut long before its limit. */
  #decodedLimit(): number {
    if (this.#outer !== null) return this.#outer.#decodedLimit();
    const { maxBodyBytes } = this.#limits;
    if (this.#codings.length === 0) return maxBodyBytes;
    return Math.min(maxBodyBytes, Math.max(MIN_DECODED_LIMIT_BYTES, this.encodedBytes * MAX_DECODED_RATIO));
  }

  #decode(start: Uint8Array, onFull: () => void): Decoding {
    const [coding = 'gzip', ...others] = this.#codings;
    const { maxBodyBytes } = this.#limits;
    // Coded data longer than what it decodes to is not a page but endless work.
    const maxEncodedBytes = others.length > 0 ? encodedLimit(maxBodyBytes) : Number.MAX_SAFE_INTEGER;
    const limits = { maxBodyBytes, maxEncodedBytes, keepsEncoded: false };
    const createNext = (onNextFull: () => void): BodyCollector =>
      new BodyCollector(others, limits, onNextFull, this.#consumer, this);
    return new Decoding(coding, start, createNext, onFull);
  }
}

/** `null` for everything odd (too long, cut, broken): the stream then determines how much can be decoded. */
function tryDecodeSync(codings: readonly ContentCoding[], encoded: Buffer, maxBytes: number): Buffer | null {
  try {
    let body = encoded;
    for (const coding of codings) body = decodeSync(coding, body, maxBytes);
    return body;
  } catch (error) {
    if (isError(error) && 'code' in error) return null;
    throw error;
  }
}

/** Undoes one coding as bytes arrive. Its output is kept up to a limit, even if the decoder fails. */
class Decoding {
  isFull = false;
  readonly #decoder: Transform;
  readonly #next: BodyCollector;
  readonly #onFull: () => void;
  readonly #result: Promise<DecodedBody>;
  #resolve: (decoded: DecodedBody | Promise<DecodedBody>) => void = () => undefined;
  /** The decoder takes no more input: it failed, or its coded data ended. */
  #isEnded = false;

  /** @param start - The first bytes of the coded body, which distinguish the two kinds of `deflate`. */
  constructor(
    coding: ContentCoding,
    start: Uint8Array,
    createNext: (onFull: () => void) => BodyCollector,
    onFull: () => void,
  ) {
    this.#onFull = onFull;
    this.#next = createNext(() => this.#fill());
    this.#result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#decoder = createDecoder(coding, start);
    this.#decoder.on('data', (chunk: Uint8Array) => {
      if (!this.#isEnded && this.#next.push(chunk) === 'full') this.#fill();
    });
    // Bytes after the end of the coded data (some servers pad) are dropped; zlib itself would keep them forever.
    this.#decoder.on('end', () => this.#settle('complete'));
    this.#decoder.on('error', (error: Error & { code?: string }) => {
      // If decoding fails before any output, the failure is the whole answer.
      if (this.#next.encodedBytes > 0 || error.code === 'Z_BUF_ERROR') this.#settle('connection');
      else this.#resolve({ kind: 'undecodable', detail: error.message });
      this.#isEnded = true;
    });
    this.#decoder.write(start);
  }

  write(chunk: Uint8Array): void {
    if (!this.#isEnded) this.#decoder.write(chunk);
  }

  /** @param truncated - Why the encoded body is incomplete; `null`: it is complete. */
  async end(truncated: 'limit' | 'connection' | null): Promise<DecodedBody> {
    if (!this.#isEnded) this.#decoder.end();
    const decoded = await this.#result;
    return decoded.kind === 'undecodable' || decoded.truncated === 'limit' || truncated === null
      ? decoded
      : { ...decoded, truncated };
  }

  discard(): void {
    this.#isEnded = true;
    this.#decoder.destroy();
    this.#next.discard();
  }

  #fill(): void {
    this.isFull = true;
    this.#settle('limit');
    this.#onFull();
  }

  #settle(bodyEnd: BodyEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#resolve(this.#next.end(bodyEnd));
    this.#decoder.destroy();
  }
}

/** The most pieces kept apart: each costs a hundred bytes of overhead. */
const MAX_CHUNKS = 256;

/**
 * Collects bytes that arrive in pieces and are needed in one piece, or passes them to a consumer, up to its limit. Many
 * pieces are copied into one buffer as they arrive, so that a large body is never in memory twice.
 */
export class ChunkBuffer {
  /** Bytes pushed. */
  bytes = 0;
  readonly #consumer: BodyConsumer | null;
  #chunks: Uint8Array[] = [];
  /** Only its first `bytes` bytes count. The system does not commit memory that was never written to. */
  #buffer: Buffer | null = null;

  constructor(consumer: BodyConsumer | null = null) {
    this.#consumer = consumer;
  }

  push(chunk: Uint8Array): void {
    const start = this.bytes;
    this.bytes += chunk.length;
    if (this.#consumer !== null) {
      const remaining = Math.max(0, this.#consumer.maxBytes - start);
      if (remaining > 0) this.#consumer.take(chunk.length > remaining ? chunk.subarray(0, remaining) : chunk);
      return;
    }
    if (this.#buffer === null && this.bytes <= LARGE_BODY_BYTES && this.#chunks.length < MAX_CHUNKS) {
      this.#chunks.push(chunk);
      return;
    }
    if (this.#buffer === null || this.bytes > this.#buffer.length) {
      // Most large bodies fit the first buffer; for larger ones it is doubled.
      const minBytes = this.bytes > LARGE_BODY_BYTES ? MAX_SPARE_BODY_BYTES : 0;
      const larger = Buffer.allocUnsafeSlow(Math.max(minBytes, this.bytes * 2));
      larger.set(this.joined().subarray(0, start), 0);
      this.#buffer = larger;
      this.#chunks = [];
    }
    this.#buffer.set(chunk, start);
  }

  /** All bytes in one piece, not a copy if there was only one. Empty if a consumer takes them. */
  joined(): Buffer {
    if (this.#buffer !== null) return this.#buffer.subarray(0, this.bytes);
    const [only = new Uint8Array(0), ...others] = this.#chunks;
    const joined =
      others.length === 0 ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  clear(): void {
    this.#chunks = [];
    this.#buffer = null;
    this.bytes = 0;
  }
}
