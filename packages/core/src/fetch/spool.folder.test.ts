// Files of a killed process are removed; those of a living process never are.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removeStale, Spool } from './spool.js';

function parentFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-spools-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Replaces our process in a lock by one that has ended. */
function lockOfEndedProcess(lock: string): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return JSON.stringify({ ...(JSON.parse(lock) as object), pid, started: '1' });
}

describe('the folder of a spool', () => {
  it('is removed with its content, and made again for a later write', async () => {
    const folder = new Spool(parentFolder());
    writeFileSync(join(folder.directory(), 'body-1'), 'x');
    const path = folder.directory();
    await folder.close();
    expect(existsSync(path)).toBe(false);
    expect(existsSync(folder.directory())).toBe(true);
  });

  it('is removed when its process has ended, and stays while it lives', async () => {
    const parent = parentFolder();
    const living = new Spool(parent);
    const other = new Spool(parentFolder());
    await Promise.all([waitForLock(living.directory()), waitForLock(other.directory())]);
    const dead = join(parent, 'mannerly-body-dead');
    mkdirSync(dead);
    writeFileSync(join(dead, 'body-1'), 'x');
    const lock = readFileSync(join(other.directory(), 'crawl.lock'), 'utf8');
    writeFileSync(join(dead, 'crawl.lock'), lockOfEndedProcess(lock));
    mkdirSync(join(parent, 'somebody-elses'));
    await removeStale(parent, Date.now());
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(living.directory())).toBe(true);
    expect(existsSync(join(parent, 'somebody-elses'))).toBe(true);
    await Promise.all([living.close(), other.close()]);
  });

  it('without a lock stays for an hour', async () => {
    const parent = parentFolder();
    const [young, old] = ['mannerly-body-young', 'mannerly-body-old'].map((name) => join(parent, name));
    for (const path of [young, old]) mkdirSync(path as string);
    const nowMs = Date.now();
    utimesSync(old as string, nowMs / 1_000 - 3_601, nowMs / 1_000 - 3_601);
    await removeStale(parent, nowMs);
    expect([existsSync(young as string), existsSync(old as string)]).toEqual([true, false]);
  });
});

async function waitForLock(path: string): Promise<void> {
  while (!existsSync(join(path, 'crawl.lock'))) await new Promise(setImmediate);
}
