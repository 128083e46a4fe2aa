// The processes of this machine as they were when somebody looked: a host that waits for the last word of a dead crawler waits
// from that moment, not from whenever the file is open.

import { readdirSync, readlinkSync } from 'node:fs';
import { textOf } from './proc-files.js';

interface ProcessTable {
  /** By the monotonic clock, when all of it was read. */
  readonly atMs: number;
  readonly pids: ReadonlySet<number>;
}

let table: ProcessTable | null = null;

/**
 * Notes which processes there are; a millisecond. A program that goes on with a crawl calls it before it loads anything else: of a
 * crawler that was killed before, {@link deadForMs} then counts from here, and its hosts are due so much sooner. A later call takes
 * the place of an earlier one. Where the platform lists no processes, or not all of them, nothing is noted.
 *
 * @throws Never
 */
export function inspectProcesses(): void {
  try {
    const pids = listed();
    table = pids === null ? null : { atMs: performance.now(), pids };
  } catch {
    // A platform without such files, whatever it calls that. It is a proof less, and delays are counted from later on.
    table = null;
  }
}

/** Milliseconds since the look, if it found nobody of this number; otherwise 0. */
export function missingForMs(pid: number): number {
  return table === null || table.pids.has(pid) ? 0 : sinceLookMs();
}

/** Milliseconds since the look; 0: nobody looked. */
export function sinceLookMs(): number {
  return table === null ? 0 : performance.now() - table.atMs;
}

/** `null` where the numbers are of another process space, or those of others are hidden: who is not in the list may live. */
function listed(): ReadonlySet<number> | null {
  if (readlinkSync('/proc/self') !== String(process.pid) || hidesProcesses(textOf('/proc/self/mounts'))) return null;
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Set(numbers.map(Number));
}

/** Whether processes are mounted with `hidepid` (proc(5)), by the list of mounts; one that cannot be read may say anything. */
export function hidesProcesses(mounts: string | null): boolean {
  return mounts === null || /^\S+ \/proc proc \S*hidepid=(?!0|off)/m.test(mounts);
}
