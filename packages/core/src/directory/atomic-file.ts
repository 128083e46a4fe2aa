// Files that are written completely or not at all, and questions about files that may be absent.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, fdatasync } from 'node:fs';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isError, MannerlyError } from '../errors.js';
import { parseJsonObject } from '../parse-json.js';

/** The suffix of a file that is being written; a killed process may leave one behind. */
export const PARTIAL_SUFFIX = '.part';

/** An unused name next to `path`. Never throws. */
export function partialName(path: string): string {
  return `${path}.${randomUUID()}${PARTIAL_SUFFIX}`;
}

/** Writes another file and renames it, so that a crash leaves the old file or the new one, never half of it. */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const partial = partialName(path);
  await writeFile(partial, content);
  await rename(partial, path);
}

/** Writes a value as JSON in readable form. @throws MannerlyError `log-failed` */
export async function writeJsonAtomically(path: string, value: unknown): Promise<void> {
  try {
    await writeAtomically(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (cause) {
    throw new MannerlyError('log-failed', `${path} could not be written: ${String(cause)}`, { cause });
  }
}

const untilSynced = promisify(fdatasync);

/** Waits until an open file is on disk. Under Yarn's Plug'n'Play a `FileHandle` has no `datasync`. */
export function syncFile(file: { readonly fd: number }): Promise<void> {
  return untilSynced(file.fd);
}

/** Bytes of a file; `null` if it is absent. @throws The platform's error if it cannot be inspected. */
export function sizeOf(path: string): Promise<number | null> {
  return orIfAbsent(null, async () => (await stat(path)).size);
}

/** The object of a JSON file; `unreadable`: it is no object, or longer; `null`: absent. @throws As `sizeOf`. */
export async function readJsonObject(path: string, maxBytes: number) {
  const size = await sizeOf(path);
  if (size === null) return null;
  return (size <= maxBytes ? parseJsonObject(await readFile(path, 'utf8')) : null) ?? 'unreadable';
}

/** Names in a folder; empty if it is absent. @throws The platform's error if it cannot be read. */
export function listNames(folder: string): Promise<string[]> {
  return orIfAbsent([], () => readdir(folder));
}

/** The result of `act`; `absent` if the file that it needs is absent. @throws Its other errors. */
export async function orIfAbsent<T>(absent: T, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isAbsent(error)) return absent;
    throw error;
  }
}

/** Whether an error of the platform means that a file or its folder is absent. Never throws. */
export function isAbsent(error: unknown): boolean {
  return hasPlatformCode(error, 'ENOENT') || hasPlatformCode(error, 'ENOTDIR');
}

/** Whether an error of the platform has this code. Never throws. */
export function hasPlatformCode(error: unknown, code: string): boolean {
  return isError(error) && 'code' in error && error.code === code;
}

/** SHA-256 of a file, hex digits. @param bytes - The length of its beginning that counts. */
export async function sha256Of(path: string, bytes = Infinity): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: bytes - 1 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
