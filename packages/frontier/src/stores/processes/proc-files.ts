// What the platform tells in small files; where it does not, `null`.

import { readFileSync, readlinkSync } from 'node:fs';

/** Names this boot of the machine. Never throws. */
export function bootName(): string | null {
  return textOf('/proc/sys/kernel/random/boot_id');
}

/** Names the space that process numbers are of. Never throws. */
export function pidSpace(): string | null {
  return orNull(() => readlinkSync('/proc/self/ns/pid'));
}

/** The text of a file, without the white space around it. */
export function textOf(path: string): string | null {
  return orNull(() => readFileSync(path, 'utf8').trim());
}

/** What is absent, or not for us, is `null`. @throws every other error of the platform */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.has(String(error.code))) return null;
    throw error;
  }
}

/** ESRCH: the process ended between two looks. */
const ABSENT = new Set(['ENOENT', 'EACCES', 'EPERM', 'ESRCH']);
