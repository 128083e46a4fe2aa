// Hashes of the files that a run leaves in its crawl directory, so that readers can verify them.

import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { orIfAbsent, sha256Of, sizeOf } from './atomic-file.js';
import type { CrawlPaths } from './crawl-paths.js';
import { MAX_HASHED_BYTES, MAX_HASHED_FILES } from './limits.js';

export interface OutputHash {
  /** Path within the crawl directory, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex digits; `null` if the file exceeds the limit for hashing. */
  readonly sha256: string | null;
}

/**
 * The files of one process by name; absent ones are left out. @throws The platform's error.
 * @param isShared - Whether other processes are writing the shared files: then these are left out.
 */
export async function hashOutputs(paths: CrawlPaths, isShared: boolean): Promise<readonly OutputHash[]> {
  const { itemsPath, rejectedPath, errorsPath, runsPath, requestsPath, decisionsPath, warningsPath } = paths;
  const logs = [rejectedPath, errorsPath, runsPath, requestsPath, decisionsPath, warningsPath, paths.datasetsPath];
  const ownFiles = [itemsPath, ...logs, paths.waczPath];
  // A copy of a robots.txt has its own hash as name.
  const sharedFiles = [join(paths.path, 'crawl.json'), paths.settingsPath, join(paths.robotsPath, 'index.jsonl')];
  const entries = await orIfAbsent([], () => readdir(paths.archivePath, { withFileTypes: true }));
  const archived = entries.filter((entry) => entry.isFile()).map(({ name }) => join(paths.archivePath, name));
  const files = [...ownFiles, ...(isShared ? [] : sharedFiles), ...archived].sort();
  const hashes: OutputHash[] = [];
  let remainingBytes = MAX_HASHED_BYTES;
  for (const file of files.slice(0, MAX_HASHED_FILES)) {
    const bytes = await sizeOf(file);
    if (bytes === null) continue;
    remainingBytes -= bytes;
    const path = relative(paths.path, file).split(sep).join('/');
    hashes.push({ path, bytes, sha256: remainingBytes < 0 ? null : await sha256Of(file) });
  }
  return hashes;
}
