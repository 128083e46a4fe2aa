// Each row of the threat model names tests. Every scenario and every file that it names must exist.

import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HOSTILE_WEB } from '../support/hostile/catalogue.js';
import { rootPath } from './source-tree.js';

const page = readFileSync(`${rootPath}docs/threat-model.md`, 'utf8');

/** The last cell of each row: the tests. */
const shownBy = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| What is tried'))
  .map((line) => line.replace(/\|$/, '').split('|').at(-1)?.trim() ?? '');

it('names a test or a scenario in every row', () => {
  expect(shownBy.length).toBeGreaterThan(20);
  expect(shownBy.filter((cell) => !/`[\w-]+`|\]\(\S+\.ts\)|^the same/.test(cell))).toEqual([]);
});

it('names scenarios that exist', () => {
  const names = new Set(HOSTILE_WEB.map(({ name }) => name));
  const named = shownBy.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
});

it('names files that exist', () => {
  const files = [...page.matchAll(/\]\((\.\.\/[^)#]+)\)/g)].map(([, path = '']) => path.replace(/^\.\.\//, ''));
  expect(files.filter((path) => !existsSync(`${rootPath}${path}`))).toEqual([]);
});
