// A reader finds code by file name, and learns from the header what it never does. If this breaks, everything still
// runs, and newcomers find nothing.

import { describe, expect, it } from 'vitest';
import { columnFaults, MAX_COLUMNS } from './column-rules.js';
import {
  headerFaults,
  lengthFaults,
  MAX_UNEXPLAINED_LINES,
  machineFaults,
  nameFaults,
  unpublishedFaults,
} from './file-rules.js';
import { faultLines, listFiles, readFiles, readTypeScript } from './source-tree.js';
import { UNFINISHED } from './unfinished-areas.js';

const NAMES: readonly (readonly [path: string, isFault: boolean])[] = [
  ['packages/core/src/utils.ts', true],
  ['packages/core/src/helper.ts', true],
  ['packages/core/src/common/clock.ts', true],
  ['packages/robots/src/types.ts', true],
  ['packages/robots/src/misc.test.ts', true],
  ['docs/misc.md', true],
  ['packages/core/src/common-crawl.ts', false],
  ['packages/frontier/src/hosts/leased-host.ts', false],
  ['test/types/no-contact.ts', false],
];

const long = (lines: number, header: string): string => `${header}\n${'const a = 1;\n'.repeat(lines - 1)}`;

describe('the file rules', () => {
  it.each(NAMES)('%s has a meaningless name: %s', (path, isFault) => {
    expect(nameFaults([path])).toHaveLength(isFault ? 1 : 0);
  });

  it.each([
    ['// A header.\nexport const a = 1;\n', 0],
    ['#!/usr/bin/env node\n// A header.\nrun();\n', 0],
    ['/* A header. */\nrun();\n', 0],
    ['export const a = 1; // not a header\n', 1],
    [`import { a } from './a.js';\n// Late.\n`, 1],
    ['', 1],
  ])('requires a header in %j: %d faults', (text, faults) => {
    expect(headerFaults([{ path: 'a.ts', text }])).toHaveLength(faults);
  });

  it.each([
    [long(MAX_UNEXPLAINED_LINES, '// A header.'), 0],
    [long(MAX_UNEXPLAINED_LINES + 1, '// A header.'), 1],
    [long(MAX_UNEXPLAINED_LINES + 1, '// A table. It is still one because each row needs the others.'), 0],
    [long(MAX_UNEXPLAINED_LINES + 1, '// A header.\n\n// still one'), 1],
  ])('requires a reason in a long file (case %#)', (text, faults) => {
    expect(lengthFaults([{ path: 'a.ts', text }])).toHaveLength(faults);
  });

  const columns = (count: number): string => 'a'.repeat(count);

  it.each([
    [`// ${columns(MAX_COLUMNS - 3)}`, 0],
    [`const a = 1;\n// ${columns(MAX_COLUMNS - 2)}`, 1],
    [`/** ${columns(MAX_COLUMNS)} */`, 1],
    // Columns, not UTF-16 units.
    [`// ${'😀'.repeat(MAX_COLUMNS - 3)}`, 0],
    // A literal cannot be broken; the same length of code can.
    [`const a = '${columns(MAX_COLUMNS)}';`, 0],
    [`const a = \`\n${columns(MAX_COLUMNS + 1)}\n\`;`, 0],
    [`const a = ${columns(MAX_COLUMNS)};`, 1],
    [`const a = ['b', ${columns(MAX_COLUMNS)}];`, 1],
  ])('counts columns (case %#)', (text, faults) => {
    expect(columnFaults([{ path: 'a.ts', text }])).toHaveLength(faults);
  });

  it.each([
    [`see ${'/wo'}${'rk/main/a.ts'}`, 1],
    [`cd ${'/ho'}${'me/ann/mannerly'}`, 1],
    [`https://registry.${'npm'}js.org/undici`, 1],
    [`https://deb.${'deb'}ian.org/debian`, 1],
    ['https://example.org/homes/of/art', 0],
    ['Disallow: /homework/', 0],
    ['/usr/share/doc/python3-doc', 0],
  ])('%s: %d faults', (text, faults) => {
    expect(machineFaults([{ path: 'a.md', text }])).toHaveLength(faults);
  });

  it.each([
    ["throw usage('See docs/config.md.')", 1],
    ['// See docs/decisions/0001-a.md.', 0],
    [' * Scope (docs/scope.md) says more.', 0],
  ])('%s: %d faults', (text, faults) => {
    expect(unpublishedFaults([{ path: 'a.ts', text }])).toHaveLength(faults);
  });
});

describe('this project', () => {
  const paths = listFiles();
  const sources = readTypeScript().filter(
    (file) => !/^(vitest\.config|(examples|test)\/(src\/)?index)\.ts$/.test(file.path),
  );

  it('names every file after its content', () => {
    expect(faultLines(nameFaults(paths))).toEqual([]);
  });

  it('begins every source with a header', () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(faultLines(headerFaults(sources))).toEqual([]);
  });

  it('has a reason in every source past the usual length', () => {
    expect(faultLines(lengthFaults(sources))).toEqual([]);
  });

  it('has no line that is too long', () => {
    const texts = paths.filter((path) => /\.(ts|mts|mjs|js)$/.test(path));
    expect(texts.length).toBeGreaterThan(500);
    expect(
      faultLines(columnFaults(readFiles(texts.filter((path) => !UNFINISHED.some((area) => path.startsWith(area)))))),
    ).toEqual([]);
  });

  it('refers users of the packages to nothing that does not exist', () => {
    const published = readFiles(paths.filter((path) => /^packages\/\w+\/(bin|pages|scaffold|src)\//.test(path)));
    expect(faultLines(unpublishedFaults(published.filter(({ path }) => !path.endsWith('.test.ts'))))).toEqual([]);
  });

  it('names no machine path and no registry host', () => {
    const texts = paths.filter(
      (path) => /\.(ts|mts|mjs|js|json|jsonl|md|ya?ml|sh)$|^\.ci\//.test(path) && path !== 'pnpm-lock.yaml',
    );
    expect(texts.length).toBeGreaterThan(30);
    expect(faultLines(machineFaults(readFiles(texts)))).toEqual([]);
  });
});
