// One process per file: a lock file next to it names the process that has it open. The lock of a process that is gone
// is taken over. A lock with the number of a living process is respected, even if that may be another process by now: a
// wrong refusal costs a moment, a wrong grant makes early requests possible.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { FrontierError } from '../errors.js';
import { hasProcess } from './processes/process-identity.js';

/** A lock on a file. */
export interface FileLock {
  /** Releases it. */
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock of a file.
 *
 * @throws FrontierError `store-failed` while a living process, this one included, has it.
 */
export async function lockFile(path: string): Promise<FileLock> {
  const lockPath = `${path}.lock`;
  const mine = `${process.pid} ${Math.round(performance.timeOrigin)}`;
  const lock = { release: () => rm(lockPath, { force: true }) };
  if (await tryCreate(lockPath, mine)) return lock;
  const theirs = await readFile(lockPath, 'utf8');
  const pid = Number(theirs.split(' ')[0]);
  const isTaken = pid === process.pid ? theirs === mine : Number.isSafeInteger(pid) && pid > 0 && hasProcess(pid);
  if (isTaken) {
    throw new FrontierError('store-failed', `${path} is open in process ${pid}`, {
      hint: `If no crawl is running in process ${pid}, remove ${lockPath}.`,
    });
  }
  await rm(lockPath, { force: true });
  if (await tryCreate(lockPath, mine)) return lock;
  throw new FrontierError('store-failed', `${path} was opened by another process at the same moment`);
}

async function tryCreate(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new FrontierError('store-failed', `cannot write ${path}`, { cause: error });
  }
}

/** Whether an error of the platform carries this code. Never throws. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
