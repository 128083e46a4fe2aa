// Makes what is published of each package, once for all tests that run on it or install it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { rootPath } from '../house/source-tree.js';
import { PACKAGE_FOLDERS } from './tarballs.js';

/** Set in the process of the runner, which calls `setup` for each project. */
const MADE = 'MANNERLY_PACKAGES_MADE';

/** Before all tests. */
export function setup(): void {
  if (process.env[MADE] !== undefined) return;
  const made: string[] = [];
  for (const folder of PACKAGE_FOLDERS) {
    const cwd = join(rootPath, 'packages', folder);
    execFileSync(process.execPath, [join(rootPath, '.ci/package.mjs')], { cwd });
    // As where they are installed, each finds those that it needs as they are published too. No tarball has the links.
    const neighbours = join(cwd, 'package', 'node_modules', '@mannerly');
    mkdirSync(neighbours, { recursive: true });
    for (const other of made)
      symlinkSync(join(rootPath, 'packages', other, 'package'), join(neighbours, other), 'junction');
    made.push(folder);
  }
  process.env[MADE] = 'yes';
}
