// Bytes that come in pieces and are needed as one. Small bodies keep their pieces until they are joined; large ones are
// copied into one buffer as they come, so that they are never held twice.

import type { BodyConsumer } from './fetcher.js';
import { LARGE_BODY_BYTES, MAX_SPARE_BODY_BYTES } from './limits.js';

/** Where pieces go: they are collected, or passed on. */
export interface PieceStore {
  readonly bytes: number;
  push(piece: Uint8Array): void;
  joined(): Buffer;
  clear(): void;
}

/** Passes pieces on instead of collecting them, up to the consumer's limit. */
export class PassedOn implements PieceStore {
  bytes = 0;
  readonly #consumer: BodyConsumer;

  constructor(consumer: BodyConsumer) {
    this.#consumer = consumer;
  }

  push(piece: Uint8Array): void {
    const left = Math.max(0, this.#consumer.maxBytes - this.bytes);
    this.bytes += piece.length;
    if (left > 0) this.#consumer.take(piece.length > left ? piece.subarray(0, left) : piece);
  }

  joined(): Buffer {
    return Buffer.alloc(0);
  }

  clear(): void {
    // Nothing is kept.
  }
}

/** Collects pieces. Use: `push` each, `joined` whenever. */
export class Pieces implements PieceStore {
  /** Bytes pushed. */
  bytes = 0;
  /** Small: as they came. Past `MOST_PIECES` they are joined, since a piece costs a hundred bytes more than its own. */
  #joined: Uint8Array[] = [];
  #last: Uint8Array[] = [];
  /** Large: the first `bytes` bytes of it. Memory that was never written to is not taken from the machine. */
  #whole: Buffer | null = null;

  push(piece: Uint8Array): void {
    const end = this.bytes + piece.length;
    if (this.#whole === null && end > LARGE_BODY_BYTES) this.#grow(end);
    if (this.#whole === null) {
      this.#keep(piece);
    } else {
      if (end > this.#whole.length) this.#grow(end);
      this.#whole.set(piece, this.bytes);
    }
    this.bytes = end;
  }

  /** All of it in one piece; the same one until the next push. Not a copy where there was one piece only. */
  joined(): Buffer {
    if (this.#whole !== null) return this.#whole.subarray(0, this.bytes);
    const [only = NOTHING, ...others] = this.#joined.length === 0 ? this.#last : [...this.#joined, ...this.#last];
    const whole =
      others.length === 0
        ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
        : Buffer.concat([only, ...others], this.bytes);
    this.#joined = [];
    this.#last = [whole];
    return whole;
  }

  clear(): void {
    this.#joined = [];
    this.#last = [];
    this.#whole = null;
    this.bytes = 0;
  }

  #keep(piece: Uint8Array): void {
    this.#last.push(piece);
    if (this.#last.length < MOST_PIECES) return;
    this.#joined.push(Buffer.concat(this.#last));
    this.#last = [];
  }

  #grow(bytes: number): void {
    const before = this.joined();
    // Most bodies that are large end within the first buffer; those beyond have it doubled.
    this.#whole = Buffer.allocUnsafeSlow(Math.max(MAX_SPARE_BODY_BYTES, bytes * 2));
    this.#whole.set(before, 0);
    this.#joined = [];
    this.#last = [];
  }
}

/** Pieces that are kept apart at most. */
const MOST_PIECES = 256;
const NOTHING = new Uint8Array(0);
