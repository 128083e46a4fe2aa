// The body of one response as it arrives: counted, bounded, and its content codings undone.
// Small coded bodies are decoded in one call at their end, large ones while they arrive; neither ever holds more than the
// limits allow: an endless body costs its cap, and a decompression bomb costs both limits at most, or less, because what grows
// faster than any page does is cut earlier. The sender is not held back
// when the decoder is behind: what waits is bounded by the wire cap, and undici (7) throws outside of every handler when a
// connection breaks while it is paused.

import type { Transform } from 'node:stream';
import { type ContentCoding, createDecoder, decodeInOneCall } from './content-coding.js';
import type { BodyConsumer } from './fetcher.js';
import { ENCODED_SLACK_BYTES, FREE_DECODED_BYTES, MAX_DECODED_RATIO, ONE_CALL_DECODE_BYTES } from './limits.js';
import { PassedOn, type PieceStore, Pieces } from './pieces.js';

/** A body with its codings undone, or the news that nothing could be made of it. */
export type DecodedBody =
  /** `cap`: cut by our own limit; `peer`: it ended early, or stopped being decodable on the way. */
  | { readonly kind: 'decoded'; readonly body: Uint8Array; readonly cut: 'limit' | 'connection' | null }
  /** Not a byte could be decoded. */
  | { readonly kind: 'undecodable'; readonly detail: string };

/** How a body came to its end: as its framing says, because the other side stopped, or because we read no further. */
export type BodyEnding = 'whole' | 'connection' | 'limit';

/** Bytes of one body at most. */
export interface BodyLimits {
  /** Decoded bytes kept. */
  readonly maxBodyBytes: number;
  /** Bytes read off the wire. */
  readonly maxEncodedBytes: number;
  /** Whether the bytes that came are kept beside what they decode to. */
  readonly keepsEncoded: boolean;
}

/** Who is told when a decoder, working off the main thread, has filled the cap. */
export interface BodyWatcher {
  onBodyFull(): void;
}

/** Decoded bytes that a body of so many encoded ones may have: what grows faster than any page is cut, long before the cap. */
function decodedCap(encodedBytes: number, maxBytes: number): number {
  return Math.min(maxBytes, Math.max(FREE_DECODED_BYTES, encodedBytes * MAX_DECODED_RATIO));
}

/** The wire cap that belongs to a decoded cap: no honest coding makes a body longer than its framing does. */
export function encodedCap(maxBodyBytes: number): number {
  return maxBodyBytes + ENCODED_SLACK_BYTES;
}

/**
 * Collects one body. Use: `push` each piece until it says `full`, then `end` once; or `discard`.
 *
 * @example
 * const collector = new BodyCollector(['gzip'], { maxBodyBytes: 1_000_000, maxEncodedBytes: 1_064_000, keepsEncoded: false }, watcher);
 */
export class BodyCollector {
  /** Bytes pushed. */
  encodedBytes = 0;
  readonly #codings: readonly ContentCoding[];
  readonly #limits: BodyLimits;
  readonly #watcher: BodyWatcher;
  readonly #taker: BodyConsumer | null;
  /** The bytes as they come: encoded where there are codings. */
  readonly #pieces: PieceStore;
  #stream: DecodingStream | null = null;
  #isFull = false;

  /** @param taker - Gets the decoded bytes as they come; none are kept then. */
  constructor(
    codings: readonly ContentCoding[],
    limits: BodyLimits,
    watcher: BodyWatcher,
    taker: BodyConsumer | null = null,
  ) {
    this.#codings = codings;
    this.#limits = limits;
    this.#watcher = watcher;
    this.#taker = taker;
    this.#pieces = taker !== null && codings.length === 0 ? new PassedOn(taker) : new Pieces();
  }

  /** Takes a piece. `full`: nothing more will be kept. Never throws. */
  push(chunk: Uint8Array): 'more' | 'full' {
    this.encodedBytes += chunk.length;
    if (this.#stream === null || this.#limits.keepsEncoded) this.#pieces.push(chunk);
    if (this.#codings.length === 0) {
      this.#isFull = this.encodedBytes > this.#limits.maxBodyBytes || this.encodedBytes > this.#limits.maxEncodedBytes;
      return this.#isFull ? 'full' : 'more';
    }
    if (this.#stream !== null) this.#stream.write(chunk);
    else if (this.encodedBytes > ONE_CALL_DECODE_BYTES) this.#startStream();
    this.#isFull ||= this.encodedBytes > this.#limits.maxEncodedBytes;
    return this.#isFull || this.#stream?.isFull === true ? 'full' : 'more';
  }

  /**
   * The body, once no more pieces come. A promise only where a decoding stream is at work.
   *
   * @throws Never, and never rejects.
   */
  end(ending: BodyEnding): DecodedBody | Promise<DecodedBody> {
    if (this.#isFull) ending = 'limit';
    const cut = ending === 'whole' ? null : ending;
    if (this.#codings.length === 0) {
      return { kind: 'decoded', body: this.#pieces.joined().subarray(0, this.#limits.maxBodyBytes), cut };
    }
    if (this.encodedBytes === 0) return { kind: 'decoded', body: new Uint8Array(0), cut };
    if (this.#stream === null) {
      const encoded = this.#pieces.joined();
      if (cut === null && this.#taker === null) {
        const body = tryOneCall(this.#codings, encoded, decodedCap(encoded.length, this.#limits.maxBodyBytes));
        if (body !== null) return { kind: 'decoded', body, cut: null };
      }
      this.#stream = new DecodingStream(this.#codings, this.#limits.maxBodyBytes, encoded, null, this.#taker);
      this.#stream.write(encoded);
    }
    return this.#finish(this.#stream, cut);
  }

  /** The bytes pushed, codings not undone, in one piece; `null` unless they were to be kept. */
  encodedBody(): Buffer | null {
    return this.#limits.keepsEncoded ? this.#pieces.joined() : null;
  }

  /** Lets everything go; for an exchange that failed. Safe to call twice. */
  discard(): void {
    this.#pieces.clear();
    this.#stream?.destroy();
  }

  #startStream(): void {
    const encoded = this.#pieces.joined();
    this.#stream = new DecodingStream(this.#codings, this.#limits.maxBodyBytes, encoded, this.#watcher, this.#taker);
    this.#stream.write(encoded);
    if (!this.#limits.keepsEncoded) this.#pieces.clear();
  }

  async #finish(stream: DecodingStream, cut: 'limit' | 'connection' | null): Promise<DecodedBody> {
    const decoded = await stream.end();
    if (decoded.kind === 'undecodable' || decoded.cut === 'limit') return decoded;
    return cut === null ? decoded : { ...decoded, cut };
  }
}

/** `null` for everything odd (too long, cut, broken): the stream then finds out what can be had. */
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

/** A chain of decoders that keeps what comes out up to a cap, and what had come out when one of them fails. */
class DecodingStream {
  isFull = false;
  readonly #stages: Transform[] = [];
  readonly #first: Transform;
  readonly #codings: readonly ContentCoding[];
  readonly #maxBytes: number;
  readonly #watcher: BodyWatcher | null;
  readonly #result: Promise<DecodedBody>;
  #resolve: (decoded: DecodedBody) => void = () => undefined;
  readonly #kept: PieceStore;
  #encodedBytes = 0;
  /** The first decoder takes nothing more: it failed, or its coded data ended. */
  #isOver = false;

  constructor(
    codings: readonly ContentCoding[],
    maxBytes: number,
    start: Uint8Array,
    watcher: BodyWatcher | null,
    taker: BodyConsumer | null,
  ) {
    this.#kept = taker === null ? new Pieces() : new PassedOn(taker);
    this.#codings = codings;
    this.#maxBytes = maxBytes;
    this.#watcher = watcher;
    this.#result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#first = this.#addStage(0, start);
  }

  write(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#encodedBytes += chunk.length;
    this.#first.write(chunk);
  }

  end(): Promise<DecodedBody> {
    if (!this.#isOver) this.#first.end();
    return this.#result;
  }

  destroy(): void {
    this.#isOver = true;
    for (const stage of this.#stages) stage.destroy();
    this.#kept.clear();
  }

  /** A stage is made when its first bytes are known: they tell the two kinds of `deflate` apart. */
  #addStage(index: number, start: Uint8Array): Transform {
    const coding = this.#codings[index] ?? 'gzip';
    const stage = createDecoder(coding, start);
    this.#stages.push(stage);
    stage.on('error', (error: Error & { code?: string }) => this.#fail(error));
    if (index === 0) {
      // Bytes behind the end of the coded data (some servers pad) are dropped; zlib itself would keep them for ever.
      stage.on('end', () => {
        this.#isOver = true;
      });
    }
    if (index === this.#codings.length - 1) {
      stage.on('data', (chunk: Uint8Array) => this.#take(chunk));
      stage.on('end', () => this.#settle(null));
      return stage;
    }
    let next: Transform | null = null;
    let passedOn = 0;
    stage.on('data', (chunk: Uint8Array) => {
      // Coded data that is longer than what it stands for is no page: it is work without end.
      passedOn += chunk.length;
      if (passedOn > encodedCap(this.#maxBytes)) {
        this.#fill();
        return;
      }
      next ??= this.#addStage(index + 1, chunk).on('drain', () => stage.resume());
      if (!next.destroyed && !next.write(chunk)) stage.pause();
    });
    stage.on('end', () => {
      if (next === null) this.#settle('connection');
      else next.end();
    });
    return stage;
  }

  #take(chunk: Uint8Array): void {
    const room = Math.max(0, decodedCap(this.#encodedBytes, this.#maxBytes) - this.#kept.bytes);
    this.#kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length > room) this.#fill();
  }

  #fill(): void {
    this.isFull = true;
    this.#settle('limit');
    this.#watcher?.onBodyFull();
  }

  /** A failure before any byte came out is the whole answer. */
  #fail(error: Error & { code?: string }): void {
    if (this.#kept.bytes === 0 && error.code !== 'Z_BUF_ERROR') {
      this.#resolve({ kind: 'undecodable', detail: error.message });
      this.destroy();
    } else {
      this.#settle('connection');
    }
  }

  #settle(cut: 'limit' | 'connection' | null): void {
    this.#resolve({ kind: 'decoded', body: this.#kept.joined(), cut });
    this.destroy();
  }
}
