// The index of an archive: a CDXJ line for each response and revisit, so that readers find a URL without reading WARC
// files. Each WARC file has its own, and a line for each page that people look for, both read from the records, whether
// new or left by a killed run. A package merges them.

import { randomUUID } from 'node:crypto';
import { readLines } from '../directory/read-lines.js';
import { parseJsonObject } from '../parse-json.js';
import { headEnd, mimeOf, parseResponseHead } from './http-head.js';
import { FIELDS, parseWarcFields } from './visit.js';

/** The type of a record without its own payload. */
export const REVISIT_MIME = 'warc/revisit';

interface IndexedRecord {
  readonly url: string;
  readonly atMs: number;
  /** Of the response; `warc/revisit` for a revisit; `null`: it names none. */
  readonly mime: string | null;
  readonly status: number;
  readonly digest: string | null;
  readonly offset: number;
  readonly length: number;
  readonly filename: string;
}

/** The line of a record, newline included. @param surtOf - Makes the sort key of a URL. Never throws. */
export function cdxjLine(surtOf: (url: string) => string, record: IndexedRecord): string {
  const { url, atMs, mime, status, digest, offset, length, filename } = record;
  const fields = {
    url,
    ...(mime === null ? {} : { mime }),
    status: String(status),
    ...(digest === null ? {} : { digest }),
    length: String(length),
    offset: String(offset),
    filename,
    // The whole WARC-Date, by which revisits of later runs refer to the record.
    date: new Date(atMs).toISOString(),
  };
  return `${surtOf(url)} ${timestamp14(atMs)} ${JSON.stringify(fields)}\n`;
}

/** The fields of a parsed line, and `timestamp`. */
export type CdxjFields = Readonly<Record<string, string | undefined>>;

/** The fields of a line; `null` for any other text. Never throws. */
export function parseCdxjLine(line: string): CdxjFields | null {
  const [, timestamp, json = ''] = /^\S+ (\d{14}) (\{.*\})$/.exec(line) ?? [];
  const fields = parseJsonObject(json);
  if (fields === null || !Object.values(fields).every((value) => typeof value === 'string')) return null;
  return { ...(fields as CdxjFields), timestamp };
}

/** Fourteen digits of UTC. */
export function timestamp14(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14);
}

/** The records of an index. @throws The platform's error if it cannot be read. */
export async function* readIndex(path: string): AsyncGenerator<CdxjFields> {
  for await (const line of readLines(path)) {
    const fields = parseCdxjLine(line);
    if (fields !== null) yield fields;
  }
}

/** The lines of sorted indexes, merged in order, newlines included. Holds one line and one read buffer of each. */
export async function* mergeIndexes(paths: readonly string[]): AsyncGenerator<string> {
  const heads: { line: string; readonly rest: AsyncIterator<string> }[] = [];
  for (const path of paths) {
    const rest = readLines(path);
    const first = await rest.next();
    if (first.done !== true) heads.push({ line: first.value, rest });
  }
  for (;;) {
    const [first, ...others] = heads;
    if (first === undefined) return;
    const isBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
    const smallest = others.reduce((found, head) => (isBefore(head.line, found.line) ? head : found), first);
    yield `${smallest.line}\n`;
    const next = await smallest.rest.next();
    if (next.done === true) heads.splice(heads.indexOf(smallest), 1);
    else smallest.line = next.value;
  }
}

type Fields = ReadonlyMap<string, string>;

/** Where a record is: the final name of its file, and bytes from its beginning. */
export type IndexedPlace = Pick<IndexedRecord, 'filename' | 'offset' | 'length'>;

export class WarcIndex {
  readonly lines: string[] = [];
  readonly pages: string[] = [];
  readonly #surtOf: (url: string) => string;
  /** From the latest metadata: it is listed once its response is added too. */
  #page: { readonly url: string | undefined; readonly line: string } | null = null;

  /** @param surtOf - Makes the sort key of a URL. Never throws. */
  constructor(surtOf: (url: string) => string) {
    this.#surtOf = surtOf;
  }

  /** Adds a record, with the beginning of its block. @returns Whether readers look for it. */
  add(fields: Fields, block: Buffer, place: IndexedPlace): boolean {
    const type = fields.get('WARC-Type');
    const url = fields.get('WARC-Target-URI');
    if (type === 'metadata') this.#page = pageOf(fields, block);
    if ((type !== 'response' && type !== 'revisit') || url === undefined) return false;
    const head = parseResponseHead(block.subarray(0, headEnd(block) ?? 0));
    const atMs = Date.parse(fields.get('WARC-Date') ?? '') || 0;
    const mime = type === 'revisit' ? REVISIT_MIME : mimeOf(head?.headers ?? []);
    const digest = fields.get('WARC-Payload-Digest') ?? null;
    this.lines.push(cdxjLine(this.#surtOf, { url, atMs, mime, status: head?.status ?? 0, digest, ...place }));
    if (this.#page?.url === url) this.pages.push(this.#page.line);
    this.#page = null;
    return true;
  }
}

/** A page from its metadata, with its line in `pages.jsonl` of WACZ; `null`: people do not look for it. */
function pageOf(fields: Fields, block: Buffer): { readonly url: string | undefined; readonly line: string } | null {
  // The links of a page are last, and many, so they are not read.
  const linksAt = block.indexOf('\r\noutlink: ');
  const metadata = parseWarcFields(linksAt < 0 ? block : block.subarray(0, linksAt));
  const title = metadata.get(FIELDS.title);
  if (title === undefined) return null;
  const url = fields.get('WARC-Target-URI');
  const isSeed = parseJsonObject(metadata.get(FIELDS.visit) ?? '')?.['via'] === 'seed';
  const page = { id: randomUUID(), url, ts: fields.get('WARC-Date'), title, ...(isSeed ? { seed: true } : {}) };
  return { url, line: `${JSON.stringify(page)}\n` };
}
