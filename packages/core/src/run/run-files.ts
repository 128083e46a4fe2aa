// The files of a finished run, for sinks that keep them: what handlers saved, and the archive.

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { orIfAbsent, sizeOf } from '../directory/atomic-file.js';
import type { CrawlPaths } from '../directory/crawl-paths.js';
import type { RunFile } from '../output/sink.js';

/**
 * The files of a crawl directory, one after the other. Incomplete files are left out.
 *
 * @param process - The name of the process among all machines, since directories of several machines number their
 * archives alike. `null`: there is only one directory.
 */
export async function* runFiles(
  { filesPath, archivePath, waczPath }: CrawlPaths,
  process: string | null,
): AsyncGenerator<RunFile> {
  const archive = process === null ? basename(archivePath) : `archive-${process}`;
  yield* filesIn(filesPath, basename(filesPath));
  yield* filesIn(archivePath, archive);
  const wacz = await sizeOf(waczPath);
  if (wacz !== null) yield { path: waczPath, name: `${archive}.wacz`, bytes: wacz };
}

async function* filesIn(folder: string, name: string): AsyncGenerator<RunFile> {
  for (const entry of await orIfAbsent([], () => readdir(folder, { withFileTypes: true }))) {
    const path = join(folder, entry.name);
    const entryName = `${name}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(path, entryName);
    // A name that begins with a dot or ends in `.open` belongs to a file that is being written.
    if (!entry.isFile() || entry.name.startsWith('.') || entry.name.endsWith('.open')) continue;
    yield { path, name: entryName, bytes: (await sizeOf(path)) ?? 0 };
  }
}
