// Makes what is published of each package, once for all tests that run on it or install it, and the examples as users
// have them: next to it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
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
    link(join(cwd, 'package'), made);
    made.push(folder);
  }
  const examples = join(rootPath, 'examples', 'package');
  rmSync(examples, { recursive: true, force: true });
  cpSync(join(rootPath, 'examples', 'dist'), join(examples, 'dist'), { recursive: true });
  link(examples, made);
  process.env[MADE] = 'yes';
}

/** Makes packages be found from a folder. */
function link(folder: string, packages: readonly string[]): void {
  mkdirSync(join(folder, 'node_modules', '@mannerly'), { recursive: true });
  for (const each of packages) {
    const name = each === 'core' ? 'mannerly' : `@mannerly/${each}`;
    symlinkSync(join(rootPath, 'packages', each, 'package'), join(folder, 'node_modules', name), 'junction');
  }
}
