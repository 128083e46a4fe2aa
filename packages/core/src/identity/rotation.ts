// The change of a signing key in three steps, so that no request is ever signed with a key that a verifier cannot know
// yet, or no longer knows (specification, identity 7). The files next to the key record the last step. This file also
// writes the file of a new key.

import { generateKeyPairSync } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasPlatformCode, orIfAbsent, sizeOf, writeAtomically } from '../directory/atomic-file.js';
import { MannerlyError } from '../errors.js';
import { parseJsonObject } from '../parse-json.js';
import { iso } from '../report/table.js';
import { loadSigningKey, type SigningKey } from '../signatures/signing-key.js';
import { ROTATION_WAIT_MS } from './limits.js';

/** `list`: the new key is published, the old one signs. `use`: the new one signs. `drop`: the old one is deleted. */
type RotationStep = 'list' | 'use' | 'drop';

/** A permitted step: what it publishes, and a function to take it once that is written. */
interface Rotation {
  readonly step: RotationStep;
  /** What is published from now on; the first key signs. */
  readonly keys: readonly SigningKey[];
  /** The next step and its time, epoch milliseconds; `null` if the rotation is over. */
  readonly next: { readonly step: RotationStep; readonly dueMs: number } | null;
  take(): Promise<void>;
}

/** The last step, in a file next to the key. Absent: no rotation is in progress. */
interface RotationState {
  readonly step: 'list' | 'use';
  readonly atMs: number;
}

const NEXT_STEP = { list: 'use', use: 'drop' } as const;

/**
 * The next step of the rotation of a key file. The signing key does not change before the step is taken.
 * @param path - The key that signs. The new key is in `<path>.next`, later the old one in `<path>.old`.
 * @param isLeaked - A new key replaces it at once, whatever verifiers still have cached.
 * @throws MannerlyError `identity-key` if the step is early, or a key cannot be read or written.
 */
export async function nextRotation(path: string, nowMs: number, isLeaked = false): Promise<Rotation> {
  const [next, old] = [`${path}.next`, `${path}.old`];
  const state = await readState(path);
  const current = loadSigningKey(`file:${path}`);
  const finish = async (): Promise<void> => {
    await rm(old, { force: true });
    await rm(statePath(path), { force: true });
  };
  if (isLeaked) {
    // Another key next to it may have leaked with it.
    await rm(next, { force: true });
    await writeKeyFile(next);
    const take = () => rename(next, path).then(finish);
    return { step: 'drop', keys: [loadSigningKey(`file:${next}`)], next: null, take };
  }
  const step = state === null ? 'list' : NEXT_STEP[state.step];
  const dueMs = state === null ? nowMs : state.atMs + ROTATION_WAIT_MS;
  if (nowMs < dueMs) {
    const message = `too early: the step "${step}" may be taken at ${iso(dueMs)}`;
    const hint = 'Until then verifiers may have an old copy of the directory. If the key has leaked, use --leaked.';
    throw new MannerlyError('identity-key', message, { hint });
  }
  if (step === 'drop') return { step, keys: [current], next: null, take: finish };
  const nextStep = { step: NEXT_STEP[step], dueMs: nowMs + ROTATION_WAIT_MS };
  const saveState = () =>
    writeAtomically(statePath(path), `${JSON.stringify({ step, atMs: nowMs } satisfies RotationState)}\n`);
  if (step === 'list') return { step, keys: [current, await nextKey(next)], next: nextStep, take: saveState };
  // A signing key exists at any moment, and an interrupted step continues where it stopped.
  const isMoved = (await sizeOf(next)) === null;
  const take = async (): Promise<void> => {
    if (!isMoved) {
      await copyFile(path, old);
      await rename(next, path);
    }
    await saveState();
  };
  const keys = await keysOfRotation(path);
  return { step, keys: isMoved ? keys : [...keys].reverse(), next: nextStep, take };
}

/** The current keys of a key file, the signing one first, including those of a rotation in progress. */
export async function keysOfRotation(path: string): Promise<readonly SigningKey[]> {
  const state = await readState(path);
  const hasNextKey = state?.step === 'list' && (await sizeOf(`${path}.next`)) !== null;
  const other = state === null ? [] : [hasNextKey ? `${path}.next` : `${path}.old`];
  return [path, ...other].map((each) => loadSigningKey(`file:${each}`));
}

/** The key of an interrupted step, if it is complete; else a new one. */
async function nextKey(path: string): Promise<SigningKey> {
  try {
    return loadSigningKey(`file:${path}`);
  } catch {
    await rm(path, { force: true });
    await writeKeyFile(path);
    return loadSigningKey(`file:${path}`);
  }
}

async function readState(path: string): Promise<RotationState | null> {
  const text = await orIfAbsent(null, () => readFile(statePath(path), 'utf8'));
  if (text === null) return null;
  const value: Partial<RotationState> | null = parseJsonObject(text);
  if ((value?.step === 'list' || value?.step === 'use') && Number.isFinite(value.atMs)) return value as RotationState;
  throw new MannerlyError('identity-key', `${statePath(path)} cannot be read`, {
    hint: 'It records the last step of a rotation. If no rotation is in progress, remove it.',
  });
}

function statePath(path: string): string {
  return `${path}.rotation.json`;
}

/** PKCS#8 PEM, mode 600, folder 700. @returns Its thumbprint. @throws MannerlyError `identity-key`: the file exists */
export async function writeKeyFile(path: string): Promise<string> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, pem, { flag: 'wx', mode: 0o600, flush: true });
  } catch (cause) {
    if (!hasPlatformCode(cause, 'EEXIST')) {
      // Half a key would block the next attempt.
      await rm(path, { force: true });
      throw cause;
    }
    throw new MannerlyError('identity-key', `${path} exists already, and a key is never replaced`, {
      hint: 'Name another file with --key <file>.',
      cause,
    });
  }
  return loadSigningKey(`file:${path}`).keyid;
}
