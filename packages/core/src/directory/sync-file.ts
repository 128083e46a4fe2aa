// Waiting for the disk. Under Yarn's Plug'n'Play a `FileHandle` has no `datasync`.

import { fdatasync } from 'node:fs';
import { promisify } from 'node:util';

const untilSynced = promisify(fdatasync);

/** Resolves when the content of an open file is on disk. @throws The platform's error. */
export function syncFile(file: { readonly fd: number }): Promise<void> {
  return untilSynced(file.fd);
}
