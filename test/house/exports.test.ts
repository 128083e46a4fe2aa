// Every export of a package has a name, one place and a doc comment. If this breaks, editors show callers nothing, and
// an internal rename becomes a public change.

import { describe, expect, it } from 'vitest';
import { exportFormFaults, undocumentedExports } from './export-rules.js';
import { readModule } from './module-facts.js';
import { faultLines, readTypeScript } from './source-tree.js';
import { entryPaths } from './workspace.js';

const FORMS: readonly (readonly [text: string, says: string | null])[] = [
  ['export default 1;', 'a default export'],
  ['const a = 1; export { a as default };', 'a default export'],
  ['export default function run(): void {}', 'a default export'],
  [`export * from './a.js';`, 'export *'],
  [`export * as a from './a.js';`, 'export *'],
  ['export const a = 1;', null],
  [`export { a } from './a.js';`, null],
  [`export const text = 'export default'; // export * from`, null],
];

const DOCS: readonly (readonly [declaration: string, says: string | null])[] = [
  ['/** Doc. */\nexport function a(): void {}', null],
  ['export function a(): void {}', 'a: has no doc comment'],
  ['// Not a doc comment.\nexport function a(): void {}', 'a: has no doc comment'],
  ['/** Of b. */\nconst b = 1;\nexport const a = b;', 'a: has no doc comment'],
  ['/** Doc. */\nexport interface a { b: 1 }', null],
  ['export interface a { /** Of the field. */ b: 1 }', 'a: has no doc comment'],
  ['/** Doc. */\nconst a = 1;\nexport { a };', null],
  ['const a = 1;\nexport { a };', 'a: has no doc comment'],
  ['/** Doc. */ export class a {}', null],
  ['export const b = 1;', 'a: is not exported by'],
];

describe('the export rules', () => {
  it.each(FORMS)('%s → %s', (text, says) => {
    const faults = faultLines(exportFormFaults([readModule({ path: 'a.ts', text })]));
    if (says === null) expect(faults).toEqual([]);
    else expect(faults.join('\n')).toContain(says);
  });

  it.each(DOCS)('%s, re-exported → %s', (declaration, says) => {
    const modules = [
      { path: 'packages/x/src/index.ts', text: `export { a } from './b.js';` },
      { path: 'packages/x/src/b.ts', text: declaration },
    ].map(readModule);
    const faults = faultLines(undocumentedExports(['packages/x/src/index.ts'], modules));
    if (says === null) expect(faults).toEqual([]);
    else expect(faults.join('\n')).toContain(says);
  });

  it('reports an entry without a source', () => {
    expect(faultLines(undocumentedExports(['packages/x/src/gone.ts'], []))).toHaveLength(1);
  });
});

describe('this project', () => {
  const modules = readTypeScript().map(readModule);

  it('has no default export and no export *', () => {
    expect(faultLines(exportFormFaults(modules.filter((module) => module.path !== 'vitest.config.ts')))).toEqual([]);
  });

  it.each(['packages/robots', 'packages/frontier', 'packages/core'])('documents every export of %s', (folder) => {
    const entries = entryPaths(folder);
    expect(entries.length).toBeGreaterThan(0);
    expect(modules.find((module) => module.path === entries[0])?.exports.length).toBeGreaterThan(0);
    expect(faultLines(undocumentedExports(entries, modules))).toEqual([]);
  });
});
