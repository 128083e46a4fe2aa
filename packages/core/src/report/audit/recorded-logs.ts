// What the runs of a process recorded about themselves in `run.json`: a log that was cut or changed since the last one
// ended, or in which a killed run wrote, does not show every request. It only reads.

import { basename } from 'node:path';
import { readJsonObject, sha256Of, sizeOf } from '../../directory/atomic-file.js';
import { isObject } from '../../parse-json.js';
import { MAX_RECORD_BYTES } from './limits.js';

export interface RecordedLogs {
  readonly requestsPath: string;
  /** What its runs declare. @default nothing */
  readonly runsPath?: string;
  /** The manifest of the process's last run. @default nothing is recorded */
  readonly runPath?: string;
}

interface LogFaults {
  /** What differs, a sentence for each log. Empty if nothing is recorded: for a run that is under way or was killed. */
  readonly changes: readonly string[];
  /** Runs that were killed, or are under way, of the hundred or so that are recorded. */
  readonly unfinishedRuns: number;
}

/** @throws The platform's error if a file cannot be read. */
export async function findLogFaults({ requestsPath, runsPath, runPath }: RecordedLogs): Promise<LogFaults> {
  const record = runPath === undefined ? null : await readJsonObject(runPath, MAX_RECORD_BYTES);
  if (record === null || record === 'unreadable') return { changes: [], unfinishedRuns: 0 };
  const { end, earlier } = record;
  const runs = [end, ...objectsIn(earlier).map(({ endedAtMs }) => endedAtMs)];
  const unfinishedRuns = runs.filter((each) => each === null).length;
  const recorded = isObject(end) ? objectsIn(end['outputs']) : [];
  const changes: string[] = [];
  for (const path of [requestsPath, runsPath]) {
    const output = recorded.find((each) => path !== undefined && each['path'] === basename(path));
    if (path === undefined || output === undefined) continue;
    const { sha256 } = output;
    const bytes = Number(output['bytes']);
    if (!Number.isSafeInteger(bytes) || bytes <= 0) continue;
    const size = (await sizeOf(path)) ?? 0;
    if (size < bytes) changes.push(`${path} has ${size} bytes, and the last run left ${bytes}`);
    // A run that was killed before it wrote its manifest may have added to it.
    else if (typeof sha256 === 'string' && (await sha256Of(path, bytes)) !== sha256)
      changes.push(`${path} was changed since the last run left it`);
  }
  return { changes, unfinishedRuns };
}

function objectsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
