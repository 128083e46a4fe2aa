// The limits that the system sets to this process, as with `ulimit`. A program that knows them can report a problem
// before it requests anything. Otherwise it ends in the middle of its work, or with a segmentation fault.

import { readFileSync } from 'node:fs';

/** Limits of this process. `Infinity`: there is none, or the platform does not tell. */
interface ProcessLimits {
  /** The most files and sockets open at once (`ulimit -n`). */
  readonly openFiles: number;
  /** The most bytes of a file that it writes (`ulimit -f`). */
  readonly fileBytes: number;
  /** The most bytes of address space (`ulimit -v`). */
  readonly addressBytes: number;
}

/** Reads the limits from where Linux has them; on other platforms all are `Infinity`. Never throws. */
export function processLimits(): ProcessLimits {
  let text = '';
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Another platform.
  }
  const limit = (name: string): number => Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(text)?.[1] ?? Infinity);
  return {
    openFiles: limit('Max open files'),
    fileBytes: limit('Max file size'),
    addressBytes: limit('Max address space'),
  };
}
