// zstd is offered only if it can be decoded: otherwise the page would be lost.

import { PassThrough } from 'node:stream';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ACCEPT_ENCODING, decodeSync, findZstd, parseContentEncoding } from './content-coding.js';
import { MAX_ZSTD_WINDOW_LOG } from './limits.js';

/** `zstd` of "Ebbe und Flut", as any encoder may write it: one frame with one raw block. */
const FRAME = Buffer.concat([Buffer.from('28b52ffd200d690000', 'hex'), Buffer.from('Ebbe und Flut')]);
const isHere = findZstd(zlib) !== null;

describe('a runtime without zstd', () => {
  it('has none', () => {
    expect(findZstd({ gunzipSync: () => undefined, constants: {} })).toBeNull();
  });
});

describe('a runtime with zstd', () => {
  it('decodes it with a window no larger than the coding allows', () => {
    const codings: object[] = [];
    const zstd = findZstd({
      zstdDecompressSync: (_encoded: Buffer, options: object) => {
        codings.push(options);
        return Buffer.from('x');
      },
      createZstdDecompress: (options: object) => {
        codings.push(options);
        return new PassThrough();
      },
      constants: { ZSTD_d_windowLogMax: 100 },
    });
    zstd?.decode(Buffer.alloc(1), { maxOutputLength: 10, chunkSize: 64 });
    zstd?.stream({ chunkSize: 64 });
    const params = { 100: MAX_ZSTD_WINDOW_LOG };
    expect(codings).toEqual([
      { maxOutputLength: 10, chunkSize: 64, params },
      { chunkSize: 64, params },
    ]);
  });
});

describe('this runtime', () => {
  it('offers zstd if, and only if, it can decode it', () => {
    expect(ACCEPT_ENCODING.split(', ').includes('zstd')).toBe(isHere);
    expect(parseContentEncoding('zstd').kind).toBe(isHere ? 'known' : 'unknown');
  });

  it.runIf(isHere)('decodes a frame', () => {
    expect(decodeSync('zstd', FRAME, 1_000).toString()).toBe('Ebbe und Flut');
  });
});
