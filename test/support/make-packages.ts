// Makes what is published of each package, for tests that run on it.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { rootPath } from '../house/source-tree.js';
import { PACKAGE_FOLDERS } from './tarballs.js';

/** Before all tests. */
export function setup(): void {
  for (const folder of PACKAGE_FOLDERS) {
    execFileSync(process.execPath, [join(rootPath, '.ci/package.mjs')], { cwd: join(rootPath, 'packages', folder) });
  }
}
