// One process per file: a lock file next to it names the process that has it open. The lock of a process that is gone
// is taken over. A lock with the number of a living process is respected, even if that may be another process by now: a
// wrong refusal costs a moment, a wrong grant makes early requests possible.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { FrontierError } from '../errors.js';
import { hasProcess } from './processes/process-identity.js';
import { hasCode, toFailure } from './store-failure.js';

/** @returns Releases the lock. @throws FrontierError `store-failed` while a living process, or this one, has it. */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const lockPath = `${path}.lock`;
  const mine = `${process.pid} ${Math.round(performance.timeOrigin)}`;
  const release = () => rm(lockPath, { force: true });
  if (await tryCreate(lockPath, mine)) return release;
  const theirs = await readFile(lockPath, 'utf8');
  const pid = Number(theirs.split(' ')[0]);
  const isTaken = pid === process.pid ? theirs === mine : Number.isSafeInteger(pid) && pid > 0 && hasProcess(pid);
  if (isTaken) {
    throw new FrontierError('store-failed', `${path} is open in process ${pid}`, {
      hint: `If no crawl is running in process ${pid}, remove ${lockPath}.`,
    });
  }
  await release();
  if (await tryCreate(lockPath, mine)) return release;
  throw new FrontierError('store-failed', `${path} was opened by another process at the same moment`);
}

async function tryCreate(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw toFailure(`cannot write ${path}`, error);
  }
}
