// The CPU time of a server on this machine, all of its processes together.

import { readdirSync, readFileSync } from 'node:fs';

/** Seconds of one tick in /proc. */
const TICK_S = 0.01;

/** CPU seconds of a process and of its children, those that have ended included. */
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

/** What /proc says of a process; `null` where it is gone. */
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
