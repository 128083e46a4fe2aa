// An operator reads the runbook when something has failed: searches it for the message on the screen, and upgrades by
// the version numbers in it.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readTypeScript, rootPath } from '../house/source-tree.js';
import { rowsUnder } from './tables.js';

const runbook = readFileSync(`${rootPath}docs/operating.md`, 'utf8');
const sourceOf = (path: string): string => readFileSync(`${rootPath}packages/frontier/src/stores/${path}`, 'utf8');

it('quotes messages that the code writes', () => {
  const sources = readTypeScript()
    .filter(({ path }) => /^packages\/(core|frontier)\/src\/.*(?<!\.test)\.ts$/.test(path))
    .map(({ text }) => text.replaceAll(/' \+\n\s*['`]/g, ''));
  const messages = rowsUnder(runbook, '## Faults and messages').flatMap(({ words: [message], cells: [cell] }) =>
    message !== undefined && cell === `\`${message}\`` ? [message] : [],
  );
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => !sources.some((text) => text.includes(message)))).toEqual([]);
});

it.each([
  ['redis/open-crawl.ts', 'mannerly-frontier-redis'],
  ['postgres/schema.ts', 'mannerly-frontier-postgres'],
])('names the format of %s', (path, format) => {
  const [, versions = ''] = /\bVERSION = (.*);/.exec(sourceOf(path)) ?? [];
  const numbers = versions.match(/\d+/g) ?? ['none'];
  for (const version of numbers) expect(runbook).toContain(`\`${format} ${version}\``);
});
