// The change of a signing key in three steps, so that no request is ever signed with a key that a verifier cannot know
// yet, or not any more (specification, identity 7). The files next to the key say which step was the last.

import { copyFile, readFile, rename, rm } from 'node:fs/promises';
import { orIfAbsent, sizeOf, writeWhole } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { loadSigningKey, type SigningKey } from '../signatures/signing-key.js';
import { writeKeyFile } from './key-file.js';
import { ROTATION_WAIT_MS } from './limits.js';

/** `list`: the new key is published, the old one signs. `use`: the new one signs. `drop`: the old one is gone. */
export type RotationStep = 'list' | 'use' | 'drop';

/** The result of a step. */
export interface Rotated {
  readonly step: RotationStep;
  /** What is published from now on, the key that signs first. */
  readonly keys: readonly SigningKey[];
  /** The next step and its time, epoch milliseconds; `null`: the rotation is over. */
  readonly next: { readonly step: RotationStep; readonly dueMs: number } | null;
}

/** The last step, in a file next to the key. Absent: none is under way. */
interface Kept {
  readonly step: 'list' | 'use';
  readonly atMs: number;
}

const FOLLOWS: Readonly<Record<RotationStep, RotationStep | null>> = { list: 'use', use: 'drop', drop: null };

/**
 * Takes the next step of the rotation of a key file.
 *
 * @param path - The file with the key that signs. The new one lies in `<path>.next`, later the old in `<path>.old`.
 * @param isLeaked - The key is known to others: it is replaced and dropped at once, whatever verifiers still have.
 * @throws MannerlyError `identity-key` where the step is early, or a key cannot be read or written.
 */
export async function rotateKey(path: string, nowMs: number, isLeaked = false): Promise<Rotated> {
  const kept = await keptOf(path);
  if (isLeaked) return replaceAtOnce(path, kept);
  if (kept === null) {
    loadSigningKey(`file:${path}`);
    // One that is there was made by a step that was interrupted.
    if ((await sizeOf(`${path}.next`)) === null) await writeKeyFile(`${path}.next`);
    return stepped(path, 'list', [path, `${path}.next`], nowMs);
  }
  const dueMs = kept.atMs + ROTATION_WAIT_MS;
  if (nowMs < dueMs) {
    const step = FOLLOWS[kept.step];
    throw new MannerlyError('identity-key', `too early: the step "${step}" may be taken at ${isoOf(dueMs)}`, {
      hint: 'Until then verifiers may have a copy of the directory as it was. If the key has leaked: --leaked.',
    });
  }
  if (kept.step === 'list') {
    // There is a key that signs at each moment, and a step that was interrupted goes on where it was.
    if ((await sizeOf(`${path}.next`)) !== null) {
      await copyFile(path, `${path}.old`);
      await rename(`${path}.next`, path);
    }
    return stepped(path, 'use', [path, `${path}.old`], nowMs);
  }
  await rm(`${path}.old`, { force: true });
  return over(path);
}

/** The keys that a key file stands for now, the one that signs first; those of a rotation that is under way too. */
export async function keysOfRotation(path: string): Promise<readonly SigningKey[]> {
  const kept = await keptOf(path);
  const other = kept === null ? [] : [kept.step === 'list' ? `${path}.next` : `${path}.old`];
  return [path, ...other].map((each) => loadSigningKey(`file:${each}`));
}

async function replaceAtOnce(path: string, kept: Kept | null): Promise<Rotated> {
  if (kept?.step !== 'use') {
    if ((await sizeOf(`${path}.next`)) === null) await writeKeyFile(`${path}.next`);
    await rename(`${path}.next`, path);
  }
  await rm(`${path}.old`, { force: true });
  return over(path);
}

async function stepped(path: string, step: 'list' | 'use', files: readonly string[], nowMs: number): Promise<Rotated> {
  const keys = files.map((each) => loadSigningKey(`file:${each}`));
  await writeWhole(statePath(path), `${JSON.stringify({ step, atMs: nowMs } satisfies Kept)}\n`);
  return { step, keys, next: { step: FOLLOWS[step] ?? 'drop', dueMs: nowMs + ROTATION_WAIT_MS } };
}

async function over(path: string): Promise<Rotated> {
  await rm(statePath(path), { force: true });
  return { step: 'drop', keys: [loadSigningKey(`file:${path}`)], next: null };
}

async function keptOf(path: string): Promise<Kept | null> {
  const text = await orIfAbsent(null, () => readFile(statePath(path), 'utf8'));
  if (text === null) return null;
  let value: Partial<Kept> | null = null;
  try {
    value = JSON.parse(text) as Partial<Kept> | null;
  } catch {
    // Told below.
  }
  const isKept = (value?.step === 'list' || value?.step === 'use') && Number.isFinite(value.atMs);
  if (isKept) return value as Kept;
  throw new MannerlyError('identity-key', `${statePath(path)} cannot be read`, {
    hint: 'It says which step of a rotation was the last. If none is under way, remove it.',
  });
}

function statePath(path: string): string {
  return `${path}.rotation.json`;
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
