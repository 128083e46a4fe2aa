// A key is changed without a request that a verifier cannot check: each copy of the directory that may still be in use
// lists the key that signs.

import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSigningKey, type SigningKey } from '../signatures/signing-key.js';
import { writeKeyFile } from './key-file.js';
import { DIRECTORY_CACHE_SECONDS, ROTATION_CACHE_SECONDS, ROTATION_WAIT_MS } from './limits.js';
import { keysOfRotation, rotateKey } from './rotation.js';

const NOW = Date.UTC(2026, 10, 23);
const HOUR = 3_600_000;

let base: string;
let path: string;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-rotation-'));
  path = join(base, 'bot.key');
  await writeKeyFile(path);
});
afterEach(() => rmSync(base, { recursive: true }));

const idOf = (file: string): string => loadSigningKey(`file:${file}`).keyid;
const ids = (keys: readonly SigningKey[]): string[] => keys.map(({ keyid }) => keyid);

describe('the rotation of a key', () => {
  it('over a week, asked for every hour: every copy that a cache may hold lists the key that signs', async () => {
    const first = idOf(path);
    const copies: { readonly listed: readonly string[]; readonly untilMs: number }[] = [];
    const steps: string[] = [];
    let signedBefore = first;
    for (let nowMs = NOW; nowMs < NOW + 7 * 24 * HOUR; nowMs += HOUR) {
      // The first step after a day, by which every cache has the directory of before.
      if (nowMs >= NOW + 24 * HOUR && steps.length < 3) {
        await rotateKey(path, nowMs).then(
          ({ step }) => steps.push(`${step} ${(nowMs - NOW) / HOUR}`),
          (error: Error) => expect(error.message).toMatch(/^too early: the step "(use|drop)" may be taken at 2026-/),
        );
      }
      const listed = ids(await keysOfRotation(path));
      const lifetime = listed.length > 1 ? ROTATION_CACHE_SECONDS : DIRECTORY_CACHE_SECONDS;
      copies.push({ listed, untilMs: nowMs + lifetime * 1_000 });
      const signing = idOf(path);
      const inUse = copies.filter(({ untilMs }) => untilMs > nowMs);
      expect(inUse.filter((copy) => !copy.listed.includes(signing))).toEqual([]);
      // What was signed right before is verified by those who fetch the directory now.
      expect(listed).toContain(signedBefore);
      signedBefore = signing;
    }
    const wait = Math.ceil(ROTATION_WAIT_MS / HOUR);
    expect(steps).toEqual(['list 24', `use ${24 + wait}`, `drop ${24 + 2 * wait}`]);
    expect(idOf(path)).not.toBe(first);
    expect(readdirSync(base)).toEqual(['bot.key']);
  });

  it('lists the keys that sign and will sign, and the one that did', async () => {
    const first = idOf(path);
    const listed = await rotateKey(path, NOW);
    const next = idOf(`${path}.next`);
    expect([listed.step, ids(listed.keys), idOf(path)]).toEqual(['list', [first, next], first]);
    expect(listed.next).toEqual({ step: 'use', dueMs: NOW + ROTATION_WAIT_MS });
    const used = await rotateKey(path, NOW + ROTATION_WAIT_MS);
    expect([used.step, ids(used.keys), idOf(path)]).toEqual(['use', [next, first], next]);
    expect(ids(await keysOfRotation(path))).toEqual([next, first]);
    const dropped = await rotateKey(path, NOW + 2 * ROTATION_WAIT_MS);
    expect([dropped.step, ids(dropped.keys), dropped.next]).toEqual(['drop', [next], null]);
  });

  it.each(['before', 'list', 'use'])('drops a key that has leaked at once: %s', async (when) => {
    const leaked = idOf(path);
    if (when !== 'before') await rotateKey(path, NOW);
    if (when === 'use') await rotateKey(path, NOW + ROTATION_WAIT_MS);
    const { step, keys } = await rotateKey(path, NOW + ROTATION_WAIT_MS, true);
    expect([step, keys.length]).toEqual(['drop', 1]);
    expect(ids(keys)).not.toContain(leaked);
    expect(readdirSync(base)).toEqual(['bot.key']);
  });

  it('goes on where a step was interrupted', async () => {
    const first = idOf(path);
    // The new key was made, and no step written down.
    await writeKeyFile(`${path}.next`);
    const next = idOf(`${path}.next`);
    expect(ids((await rotateKey(path, NOW)).keys)).toEqual([first, next]);
    // The files were changed, and no step written down.
    renameSync(path, `${path}.old`);
    renameSync(`${path}.next`, path);
    expect(ids((await rotateKey(path, NOW + ROTATION_WAIT_MS)).keys)).toEqual([next, first]);
  });

  it.skipIf(process.platform === 'win32')('leaves each key to its owner alone', async () => {
    await rotateKey(path, NOW);
    await rotateKey(path, NOW + ROTATION_WAIT_MS);
    for (const name of ['bot.key', 'bot.key.old']) expect(statSync(join(base, name)).mode & 0o777).toBe(0o600);
  });

  it('refuses a note of steps that it cannot read, and a key that is none', async () => {
    writeFileSync(`${path}.rotation.json`, '{"step":"list"}');
    await expect(rotateKey(path, NOW)).rejects.toThrow('rotation.json cannot be read');
    rmSync(`${path}.rotation.json`);
    await expect(rotateKey(join(base, 'none'), NOW)).rejects.toMatchObject({ code: 'identity-key' });
    expect(existsSync(join(base, 'none.next'))).toBe(false);
  });
});
