// The body of one response as it arrives: counted, bounded, and its content codings undone. A small coded body is
// decoded in one call at its end, a large one while it arrives.
//
// An endless body costs its limit, and a decompression bomb at most both limits; what grows faster than any page does
// is cut earlier. The sender is not paused when the decoder is behind: what waits is bounded by the limit on the wire,
// and undici (7) throws outside of every handler when a connection breaks while it is paused.

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

/** How a body ended: as its framing says, because the connection did, or because we read no further. */
export type BodyEnding = 'whole' | 'connection' | 'limit';

/** The bounds of one body, in bytes. */
export interface BodyLimits {
  /** Decoded bytes kept. */
  readonly maxBodyBytes: number;
  /** Bytes read off the wire. */
  readonly maxEncodedBytes: number;
  /** Whether the bytes that came are kept in addition to what they decode to. */
  readonly keepsEncoded: boolean;
}

/** The limit on the wire that goes with a limit on decoded bytes: a coding adds no more than its own framing. */
export function encodedLimit(maxBodyBytes: number): number {
  return maxBodyBytes + ENCODED_SLACK_BYTES;
}

/**
 * Collects one body. Use: `push` each piece until it returns `full`, then `end` once; or `discard`. The first coding of
 * a large body is undone as its bytes come, into a collector that has the other codings.
 */
export class BodyCollector {
  /** Bytes pushed. */
  encodedBytes = 0;
  readonly #codings: readonly ContentCoding[];
  readonly #limits: BodyLimits;
  readonly #onFull: () => void;
  readonly #consumer: BodyConsumer | null;
  readonly #decodedLimit: () => number;
  /** The bytes as they come: encoded where there are codings. */
  readonly #pieces: Pieces;
  #decoding: Decoding | null = null;
  #isFull = false;

  /**
   * @param onFull - Called when a decoder, which works off the main thread, has reached the limit.
   * @param consumer - Gets the decoded bytes as they come; none are kept then.
   * @param decodedLimit - Decoded bytes kept. @default by `limits` and by the bytes that came
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

  /** The body, once no more pieces come. A promise only where a decoder is at work. Never throws, never rejects. */
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

  /** The bytes pushed, codings not undone, in one piece; `null` unless they were to be kept. */
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
    // Coded data that is longer than what it stands for is no page: it is work without end.
    const maxEncodedBytes = others.length > 0 ? encodedLimit(maxBodyBytes) : Number.MAX_SAFE_INTEGER;
    const limits = { maxBodyBytes, maxEncodedBytes, keepsEncoded: false };
    const makeNext = (onNextFull: () => void): BodyCollector =>
      new BodyCollector(others, limits, onNextFull, this.#consumer, this.#decodedLimit);
    return new Decoding(coding, start, makeNext, onFull);
  }
}

/** `null` for everything odd (too long, cut, broken): the stream then finds out how much can be decoded. */
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

/** One coding, undone as its bytes come. What comes out is kept, up to a limit, also when the decoder fails. */
class Decoding {
  isFull = false;
  readonly #decoder: Transform;
  readonly #next: BodyCollector;
  readonly #onFull: () => void;
  readonly #result: Promise<DecodedBody>;
  #resolve: (decoded: DecodedBody | Promise<DecodedBody>) => void = () => undefined;
  /** The decoder takes nothing more: it failed, or its coded data ended. */
  #isOver = false;

  /** @param start - The first bytes of the coded body: they tell the two kinds of `deflate` apart. */
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
    // Bytes behind the end of the coded data (some servers pad) are dropped; zlib itself would keep them for ever.
    this.#decoder.on('end', () => this.#settle('whole'));
    this.#decoder.on('error', (error: Error & { code?: string }) => {
      // A failure before any byte came out is the whole answer.
      if (this.#next.encodedBytes > 0 || error.code === 'Z_BUF_ERROR') this.#settle('connection');
      else this.#resolve({ kind: 'undecodable', detail: error.message });
      this.#isOver = true;
    });
    this.#decoder.write(start);
  }

  write(chunk: Uint8Array): void {
    if (!this.#isOver) this.#decoder.write(chunk);
  }

  /** @param cut - Why the encoded body is not whole; `null`: it is. */
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

/** Pieces that are kept apart at most: each costs a hundred bytes more than its own. */
const MAX_PIECES = 256;

/**
 * Collects bytes that come in pieces and are needed as one, or passes them to a consumer, up to its limit. Many pieces
 * are copied into one buffer as they come, so that a large body is never held twice.
 */
export class Pieces {
  /** Bytes pushed. */
  bytes = 0;
  readonly #consumer: BodyConsumer | null;
  #pieces: Uint8Array[] = [];
  /** Its first `bytes` bytes count. Memory that was never written to is not taken from the machine. */
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
      // Most bodies that are large end within the first buffer; those beyond have it doubled.
      const least = this.bytes > LARGE_BODY_BYTES ? MAX_SPARE_BODY_BYTES : 0;
      const longer = Buffer.allocUnsafeSlow(Math.max(least, this.bytes * 2));
      longer.set(this.#joined(start), 0);
      this.#whole = longer;
      this.#pieces = [];
    }
    this.#whole.set(piece, start);
  }

  /** All of it in one piece; not a copy where there was one piece only. Empty where a consumer takes it. */
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
