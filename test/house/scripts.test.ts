// `pnpm NAME` runs a script only if pnpm has no command of that name: `pnpm docs` opens the page of a package instead.
// A script with such a name does not do what the documents say, and reports nothing. A program that no compiler checks
// may import a name that is gone.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, rootPath } from './source-tree.js';

/** Commands of pnpm 10 and their other names. Left out: `start`, `stop`, `restart` and `test`, which run the script. */
const PNPM_COMMANDS = `
  access add approve-builds audit author bin bugs c cache cat-file cat-index ci clean-install config create dedupe deploy
  deprecate dist-tag dlx docs doctor edit env exec explain fetch find-hash get help home i ic ignored-builds import info init
  install install-clean install-test issues it la licenses link list ll ln login logout ls multi outdated owner pack patch
  patch-commit patch-remove ping pkg prefix profile prune publish rb rebuild recursive remove repo rm root run run-script s se
  search self-update server set set-script setup show star stars store t team token tst un uninstall unlink unpublish unstar
  up update upgrade v version view whoami why xmas`.match(/\S+/g);

it('no script has the name of a command of pnpm', () => {
  const manifests = listFiles().filter((path) => /(^|\/)package\.json$/.test(path));
  expect(manifests).toContain('package.json');
  const hidden = manifests.flatMap((path) => {
    const { scripts = {} } = JSON.parse(readFileSync(rootPath + path, 'utf8')) as { scripts?: Record<string, string> };
    return Object.keys(scripts).flatMap((name) => (PNPM_COMMANDS?.includes(name) ? [`${path}: ${name}`] : []));
  });
  expect(hidden).toEqual([]);
});

it('what programs import from the built sources is there', async () => {
  const programs = listFiles().filter((path) => path.endsWith('.mjs'));
  const imports = programs.flatMap((path) => {
    const text = readFileSync(rootPath + path, 'utf8');
    const found = text.matchAll(/import (?:\{([^}]*)\}|[^']*) from '(\.[^']*\/dist\/[^']*)'/g);
    return [...found].map(([, names = '', from = '']) => ({ path, names, from: join(dirname(path), from) }));
  });
  expect(imports.length).toBeGreaterThan(5);
  const missing = imports.flatMap(({ path, names, from }) => {
    const source = readFileSync(rootPath + from.replace('/dist/', '/src/').replace(/\.js$/, '.ts'), 'utf8');
    const isThere = (name: string): boolean => new RegExp(`^export .*\\b${name}\\b`, 'm').test(source);
    const wanted = names.split(',').flatMap((name) => name.trim().split(' ')[0] || []);
    return wanted.filter((name) => !isThere(name)).map((name) => `${path}: ${name}`);
  });
  expect(missing).toEqual([]);
});
