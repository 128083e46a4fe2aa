// The bytes of a sitemap to its entries, piece by piece: gzip undone where they are gzip, decoded, read, and given out
// in batches, so that a file of fifty megabytes is never held as a whole and its reader sets the pace.

import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MAX_SITEMAP_BYTES } from '../limits.js';
import { SITEMAP_BATCH } from './limits.js';
import type { SitemapEnd, SitemapEntry, SitemapKind } from './sitemap.js';

/** Bytes to text, piece by piece; a `TextDecoder` is one. */
export interface PieceDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

/** What reading needs. */
export interface SitemapSource {
  readonly url: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** By the first bytes, gzip undone. */
  readonly decoderFor: (start: Uint8Array) => PieceDecoder;
}

/** Entries that go on together. */
export interface SitemapBatch {
  readonly kind: SitemapKind;
  readonly entries: readonly SitemapEntry[];
}

/** How the reading of a file ended. */
export interface SitemapFileEnd extends SitemapEnd {
  /** `too-large`: past `MAX_SITEMAP_BYTES` once gzip is undone; `gzip`: cut or damaged. What came before was read. */
  readonly cut: 'too-large' | 'gzip' | null;
}

/**
 * Reads a sitemap or feed.
 *
 * @returns The entries in batches of at most `SITEMAP_BATCH`, then how it ended.
 * @throws Only what `bytes` throws; damaged gzip is an ending.
 */
export async function* readSitemap(source: SitemapSource): AsyncGenerator<SitemapBatch, SitemapFileEnd, undefined> {
  // With its XML parser, some megabytes that a crawl without sitemaps does not need.
  const { createSitemapReader } = await import('./sitemap.js');
  const reader = createSitemapReader(source.url);
  let decoder: PieceDecoder | null = null;
  let batch: SitemapEntry[] = [];
  let bytes = 0;
  let cut: SitemapFileEnd['cut'] = null;
  const plain = new PlainBytes(source.bytes);
  for await (const piece of plain) {
    decoder ??= source.decoderFor(piece);
    const left = MAX_SITEMAP_BYTES - bytes;
    bytes += piece.length;
    batch.push(...reader.write(decoder.decode(piece.subarray(0, left), { stream: true })));
    for (; batch.length >= SITEMAP_BATCH; batch = batch.slice(SITEMAP_BATCH)) {
      yield { kind: reader.kind, entries: batch.slice(0, SITEMAP_BATCH) };
    }
    if (piece.length > left) cut = 'too-large';
    if (reader.isOver || cut !== null) break;
  }
  if (decoder !== null) batch.push(...reader.write(decoder.decode()));
  const { entries, end } = reader.end();
  batch.push(...entries);
  for (; batch.length > 0; batch = batch.slice(SITEMAP_BATCH)) {
    yield { kind: end.kind, entries: batch.slice(0, SITEMAP_BATCH) };
  }
  return { ...end, cut: cut ?? (plain.isDamaged ? 'gzip' : null) };
}

const GZIP_MAGIC: readonly number[] = [0x1f, 0x8b];
const PIECE_BYTES = 64 * 1024;

/** The bytes in pieces of a bounded size, gzip undone: `.xml.gz` files come under many media types, the bytes tell. */
class PlainBytes {
  isDamaged = false;
  readonly #bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

  constructor(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const pieces = inPieces(this.#bytes);
    const first = await pieces.next();
    if (first.done === true) return;
    const all = prepend(first.value, pieces);
    if (first.value[0] !== GZIP_MAGIC[0] || first.value[1] !== GZIP_MAGIC[1]) {
      yield* all;
      return;
    }
    const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
    const input = Readable.from(all, { objectMode: false, highWaterMark: PIECE_BYTES });
    // What the source throws is told by the stream it is piped into.
    input.on('error', (error) => gunzip.destroy(error));
    input.pipe(gunzip);
    try {
      yield* gunzip as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
      this.isDamaged = true;
    } finally {
      input.destroy();
      gunzip.destroy();
    }
  }
}

/** The first piece has at least two bytes, where there are two. */
async function* inPieces(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start = new Uint8Array(0);
  let hasBegun = false;
  for await (const chunk of bytes) {
    let piece = chunk;
    if (!hasBegun) {
      piece = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      if (piece.length < GZIP_MAGIC.length) {
        start = Uint8Array.from(piece);
        continue;
      }
      hasBegun = true;
    }
    for (let at = 0; at < piece.length; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES);
  }
  if (!hasBegun && start.length > 0) yield start;
}

async function* prepend(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
