// Clients that have the file open, so that leases of one that is dead end at open (O1). Dead means proven dead: its boot
// is over, or its process number belongs to nobody, or to a process that started later. Where nothing is proven (another
// container, a platform that tells no start times) leases run out by themselves: a wrong proof would cost a site its peace.

import { readlinkSync } from 'node:fs';
import { hasCode } from '../file-lock.js';
import type { Table } from './environment.js';
import { rowsOf } from './environment.js';
import { FIRST_HOLDER } from './host-table.js';
import { bootName, readOrNull } from './store-clock.js';

const PREFIX = 'holder ';
const FROM = Buffer.from(PREFIX);
const TO = Buffer.from('holder!');
/** More clients than can read the file at a time. */
const HOLDERS_MOST = 65_536;

/** A client as the file names it. */
export interface Holder {
  readonly number: number;
  /** As `open` was told. */
  readonly owner: string;
  readonly pid: number;
  /** When its process started, ticks since boot; `null` where the platform does not say. */
  readonly started: string | null;
  /** `null` where the platform names none. */
  readonly boot: string | null;
  /** Process numbers of different spaces say nothing of each other. */
  readonly pidSpace: string | null;
}

/** All clients that were registered and not removed. */
export function listHolders(meta: Table): Holder[] {
  return rowsOf(meta, FROM, TO, HOLDERS_MOST).map(({ value }) => JSON.parse(value.toString()) as Holder);
}

/** Registers this process under the least number that is free. */
export function addHolder(meta: Table, owner: string): Holder {
  const taken = new Set(listHolders(meta).map(({ number }) => number));
  let number = FIRST_HOLDER;
  while (taken.has(number)) number += 1;
  const { pid } = process;
  const holder = { number, owner, pid, started: startOf(pid), boot: bootName(), pidSpace: pidSpace() };
  meta.putSync(keyOf(number), Buffer.from(JSON.stringify(holder)));
  return holder;
}

/** Removes a client, which has no lease any more. */
export function removeHolder(meta: Table, number: number): void {
  meta.removeSync(keyOf(number));
}

/** Whether the client's process is gone for certain. Never throws. */
export function isDead({ pid, started, boot, pidSpace: space }: Holder): boolean {
  if (boot === null || bootName() === null) return space === pidSpace() && !isAlive(pid);
  if (boot !== bootName()) return true;
  if (space !== pidSpace()) return false;
  if (!isAlive(pid)) return true;
  const startedNow = startOf(pid);
  return started !== null && startedNow !== null && started !== startedNow;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return !hasCode(error, 'ESRCH');
  }
}

/** Field 22 of the process's line; the name before it may hold anything, so it is cut off first. */
function startOf(pid: number): string | null {
  const line = readOrNull(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function pidSpace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'EACCES')) return null;
    throw error;
  }
}

function keyOf(number: number): Buffer {
  return Buffer.from(`${PREFIX}${String(number).padStart(6, '0')}`);
}
