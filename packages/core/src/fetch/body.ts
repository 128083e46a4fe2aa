// Collects the body of one response as it arrives: counts and bounds it, and undoes its content codings. A small coded
// body is decoded in one call at its end, a large one while it arrives.
//
// An endless body costs its limit, and a decompression bomb at most both limits. A body that grows faster than any page
// is cut earlier. The sender is not paused when the decoder is behind: the limit on the wire bounds what waits, and
// undici (7) throws outside every handler if a connection breaks while it is paused.

import type { Transform } from 'node:stream';
import { type ContentCoding, createDecoder, decodeInOneCall } from './content-coding.js';
import type { BodyConsumer } from './fetcher.js';
import {
  ENCODED_SLACK_BYTES,
  FREE_DECODED_BYTES,
  LARGE_BODY_BYTES,
  MAX_DECODED_RATIO,
  MAX_SPARE_BODY_BYTES,
  ONE_CALL_DECODE_BYTES,
} from './limits.js';

/** A body with its codings undone. */
export type DecodedBody =
  /** `limit`: cut by our own limit; `connection`: it ended early, or stopped being decodable on the way. */
  | { readonly kind: 'decoded'; readonly body: Uint8Array; readonly cut: 'limit' | 'connection' | null }
  /** Not a byte could be decoded. */
  | { readonly kind: 'undecodable'; readonly detail: string };

/** How a body ended: as its framing says, because the connection ended, or because we stopped reading. */
export type BodyEnding = 'whole' | 'connection' | 'limit';

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
  readonly #decodedLimit: () => number;
  /** The bytes as received: encoded if there are codings. */
  readonly #pieces: Pieces;
  #decoding: Decoding | null = null;
  #isFull = false;

  /**
   * @param onFull - Called when a decoder, which works off the main thread, has reached the limit.
   * @param consumer - Receives the decoded bytes as they arrive; none are kept then.
   * @param decodedLimit - Decoded bytes kept. @default from `limits` and the bytes received
   */
  constructor(
    codings: readonly ContentCoding[],
    limits: BodyLimits,
    onFull: () => void,
    consumer: BodyConsumer | null = null,
    decodedLimit: (() => number) | null = null,
  ) {
    this.#codings = codings;
    this.#limits = limits;
    this.#onFull = onFull;
    this.#consumer = consumer;
    this.#decodedLimit = decodedLimit ?? (() => this.#ownLimit());
    this.#pieces = new Pieces(codings.length === 0 ? consumer : null);
  }

  /** Takes a piece. `full`: nothing more will be kept. Never throws. */
  push(chunk: Uint8Array): 'more' | 'full' {
    const { maxEncodedBytes, keepsEncoded } = this.#limits;
    const left = Math.max(0, this.#decodedLimit() - this.encodedBytes);
    this.encodedBytes += chunk.length;
    if (this.#codings.length === 0) {
      this.#pieces.push(chunk.length > left ? chunk.subarray(0, left) : chunk);
      this.#isFull ||= chunk.length > left;
    } else {
      if (this.#decoding === null || keepsEncoded) this.#pieces.push(chunk);
      if (this.#decoding !== null) {
        this.#decoding.write(chunk);
      } else if (this.encodedBytes > ONE_CALL_DECODE_BYTES) {
        this.#decoding = this.#decode(this.#pieces.joined(), this.#onFull);
        if (!keepsEncoded) this.#pieces.clear();
      }
    }
    this.#isFull ||= this.encodedBytes > maxEncodedBytes;
    return this.#isFull || this.#decoding?.isFull === true ? 'full' : 'more';
  }

  /** The body, once no more pieces come. A promise only if a decoder is at work. Never throws, never rejects. */
  end(ending: BodyEnding): DecodedBody | Promise<DecodedBody> {
    const end = this.#isFull ? 'limit' : ending;
    const cut = end === 'whole' ? null : end;
    if (this.#codings.length === 0) return { kind: 'decoded', body: this.#pieces.joined(), cut };
    if (this.encodedBytes === 0) return { kind: 'decoded', body: new Uint8Array(0), cut };
    if (this.#decoding === null) {
      const encoded = this.#pieces.joined();
      if (cut === null && this.#consumer === null) {
        const body = tryOneCall(this.#codings, encoded, this.#decodedLimit());
        if (body !== null) return { kind: 'decoded', body, cut: null };
      }
      this.#decoding = this.#decode(encoded, () => undefined);
    }
    return this.#decoding.end(cut);
  }

  /** The bytes pushed, still coded, in one piece; `null` unless they were to be kept. */
  encodedBody(): Buffer | null {
    return this.#limits.keepsEncoded ? this.#pieces.joined() : null;
  }

  /** Frees the memory. Safe to call twice. */
  discard(): void {
    this.#pieces.clear();
    this.#decoding?.discard();
  }

  /** A body that grows faster than any page is cut long before its limit. */
  #ownLimit(): number {
    const { maxBodyBytes } = this.#limits;
    if (this.#codings.length === 0) return maxBodyBytes;
    return Math.min(maxBodyBytes, Math.max(FREE_DECODED_BYTES, this.encodedBytes * MAX_DECODED_RATIO));
  }

  #decode(start: Uint8Array, onFull: () => void): Decoding {
    const [coding = 'gzip', ...others] = this.#codings;
    const { maxBodyBytes } = this.#limits;
    // Coded data longer than what it decodes to is not a page but endless work.
    const maxEncodedBytes = others.length > 0 ? encodedLimit(maxBodyBytes) : Number.MAX_SAFE_INTEGER;
    const limits = { maxBodyBytes, maxEncodedBytes, keepsEncoded: false };
    const makeNext = (onNextFull: () => void): BodyCollector =>
      new BodyCollector(others, limits, onNextFull, this.#consumer, this.#decodedLimit);
    return new Decoding(coding, start, makeNext, onFull);
  }
}

/** `null` for everything odd (too long, cut, broken): the stream then determines how much can be decoded. */
function tryOneCall(codings: readonly ContentCoding[], encoded: Buffer, maxBytes: number): Buffer | null {
  try {
    let body = encoded;
    for (const coding of codings) body = decodeInOneCall(coding, body, maxBytes);
    return body;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
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
  #isOver = false;

  /** @param start - The first bytes of the coded body, which distinguish the two kinds of `deflate`. */
  constructor(
    coding: ContentCoding,
    start: Uint8Array,
    makeNext: (onFull: () => void) => BodyCollector,
    onFull: () => void,
  ) {
    this.#onFull = onFull;
    this.#next = makeNext(() => this.#fill());
    this.#result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#decoder = createDecoder(coding, start);
    this.#decoder.on('data', (chunk: Uint8Array) => {
      if (!this.#isOver && this.#next.push(chunk) === 'full') this.#fill();
    });
    // Bytes after the end of the coded data (some servers pad) are dropped; zlib itself would keep them forever.
    this.#decoder.on('end', () => this.#settle('whole'));
    this.#decoder.on('error', (error: Error & { code?: string }) => {
      // If decoding fails before any output, the failure is the whole answer.
      if (this.#next.encodedBytes > 0 || error.code === 'Z_BUF_ERROR') this.#settle('connection');
      else this.#resolve({ kind: 'undecodable', detail: error.message });
      this.#isOver = true;
    });
    this.#decoder.write(start);
  }

  write(chunk: Uint8Array): void {
    if (!this.#isOver) this.#decoder.write(chunk);
  }

  /** @param cut - Why the encoded body is incomplete; `null`: it is complete. */
  async end(cut: 'limit' | 'connection' | null): Promise<DecodedBody> {
    if (!this.#isOver) this.#decoder.end();
    const decoded = await this.#result;
    return decoded.kind === 'undecodable' || decoded.cut === 'limit' || cut === null ? decoded : { ...decoded, cut };
  }

  discard(): void {
    this.#isOver = true;
    this.#decoder.destroy();
    this.#next.discard();
  }

  #fill(): void {
    this.isFull = true;
    this.#settle('limit');
    this.#onFull();
  }

  #settle(ending: BodyEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolve(this.#next.end(ending));
    this.#decoder.destroy();
  }
}

/** The most pieces kept apart: each costs a hundred bytes of overhead. */
const MAX_PIECES = 256;

/**
 * Collects bytes that arrive in pieces and are needed in one piece, or passes them to a consumer, up to its limit. Many
 * pieces are copied into one buffer as they arrive, so that a large body is never in memory twice.
 */
export class Pieces {
  /** Bytes pushed. */
  bytes = 0;
  readonly #consumer: BodyConsumer | null;
  #pieces: Uint8Array[] = [];
  /** Only its first `bytes` bytes count. The system does not commit memory that was never written to. */
  #whole: Buffer | null = null;

  constructor(consumer: BodyConsumer | null = null) {
    this.#consumer = consumer;
  }

  push(piece: Uint8Array): void {
    const start = this.bytes;
    this.bytes += piece.length;
    if (this.#consumer !== null) {
      const left = Math.max(0, this.#consumer.maxBytes - start);
      if (left > 0) this.#consumer.take(piece.length > left ? piece.subarray(0, left) : piece);
      return;
    }
    if (this.#whole === null && this.bytes <= LARGE_BODY_BYTES && this.#pieces.length < MAX_PIECES) {
      this.#pieces.push(piece);
      return;
    }
    if (this.#whole === null || this.bytes > this.#whole.length) {
      // Most large bodies fit the first buffer; for larger ones it is doubled.
      const least = this.bytes > LARGE_BODY_BYTES ? MAX_SPARE_BODY_BYTES : 0;
      const longer = Buffer.allocUnsafeSlow(Math.max(least, this.bytes * 2));
      longer.set(this.#joined(start), 0);
      this.#whole = longer;
      this.#pieces = [];
    }
    this.#whole.set(piece, start);
  }

  /** All bytes in one piece, not a copy if there was only one. Empty if a consumer takes them. */
  joined(): Buffer {
    return this.#joined(this.#consumer === null ? this.bytes : 0);
  }

  clear(): void {
    this.#pieces = [];
    this.#whole = null;
    this.bytes = 0;
  }

  #joined(bytes: number): Buffer {
    if (this.#whole !== null) return this.#whole.subarray(0, bytes);
    const [only = new Uint8Array(0), ...others] = this.#pieces;
    const whole =
      others.length === 0
        ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
        : Buffer.concat(this.#pieces, bytes);
    this.#pieces = [whole];
    return whole;
  }
}
