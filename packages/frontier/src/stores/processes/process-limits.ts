// What the system lets this process have, as `ulimit` sets it. A program that knows can say so before it asks for
// anything; one that does not ends in the middle, or with a segmentation fault.

import { readFileSync } from 'node:fs';

/** Limits of this process. `Infinity`: none, or none that the platform tells. */
interface ProcessLimits {
  /** Files and sockets open at once (`ulimit -n`). */
  readonly openFiles: number;
  /** Bytes of one file that it writes (`ulimit -f`). */
  readonly fileBytes: number;
  /** Bytes of address space (`ulimit -v`). */
  readonly addressBytes: number;
}

/** Reads them from where Linux has them; on other platforms all are `Infinity`. Never throws. */
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
