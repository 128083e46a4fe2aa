// One WARC 1.1 record: its fields, its block, and both as one gzip member. The block is bytes, or a head in memory and
// the rest in a file that is read twice: once for its digests, once into the archive.

import { createHash, type Hash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip, gzipSync } from 'node:zlib';
import type { BodyFile } from '../fetch/outcome.js';
import { SMALL_RECORD_BYTES } from './limits.js';

/** The kinds of record that a crawl writes. */
export type WarcType = 'warcinfo' | 'request' | 'response' | 'revisit' | 'metadata';

/** How digests are made. */
export type DigestAlgorithm = 'sha-1' | 'sha-256';

/** Fields of a record, in order; `null`: left out. */
export type WarcFields = readonly (readonly [name: string, value: string | null])[];

/** A block: a head, and what follows it. */
export interface WarcBlock {
  /** The HTTP header section, or nothing. */
  readonly head: Buffer;
  readonly payload: Uint8Array | BodyFile;
}

/** Digests of a block, as fields say them: `sha256:…`. */
export interface BlockDigests {
  readonly block: string;
  readonly payload: string;
  readonly blockBytes: number;
}

/** A record that can be written. */
export interface WarcRecord {
  readonly id: string;
  readonly type: WarcType;
  /** Everything before the block, its empty line included. */
  readonly fields: Buffer;
  readonly block: WarcBlock;
}

/** The digest of no bytes at all tells nothing: such payloads are never taken for copies of each other. */
export function isEmptyPayload({ payload }: WarcBlock): boolean {
  return payloadBytes(payload) === 0;
}

/** An id as records name each other. Never throws. */
export function newRecordId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}

/** The digests of a block. Reads a file once. @throws What reading the file threw. */
export async function digestsOf({ head, payload }: WarcBlock, algorithm: DigestAlgorithm): Promise<BlockDigests> {
  const ofBlock = createHash(HASHES[algorithm].name).update(head);
  const ofPayload = createHash(HASHES[algorithm].name);
  if (payload instanceof Uint8Array) {
    ofBlock.update(payload);
    ofPayload.update(payload);
  } else {
    for await (const bytes of payload.read()) {
      ofBlock.update(bytes);
      ofPayload.update(bytes);
    }
  }
  return {
    block: digestText(ofBlock, algorithm),
    payload: digestText(ofPayload, algorithm),
    blockBytes: head.length + payloadBytes(payload),
  };
}

/** Puts a record together. @param fields - Besides type, id, length and version. Never throws. */
export function createRecord(
  type: WarcType,
  id: string,
  fields: WarcFields,
  block: WarcBlock,
  blockBytes: number,
): WarcRecord {
  const lines = ['WARC/1.1', `WARC-Type: ${type}`, `WARC-Record-ID: ${id}`];
  for (const [name, value] of fields) if (value !== null) lines.push(`${name}: ${value.replace(/[\r\n]+/g, ' ')}`);
  lines.push(`Content-Length: ${blockBytes}`);
  return { id, type, fields: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), block };
}

/** The record as gzip members: one, in one piece, or in several where a file is read. @throws What reading threw. */
export async function* recordBytes({ fields, block }: WarcRecord): AsyncGenerator<Uint8Array> {
  const { head, payload } = block;
  if (payload instanceof Uint8Array) {
    const bytes = Buffer.concat([fields, head, payload, RECORD_END]);
    // Handing a small one to another thread costs more than compressing it.
    yield bytes.length <= SMALL_RECORD_BYTES ? gzipSync(bytes) : await gzipOnce(bytes);
    return;
  }
  const zip = createGzip();
  const fed = pipeline(Readable.from(parts(fields, head, payload)), zip);
  // The iteration throws it too; this only keeps it from being an unhandled rejection.
  fed.catch(() => undefined);
  yield* zip;
  await fed;
}

async function* parts(fields: Buffer, head: Buffer, file: BodyFile): AsyncGenerator<Uint8Array> {
  yield fields;
  if (head.length > 0) yield head;
  yield* file.read();
  yield RECORD_END;
}

/** `sha1:` has been written in base 32 since the first archives; `sha256:` is written in hex digits. */
const HASHES = {
  'sha-1': { name: 'sha1', encode: (hash: Hash) => base32(hash.digest()) },
  'sha-256': { name: 'sha256', encode: (hash: Hash) => hash.digest('hex') },
} as const;

function digestText(hash: Hash, algorithm: DigestAlgorithm): string {
  const { name, encode } = HASHES[algorithm];
  return `${name}:${encode(hash)}`;
}

const gzipOnce = promisify(gzip);
const RECORD_END = Buffer.from('\r\n\r\n');
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6, without padding: 160 bits need none. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return text;
}

function payloadBytes(payload: WarcBlock['payload']): number {
  return payload instanceof Uint8Array ? payload.length : payload.bytes;
}
