// The files of the checkout for the house rules: tracked files and those that will be, not those that were built or
// installed.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A text file: its path from the root with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A rule that a file breaks, as text for its author. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** The root of the checkout, ending with a slash. */
export const rootPath = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Paths of all files that git tracks or would track, sorted.
 *
 * @throws Error if the checkout is not a git repository: the rules would not be checked, and that would look like
 *   success.
 */
export function listFiles(): string[] {
  const out = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: rootPath,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = out.split('\0').filter((path) => path !== '' && existsSync(rootPath + path));
  return [...new Set(paths)].sort();
}

/** Reads the given paths. */
export function readFiles(paths: readonly string[]): SourceFile[] {
  return paths.map((path) => ({ path, text: readFileSync(rootPath + path, 'utf8') }));
}

/** All TypeScript sources of the workspace, including tests, without declarations and type tests. */
export function readTypeScript(): SourceFile[] {
  return readFiles(listFiles().filter((path) => /\.ts$/.test(path) && !/\.d\.ts$/.test(path)));
}

/** The text of the faults, one per line, for an assertion that shows all of them. */
export function faultLines(faults: readonly Fault[]): string[] {
  return faults.map((fault) => `${fault.path}: ${fault.message}`);
}
