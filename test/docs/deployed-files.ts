// The files in `deploy`, for the tests that read and run them.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootPath } from '../house/source-tree.js';

/** Where they are. */
export const deployFolder = join(rootPath, 'deploy');

/** The text of one of them. */
export function deployed(name: string): string {
  return readFileSync(join(deployFolder, name), 'utf8');
}

/** Flags of a command, `serve` or `crawl`, that it does not have. */
export function unknownFlags([command = '', ...words]: readonly string[]): string[] {
  const help = execFileSync(process.execPath, [join(rootPath, 'packages/core/bin/mannerly.js'), command, '--help'], {
    encoding: 'utf8',
  });
  const known = new Set(help.match(/--[a-z][a-z-]*/g));
  return words.filter((word) => word.startsWith('--') && !known.has(word.replace(/=.*/s, '')));
}
