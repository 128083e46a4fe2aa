// The public entries of the three packages, read from their manifests, so that a new one is documented automatically.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the checkout, with a slash at the end. */
export const rootPath = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of the published packages, in the order in which the site shows them. */
export const packageFolders = ['packages/core', 'packages/frontier', 'packages/robots'];

/**
 * Every entry that is code: what one writes behind `from`, and its source.
 *
 * @returns {{ name: string, source: string }[]} `mannerly/testing`, `packages/core/src/testing/index.ts`.
 */
export function publicEntries() {
  return packageFolders.flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(`${rootPath}${folder}/package.json`, 'utf8'));
    return Object.entries(exports).flatMap(([subpath, target]) => {
      const built = typeof target === 'string' ? target : target.default;
      if (!built.endsWith('.js')) return [];
      const source = `${folder}/${built.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')}`;
      return [{ name: name + subpath.slice(1), source }];
    });
  });
}
