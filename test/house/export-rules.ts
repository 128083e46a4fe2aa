// Named exports only, listed one by one, and a doc comment on every name that a package's entry exports. Pure.

import { posix } from 'node:path';
import type { ModuleFacts } from './module-facts.js';
import type { Fault } from './source-tree.js';

/** Default exports and `export *`. */
export function exportFormFaults(modules: readonly ModuleFacts[]): Fault[] {
  return modules.flatMap((module) => [
    ...(module.hasDefaultExport ? [{ path: module.path, message: 'a default export' }] : []),
    ...(module.exportStars > 0 ? [{ path: module.path, message: 'export *: names are listed one by one' }] : []),
  ]);
}

/** Names of the given entries whose declaration has no doc comment, or cannot be found. */
export function undocumentedExports(entries: readonly string[], modules: readonly ModuleFacts[]): Fault[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  return entries.flatMap((entry) => {
    const module = byPath.get(entry);
    if (module === undefined) return [{ path: entry, message: 'an entry of the exports map without a source' }];
    return module.exports.flatMap(({ name }) => {
      const says = lookUp(byPath, entry, name, 0);
      return says === null ? [] : [{ path: entry, message: `${name}: ${says}` }];
    });
  });
}

const MAX_REEXPORTS = 8;

function lookUp(byPath: ReadonlyMap<string, ModuleFacts>, path: string, name: string, depth: number): string | null {
  const found = byPath.get(path)?.exports.find((each) => each.name === name);
  if (found === undefined) return `is not exported by ${path}`;
  if (found.from === null) return found.hasDoc ? null : `has no doc comment in ${path}`;
  // A name from another package is documented there.
  if (!found.from.specifier.startsWith('.')) return null;
  if (depth === MAX_REEXPORTS) return 'is re-exported too often to follow';
  const target = posix.normalize(posix.join(posix.dirname(path), found.from.specifier)).replace(/\.js$/, '.ts');
  return lookUp(byPath, target, found.from.name, depth + 1);
}
