// The command keeps its compiled code if Node.js can, in a folder of its user. A failure of that never affects its
// work.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mannerly-compiled-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** What the command prints as its version. @param caches - The variable that says where its user keeps caches */
function version(caches: Readonly<Record<string, string>>): string {
  const { NODE_DISABLE_COMPILE_CACHE: _, HOME: __, XDG_CACHE_HOME: ___, LOCALAPPDATA: ____, ...env } = process.env;
  return execFileSync(process.execPath, [COMMAND, '--version'], { env: { ...env, ...caches }, encoding: 'utf8' });
}

it.each([
  ['HOME', '.cache/mannerly'],
  ['XDG_CACHE_HOME', 'mannerly'],
  ['LOCALAPPDATA', 'mannerly'],
])('%s', (variable, path) => {
  expect(version({ [variable]: home })).toBe(version({}));
  expect(existsSync(join(home, path))).toBe('enableCompileCache' in module);
});

it('does without it if it cannot write, or if it is disabled', () => {
  writeFileSync(join(home, 'file'), '');
  expect(version({ HOME: join(home, 'file') })).toBe(version({}));
  version({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(existsSync(join(home, '.cache'))).toBe(false);
});
