// Reads the bytes of a sitemap into entries, chunk by chunk: gzip is undone, text decoded and read, and entries
// passed on in batches, so that a file of fifty megabytes is never in memory as a whole and its reader sets the pace.

import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isError } from '../errors.js';
import { MAX_SITEMAP_BYTES } from '../limits.js';
import { SITEMAP_BATCH } from './limits.js';
import type { SitemapEnd, SitemapEntry, SitemapKind } from './sitemap.js';

/** Decodes bytes to text, chunk by chunk. */
type Decoder = Pick<InstanceType<typeof TextDecoder>, 'decode'>;
type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface SitemapFileEnd extends SitemapEnd {
  /** `too-large`: past `MAX_SITEMAP_BYTES` after gzip; `gzip`: cut or damaged. What came before was read. */
  readonly cut: 'too-large' | 'gzip' | null;
}

/**
 * Reads a sitemap or feed. @returns How it ended.
 * @param source - `decoderFor`: chooses the decoder by the first bytes, after gzip.
 * @param take - Gets at most `SITEMAP_BATCH` entries at a time. Reading goes on when it has ended.
 * @throws Only what `bytes` and `take` throw; damaged gzip is an ending.
 */
export async function readSitemap(
  source: { readonly url: string; readonly bytes: Bytes; readonly decoderFor: (start: Uint8Array) => Decoder },
  take: (entries: readonly SitemapEntry[], kind: SitemapKind) => Promise<unknown>,
): Promise<SitemapFileEnd> {
  // Loaded here with its XML parser: some megabytes that a crawl without sitemaps does not need.
  const { SitemapReader } = await import('./sitemap.js');
  const entries: SitemapEntry[] = [];
  const reader = new SitemapReader(source.url, (entry) => void entries.push(entry));
  let decoder: Decoder | null = null;
  let bytes = 0;
  let cut: SitemapFileEnd['cut'] = null;
  try {
    for await (const chunk of gunzipped(source.bytes)) {
      decoder ??= source.decoderFor(chunk);
      const remaining = MAX_SITEMAP_BYTES - bytes;
      bytes += chunk.length;
      reader.write(decoder.decode(chunk.subarray(0, remaining), { stream: true }));
      while (entries.length >= SITEMAP_BATCH) await take(entries.splice(0, SITEMAP_BATCH), reader.kind);
      if (chunk.length > remaining) cut = 'too-large';
      if (reader.isDone || cut !== null) break;
    }
  } catch (error) {
    if (!(isError(error) && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    cut = 'gzip';
  }
  if (decoder !== null) reader.write(decoder.decode());
  const end = reader.end();
  while (entries.length > 0) await take(entries.splice(0, SITEMAP_BATCH), end.kind);
  return { ...end, cut };
}

const CHUNK_BYTES = 64 * 1024;

/** Undoes gzip, recognized by the first two bytes, since `.xml.gz` files have many media types. */
async function* gunzipped(bytes: Bytes): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = chunksOf(bytes);
  const first = await chunks.next();
  if (first.done === true) return;
  const all = (async function* () {
    yield first.value;
    yield* chunks;
  })();
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  const input = Readable.from(all, { objectMode: false, highWaterMark: CHUNK_BYTES });
  // The loop below throws its errors.
  const gunzip = pipeline(input, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
}

/** Chunks of a bounded size. The first has at least two bytes, if there are two. */
async function* chunksOf(bytes: Bytes): AsyncGenerator<Uint8Array, void, undefined> {
  let start: Uint8Array | null = new Uint8Array(0);
  for await (const chunk of bytes) {
    const joined: Uint8Array = start === null ? chunk : Buffer.concat([start, chunk]);
    start = start !== null && joined.length < 2 ? joined : null;
    if (start !== null) continue;
    for (let at = 0; at < joined.length; at += CHUNK_BYTES) yield joined.subarray(at, at + CHUNK_BYTES);
  }
  if (start !== null && start.length > 0) yield start;
}
