// Compares the logs of a process with what its last run recorded about them in `run.json`: a log that was cut or
// changed since then does not show every request. It only reads.

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { sha256Of, sizeOf } from '../../directory/whole-file.js';
import { isObject, parseJsonObject } from '../../parse-json.js';
import { MAX_RECORD_BYTES } from './limits.js';

export interface RecordedLogs {
  readonly requestsPath: string;
  /** What its runs declare. @default nothing */
  readonly runsPath?: string;
  /** The manifest of the process's last run. @default nothing is recorded */
  readonly runPath?: string;
}

/**
 * What differs, a sentence for each log. Empty if nothing is recorded: for a run that is under way or was killed.
 *
 * @throws The platform's error if a file cannot be read.
 */
export async function changesOfLogs({ requestsPath, runsPath, runPath }: RecordedLogs): Promise<readonly string[]> {
  const recorded = runPath === undefined ? [] : await recordedOutputs(runPath);
  const changes: string[] = [];
  for (const path of [requestsPath, runsPath]) {
    const output = recorded.find((each) => path !== undefined && each['path'] === basename(path));
    if (path === undefined || output === undefined) continue;
    const { bytes, sha256 } = output;
    const size = (await sizeOf(path)) ?? 0;
    if (size < Number(bytes)) changes.push(`${path} has ${size} bytes, and the last run left ${Number(bytes)}`);
    // A run that was killed before it wrote its manifest may have added to it.
    else if (typeof sha256 === 'string' && (await sha256Of(path, Number(bytes))) !== sha256)
      changes.push(`${path} was changed since the last run left it`);
  }
  return changes;
}

async function recordedOutputs(runPath: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const size = await sizeOf(runPath);
  if (size === null || size > MAX_RECORD_BYTES) return [];
  const end = parseJsonObject(await readFile(runPath, 'utf8'))?.['end'];
  const outputs = isObject(end) ? end['outputs'] : null;
  return Array.isArray(outputs) ? outputs.filter(isObject) : [];
}
