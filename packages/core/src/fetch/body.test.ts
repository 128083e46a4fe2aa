// A body is what the server sent, never more than the limits, and never treated as complete if it is not. If this
// breaks, a bomb fills the memory, or half a page counts as a page.

import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BodyCollector, type DecodedBody, encodedLimit } from './body.js';
import { type ContentCoding, parseContentEncoding } from './content-coding.js';

const text = (n: number): Buffer => Buffer.from('the quick brown fox jumps over the lazy dog. '.repeat(n));
/** Bytes that barely compress, the same on every run: a linear congruential generator. */
const noise = (bytes: number): Buffer => {
  const out = Buffer.alloc(bytes);
  let state = 1;
  for (let at = 0; at < bytes; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out[at] = state >>> 24;
  }
  return out;
};

/** The fastest level of each coding. */
const FAST = { level: 1 };
const gzipSync = (body: zlib.InputType) => zlib.gzipSync(body, FAST);
const deflateSync = (body: zlib.InputType) => zlib.deflateSync(body, FAST);
const deflateRawSync = (body: zlib.InputType) => zlib.deflateRawSync(body, FAST);
const brotliCompressSync = (body: zlib.InputType) =>
  zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });

interface Run {
  readonly decoded: DecodedBody;
  readonly encodedBytes: number;
  readonly wasCutEarly: boolean;
}

async function collect(
  codings: readonly ContentCoding[],
  encoded: Buffer,
  more: { readonly maxBodyBytes?: number; readonly chunkBytes?: number; readonly isWhole?: boolean } = {},
): Promise<Run> {
  const maxBodyBytes = more.maxBodyBytes ?? 10_000_000;
  let isFull = false;
  const onFull = (): void => {
    isFull = true;
  };
  const collector = new BodyCollector(
    codings,
    { maxBodyBytes, maxEncodedBytes: encodedLimit(maxBodyBytes), keepsEncoded: true },
    onFull,
  );
  const step = more.chunkBytes ?? 64 * 1024;
  for (let at = 0; at < encoded.length && !isFull; at += step) {
    if (collector.push(encoded.subarray(at, at + step)) === 'full') isFull = true;
    // Chunks come from a socket, so decoders run in between.
    if (step > 1) await new Promise(setImmediate);
  }
  const decoded = await collector.end(more.isWhole === false ? 'connection' : 'complete');
  const kept = collector.encodedBody();
  expect(kept?.equals(encoded.subarray(0, kept.length))).toBe(true);
  return { decoded, encodedBytes: collector.encodedBytes, wasCutEarly: isFull };
}

const SMALL = text(100);
const LARGE = noise(900_000);
const PLAIN: readonly (readonly [name: string, codings: readonly ContentCoding[], encode: (body: Buffer) => Buffer])[] =
  [
    ['as it is', [], (body) => body],
    ['gzip', ['gzip'], (body) => gzipSync(body)],
    ['deflate in the zlib format', ['deflate'], (body) => deflateSync(body)],
    ['deflate, bare', ['deflate'], (body) => deflateRawSync(body)],
    ['br', ['br'], (body) => brotliCompressSync(body)],
    ['gzip in gzip', ['gzip', 'gzip'], (body) => gzipSync(gzipSync(body))],
    ['gzip, br', ['br', 'gzip'], (body) => brotliCompressSync(gzipSync(body))],
    ['br, deflate, gzip', ['gzip', 'deflate', 'br'], (body) => gzipSync(deflateRawSync(brotliCompressSync(body)))],
    ['gzip of several members', ['gzip'], (b) => Buffer.concat([gzipSync(b.subarray(0, 9)), gzipSync(b.subarray(9))])],
    ['gzip with zeros behind it', ['gzip'], (body) => Buffer.concat([gzipSync(body), Buffer.alloc(20)])],
  ];

describe('a complete body', () => {
  for (const [name, codings, encode] of PLAIN) {
    it.each([
      ['small, in one piece', SMALL, 1 << 20],
      ['small, byte by byte', text(5), 1],
      ['large, in pieces', LARGE, 65_536],
      ['large, in one piece', LARGE, 1 << 22],
      ['empty', Buffer.alloc(0), 1],
    ])(`${name}: %s`, async (_title, body, chunkBytes) => {
      const { decoded } = await collect(codings, encode(body), { chunkBytes });
      expect(decoded.kind).toBe('decoded');
      if (decoded.kind !== 'decoded') return;
      expect(decoded.truncated).toBeNull();
      expect(Buffer.compare(Buffer.from(decoded.body), body)).toBe(0);
    });
  }

  it('without bytes needs no decoding, whatever its header says', async () => {
    const { decoded } = await collect(['gzip'], Buffer.alloc(0));
    expect(decoded).toMatchObject({ kind: 'decoded', truncated: null });
  });

  it.each(PLAIN)(
    '%s: a body of exactly the limit is complete, and one byte more is cut',
    async (_name, codings, encode) => {
      const encoded = encode(SMALL);
      const atCap = await collect(codings, encoded, { maxBodyBytes: SMALL.length });
      expect(atCap.decoded).toMatchObject({ kind: 'decoded', truncated: null });
      const over = await collect(codings, encoded, { maxBodyBytes: SMALL.length - 1 });
      expect(over.decoded).toMatchObject({ kind: 'decoded', truncated: 'limit' });
      if (over.decoded.kind === 'decoded') {
        expect(Buffer.from(over.decoded.body).equals(SMALL.subarray(0, SMALL.length - 1))).toBe(true);
      }
    },
  );
});

describe('a hostile body', () => {
  const CAP = 1_000_000;
  const zeros = Buffer.alloc(100_000_000);
  const BOMBS: readonly (readonly [name: string, codings: readonly ContentCoding[], encoded: Buffer])[] = [
    ['gzip', ['gzip'], gzipSync(zeros)],
    ['deflate', ['deflate'], deflateSync(zeros)],
    ['gzip of gzip', ['gzip', 'gzip'], gzipSync(gzipSync(zeros))],
    ['many members', ['gzip'], Buffer.concat(Array.from({ length: 40 }, () => gzipSync(zeros.subarray(0, 4_000_000))))],
    ['long on the wire', ['gzip'], Buffer.concat([gzipSync(noise(400_000)), gzipSync(zeros)])],
  ];

  it.each(BOMBS)('%s: a bomb is cut at the decoded limit', async (_name, codings, encoded) => {
    const { decoded } = await collect(codings, encoded, { maxBodyBytes: CAP });
    expect(decoded).toMatchObject({ kind: 'decoded', truncated: 'limit' });
    if (decoded.kind === 'decoded') expect(decoded.body.length).toBe(CAP);
  });

  it('is read no further than the limit on the wire and one piece', async () => {
    const endless = gzipSync(noise(3_000_000));
    const run = await collect(['gzip'], endless, { maxBodyBytes: 300_000, chunkBytes: 10_000 });
    expect(run.wasCutEarly).toBe(true);
    expect(run.encodedBytes).toBeLessThanOrEqual(encodedLimit(300_000) + 10_000);
    expect(run.decoded).toMatchObject({ kind: 'decoded', truncated: 'limit' });
  });

  it.each([
    ['gzip', ['gzip'] as const, gzipSync(LARGE)],
    ['br', ['br'] as const, brotliCompressSync(LARGE)],
    ['gzip, small', ['gzip'] as const, gzipSync(noise(5_000))],
    ['gzip of gzip', ['gzip', 'gzip'] as const, gzipSync(gzipSync(LARGE))],
  ])('%s: a coding that ends early gives what arrived, marked', async (_name, codings, encoded) => {
    const { decoded } = await collect([...codings], encoded.subarray(0, encoded.length >> 1));
    expect(decoded).toMatchObject({ kind: 'decoded', truncated: 'connection' });
    if (decoded.kind === 'decoded') expect(decoded.body.length).toBeGreaterThan(1_000);
  });

  it('a response that ended early is marked even if its coding is complete', async () => {
    expect((await collect(['gzip'], gzipSync(SMALL), { isWhole: false })).decoded).toMatchObject({
      truncated: 'connection',
    });
    expect((await collect([], SMALL, { isWhole: false })).decoded).toMatchObject({ truncated: 'connection' });
  });

  it.each([
    ['gzip', SMALL],
    ['deflate', text(3)],
    ['br', Buffer.from('<!doctype html><title>not br</title>')],
    ['gzip', LARGE],
  ] as const)('%s is undecodable if the data is something else', async (coding, body) => {
    expect((await collect([coding], Buffer.from(body))).decoded.kind).toBe('undecodable');
  });
});

describe('parseContentEncoding', () => {
  it.each([
    [null, []],
    ['', []],
    ['identity', []],
    ['GZip', ['gzip']],
    ['x-gzip', ['gzip']],
    [' br ', ['br']],
    ['gzip, br', ['br', 'gzip']],
    ['gzip,identity, deflate', ['deflate', 'gzip']],
    // Not codings, but written for bodies without one.
    ['UTF-8', []],
    ['gzip, utf8', ['gzip']],
    ['binary', []],
  ])('%j → %j (RFC 9110 §8.4)', (value, codings) => {
    expect(parseContentEncoding(value)).toEqual({ kind: 'known', codings });
  });

  it.each(['sdch', 'compress', 'gzip, sdch', 'utf-9', 'gzip;q=1', 'gzip,gzip,gzip,gzip'])('%j is unknown', (value) => {
    expect(parseContentEncoding(value).kind).toBe('unknown');
  });
});
