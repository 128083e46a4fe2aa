// `pnpm fuzz` as a developer runs it: a short run of every reader with a fixed seed, and its reports about readers that
// fail in different ways.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('main.mjs', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fuzz(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise((done) => {
    const child = execFile(process.execPath, [PROGRAM, '--keep', join(folder, 'kept'), ...args], (_, out, err) =>
      done({ code: child.exitCode ?? -1, text: out + err }),
    );
  });
}

/** A module with one reader that fails for inputs with a zero byte. */
function tableOf(name: string, failure: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(
    path,
    `export const READERS = [['${name}', (bytes) => { if (bytes.includes(0)) ${failure}; }, ['\\0']]];\n`,
  );
  return path;
}

it('finds nothing in any reader, in a round with a fixed seed', async () => {
  const { code, text } = await fuzz('5', '--seed', '20', '--rounds', '1');
  expect(text).toMatch(/^seed 20; \d\d readers; 5 minutes\n/);
  expect(text).toMatch(/, 0 of \d\d readers failed$/m);
  expect(Number(/([\d,]+) inputs/.exec(text)?.[1]?.replaceAll(',', ''))).toBeGreaterThan(1_500);
  expect(code).toBe(0);
});

it('keeps the shortest input for which a reader throws, and reproduces it by seed and by file', async () => {
  const table = tableOf('throws', 'throw new RangeError("planted")');
  const { code, text } = await fuzz('1', '--seed', '7', '--table', table);
  expect(text).toMatch(/^FAILED throws: .*planted/m);
  expect(code).toBe(1);
  const seed = /--seed (\d+) 'throws'/.exec(text)?.[1] ?? '';
  const path = join(folder, 'kept', `throws-${seed}.bin`);
  expect(readFileSync(path)).toEqual(Buffer.from([0]));
  rmSync(path);
  await fuzz('1', '--seed', seed, '--table', table, 'throws');
  expect(readFileSync(path)).toEqual(Buffer.from([0]));
  expect(await fuzz('--input', path, '--table', table)).toMatchObject({ code: 1 });
});

it.each([
  ['stands-still', 'for (;;)', /stood still for 0.3 s/],
  ['hoards', 'for (const hoard = []; ; hoard.push(new Array(1e6).fill(0.5)))', /more than 512 MiB of memory/],
])('finds a reader that %s', async (name, failure, message) => {
  const longest = name === 'hoards' ? '60' : '0.3';
  const { code, text } = await fuzz('1', '--seed', '7', '--longest', longest, '--table', tableOf(name, failure));
  expect(text).toMatch(message);
  expect(text).toContain(', 1 of 1 readers failed');
  expect(code).toBe(1);
  expect(readdirSync(join(folder, 'kept')).some((file) => file.startsWith(name))).toBe(true);
});

it('finds a reader that takes far longer than linear', async () => {
  const path = join(folder, 'zero');
  writeFileSync(path, '\0');
  const busy = 'for (const from = process.cpuUsage().user; process.cpuUsage().user - from < 2e5; )';
  const { code, text } = await fuzz('--input', path, '--longest', '60', '--table', tableOf('is slow', busy));
  expect(text).toMatch(/FAILED is slow: .* ms for 1 bytes/);
  expect(code).toBe(1);
});

it('refuses invalid arguments', async () => {
  const table = tableOf('known', '');
  for (const args of [
    ['no such reader', '--table', table],
    ['--seed', '-1'],
    ['--seed', 'a'],
    ['--longest', '0'],
    ['--nothing'],
  ]) {
    const { code, text } = await fuzz(...args);
    expect(text).toContain('pnpm fuzz: ');
    expect(code).toBe(2);
  }
});
