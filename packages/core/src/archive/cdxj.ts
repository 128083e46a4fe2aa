// The index of an archive: a CDXJ line for each response and revisit, so that readers find a URL without reading WARC
// files. Each WARC file has its own; a package merges them.

import { readLines } from '../directory/read-lines.js';
import { parseJsonObject } from '../parse-json.js';

/** The type of a record without its own payload. */
export const REVISIT_MIME = 'warc/revisit';

export interface IndexedRecord {
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
    const smallest = others.reduce((found, head) => (compareBytes(head.line, found.line) < 0 ? head : found), first);
    yield `${smallest.line}\n`;
    const next = await smallest.rest.next();
    if (next.done === true) heads.splice(heads.indexOf(smallest), 1);
    else smallest.line = next.value;
  }
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
