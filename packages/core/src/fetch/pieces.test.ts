// Bytes are the same in whatever chunks they arrive. If this breaks, pages are silently garbled.

import { describe, expect, it } from 'vitest';
import { ChunkBuffer } from './body.js';
import { LARGE_BODY_BYTES, MAX_SPARE_BODY_BYTES } from './limits.js';

const bytes = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff));
const SMALL = bytes(5_000);
const LARGE = Buffer.concat(Array.from({ length: 260 }, () => SMALL));

function collect(whole: Buffer, step: number): ChunkBuffer {
  const chunks = new ChunkBuffer();
  for (let at = 0; at < whole.length; at += step) chunks.push(whole.subarray(at, at + step));
  return chunks;
}

describe('pieces', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 1],
    ['one piece', SMALL, 5_000],
    ['byte by byte', SMALL, 1],
    ['pieces of an odd length', SMALL, 77],
    ['a large body in small pieces', LARGE, 777],
    ['a large body in one piece', LARGE, LARGE.length],
    ['a body past the first large buffer', Buffer.alloc(MAX_SPARE_BODY_BYTES + 70_000, 'abc'), 65_536],
  ])('%s', (_what, whole, step) => {
    const chunks = collect(whole, step);
    expect(chunks.bytes).toBe(whole.length);
    expect(chunks.joined().equals(whole)).toBe(true);
    expect(chunks.joined().equals(whole)).toBe(true);
  });

  it('continues after a read, on both sides of the bound', () => {
    const chunks = new ChunkBuffer();
    const parts = [bytes(10), bytes(LARGE_BODY_BYTES - 10), bytes(1), bytes(20)];
    for (const [index, part] of parts.entries()) {
      chunks.push(part);
      expect(chunks.joined().equals(Buffer.concat(parts.slice(0, index + 1)))).toBe(true);
    }
  });

  it('is empty after it was cleared', () => {
    const chunks = collect(LARGE, 1_000);
    chunks.clear();
    expect([chunks.bytes, chunks.joined().length]).toEqual([0, 0]);
  });
});
