// The block of a response record in its two parts.

import { headEnd } from './http-head.js';
import { MAX_RECORD_HEAD_BYTES } from './limits.js';

/** The header section of a block, and what follows it. */
export async function splitBlock(
  block: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ readonly head: Buffer | null; readonly body: AsyncIterable<Uint8Array> }> {
  const pieces = Symbol.asyncIterator in block ? block[Symbol.asyncIterator]() : block[Symbol.iterator]();
  let start = Buffer.alloc(0);
  for (;;) {
    const end = headEnd(start);
    if (end !== null) return { head: start.subarray(0, end), body: rest(start.subarray(end), pieces) };
    const next = start.length > MAX_RECORD_HEAD_BYTES ? null : await pieces.next();
    if (next === null || next.done === true) return { head: null, body: rest(start, pieces) };
    start = Buffer.concat([start, next.value]);
  }
}

async function* rest(
  first: Uint8Array,
  pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}
