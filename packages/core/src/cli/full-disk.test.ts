// A disk that becomes full while any file is written, and files that may not be written: a final message says so,
// nothing is torn, and the same command continues once there is space.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';
import { fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

const DISK_KIB = 2_048;
const PAGES = 61;
/** A user who owns no file. */
const NO_ONE = 65_534;

let base: string;
let disk: string;
let site: TestSite;
const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const canMount = isRoot && mounts();

/** Whether this machine allows us to mount a small disk. */
function mounts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_KIB}k`, 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-disk-'));
  chmodSync(base, 0o755);
  disk = join(base, 'disk');
  mkdirSync(disk);
  if (canMount) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_KIB}k`, 'tmpfs', disk]);
  site = await testSite(Array.from({ length: PAGES - 1 }, (_, at) => `/${at}`));
});
afterAll(async () => {
  await site.close();
  if (canMount) execFileSync('umount', [disk]);
  rmSync(base, { recursive: true });
});

const crawlTo = (out: string): string[] => {
  return ['crawl', `${site.url}/`, ...who, '--interval', '0', '--out', out, '--warc'];
};

/** Runs in a process of its own: lmdb itself writes to standard error. */
async function run(argv: readonly string[], who: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, [COMMAND, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], cwd: base, ...who });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: code as number | null };
}

describe.skipIf(!canMount)('a full disk (not run where nothing may be mounted)', { timeout: 60_000 }, () => {
  it.each([0, 90, 210, 310])('with %i KiB says so, and continues with more space', async (kib) => {
    const [out, filler] = [join(disk, 'crawl'), join(disk, 'filler')];
    execFileSync('fallocate', ['-l', `${DISK_KIB - kib}k`, filler]);
    const first = await run(crawlTo(out));
    expect(first.err).toMatch(/[Dd]isk (is )?full/);
    expect(first.err).not.toMatch(/\n {4}at |is a bug/);
    expect(first.code).toBe(1);
    rmSync(filler);
    const io = fakeIo();
    expect(await runCommand(crawlTo(out), io)).toBe(0);
    const urls = readFileSync(join(out, 'items.jsonl'), 'utf8').trimEnd().split('\n');
    expect(new Set(urls.map((line) => (JSON.parse(line) as { url: string }).url)).size).toBe(PAGES);
    expect(urls).toHaveLength(PAGES);
    expect(await runCommand(['audit', out], fakeIo())).toBe(0);
    rmSync(out, { recursive: true });
  });
});

describe.skipIf(!isRoot)('files that this user may not write or read (not run but by root)', () => {
  it.each([
    ['items.jsonl', 0o444, 'crawl', 1],
    ['frontier/data.mdb', 0o444, 'crawl', 1],
    ['.', 0o555, 'crawl', 2],
    ['requests.jsonl', 0o000, 'report', 1],
    ['.', 0o555, 'report', 1],
  ])('%s with mode %o: %s says which, and what to do', { timeout: 30_000 }, async (name, mode, command, status) => {
    const directory = join(base, 'denied');
    if (!readable(join(base, 'whole'))) expect(await runCommand(crawlTo(join(base, 'whole')), fakeIo())).toBe(0);
    cpSync(join(base, 'whole'), directory, { recursive: true });
    execFileSync('chown', ['-R', String(NO_ONE), directory]);
    chownSync(join(directory, name), NO_ONE, NO_ONE);
    chmodSync(join(directory, name), mode);
    const argv = command === 'crawl' ? crawlTo(directory) : [command, directory];
    const { code, err } = await run(argv, { uid: NO_ONE, gid: NO_ONE });
    rmSync(directory, { recursive: true });
    expect(err).toContain(join(directory, name === '.' ? '' : name).replace(/\/$|\/data\.mdb$/, ''));
    expect(err).toMatch(/readable and writable|directory read-only|one that is writable/);
    expect(err).not.toMatch(/\n {4}at |is a bug/);
    expect(code).toBe(status);
  });
});

function readable(directory: string): boolean {
  try {
    return readFileSync(join(directory, 'crawl.json')).length > 0;
  } catch {
    return false;
  }
}
