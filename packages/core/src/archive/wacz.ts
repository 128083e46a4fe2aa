// The archive as one file that others can open: WACZ 1.1.1, a ZIP of the WARC files (stored, so that readers find a
// record by its offset), their merged index, the list of pages, and a description with the digest of each. Written
// under a temporary name and renamed.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { partialName } from '../directory/atomic-file.js';
import { readLines } from '../directory/read-lines.js';
import { MannerlyError } from '../errors.js';
import { MANNERLY_VERSION } from '../own-package.js';
import { mergeIndexes, parseCdxjLine } from './cdxj.js';
import { indexPathOf, listWarcs, pagesPathOf } from './warc-files.js';

/** The software that writes the archives, as `name/version`. */
export const SOFTWARE = `mannerly/${MANNERLY_VERSION}`;

interface WaczRequest {
  /** The folders of the WARC files, whose names differ; none of the files is being written. */
  readonly folders: readonly string[];
  /** The file; one of that name is replaced. */
  readonly path: string;
  readonly title: string;
  readonly nowMs: number;
  /** Called with the bytes of WARC files packed so far, and of all of them. */
  readonly onBytes?: (packed: number, total: number) => void;
}

interface WaczResource {
  /** The file's name in lower case, as the Data Package specification wants it. */
  readonly name: string;
  readonly path: string;
  /** `sha256:` and hex digits. */
  readonly hash: string;
  readonly bytes: number;
}

export interface WaczSummary {
  readonly path: string;
  readonly bytes: number;
  readonly warcs: number;
  readonly resources: readonly WaczResource[];
}

/** Packages an archive. @throws MannerlyError `archive-failed`; an existing file stays. */
export async function packWacz(request: WaczRequest): Promise<WaczSummary> {
  const partial = partialName(request.path);
  try {
    const warcs: string[] = [];
    for (const folder of request.folders) warcs.push(...(await listWarcs(folder)).map((name) => join(folder, name)));
    const resources = await writeZip(partial, request, warcs);
    const { size } = await stat(partial);
    await rename(partial, request.path);
    return { path: request.path, bytes: size, warcs: warcs.length, resources };
  } catch (cause) {
    await rm(partial, { force: true });
    throw new MannerlyError('archive-failed', `${request.path} could not be written: ${String(cause)}`, {
      cause,
      hint: 'Is there disk space for a second copy of the archive?',
    });
  }
}

async function writeZip(path: string, request: WaczRequest, warcs: readonly string[]): Promise<WaczResource[]> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const file = createWriteStream(path, { flags: 'wx' });
  const written = pipeline(zip.outputStream, file);
  // Awaited below; this only keeps it from being an unhandled rejection.
  written.catch(() => undefined);
  const mtime = new Date(request.nowMs);
  const resources: WaczResource[] = [];
  /** Adds one file after the other. Each is read once, for both its digest and the ZIP. */
  const add = async (path: string, source: AsyncIterable<Uint8Array | string>, compress: boolean): Promise<void> => {
    const hash = createHash('sha256');
    let bytes = 0;
    const digested = async function* (): AsyncGenerator<Uint8Array> {
      for await (const input of source) {
        const chunk = typeof input === 'string' ? Buffer.from(input) : input;
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    };
    const stream = Readable.from(digested(), { objectMode: false });
    zip.addReadStream(stream, path, { compress, mtime });
    // A full disk ends the wait.
    await Promise.race([finished(stream), written]);
    resources.push({ name: basename(path).toLowerCase(), path, hash: `sha256:${hash.digest('hex')}`, bytes });
  };
  let total = 0;
  for (const warc of warcs) total += (await stat(warc)).size;
  let packed = 0;
  const readWarc = async function* (warc: string): AsyncGenerator<Uint8Array> {
    for await (const bytes of createReadStream(warc) as AsyncIterable<Uint8Array>) {
      packed += bytes.length;
      request.onBytes?.(packed, total);
      yield bytes;
    }
  };
  try {
    for (const warc of warcs) await add(`archive/${basename(warc)}`, readWarc(warc), false);
    await add('indexes/index.cdxj', indexLines(warcs), true);
    await add('pages/pages.jsonl', pageLines(warcs), true);
    const descriptor = jsonFile(dataPackage(request, resources));
    const digest = `sha256:${createHash('sha256').update(descriptor).digest('hex')}`;
    zip.addBuffer(descriptor, 'datapackage.json', { mtime });
    zip.addBuffer(jsonFile({ path: 'datapackage.json', hash: digest }), 'datapackage-digest.json', { mtime });
    zip.end();
    await written;
  } finally {
    file.destroy();
  }
  return resources;
}

function dataPackage({ title, nowMs }: WaczRequest, resources: readonly WaczResource[]): object {
  const created = new Date(nowMs).toISOString();
  const made = { software: SOFTWARE, created, modified: created };
  return { profile: 'data-package', wacz_version: '1.1.1', title, ...made, resources };
}

function jsonFile(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** Without answers 304: a reader takes an entry's status for that of the page, and would show an empty one. */
async function* indexLines(warcs: readonly string[]): AsyncGenerator<string> {
  for await (const line of mergeIndexes(warcs.map(indexPathOf)))
    if (parseCdxjLine(line.trimEnd())?.['status'] !== '304') yield line;
}

async function* pageLines(warcs: readonly string[]): AsyncGenerator<Uint8Array | string> {
  yield `${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All Pages' })}\n`;
  for (const warc of warcs) for await (const line of readLines(pagesPathOf(warc))) yield `${line}\n`;
}
