// The CPU time of a server on this machine, with all of its processes.

import { readdirSync, readFileSync } from 'node:fs';

/** Seconds per tick in /proc. */
const TICK_S = 0.01;

/** CPU seconds of a process and of its children, including those that have ended. */
export function cpuOfTree(root) {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : null;
    if (stat === null) continue;
    if (Number(name) === root) ticks += stat.own + stat.ended;
    else if (stat.parent === root) ticks += stat.own;
  }
  return ticks * TICK_S;
}

/** The fields of a process in /proc; `null` if it has ended. */
export function statOf(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  const end = text.lastIndexOf(')');
  const fields = text
    .slice(end + 2)
    .split(' ')
    .map(Number);
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    parent: fields[1],
    own: fields[11] + fields[12],
    ended: fields[13] + fields[14],
  };
}
