// Packages the archive of a crawl directory as one file, between runs. What a killed run left is repaired first.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
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

interface PackageOptions {
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
  for (const { archivePath, runPath } of parts) {
    const isHere = (await sizeOf(archivePath)) !== null;
    if (isHere) folders.push(archivePath);
    const { folder, startedAtMs } = await otherArchive(runPath);
    // A copy of the other folder is newer than the run.
    if (folder === null || (isHere && (await newestMs(archivePath)) >= startedAtMs)) continue;
    const held = isHere ? 'only an older archive' : 'no archive';
    throw new MannerlyError('archive-missing', `${directory} holds ${held}: its last run wrote it to ${folder}`, {
      hint: `Copy that folder to ${archivePath}, and call this again.`,
    });
  }
  if (folders.length > 0) return folders;
  throw new MannerlyError('archive-missing', `${directory} holds no archive`, {
    hint: 'Crawl with `archive: true`, or `mannerly crawl --warc`, to have one.',
  });
}

/** The `archive.folder` of the last run. It is only named: a crawl directory may come from someone else. */
async function otherArchive(
  runPath: string,
): Promise<{ readonly folder: string | null; readonly startedAtMs: number }> {
  const run = await readJsonObject(runPath, MAX_MANIFEST_BYTES);
  const { options, startedAtMs } = run === null || run === 'unreadable' ? {} : run;
  const { folder } = isObject(options) && isObject(options['archive']) ? options['archive'] : {};
  return { folder: typeof folder === 'string' ? folder : null, startedAtMs: Number(startedAtMs) };
}

/** When a file of a folder was last written. */
async function newestMs(folder: string): Promise<number> {
  let newest = 0;
  for (const name of await readdir(folder)) newest = Math.max(newest, (await stat(join(folder, name))).mtimeMs);
  return newest;
}
