// Builds the published form of each package, once for all tests that run or install it, with a copy of the examples
// next to it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { rootPath } from '../house/source-tree.js';
import { PACKAGE_FOLDERS } from './tarballs.js';

/** Set in the process of the runner, which calls `setup` once per project. */
const PACKAGES_MADE = 'MANNERLY_PACKAGES_MADE';

/** Runs before all tests. */
export function setup(): void {
  if (process.env[PACKAGES_MADE] !== undefined) return;
  const built: string[] = [];
  for (const folder of PACKAGE_FOLDERS) {
    const cwd = join(rootPath, 'packages', folder);
    execFileSync(process.execPath, [join(rootPath, '.ci/package.mjs')], { cwd });
    // Each package finds the published form of its dependencies, as where they are installed. Tarballs lack these
    // links.
    link(join(cwd, 'package'), built);
    built.push(folder);
  }
  const examples = join(rootPath, 'examples', 'package');
  rmSync(examples, { recursive: true, force: true });
  cpSync(join(rootPath, 'examples', 'dist'), join(examples, 'dist'), { recursive: true });
  link(examples, built);
  process.env[PACKAGES_MADE] = 'yes';
}

/** Makes packages resolvable from a folder. */
function link(folder: string, packages: readonly string[]): void {
  mkdirSync(join(folder, 'node_modules', '@mannerly'), { recursive: true });
  for (const each of packages) {
    const name = each === 'core' ? 'mannerly' : `@mannerly/${each}`;
    symlinkSync(join(rootPath, 'packages', each, 'package'), join(folder, 'node_modules', name), 'junction');
  }
}
