// The limits that the system sets to this process, as with `ulimit`. A program that knows them can report a problem
// before it requests anything. Otherwise it ends in the middle of its work, or with a segmentation fault.

import { readFileSync } from 'node:fs';

/**
 * Reads the limits from where Linux has them. `Infinity`: there is none, or the platform does not tell. Never throws.
 */
export function processLimits() {
  let text = '';
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Another platform.
  }
  const limit = (name: string): number => Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(text)?.[1] ?? Infinity);
  return {
    /** The most files and sockets open at once (`ulimit -n`). */
    openFiles: limit('Max open files'),
    /** The most bytes of a file that it writes (`ulimit -f`). */
    fileBytes: limit('Max file size'),
    /** The most bytes of address space (`ulimit -v`). */
    addressBytes: limit('Max address space'),
  };
}
