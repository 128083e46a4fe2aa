// zstd, where the runtime can undo it: Node.js has it from 22.15 on, and this package runs on older ones.

import type { Transform } from 'node:stream';
import { MAX_ZSTD_WINDOW_LOG } from './limits.js';

/** The two ways to undo zstd. */
export interface Zstd {
  /** @throws zlib's errors, as its other one-call functions do. */
  inOneCall(encoded: Buffer, options: { readonly maxOutputLength: number; readonly chunkSize: number }): Buffer;
  stream(options: { readonly chunkSize: number }): Transform;
}

/** What newer runtimes have in `node:zlib`. */
interface ZlibWithZstd {
  zstdDecompressSync(encoded: Buffer, options: object): Buffer;
  createZstdDecompress(options: object): Transform;
  readonly constants: { readonly ZSTD_d_windowLogMax: number };
}

/**
 * Finds zstd in a runtime's `node:zlib`.
 *
 * A window larger than the coding allows is refused: it is memory that the sender chooses (RFC 9659 §3).
 *
 * @returns `null` where the runtime has none.
 * @throws Never.
 */
export function findZstd(zlib: object): Zstd | null {
  if (!hasZstd(zlib)) return null;
  const params = { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG };
  return {
    inOneCall: (encoded, options) => zlib.zstdDecompressSync(encoded, { ...options, params }),
    stream: (options) => zlib.createZstdDecompress({ ...options, params }),
  };
}

function hasZstd(zlib: object): zlib is ZlibWithZstd {
  return 'zstdDecompressSync' in zlib && 'createZstdDecompress' in zlib;
}
