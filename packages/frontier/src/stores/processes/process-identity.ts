// Identities of processes of this machine, by which other processes can recognize them, and proofs that a process has
// ended. A number alone proves little: numbers are reused, and the numbers of one container say nothing in another.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isError } from '../is-error.js';

/** A process of one machine. `null`: the platform does not tell. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, ticks since boot. */
  readonly started: string | null;
  readonly boot: string | null;
  /** The namespace of its number. Numbers of different namespaces cannot be compared. */
  readonly pidSpace: string | null;
}

/** The running processes, and when they were read, by the monotonic clock. */
let processTable: { readonly atMs: number; readonly pids: ReadonlySet<number> } | null = null;

/** This process. Never throws. */
export function thisProcess(): ProcessIdentity {
  const { pid } = process;
  return { pid, started: startOf(pid), boot: bootName(), pidSpace: pidSpace() };
}

/**
 * Whether a process has certainly ended, and since when at least. Proofs: its boot is over, or no process has its
 * number, or the process with its number started at another time. If nothing can be proven (another container, a
 * platform without start times), it counts as alive: a wrong proof would send requests to a site too early.
 *
 * @returns Milliseconds since it ended: 0 if it is only known to have ended by now, more after {@link
 *   inspectProcesses}. `null`: it is alive, or may be.
 * @throws Never
 */
export function deadForMs({ pid, started, boot, pidSpace: space }: ProcessIdentity): number | null {
  const self = thisProcess();
  if (boot === null || self.boot === null) return space === self.pidSpace && !hasProcess(pid) ? 0 : null;
  if (boot !== self.boot) return sinceTableMs();
  if (space !== self.pidSpace) return null;
  if (hasProcess(pid)) {
    const startedNow = startOf(pid);
    if (started === null || startedNow === null || started === startedNow) return null;
  }
  // A process that started after this one may have both started and ended after the table was read.
  const isOlder = started !== null && self.started !== null && Number(started) < Number(self.started);
  return isOlder && processTable?.pids.has(pid) === false ? sinceTableMs() : 0;
}

/**
 * Reads which processes are running. A program that continues a crawl calls it before it loads anything else: {@link
 * deadForMs} then counts from here for a crawler that was killed before, and its hosts are due that much earlier. A
 * later call replaces an earlier one. If the platform does not list all processes, nothing is kept. Never throws.
 */
export function inspectProcesses(): void {
  try {
    const pids = runningPids();
    processTable = pids === null ? null : { atMs: performance.now(), pids };
  } catch {
    // A platform without such files, whatever error it reports. Delays then count from the open.
    processTable = null;
  }
}

/** The name of this boot of the machine; `null`: the platform has none. Never throws. */
export function bootName(): string | null {
  return readTrimmed('/proc/sys/kernel/random/boot_id');
}

/** Whether the list of mounts has processes with `hidepid` (proc(5)). An unreadable list counts as yes. */
export function hidesProcesses(mounts: string | null): boolean {
  return mounts === null || /^\S+ \/proc proc \S*hidepid=(?!0|off)/m.test(mounts);
}

/** Milliseconds since the processes were read; 0: they were not read. */
function sinceTableMs(): number {
  return processTable === null ? 0 : performance.now() - processTable.atMs;
}

/** `null`: the list may lack processes, because it is of another namespace or hides those of other users. */
function runningPids(): ReadonlySet<number> | null {
  if (readlinkSync('/proc/self') !== String(process.pid) || hidesProcesses(readTrimmed('/proc/self/mounts')))
    return null;
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Set(numbers.map(Number));
}

/** Whether a process with this number runs in this namespace. */
function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return !(isError(error) && 'code' in error && error.code === 'ESRCH');
  }
}

/**
 * Whether a process has ended but its parent has not collected it (proc(5), state Z): it keeps its number, but has no
 * other thread and no socket. In a container whose first process collects nothing it stays that way. `false` if `/proc`
 * is of another namespace.
 */
function isZombie(pid: number): boolean {
  const fields = fieldsOf(pid);
  const hasEnded = fields?.[0] === 'Z' && fields[17] === '1';
  return hasEnded && orNull(() => readlinkSync('/proc/self')) === String(process.pid);
}

function startOf(pid: number): string | null {
  return fieldsOf(pid)?.[19] ?? null;
}

/** The fields of a process's line, from the third on (proc(5)). The name before them may contain any character. */
function fieldsOf(pid: number): readonly string[] | null {
  const line = readTrimmed(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ') ?? null;
}

function pidSpace(): string | null {
  return orNull(() => readlinkSync('/proc/self/ns/pid'));
}

function readTrimmed(path: string): string | null {
  return orNull(() => readFileSync(path, 'utf8').trim());
}

/** ESRCH: the process ended while its files were read. */
const ABSENT_CODES = new Set(['ENOENT', 'EACCES', 'EPERM', 'ESRCH']);

/** `null`: the file is absent or not readable. @throws every other error of the platform. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isError(error) && 'code' in error && ABSENT_CODES.has(String(error.code))) return null;
    throw error;
  }
}
