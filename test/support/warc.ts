// Reads archives with independent code: warcio parses the WARC files, and every digest and length is checked here.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CDXIndexer, WARCParser } from 'warcio';
import { parseUrl } from './parse-url.js';

/** A record as warcio read it. */
export interface ReadRecord {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly url: string;
  readonly id: string;
  /** The record's own fields by name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly block: Buffer;
  /** The bytes after the header section of an HTTP block; the whole block of any other. */
  readonly payload: Buffer;
}

/** Names of the WARC files in a folder, oldest first. */
export async function warcNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.warc.gz')).sort();
}

/** Every record of every WARC file in a folder. */
export async function readRecords(folder: string): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for (const file of await warcNames(folder)) {
    const parser = new WARCParser(createReadStream(join(folder, file)), { keepHeadersCase: true, parseHttp: false });
    for await (const record of parser) {
      const block = Buffer.from(await record.readFully());
      await record.skipFully();
      const isHttp = record.warcContentType?.startsWith('application/http') === true;
      records.push({
        file,
        offset: parser.offset,
        length: parser.recordLength,
        type: record.warcType,
        url: record.warcTargetURI ?? '',
        id: record.warcHeader('WARC-Record-ID') ?? '',
        fields: new Map(record.warcHeaders.headers as Map<string, string>),
        block,
        payload: isHttp ? block.subarray(block.indexOf('\r\n\r\n') + 4) : block,
      });
    }
  }
  return records;
}

/** The faults of records, as text; none if every record is valid and every digest right. */
export function recordFaults(records: readonly ReadRecord[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const { type, url, id, fields, block, payload } of records) {
    const where = `${type} ${url}`;
    if (ids.has(id) || !/^<urn:uuid:[0-9a-f-]{36}>$/.test(id)) faults.push(`${where}: id ${id}`);
    ids.add(id);
    if (Number(fields.get('Content-Length')) !== block.length) faults.push(`${where}: length`);
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(fields.get('WARC-Date') ?? '')) faults.push(`${where}: date`);
    if (fields.get('WARC-Block-Digest') !== digestOf(block, fields.get('WARC-Block-Digest')))
      faults.push(`${where}: block digest`);
    const declared = fields.get('WARC-Payload-Digest');
    if (type === 'response' && declared !== digestOf(payload, declared)) faults.push(`${where}: payload digest`);
    if (type !== 'warcinfo' && parseUrl(url) === null) faults.push(`${where}: no target`);
    const concurrent = fields.get('WARC-Concurrent-To');
    if (concurrent !== undefined && !records.some((other) => other.id === concurrent))
      faults.push(`${where}: concurrent to nothing`);
    if (type === 'revisit' && !hasOriginal(fields, records)) faults.push(`${where}: refers to nothing`);
  }
  return faults;
}

/** A revisit names the record of which it is a copy. */
function hasOriginal(fields: ReadonlyMap<string, string>, records: readonly ReadRecord[]): boolean {
  return records.some((other) => isOriginal(other, fields));
}

function isOriginal(other: ReadRecord, fields: ReadonlyMap<string, string>): boolean {
  return (
    other.type === 'response' &&
    other.url === fields.get('WARC-Refers-To-Target-URI') &&
    other.fields.get('WARC-Date') === fields.get('WARC-Refers-To-Date') &&
    (!fields.has('WARC-Payload-Digest') ||
      other.fields.get('WARC-Payload-Digest') === fields.get('WARC-Payload-Digest'))
  );
}

/**
 * What an archive reader shows for a URL at a time: the payload of its last record up to then, or of the response that
 * this revisit names. `null`: nothing.
 */
export function payloadAt(records: readonly ReadRecord[], url: string, atMs: number): string | null {
  const dateOf = ({ fields }: ReadRecord): string => fields.get('WARC-Date') ?? '';
  const own = records.filter((each) => each.url === url && /^(response|revisit)$/.test(each.type));
  const until = own.filter((each) => Date.parse(dateOf(each)) <= atMs).sort((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1));
  const last = until.at(-1);
  if (last === undefined) return null;
  const original = last.type === 'revisit' ? records.find((other) => isOriginal(other, last.fields)) : last;
  return original === undefined ? null : original.payload.toString();
}

function digestOf(bytes: Uint8Array, like: string | undefined): string {
  if (like?.startsWith('sha256:') === true) return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const bits = [...createHash('sha1').update(bytes).digest()].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{5}/g) ?? []).map(
    (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)],
  );
  return `sha1:${letters.join('')}`;
}

/** The lines of the indexes next to the WARC files. */
export async function readIndexes(folder: string): Promise<string[]> {
  const lines: string[] = [];
  for (const name of await warcNames(folder)) {
    const text = await readFile(join(folder, name.replace(/\.warc\.gz$/, '.cdxj')), 'utf8');
    lines.push(...text.split('\n').filter((line) => line !== ''));
  }
  return lines;
}

/** A line as warcio writes it: without the algorithm of the digest and the whole date. */
export function asByWarcio(line: string): string {
  return line.replace('"digest":"sha256:', '"digest":"').replace(/,"date":"[^"]*"/, '');
}

/** The index that warcio makes of the same files, in the same format. */
export async function indexedByWarcio(folder: string): Promise<string[]> {
  const lines: string[] = [];
  const indexer = new CDXIndexer({ format: 'cdxj' });
  for (const filename of await warcNames(folder)) {
    const reader = createReadStream(join(folder, filename));
    for await (const result of indexer.iterIndex([{ filename, reader }]))
      lines.push(indexer.serialize(result).trimEnd());
  }
  return lines.sort();
}
