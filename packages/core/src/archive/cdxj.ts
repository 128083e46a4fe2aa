// The index of an archive: one CDXJ line for each response and revisit, so that readers find a URL without reading
// WARCs. Lines are sorted file by file, and merged when an archive is packaged.

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { writeWhole } from '../directory/whole-file.js';

/** What a line says of a record. */
export interface IndexedRecord {
  readonly url: string;
  /** Epoch milliseconds of the record's date. */
  readonly atMs: number;
  /** As the response calls itself; `warc/revisit` for a revisit; `null`: it says nothing. */
  readonly mime: string | null;
  readonly status: number;
  readonly digest: string;
  readonly offset: number;
  readonly length: number;
  readonly filename: string;
}

/** The line of a record, newline included. @param surt - The URL's sort key. Never throws. */
export function cdxjLine(surt: string, record: IndexedRecord): string {
  const { url, atMs, mime, status, digest, offset, length, filename } = record;
  const said = {
    url,
    ...(mime === null ? {} : { mime }),
    status: String(status),
    digest,
    length: String(length),
    offset: String(offset),
    filename,
  };
  return `${surt} ${timestamp14(atMs)} ${JSON.stringify(said)}\n`;
}

/** The sort key, the time and what is said, of a line; `null` for what is none. Never throws. */
export function parseCdxjLine(line: string): Readonly<Record<string, string | undefined>> | null {
  const [, timestamp, json] = /^\S+ (\d{14}) (\{.*\})$/.exec(line) ?? [];
  if (timestamp === undefined || json === undefined) return null;
  try {
    return { ...(JSON.parse(json) as Record<string, string>), timestamp };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Fourteen digits of UTC, as indexes say times. */
export function timestamp14(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14);
}

/** Sorts the index of one WARC file in place, by bytes. It is as long as that file's limit lets it be. */
export async function sortIndex(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  await writeWhole(
    path,
    lines
      .map((line) => Buffer.from(line))
      .sort(Buffer.compare)
      .join('\n') + (lines.length > 0 ? '\n' : ''),
  );
}

/** The lines of sorted indexes in one order, newlines included; as much of each in memory as reading ahead takes. */
export async function* mergeIndexes(paths: readonly string[]): AsyncGenerator<string> {
  const heads: { line: string; readonly rest: AsyncIterator<string> }[] = [];
  for (const path of paths) {
    const rest = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })[
      Symbol.asyncIterator
    ]();
    const first = await rest.next();
    if (first.done !== true) heads.push({ line: first.value, rest });
  }
  while (heads.length > 0) {
    let least = 0;
    for (let at = 1; at < heads.length; at += 1) {
      if (compareBytes((heads[at] as { line: string }).line, (heads[least] as { line: string }).line) < 0) least = at;
    }
    const head = heads[least] as (typeof heads)[number];
    yield `${head.line}\n`;
    const next = await head.rest.next();
    if (next.done === true) heads.splice(least, 1);
    else head.line = next.value;
  }
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
