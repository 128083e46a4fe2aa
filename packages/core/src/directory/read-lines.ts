// Reads logs of any size line by line as a stream, and skips lines that a crash left incomplete.

import { createReadStream } from 'node:fs';
import { invalidOption, MannerlyError } from '../errors.js';
import { parseJson } from '../parse-json.js';
import { hasPlatformCode, isAbsent } from './atomic-file.js';
import { MAX_LOG_LINE_CHARS } from './limits.js';

const PATHS_HINT = '`await readCrawlDirectory(path)` has the paths of its files, such as `decisionsPath`.';

/**
 * An absent file has no lines. @param maxChars - Longer lines are skipped. @param start - The byte to begin at.
 * @throws MannerlyError `option-invalid` for a directory, and for what is no path; the platform's error otherwise.
 */
export async function* readLines(path: string, maxChars = MAX_LOG_LINE_CHARS, start = 0): AsyncGenerator<string> {
  if (typeof path !== 'string') throw invalidOption('path', 'the path of a file', path, PATHS_HINT);
  let rest = '';
  let isSkipping = false;
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8', start })) {
      const lines = String(chunk).split('\n');
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!isSkipping && line !== '') yield line;
        isSkipping = false;
      }
      if (rest.length > maxChars) {
        rest = '';
        isSkipping = true;
      }
    }
  } catch (error) {
    if (isAbsent(error)) return;
    if (!hasPlatformCode(error, 'EISDIR')) throw error;
    throw new MannerlyError('option-invalid', `expected the path of a file, got the directory ${path}`, {
      cause: error,
      hint: PATHS_HINT,
    });
  }
  if (!isSkipping && rest !== '') yield rest;
}

/** The number of whole lines; an absent file has none. @throws As `readLines`. */
export async function countLines(path: string): Promise<number> {
  let lines = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      const bytes = chunk as Buffer;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return lines;
}

const NEWLINE = 0x0a;

/** The values of a log that `isValid` accepts; other lines are skipped. @throws As `readLines`. */
export async function* readValues<T>(
  path: string,
  isValid: (value: unknown) => value is T,
  start = 0,
): AsyncGenerator<T> {
  for await (const line of readLines(path, MAX_LOG_LINE_CHARS, start)) {
    const value = parseJson(line);
    if (isValid(value)) yield value;
  }
}
