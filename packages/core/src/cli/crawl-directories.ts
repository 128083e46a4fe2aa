// The crawl directories that a command reads: those of all machines that worked on one crawl, read as one.

import { realpath } from 'node:fs/promises';
import { readCrawlDirectory } from '../directory/crawl-directory.js';
import { findDamage } from '../run/directory-damage.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';

type ReadDirectory = Awaited<ReturnType<typeof readCrawlDirectory>>;

/**
 * Reads directories, and reports damage.
 *
 * @param directories - At least one.
 * @throws UsageError if one is named twice or belongs to another crawl; MannerlyError as `readCrawlDirectory`.
 */
export async function readCrawlDirectories(
  directories: readonly string[],
  io: CliIo,
): Promise<readonly [ReadDirectory, ...ReadDirectory[]]> {
  await reportDamage(directories, io);
  const realPaths = new Map<string, string>();
  for (const directory of directories) {
    const realPath = await realpath(directory);
    const same = realPaths.get(realPath);
    if (same !== undefined)
      throw new UsageError(`${same} and ${directory} are one directory`, 'It would count twice: name it once.');
    realPaths.set(realPath, directory);
  }
  const [first, ...others] = await Promise.all(directories.map((directory) => readCrawlDirectory(directory)));
  if (first === undefined) throw new UsageError('no crawl directory is named');
  for (const { manifest, path } of others) {
    if (manifest.name === first.manifest.name) continue;
    const names = `${JSON.stringify(first.manifest.name)}, not ${JSON.stringify(manifest.name)}`;
    const hint = 'Only directories of machines that worked on the same crawl can be read together.';
    throw new UsageError(`${first.path} holds a crawl by ${names} as ${path}`, hint);
  }
  return [first, ...others];
}

/** Reports, file by file, what differs from the end of the last run. @throws MannerlyError as `readCrawlDirectory` */
export async function reportDamage(directories: readonly string[], io: CliIo): Promise<void> {
  for (const directory of directories) {
    await readCrawlDirectory(directory);
    for (const file of await findDamage(directory)) io.err(`Damaged: ${file}.`);
  }
}
