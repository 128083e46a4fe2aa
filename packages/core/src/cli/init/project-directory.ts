// The directory of a new project: nothing that is there already is ever written over.

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../failure.js';
import type { ProjectFiles } from './project-files.js';

/** What may be there before. */
const HARMLESS: readonly string[] = ['.git', '.DS_Store'];
/** Names told of a directory that is not empty. */
const MAX_TOLD = 3;

/** @throws UsageError unless the directory is empty or not there. */
export async function checkIsFree(directory: string): Promise<void> {
  const names = (await namesIn(directory)).filter((name) => !HARMLESS.includes(name));
  if (names.length === 0) return;
  const more = names.length > MAX_TOLD ? ` and ${names.length - MAX_TOLD} more` : '';
  throw new UsageError(
    `${directory} is not empty: it holds ${names.sort().slice(0, MAX_TOLD).join(', ')}${more}`,
    'Name a directory that is empty or does not exist yet: mannerly init my-crawl.',
  );
}

/**
 * Writes the files.
 *
 * @throws The platform's error; `EEXIST` for a file that came meanwhile, which stays as it is.
 */
export async function writeProject(directory: string, files: ProjectFiles): Promise<void> {
  for (const [path, text] of files) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') {
      throw new UsageError(`${directory} is a file`, 'Name a directory that is empty or does not exist yet.');
    }
    throw error;
  }
}
