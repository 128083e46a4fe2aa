// The archive as one file that others can open: WACZ 1.1.1, a ZIP of the WARC files (stored, so that readers find a
// record by its offset), their merged index, the list of pages, and a description with the digest of each. Written
// under a temporary name next to it and renamed into it; files are read once, through their digests into the ZIP.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { partialName, sizeOf } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { mergeIndexes } from './cdxj.js';
import { indexPathOf, listWarcs, pagesPathOf } from './warc-files.js';

/** What is packaged, and how it is called. */
export interface WaczRequest {
  /** The folders of the WARC files, whose names differ; none of them is being written. */
  readonly folders: readonly string[];
  /** The file; one of that name is replaced. */
  readonly path: string;
  readonly title: string;
  /** `name/version` of what made it. */
  readonly software: string;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Told of bytes of WARC files. */
  readonly onBytes?: (packed: number, whole: number) => void;
}

/** A file in a package. */
export interface WaczResource {
  readonly name: string;
  readonly path: string;
  /** `sha256:` and hex digits. */
  readonly hash: string;
  readonly bytes: number;
}

/** What was packaged. */
export interface WaczSummary {
  readonly path: string;
  readonly bytes: number;
  readonly warcs: number;
  readonly resources: readonly WaczResource[];
}

/** Packages an archive. @throws MannerlyError `archive-failed`; what stood there before stays. */
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

async function writeZip(path: string, request: WaczRequest, paths: readonly string[]): Promise<WaczResource[]> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const written = pipeline(zip.outputStream, createWriteStream(path, { flags: 'wx' }));
  const resources: WaczResource[] = [];
  const add = async (name: string, source: Readable, compress: boolean): Promise<void> => {
    const { stream, measured } = hashing(source);
    zip.addReadStream(stream, name, { compress, mtime: new Date(request.nowMs) });
    // One after the other; a disk that is full ends the wait.
    const said = await Promise.race([measured, written.then(() => Promise.reject(new Error('the ZIP ended early')))]);
    resources.push({ name: name.slice(name.lastIndexOf('/') + 1), path: name, ...said });
  };
  let whole = 0;
  for (const path of paths) whole += (await stat(path)).size;
  let packed = 0;
  for (const path of paths) {
    const source = createReadStream(path);
    source.on('data', (bytes) => {
      packed += bytes.length;
      request.onBytes?.(packed, whole);
    });
    await add(`archive/${basename(path)}`, source, false);
  }
  await add('indexes/index.cdxj', Readable.from(mergeIndexes(paths.map(indexPathOf))), true);
  await add('pages/pages.jsonl', Readable.from(pageLines(paths)), true);
  const described = Buffer.from(`${JSON.stringify(dataPackage(request, resources), null, 2)}\n`);
  const digest = { path: 'datapackage.json', hash: `sha256:${createHash('sha256').update(described).digest('hex')}` };
  const mtime = new Date(request.nowMs);
  zip.addBuffer(described, 'datapackage.json', { mtime });
  zip.addBuffer(Buffer.from(`${JSON.stringify(digest, null, 2)}\n`), 'datapackage-digest.json', { mtime });
  zip.end();
  await written;
  return resources;
}

function dataPackage({ title, software, nowMs }: WaczRequest, resources: readonly WaczResource[]): object {
  const created = new Date(nowMs).toISOString();
  return { profile: 'data-package', wacz_version: '1.1.1', title, software, created, modified: created, resources };
}

async function* pageLines(paths: readonly string[]): AsyncGenerator<string> {
  yield `${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All Pages' })}\n`;
  for (const path of paths.map(pagesPathOf)) {
    // A file that a killed run left may have none.
    if ((await sizeOf(path)) !== null) yield* createReadStream(path, 'utf8') as AsyncIterable<string>;
  }
}

/** A stream that counts and digests what goes through it. */
function hashing(source: Readable): { stream: Readable; measured: Promise<{ hash: string; bytes: number }> } {
  const hash = createHash('sha256');
  let bytes = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const measured = pipeline(source, through).then(() => ({ hash: `sha256:${hash.digest('hex')}`, bytes }));
  measured.catch(() => undefined);
  return { stream: through, measured };
}
