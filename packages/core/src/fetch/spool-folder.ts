// The folder of a spool, in the system's folder for temporary files, with a lock that says whose it is: a process that is killed
// leaves its folder, and the next one that needs a folder takes away those of processes which are gone for certain.

import { mkdirSync, mkdtempSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holderOf, LOCK_NAME, lockDirectory } from '../directory/directory-lock.js';
import { sizeOf } from '../directory/whole-file.js';
import { MAX_STALE_SPOOLS, UNLOCKED_SPOOL_MS } from './limits.js';

/** A folder that is there when it is needed. */
export interface SpoolFolder {
  /** Where it is; made if it is missing. */
  path(): string;
  /** Removes it, with what is left in it. */
  remove(): Promise<void>;
}

const PREFIX = 'mannerly-body-';

/**
 * Makes a folder, and clears away what killed processes left beside it.
 *
 * @param parent - @default the system's folder for temporary files
 * @throws The platform's error when it cannot be made.
 */
export function createSpoolFolder(parent = tmpdir()): SpoolFolder {
  const folder = mkdtempSync(join(parent, PREFIX));
  // Without a lock it is left alone for an hour. Whatever goes wrong here costs room, and nothing of the crawl.
  const tidied = lockDirectory(folder)
    .then(() => removeStale(parent, Date.now()))
    .catch(() => undefined);
  return {
    path() {
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    async remove() {
      await tidied;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Removes folders whose process is gone: by their lock, or without one after an hour.
 *
 * @throws The platform's error: folders of other users may not be looked into.
 */
export async function removeStale(parent: string, nowMs: number): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  for (const name of names.slice(0, MAX_STALE_SPOOLS)) {
    const folder = join(parent, name);
    if (await isStale(folder, nowMs).catch(() => false)) await rm(folder, { recursive: true, force: true });
  }
}

async function isStale(folder: string, nowMs: number): Promise<boolean> {
  if ((await holderOf(folder)) !== null) return false;
  if ((await sizeOf(join(folder, LOCK_NAME))) !== null) return true;
  // Its process has not come to locking it, or was killed over it.
  return nowMs - (await stat(folder)).mtimeMs > UNLOCKED_SPOOL_MS;
}
