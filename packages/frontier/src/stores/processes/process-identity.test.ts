// Proofs that a process has ended, with real processes, and what a list of all of them adds.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProcessIdentity } from './process-identity.js';

// The module remembers the processes that it saw: each test imports its own.
let processes: typeof import('../processes.js');
let identity: typeof import('./process-identity.js');
let me: ProcessIdentity;

beforeEach(async () => {
  vi.resetModules();
  processes = await import('../processes.js');
  identity = await import('./process-identity.js');
  me = processes.thisProcess();
});

const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;

/** A process that started long before this one. */
const before = (pid: number): ProcessIdentity => ({ ...me, pid, started: me.started === null ? null : '1' });

function atMs(ms: number): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(ms);
  onTestFinished(() => clock.mockRestore());
}

describe('a process has certainly ended', () => {
  it('if no process has its number, or one that started at another time, or if the machine has restarted', () => {
    const { deadForMs } = processes;
    expect(deadForMs(me)).toBeNull();
    expect(deadForMs({ ...me, pid: deadPid() })).toBe(0);
    expect(deadForMs(before(me.pid))).toBe(me.started === null ? null : 0);
    if (me.boot !== null) expect(deadForMs({ ...me, boot: 'another' })).toBe(0);
  });

  it('not by a number in another container, nor by a number alone that some process has', () => {
    const { deadForMs } = processes;
    expect(deadForMs({ ...me, pidSpace: 'pid:[1]', pid: deadPid() })).toBeNull();
    expect(deadForMs({ ...me, started: null })).toBeNull();
    expect(deadForMs({ ...me, boot: null, started: null })).toBeNull();
    expect(deadForMs({ ...me, boot: null, started: null, pid: deadPid() })).toBe(0);
  });
});

it.runIf(process.platform === 'linux')('even if its parent has not collected it', async () => {
  // The shell turns into a program that does not collect children; until then it might collect this one.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  onTestFinished(() => void parent.kill('SIGKILL'));
  const pid = Number(String((await once(parent.stdout, 'data'))[0]));
  const isShell = () => !readFileSync(`/proc/${parent.pid}/comm`, 'utf8').startsWith('sleep');
  while (isShell()) await new Promise(setImmediate);
  const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const child = { ...me, pid, started: stat()[19] ?? null };
  expect(processes.deadForMs(child)).toBeNull();
  process.kill(pid, 'SIGKILL');
  while (stat()[0] !== 'Z') await new Promise(setImmediate);
  expect(processes.deadForMs(child)).toBe(0);
});

describe.runIf(process.platform === 'linux')('after all processes were listed', () => {
  it('one that started before this one, and is not in the list, had ended by then', () => {
    atMs(5_000);
    processes.inspectProcesses();
    atMs(5_300);
    expect(processes.deadForMs(before(deadPid()))).toBe(300);
    expect(processes.deadForMs({ ...me, boot: 'another' })).toBe(300);
    expect(processes.deadForMs(me)).toBeNull();
  });

  it('one that was in the list and ended since has ended by now, not earlier', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    processes.inspectProcesses();
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(processes.deadForMs(before(pid))).toBe(0);
  });

  it('one that started after this one may have started and ended since the list', () => {
    atMs(5_000);
    processes.inspectProcesses();
    atMs(5_300);
    const pid = deadPid();
    expect(processes.deadForMs({ ...me, pid, started: String(Number(me.started) + 1) })).toBe(0);
    expect(processes.deadForMs({ ...me, pid })).toBe(0);
    expect(processes.deadForMs({ ...me, pid, started: null })).toBe(0);
  });

  it('the latest list counts', () => {
    atMs(5_000);
    processes.inspectProcesses();
    atMs(6_000);
    processes.inspectProcesses();
    atMs(6_001);
    expect(processes.deadForMs(before(deadPid()))).toBe(1);
  });
});

describe('a list of processes that hides some', () => {
  it.each([
    ['proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0', false],
    ['proc /proc proc rw,relatime,hidepid=0 0 0', false],
    ['proc /proc proc rw,relatime,hidepid=off 0 0', false],
    ['proc /proc proc rw,relatime,gid=4,hidepid=2 0 0', true],
    ['proc /proc proc rw,relatime,hidepid=invisible 0 0', true],
    ['sysfs /sys sysfs rw 0 0\nproc /proc proc rw,hidepid=ptraceable 0 0', true],
    ['proc /elsewhere proc rw,hidepid=2 0 0', false],
    [null, true],
  ])('%j: %j', (mounts, hides) => {
    expect(identity.hidesProcesses(mounts)).toBe(hides);
  });
});
