// A process as others can know it again. Its number alone will not do: numbers are given again, and those of one container
// say nothing in another.

import { bootName, pidSpace, textOf } from './proc-files.js';
import { missingForMs, sinceLookMs } from './process-table.js';

/** A process of one machine; what the platform does not tell is `null`. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, ticks since boot. */
  readonly started: string | null;
  /** The boot of the machine. */
  readonly boot: string | null;
  /** The space that its number is of: those of different spaces say nothing of each other. */
  readonly pidSpace: string | null;
}

/** This process. Never throws. */
export function thisProcess(): ProcessIdentity {
  const { pid } = process;
  return { pid, started: startOf(pid), boot: bootName(), pidSpace: pidSpace() };
}

/**
 * Whether a process is gone for certain, and for how long at least. Gone means proven: its boot is over, or its number belongs to
 * nobody, or to a process that started at another time. Where nothing can be proven (another container, a platform that tells no
 * start times) it is taken to be alive: a wrong proof would cost a site its peace.
 *
 * @returns Milliseconds, 0 where it is known only that it is gone by now; more after {@link inspectProcesses}. `null`: it is alive,
 *   or may be.
 * @throws Never
 */
export function deadForMs({ pid, started, boot, pidSpace: space }: ProcessIdentity): number | null {
  const mine = thisProcess();
  if (boot === null || mine.boot === null) return space === mine.pidSpace && !hasProcess(pid) ? 0 : null;
  if (boot !== mine.boot) return sinceLookMs();
  if (space !== mine.pidSpace) return null;
  if (hasProcess(pid)) {
    const startedNow = startOf(pid);
    if (started === null || startedNow === null || started === startedNow) return null;
  }
  // Who started after this process may have come and gone since the look.
  const wasBefore = started !== null && mine.started !== null && Number(started) < Number(mine.started);
  return wasBefore ? missingForMs(pid) : 0;
}

/** Whether a process of this number is there, in this process space. */
export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Field 22 of the process's line; the name before it may hold anything, so it is cut off first. */
function startOf(pid: number): string | null {
  const line = textOf(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
