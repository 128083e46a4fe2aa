// Makes what is published of each package, once for all tests that run on it or install it.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { rootPath } from '../house/source-tree.js';
import { PACKAGE_FOLDERS } from './tarballs.js';

/** Set in the process of the runner, which calls `setup` for each project. */
const MADE = 'MANNERLY_PACKAGES_MADE';

/** Before all tests. */
export function setup(): void {
  if (process.env[MADE] !== undefined) return;
  for (const folder of PACKAGE_FOLDERS) {
    execFileSync(process.execPath, [join(rootPath, '.ci/package.mjs')], { cwd: join(rootPath, 'packages', folder) });
  }
  process.env[MADE] = 'yes';
}
