// Files that are written completely or not at all, and questions about files that may be absent.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { MannerlyError } from '../errors.js';

/** What a name ends with while its file is being written; a killed process may leave one behind. */
export const PART_SUFFIX = '.part';

/** A name next to `path` that is not used. Never throws. */
export function partialName(path: string): string {
  return `${path}.${randomUUID()}${PART_SUFFIX}`;
}

/** Writes another file and renames it, so that a crash leaves the old file or the new one, never half of it. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const partial = partialName(path);
  await writeFile(partial, content);
  await rename(partial, path);
}

/** Writes a value as JSON for people. @throws MannerlyError `log-failed` */
export async function writeWholeJson(path: string, value: unknown): Promise<void> {
  try {
    await writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (cause) {
    throw new MannerlyError('log-failed', `${path} could not be written: ${String(cause)}`, { cause });
  }
}

/** Bytes of a file; `null` when it is absent. @throws The platform's error when it cannot be inspected. */
export function sizeOf(path: string): Promise<number | null> {
  return orIfAbsent(null, async () => (await stat(path)).size);
}

/** Names in a folder; one that is absent has none. @throws The platform's error when it cannot be read. */
export function namesIn(folder: string): Promise<string[]> {
  return orIfAbsent([], () => readdir(folder));
}

/** What `act` resolves with; `absent` where the file that it needs is absent. @throws What else it threw. */
export async function orIfAbsent<T>(absent: T, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isAbsent(error)) return absent;
    throw error;
  }
}

/** Whether an error of the platform says that a file is absent, its folder or both. Never throws. */
export function isAbsent(error: unknown): boolean {
  return hasPlatformCode(error, 'ENOENT') || hasPlatformCode(error, 'ENOTDIR');
}

/** Whether an error of the platform has this code. Never throws. */
export function hasPlatformCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** SHA-256 of a file, hex digits. @param bytes - How much of its beginning counts. */
export async function sha256Of(path: string, bytes = Infinity): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { end: bytes - 1 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}
