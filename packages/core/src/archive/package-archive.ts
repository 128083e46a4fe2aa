// Packages the archive of a crawl directory as one file, between runs. What a killed run left is repaired first.

import { checkOptions } from '../call-options.js';
import { readJsonObject, sizeOf } from '../directory/atomic-file.js';
import { checkEntryKinds, readCrawlDirectory } from '../directory/crawl-directory.js';
import type { CrawlPaths } from '../directory/crawl-paths.js';
import { lockDirectory, refuseShared } from '../directory/directory-lock.js';
import { MannerlyError } from '../errors.js';
import { MAX_MANIFEST_BYTES } from '../limits.js';
import { isObject } from '../parse-json.js';
import { present } from '../present.js';
import type { WaczSummary } from './wacz.js';

export interface PackageOptions {
  readonly from: string;
  /** The file; one of that name is replaced. @default `archive.wacz` in the crawl directory */
  readonly to?: string;
  /** Its title. @default the crawl's name and where it began */
  readonly title?: string;
  readonly nowMs?: () => number;
  /** Called now and then with the bytes of WARC files packed so far, and of all of them. */
  readonly onBytes?: (packed: number, total: number) => void;
}

/**
 * Packages the archive of a crawl as WACZ. Needs disk space for a second copy of it.
 * @throws MannerlyError `directory-taken`, `directory-format`; `directory-in-use` while a run uses the directory;
 * `archive-missing`; `archive-failed`.
 */
export async function packageArchive(options: PackageOptions): Promise<WaczSummary> {
  checkOptions('packageArchive', options, {
    from: 'string!',
    to: 'string',
    title: 'string',
    nowMs: 'function',
    onBytes: 'function',
  });
  const { from, to, title, nowMs = Date.now, onBytes } = options;
  const { manifest, parts, waczPath } = await readCrawlDirectory(from);
  // What a killed run left is cut.
  await checkEntryKinds(from, true);
  const folders = await archiveFolders(from, parts);
  const lock = await lockDirectory(from);
  try {
    await refuseShared(from);
    const [{ packWacz }, { recoverWarcs }] = await Promise.all([import('./wacz.js'), import('./warc-files.js')]);
    for (const folder of folders) await recoverWarcs(folder);
    return await packWacz({
      folders,
      path: to ?? waczPath,
      title: title ?? `${manifest.name}: ${manifest.seeds[0] ?? ''}`,
      nowMs: nowMs(),
      ...present({ onBytes }),
    });
  } finally {
    await lock.release();
  }
}

/** Where the processes of a crawl have archived. @throws MannerlyError `archive-missing` */
export async function archiveFolders(
  directory: string,
  parts: readonly Pick<CrawlPaths, 'archivePath' | 'runPath'>[],
): Promise<string[]> {
  const folders: string[] = [];
  for (const { archivePath } of parts) if ((await sizeOf(archivePath)) !== null) folders.push(archivePath);
  if (folders.length > 0) return folders;
  for (const { archivePath, runPath } of parts) {
    const folder = await otherFolder(runPath);
    if (folder === null) continue;
    throw new MannerlyError('archive-missing', `${directory} holds no archive: its last run wrote it to ${folder}`, {
      hint: `Copy that folder to ${archivePath}, and call this again.`,
    });
  }
  throw new MannerlyError('archive-missing', `${directory} holds no archive`, {
    hint: 'Crawl with `archive: true`, or `mannerly crawl --warc`, to have one.',
  });
}

/** The `archive.folder` of the last run. It is only named: a crawl directory may come from someone else. */
async function otherFolder(runPath: string): Promise<string | null> {
  const run = await readJsonObject(runPath, MAX_MANIFEST_BYTES);
  const options = run === null || run === 'unreadable' ? null : run['options'];
  const archive = isObject(options) ? options['archive'] : null;
  return isObject(archive) && typeof archive['folder'] === 'string' ? archive['folder'] : null;
}
