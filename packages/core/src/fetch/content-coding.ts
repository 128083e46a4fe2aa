// The Content-Encoding field: which codings were applied, and how each is undone, in one call or as a stream. Only
// codings that this runtime can undo are known, and only known ones are offered by Accept-Encoding.

import type { Transform } from 'node:stream';
import zlib, {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { MAX_CONTENT_CODINGS, MAX_ZSTD_WINDOW_LOG } from './limits.js';

const ZSTD = findZstd(zlib);

/** The value of Accept-Encoding on every request. */
export const ACCEPT_ENCODING = ZSTD === null ? 'gzip, deflate, br' : 'gzip, deflate, br, zstd';

/** A content coding that can be undone; `zstd` only where the runtime has it. */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'zstd';

export type ParsedCodings =
  /** In the order in which they are undone: the last applied first. Empty: the body is not coded. */
  | { readonly kind: 'known'; readonly codings: readonly ContentCoding[] }
  | { readonly kind: 'unknown'; readonly detail: string };

const CODINGS_BY_NAME = new Map<string, ContentCoding | 'identity'>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ...(ZSTD === null ? [] : [['zstd', 'zstd'] as const]),
  ['identity', 'identity'],
  // Servers write these values for a body that is not coded.
  ['none', 'identity'],
  ['', 'identity'],
  ['utf-8', 'identity'],
  ['utf8', 'identity'],
  ['8bit', 'identity'],
  ['binary', 'identity'],
]);

/** Names in one list, including those that mean no coding. */
const MAX_CODING_PARTS = MAX_CONTENT_CODINGS * 4;

/**
 * Reads a Content-Encoding value: several lines joined by commas; `null` when absent. Never throws.
 * @see RFC 9110 §8.4 (codings are listed in the order in which they were applied)
 */
export function parseContentEncoding(value: string | null): ParsedCodings {
  const codings: ContentCoding[] = [];
  const parts = (value ?? '').split(',', MAX_CODING_PARTS + 1);
  // Names after the last part that is read may be codings too.
  if (parts.length > MAX_CODING_PARTS) return { kind: 'unknown', detail: `more than ${MAX_CODING_PARTS} codings` };
  for (const part of parts) {
    const coding = CODINGS_BY_NAME.get(part.trim().toLowerCase());
    if (coding === undefined) return { kind: 'unknown', detail: `content coding ${JSON.stringify(part.trim())}` };
    if (coding !== 'identity') codings.unshift(coding);
  }
  if (codings.length > MAX_CONTENT_CODINGS) return { kind: 'unknown', detail: `${codings.length} content codings` };
  return { kind: 'known', codings };
}

/** @throws zlib's errors: past `maxBytes`, for a body that ends early, and for data that is not of this coding. */
export function decodeSync(coding: ContentCoding, encoded: Buffer, maxBytes: number): Buffer {
  const options = { maxOutputLength: maxBytes, chunkSize: expectedBytes(coding, encoded, maxBytes) };
  if (coding === 'br') return brotliDecompressSync(encoded, options);
  if (coding === 'zstd' && ZSTD !== null) return ZSTD.decode(encoded, options);
  if (coding === 'gzip') return gunzipSync(encoded, options);
  return hasZlibHeader(encoded) ? inflateSync(encoded, options) : inflateRawSync(encoded, options);
}

/** Destroyed with zlib's error for other data. @param start - Tells the two kinds of `deflate` apart */
export function createDecoder(coding: ContentCoding, start: Uint8Array): Transform {
  const options = { chunkSize: STREAM_CHUNK_BYTES };
  if (coding === 'br') return createBrotliDecompress(options);
  if (coding === 'zstd' && ZSTD !== null) return ZSTD.stream(options);
  if (coding === 'gzip') return createGunzip(options);
  return hasZlibHeader(start) ? createInflate(options) : createInflateRaw(options);
}

/**
 * Servers mean one of two things by `deflate`: the zlib format (RFC 9110 §8.4.1.2) or bare deflate data. A zlib header
 * has method 8 and a check that bare data passes by chance about once in five hundred bodies.
 */
function hasZlibHeader(start: Uint8Array): boolean {
  const first = start[0] ?? 0;
  return (first & 0x0f) === 8 && start.length > 1 && ((first << 8) | (start[1] ?? 0)) % 31 === 0;
}

const STREAM_CHUNK_BYTES = 64 * 1024;
const MIN_CHUNK_BYTES = 16 * 1024;
const TYPICAL_RATIO = 5;

/**
 * The size of the output buffer, chosen so that one allocation is usually enough. gzip ends with the decoded length
 * (modulo 2³²). A server can lie about it, so it counts only up to a ratio that pages reach, and never past the limit.
 */
function expectedBytes(coding: ContentCoding, encoded: Buffer, maxBytes: number): number {
  const declared = coding === 'gzip' && encoded.length >= 18 ? encoded.readUInt32LE(encoded.length - 4) + 1 : 0;
  const likely = declared > 0 && declared <= encoded.length * 16 ? declared : encoded.length * TYPICAL_RATIO;
  return Math.max(MIN_CHUNK_BYTES, Math.min(likely, maxBytes + 1));
}

/** What newer runtimes have in `node:zlib`: Node.js from 22.15 on. */
interface ZlibWithZstd {
  zstdDecompressSync(encoded: Buffer, options: object): Buffer;
  createZstdDecompress(options: object): Transform;
  readonly constants: { readonly ZSTD_d_windowLogMax: number };
}

/**
 * Finds zstd in a runtime's `node:zlib`; `null` if it has none. A window larger than the coding allows is refused,
 * because the sender would choose our memory use (RFC 9659 §3). Never throws.
 */
export function findZstd(zlib: object) {
  if (!('zstdDecompressSync' in zlib && 'createZstdDecompress' in zlib)) return null;
  const { zstdDecompressSync, createZstdDecompress, constants } = zlib as ZlibWithZstd;
  const params = { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG };
  return {
    decode: (encoded: Buffer, options: object) => zstdDecompressSync(encoded, { ...options, params }),
    stream: (options: object) => createZstdDecompress({ ...options, params }),
  };
}
