// The URLs that `mannerly add` appends to the file of a crawl directory. A run takes those that are there when it
// begins, new ones every second, and those of the last second before it ends. Each run reads the file from its
// beginning: URLs that the crawl already has are known, and are not requested twice.

import { closeSync, openSync, readSync } from 'node:fs';
import { isAbsent } from '../directory/atomic-file.js';
import { textOf } from '../errors.js';
import { parseJsonObject } from '../parse-json.js';
import { candidatesOf } from './added-urls.js';
import { MAX_ADDED_READ_BYTES } from './limits.js';
import type { Run } from './run.js';

/** @returns Takes the lines that are new since the last call. Calls wait for each other. Rejects with store errors. */
export function addedFileReader(run: Run, path: string): () => Promise<void> {
  let offset = 0;
  let latest = Promise.resolve();
  const takeNewLines = async (): Promise<void> => {
    for (;;) {
      const bytes = readLines(run, path, offset);
      if (bytes.length === 0 || !run.takesUrls) return;
      offset += bytes.length;
      const candidates = bytes.toString().split('\n').flatMap(candidatesOfLine.bind(null, run.nowMs()));
      run.setup.log?.added(await run.add(candidates));
    }
  };
  return () => {
    latest = latest.then(takeNewLines, takeNewLines);
    return latest;
  };
}

/** None if the line is no addition: anybody may have written it. */
function candidatesOfLine(nowMs: number, line: string): ReturnType<typeof candidatesOf> {
  const { url, label } = parseJsonObject(line) ?? {};
  return typeof url === 'string' ? candidatesOf(url, typeof label === 'string' ? { label } : {}, nowMs) : [];
}

/** The next complete lines of the file; none if it is absent or cannot be read, which the log says once. */
function readLines({ setup }: Run, path: string, offset: number): Buffer {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(MAX_ADDED_READ_BYTES);
    const read = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset));
    return read.subarray(0, read.lastIndexOf('\n') + 1);
  } catch (error) {
    if (!isAbsent(error)) setup.log?.addedUnreadable(path, textOf(error));
    return Buffer.alloc(0);
  } finally {
    if (file !== null) closeSync(file);
  }
}
