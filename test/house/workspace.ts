// The packages of this workspace and the direction in which they may import each other, read from the packages' own
// manifests.

import { readFileSync } from 'node:fs';
import type { Workspace } from './import-rules.js';
import { rootPath } from './source-tree.js';

const DIRECTION: Readonly<Record<string, readonly string[]>> = {
  'packages/robots': [],
  'packages/frontier': ['@mannerly/robots'],
  'packages/core': ['@mannerly/robots', '@mannerly/frontier', 'mannerly'],
  examples: ['@mannerly/robots', '@mannerly/frontier', 'mannerly'],
  test: ['@mannerly/robots', '@mannerly/frontier', 'mannerly', '@mannerly/examples'],
};

/** The package folders, in the order in which they may be imported. */
export const packageFolders: readonly string[] = Object.keys(DIRECTION);

/** Reads names and exports maps. */
export function readWorkspace(): Workspace {
  return {
    packages: Object.entries(DIRECTION).map(([folder, mayImport]) => {
      const manifest: unknown = JSON.parse(readFileSync(`${rootPath}${folder}/package.json`, 'utf8'));
      const { name, exports } = manifest as { name: string; exports?: Record<string, unknown> };
      return { name, folder, exports: Object.keys(exports ?? {}), mayImport };
    }),
  };
}

/** Source paths of a package's entries, from its exports map: `dist/x.js` is built from `src/x.ts`. */
export function entryPaths(folder: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(`${rootPath}${folder}/package.json`, 'utf8'));
  const { exports } = manifest as { exports?: Record<string, { default?: string } | string> };
  return Object.values(exports ?? {})
    .map((target) => (typeof target === 'string' ? target : (target.default ?? '')))
    .filter((target) => target.endsWith('.js'))
    .map((target) => `${folder}/${target.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')}`);
}
