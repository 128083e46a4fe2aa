// One WARC 1.1 record: its fields, its block, and both as one gzip member. The block is bytes, or a head in memory and
// the rest in a file that is read twice: for its digests, and into the archive.

import { createHash, type Hash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip, gzipSync } from 'node:zlib';
import type { BodyFile } from '../fetch/outcome.js';
import { SMALL_RECORD_BYTES } from './limits.js';

type WarcType = 'warcinfo' | 'request' | 'response' | 'revisit' | 'metadata' | 'conversion';

export type DigestAlgorithm = 'sha-1' | 'sha-256';

/** Fields of a record, in order; `null`: left out. */
export type WarcFields = readonly (readonly [name: string, value: string | null])[];

/** A block: the HTTP header section, or nothing, and what follows it. */
interface WarcBlock {
  readonly head: Buffer;
  readonly payload: Uint8Array | BodyFile;
}

/** Digests of a block, as fields have them: `sha256:…`. */
interface BlockDigests {
  readonly block: string;
  readonly payload: string;
}

export interface WarcRecord {
  readonly id: string;
  readonly type: WarcType;
  readonly fields: ReadonlyMap<string, string>;
  readonly block: WarcBlock;
}

export function payloadBytes(payload: WarcBlock['payload']): number {
  return payload instanceof Uint8Array ? payload.length : payload.bytes;
}

/** The digests of a block. Reads a file once. @throws What reading the file threw. */
export async function digestsOf({ head, payload }: WarcBlock, algorithm: DigestAlgorithm): Promise<BlockDigests> {
  const { name, encode } = HASHES[algorithm];
  const ofBlock = createHash(name).update(head);
  const ofPayload = createHash(name);
  const update = (bytes: Uint8Array): void => {
    ofBlock.update(bytes);
    ofPayload.update(bytes);
  };
  if (payload instanceof Uint8Array) update(payload);
  else for await (const bytes of payload.read()) update(bytes);
  return { block: `${name}:${encode(ofBlock)}`, payload: `${name}:${encode(ofPayload)}` };
}

/** Makes a record. @param fields - All but version, type, id, block digest and length. Never throws. */
export function createRecord(type: WarcType, fields: WarcFields, block: WarcBlock, digests: BlockDigests): WarcRecord {
  const id = `<urn:uuid:${randomUUID()}>`;
  const all = new Map([
    ['WARC-Type', type],
    ['WARC-Record-ID', id],
  ]);
  for (const [name, value] of fields) if (value !== null) all.set(name, value.replace(/[\r\n]+/g, ' '));
  all.set('WARC-Block-Digest', digests.block);
  all.set('Content-Length', String(block.head.length + payloadBytes(block.payload)));
  return { id, type, fields: all, block };
}

/** Creates a record with these bytes as its block. Never rejects. */
export async function createPlainRecord(
  type: WarcType,
  fields: WarcFields,
  bytes: Buffer,
  algorithm: DigestAlgorithm,
): Promise<WarcRecord> {
  const block = { head: bytes, payload: NOTHING };
  return createRecord(type, fields, block, await digestsOf(block, algorithm));
}

/** The record as one gzip member, in one piece or, if a file is read, in several. @throws What reading threw. */
export async function* recordBytes({ fields, block }: WarcRecord): AsyncGenerator<Uint8Array> {
  const { payload } = block;
  const lines = Array.from(fields, ([name, value]) => `${name}: ${value}\r\n`);
  const start = Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), block.head]);
  if (payload instanceof Uint8Array) {
    const bytes = Buffer.concat([start, payload, RECORD_END]);
    // For a small record, another thread costs more than compressing it here.
    yield bytes.length <= SMALL_RECORD_BYTES ? gzipSync(bytes) : await gzipOnce(bytes);
    return;
  }
  const zip = createGzip();
  const compression = pipeline(Readable.from(recordParts(start, payload)), zip);
  // The iteration throws the error too; this only keeps it from being an unhandled rejection.
  compression.catch(() => undefined);
  yield* zip;
  await compression;
}

async function* recordParts(start: Buffer, file: BodyFile): AsyncGenerator<Uint8Array> {
  yield start;
  yield* file.read();
  yield RECORD_END;
}

/** `sha1:` has been written in base 32 since the first archives; `sha256:` is written in hex digits. */
const HASHES = {
  'sha-1': { name: 'sha1', encode: (hash: Hash) => base32(hash.digest()) },
  'sha-256': { name: 'sha256', encode: (hash: Hash) => hash.digest('hex') },
} as const;

const gzipOnce = promisify(gzip);
/** No bytes: the payload of a record without one. */
export const NOTHING = Buffer.alloc(0);
const RECORD_END = Buffer.from('\r\n\r\n');
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6, without padding: 160 bits need none. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)] ?? '');
}
