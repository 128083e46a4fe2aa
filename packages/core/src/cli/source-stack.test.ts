// A bug is reported with its trace. If this breaks, the trace names lines of a bundle that is in no repository.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ownFile } from '../own-package.js';
import { sourceStack } from './source-stack.js';

/** Where the built file has the beginning of a text. */
function placeOf(file: string, text: string): string {
  const lines = readFileSync(ownFile(file), 'utf8').split('\n');
  const line = lines.findIndex((each) => each.includes(text));
  return `${ownFile(file).href}:${line + 1}:${(lines[line]?.indexOf(text) ?? 0) + 1}`;
}

it('names the sources of what was built, and leaves everything else as it is', () => {
  const built = placeOf('dist/cli/node-version.js', 'function tooOldText');
  const [, line = ''] = /:(\d+):\d+$/.exec(sourceStack(built)) ?? [];
  const source = readFileSync(ownFile('src/cli/node-version.ts'), 'utf8').split('\n');
  expect(sourceStack(`at tooOldText (${built})`)).toContain('/src/cli/node-version.ts:');
  expect(source[Number(line) - 1]).toContain('function tooOldText');
  const others = `Error: no\n    at file:///elsewhere/x.js:1:2\n    at ${ownFile('dist/none.js').href}:1:2\n    at node:fs:3:4`;
  expect(sourceStack(others)).toBe(others);
});
