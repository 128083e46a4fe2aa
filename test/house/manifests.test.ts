// Users of a package find its sources, its issues and its page through the manifest. The address is in one place, the
// root package.json; `pnpm manifests` copies it.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { rootPath } from './source-tree.js';

const program = `${rootPath}.ci/manifests.mjs`;

it('every package names the repository of the root package.json', () => {
  expect(() => execFileSync(process.execPath, [program], { stdio: 'pipe' })).not.toThrow();
});
