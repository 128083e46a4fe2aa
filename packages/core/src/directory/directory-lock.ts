// Allows one run at a time in a crawl directory, or several with different numbers: two runs would write the same logs.
// A lock file names the process that holds it. A lock whose process is provably dead is taken over. If nothing can be
// proven (another machine) it is respected: a wrong refusal costs a person a moment, two writers cost the logs.

import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { deadForMs, type ProcessIdentity, thisProcess } from '@mannerly/frontier/processes';
import { MannerlyError } from '../errors.js';
import { parseJsonObject } from '../parse-json.js';
import { hasPlatformCode, listNames, orIfAbsent, partialName } from './atomic-file.js';
import { LOCK_RETRY_MS, LOCK_WAIT_MS, MAX_DIRECTORY_PARTS, MAX_LOCK_ATTEMPTS } from './limits.js';

const LOCK_NAME = 'crawl.lock';

function partLock(part: number): string {
  return `crawl-${part}.lock`;
}

export function isLockName(name: string): boolean {
  return /^crawl(-\d+)?\.lock$/.test(name);
}

interface DirectoryLock {
  /** A second call does nothing. */
  release(): Promise<void>;
}

/** @throws MannerlyError `directory-in-use` while a run has it or may have it, even one of this process. */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  const file = join(path, LOCK_NAME);
  const lock = await tryLock(file);
  if (typeof lock === 'string') throw inUse(path, file, lock);
  return lock;
}

/** Takes the exclusive lock; sharers hold it only for a moment. @throws MannerlyError `directory-in-use` */
export async function waitForLock(path: string): Promise<DirectoryLock> {
  const deadlineMs = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const lock = await tryLock(join(path, LOCK_NAME));
    if (typeof lock !== 'string') return lock;
    if (performance.now() > deadlineMs) throw inUse(path, join(path, LOCK_NAME), lock);
    await setTimeout(LOCK_RETRY_MS);
  }
}

/**
 * Takes the lowest number that no living process has: a restarted process appends to the existing files. The caller
 * holds the directory's lock. @throws MannerlyError `directory-in-use` if all numbers are taken.
 * @returns The number, and the lock that shows that the process is alive.
 */
export async function lockPart(path: string): Promise<{ readonly part: number; readonly lock: DirectoryLock }> {
  for (let part = 1; ; part += 1) {
    const file = join(path, partLock(part));
    const lock = await tryLock(file);
    if (typeof lock !== 'string') return { part, lock };
    if (part >= MAX_DIRECTORY_PARTS) throw inUse(path, file, lock);
  }
}

/** Takes a lock. @returns The lock, or the text of the lock of a process that may be alive. */
async function tryLock(file: string): Promise<DirectoryLock | string> {
  const ownText = ownLock();
  for (let attempts = 0; attempts < MAX_LOCK_ATTEMPTS; attempts += 1) {
    if (await createLock(file, ownText)) return createDirectoryLock(file);
    const holderText = await readLock(file);
    if (holderText === null) continue; // Released in the meantime.
    if (!isDead(holderText)) return holderText;
    await removeDeadLock(file, holderText);
  }
  return '{}';
}

/**
 * The process that has a directory, such as `process 4711`, with the name of its machine if it is another; `null` if
 * none can be alive. Takes no lock. @throws The platform's error.
 */
export async function holderOf(path: string): Promise<string | null> {
  const [lock] = await liveLocks(path);
  return lock === undefined ? null : holderName(lock.text);
}

/** Whether a process that may be alive has a number; `null`: the whole directory. */
export async function isPartLocked(path: string, part: number | null): Promise<boolean> {
  const file = join(path, part === null ? LOCK_NAME : partLock(part));
  return (await liveLocks(path)).some((lock) => lock.file === file);
}

/**
 * The caller holds the lock that keeps new processes out. @throws MannerlyError `directory-in-use` while others share
 * it.
 */
export async function refuseShared(path: string): Promise<void> {
  for (const { file, text } of await liveLocks(path)) if (file !== join(path, LOCK_NAME)) throw inUse(path, file, text);
}

async function liveLocks(path: string): Promise<{ readonly file: string; readonly text: string }[]> {
  const live = [];
  for (const name of (await listNames(path)).filter(isLockName)) {
    const file = join(path, name);
    const text = await readLock(file);
    if (text !== null && !isDead(text)) live.push({ file, text });
  }
  return live;
}

/** The lock appears complete: a process killed in between leaves no empty lock. */
async function createLock(file: string, text: string): Promise<boolean> {
  const partial = partialName(file);
  await writeFile(partial, text);
  try {
    await link(partial, file);
    return true;
  } catch (error) {
    if (hasPlatformCode(error, 'EEXIST')) return false;
  } finally {
    await rm(partial, { force: true });
  }
  // For a file system without links.
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasPlatformCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function readLock(file: string): Promise<string | null> {
  return orIfAbsent(null, () => readFile(file, 'utf8'));
}

/** Moves the lock aside before it is removed: another process may just have taken the lock that was moved. */
async function removeDeadLock(file: string, holderText: string): Promise<void> {
  const movedPath = partialName(file);
  await orIfAbsent(undefined, () => rename(file, movedPath));
  const moved = await readLock(movedPath);
  if (moved !== null && moved !== holderText) await createLock(file, moved);
  await rm(movedPath, { force: true });
}

function createDirectoryLock(file: string): DirectoryLock {
  let isHeld = true;
  return {
    async release() {
      if (isHeld) await rm(file, { force: true });
      isHeld = false;
    },
  };
}

function ownLock(): string {
  return JSON.stringify({ ...thisProcess(), host: hostname() });
}

function inUse(path: string, file: string, lock: string): MannerlyError {
  // The lock of a worker thread that was terminated stays while its process lives.
  const hint =
    lock === ownLock()
      ? `A run of this program has it: await its end. If its worker thread was terminated, remove ${file}.`
      : `Wait for that run to end. If there is none, remove ${file}.`;
  return new MannerlyError('directory-in-use', `${path} is in use by ${holderName(lock)}`, { hint });
}

function holderName(lock: string): string {
  const { pid, host } = parseHolder(lock) ?? {};
  if (pid === undefined) return 'another run';
  return host === hostname() ? `process ${pid}` : `process ${pid} of the machine ${String(host).slice(0, 253)}`;
}

/**
 * Whether the holder is certainly dead. A restarted container keeps its host name and gets a new process space, in
 * which none of its old processes exist.
 */
function isDead(lock: string): boolean {
  const holder = parseHolder(lock);
  // An incomplete lock: its file system has no links, and its process died while writing it.
  if (holder === null) return true;
  if (holder.host !== hostname()) return false;
  return holder.pidSpace !== thisProcess().pidSpace || deadForMs(holder) !== null;
}

function parseHolder(lock: string): (ProcessIdentity & { readonly host: string }) | null {
  const value = parseJsonObject(lock);
  return value !== null && 'pid' in value ? (value as unknown as ProcessIdentity & { readonly host: string }) : null;
}
