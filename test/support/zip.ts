// Reads a ZIP file with independent code: yauzl, entry by entry.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { type Entry, type Options, open, type ZipFile } from 'yauzl';

/** One file of a ZIP. */
export interface ZippedFile {
  readonly bytes: Buffer;
  /** `sha256:` and hex digits. */
  readonly hash: string;
  readonly isStored: boolean;
}

/** All files of a ZIP, in its order. */
export async function unzipped(path: string): Promise<Map<string, ZippedFile>> {
  const zip = await promisify<string, Options, ZipFile>(open)(path, { lazyEntries: true, autoClose: false });
  const files = new Map<string, ZippedFile>();
  try {
    for (let entry = await nextEntry(zip); entry !== null; entry = await nextEntry(zip)) {
      const bytes = await bytesOf(zip, entry);
      const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      files.set(entry.fileName, { bytes, hash, isStored: entry.compressionMethod === 0 });
    }
  } finally {
    zip.close();
  }
  return files;
}

function nextEntry(zip: ZipFile): Promise<Entry | null> {
  return new Promise((resolve, reject) => {
    zip.once('entry', (entry: Entry) => resolve(entry));
    zip.once('end', () => resolve(null));
    zip.once('error', reject);
    zip.readEntry();
  });
}

async function bytesOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
