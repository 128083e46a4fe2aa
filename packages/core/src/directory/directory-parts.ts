// Several processes in one crawl directory: each has a number, under which it writes logs and items of its own, and a
// lock that shows that it is alive. Numbers are reused, so a restarted process appends to the files that are there.

import { MannerlyError } from '../errors.js';
import { type CrawlPaths, crawlPaths, partOfName } from './crawl-paths.js';
import { type DirectoryLock, lockDirectory, partLockName } from './directory-lock.js';
import { LOCK_RETRY_MS, LOCK_WAIT_MS, MAX_DIRECTORY_PARTS } from './limits.js';
import { namesIn } from './whole-file.js';

/** The number of this process. */
export interface OwnPart {
  readonly part: number;
  readonly lock: DirectoryLock;
}

/**
 * Takes the lock that excludes others; processes that share the directory hold it for a moment only.
 *
 * @throws MannerlyError `directory-in-use` when a run has the directory for itself.
 */
export async function lockOnceFree(path: string): Promise<DirectoryLock> {
  const giveUpMs = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await lockDirectory(path);
    } catch (error) {
      if (!isInUse(error) || performance.now() > giveUpMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}

/**
 * Takes the lowest number that no living process has. The caller holds the directory's lock.
 *
 * @throws MannerlyError `directory-in-use` when all of them are taken.
 */
export async function lockPart(path: string): Promise<OwnPart> {
  for (let part = 1; ; part += 1) {
    try {
      return { part, lock: await lockDirectory(path, partLockName(part)) };
    } catch (error) {
      if (!isInUse(error) || part >= MAX_DIRECTORY_PARTS) throw error;
    }
  }
}

/**
 * The paths of all processes that have worked in a directory: first those of a run alone, whether there was one or not.
 *
 * @throws The platform's error when the directory cannot be read; an absent one has the first alone.
 */
export async function partsOf(path: string): Promise<CrawlPaths[]> {
  const numbers = new Set((await namesIn(path)).flatMap((name) => partOfName(name) ?? []));
  return [crawlPaths(path), ...[...numbers].sort((a, b) => a - b).map((part) => crawlPaths(path, part))];
}

function isInUse(error: unknown): boolean {
  return error instanceof MannerlyError && error.code === 'directory-in-use';
}
