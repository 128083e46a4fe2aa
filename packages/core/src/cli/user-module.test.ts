// A user's module is the first thing that may fail. The message must fit the failure.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadUserModule } from './user-module.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'user-module-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** A module that fails with an error of Node.js: these tests do not use the loader of Node.js. */
const failing = (code: string, message: string) =>
  `throw Object.assign(new Error(${JSON.stringify(message)}), { code: '${code}' });`;

it.each([
  ['throws.mjs', 'throw new Error("no");', /Error: no/, 'It is an ES module'],
  ['torn.mjs', 'throw new SyntaxError("torn");', /SyntaxError: torn/, '--check'],
  [
    'enum.ts',
    failing('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', 'TypeScript enum is not supported'),
    /enum/,
    'write no enum',
  ],
  ['name.ts', failing('ERR_MODULE_NOT_FOUND', "Cannot find module '/a/title.js'"), /title\.js/, "'./title.ts', not"],
  [
    'none.ts',
    failing('ERR_MODULE_NOT_FOUND', "Cannot find package 'a.js'"),
    /package/,
    'project of this file: npm install a.js',
  ],
])('if %s does not load, message and hint say why', async (name, text, message, hint) => {
  await expect(loadUserModule(await written(name, text), true)).rejects.toMatchObject({
    message: expect.stringMatching(message) as string,
    hint: expect.stringContaining(hint) as string,
  });
});

it('a missing module is reported, and where its path begins', async () => {
  const absent = loadUserModule(join(folder, 'absent.mjs'));
  await expect(absent).rejects.toMatchObject({ hint: expect.stringContaining('relative to') as string });
});

it('TypeScript, of a configuration and of handlers, needs a Node.js that strips types', async () => {
  const file = await written('typed.ts', 'const pages: number = 5;\nexport const handlers = { pages };\n');
  await expect(loadUserModule(file, false)).rejects.toMatchObject({
    message: expect.stringContaining('which this Node.js') as string,
    hint: expect.stringContaining('22.18') as string,
  });
  expect(await loadUserModule(file, true)).toMatchObject({ handlers: { pages: 5 } });
});
