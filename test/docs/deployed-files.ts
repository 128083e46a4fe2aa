// The files in `deploy`, for the tests that read or run them.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootPath } from '../house/source-tree.js';

/** The folder `deploy`. */
export const deployFolder = join(rootPath, 'deploy');

/** The text of a file in it. */
export function deployed(name: string): string {
  return readFileSync(join(deployFolder, name), 'utf8');
}

/** The flags that `serve` or `crawl` does not have. */
export function unknownFlags([command = '', ...args]: readonly string[]): string[] {
  const help = execFileSync(process.execPath, [join(rootPath, 'packages/core/bin/mannerly.js'), command, '--help'], {
    encoding: 'utf8',
  });
  const known = new Set(help.match(/--[a-z][a-z-]*/g));
  return args.filter((arg) => arg.startsWith('--') && !known.has(arg.replace(/=.*/s, '')));
}
