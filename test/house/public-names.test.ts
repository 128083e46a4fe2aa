// Every exported name must be learned, documented and kept. The number of names over all public entries may only fall.

import { expect, it } from 'vitest';
import { readModule } from './module-facts.js';
import { readTypeScript } from './source-tree.js';
import { entryPaths } from './workspace.js';

/** The most names over all entries and subpaths of each package. A change may lower a number, never raise it. */
const LIMITS: Readonly<Record<string, number>> = {
  'packages/robots': 85,
  'packages/frontier': 96,
  'packages/core': 143,
};

it.each(Object.entries(LIMITS))('%s exports at most %i names', (folder, limit) => {
  const modules = new Map(readTypeScript().map((file) => [file.path, file]));
  const names = entryPaths(folder).flatMap((path) => {
    const file = modules.get(path);
    return file === undefined
      ? [`${path} has no source`]
      : readModule(file).exports.map(({ name }) => `${path}: ${name}`);
  });
  expect(names.length).toBeLessThanOrEqual(limit);
});
