// A site from a folder, as a plain file server would show it: what the folder holds when the web is made.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { MannerlyError } from '../errors.js';
import { type FakeAnswerParts, mediaTypeOf } from './fake-answer.js';
import { MAX_FOLDER_FILES } from './limits.js';

/** What a folder answers to a path; `null`: there is no such file. Never throws for a file that was there. */
export type FolderSite = (path: string) => FakeAnswerParts | null;

/**
 * Lists a folder once; files are read when they are asked for. `/` and every path that ends so is its `index.html`; a
 * query changes nothing. Symbolic links are not followed.
 *
 * @throws MannerlyError `option-invalid` for what is no folder, or holds more than 100,000 files.
 */
export function readFolder(folder: string): FolderSite {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new MannerlyError('option-invalid', `expected \`folder\` to be a folder, got ${JSON.stringify(folder)}`, {
      hint: 'Paths are those of the process: build one from `import.meta.dirname` to be sure.',
    });
  }
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    if (files.size >= MAX_FOLDER_FILES) {
      throw new MannerlyError('option-invalid', `${folder} holds more than ${MAX_FOLDER_FILES} files`);
    }
    const file = join(entry.parentPath, entry.name);
    files.set(`/${file.slice(join(folder, sep).length).replaceAll(sep, '/')}`, file);
  }
  return (path) => {
    const asked = decoded(path.replace(/\?.*$/, ''));
    const name = asked.endsWith('/') ? `${asked}index.html` : asked;
    const file = files.get(name);
    return file === undefined ? null : { headers: { 'Content-Type': mediaTypeOf(name) }, body: readFileSync(file) };
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A path that is no valid coding names no file.
    if (error instanceof URIError) return path;
    throw error;
  }
}
