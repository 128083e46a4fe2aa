// Files of two crawls in one directory would describe neither: only the crawl that made a directory may use it.

import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resetCrawlDirectory } from '../run/run-directory.js';
import { deleteIfNothingDone, openCrawlDirectory, readCrawlDirectory } from './crawl-directory.js';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-dir-'));
});

afterEach(() => rmSync(base, { recursive: true }));

const crawl = { name: 'tester', tokens: ['tester'], seeds: ['https://example.org/'] };

/** A lock of this process, with these differences. */
function lockOf(differs: Record<string, unknown>): string {
  const text = (path: string): string => readFileSync(path, 'utf8').trim();
  const isLinux = process.platform === 'linux';
  const started = isLinux ? text(`/proc/${process.pid}/stat`).split(') ')[1]!.split(' ')[19]! : null;
  const boot = isLinux ? text('/proc/sys/kernel/random/boot_id') : null;
  const pidSpace = isLinux ? readlinkSync('/proc/self/ns/pid') : null;
  return JSON.stringify({ pid: process.pid, started, host: hostname(), boot, pidSpace, ...differs });
}

describe('a crawl directory', () => {
  it('is made with its parents, and names its crawl', async () => {
    const path = join(base, 'a', 'b');
    const directory = await openCrawlDirectory(path, crawl, 1_000);
    expect(directory).toMatchObject({ isNew: true, manifest: { ...crawl, format: 3, createdAtMs: 1_000 } });
    expect(readdirSync(path).sort()).toEqual(['crawl.json', 'crawl.lock', 'robots']);
    await directory.release();
    expect(readdirSync(path).sort()).toEqual(['crawl.json', 'robots']);
    expect((await readCrawlDirectory(path)).manifest).toEqual(directory.manifest);
  });

  it('is opened again by the same crawl, and keeps its first manifest', async () => {
    await (await openCrawlDirectory(base, crawl, 1_000)).release();
    expect(await openCrawlDirectory(base, crawl, 2_000)).toMatchObject({
      isNew: false,
      manifest: { createdAtMs: 1_000 },
    });
  });

  it.runIf(process.platform === 'linux')('is refused if it cannot be made, at any depth', async () => {
    for (const path of ['/proc/none', '/proc/none/deeper'])
      await expect(openCrawlDirectory(path, crawl)).rejects.toMatchObject({
        code: 'directory-taken',
        message: expect.stringMatching(`^${path} cannot be a crawl directory: Error: ENOENT`),
      });
  });

  it.each([
    ['another name', { ...crawl, name: 'other' }],
    ['other tokens', { ...crawl, tokens: ['tester', 'other'] }],
    ['other seeds', { ...crawl, seeds: ['https://example.com/'] }],
  ])('refuses %s', async (_, other) => {
    await (await openCrawlDirectory(base, crawl)).release();
    const before = readFileSync(join(base, 'crawl.json'), 'utf8');
    await expect(openCrawlDirectory(base, other)).rejects.toMatchObject({ code: 'directory-taken' });
    expect(readFileSync(join(base, 'crawl.json'), 'utf8')).toBe(before);
    expect(readdirSync(base).sort()).toEqual(['crawl.json', 'robots']);
  });

  it('accepts additional seeds, and requires all of them from then on', async () => {
    await (await openCrawlDirectory(base, crawl)).release();
    const more = { ...crawl, seeds: ['https://example.com/', ...crawl.seeds] };
    const second = await openCrawlDirectory(base, more);
    expect(second).toMatchObject({ isNew: false, manifest: { seeds: more.seeds } });
    await second.release();
    await expect(openCrawlDirectory(base, crawl)).rejects.toMatchObject({ code: 'directory-taken' });
  });

  it('can be open only once at a time', async () => {
    const first = await openCrawlDirectory(base, crawl);
    await expect(openCrawlDirectory(base, crawl)).rejects.toMatchObject({
      code: 'directory-in-use',
      message: expect.stringContaining(String(process.pid)),
      hint: expect.stringMatching(/A run of this program has it.* worker thread .*crawl\.lock/),
    });
    await first.release();
    await (await openCrawlDirectory(base, crawl)).release();
  });

  it.each([
    ['a lock of a process that is gone', { 'crawl.lock': lockOf({ pid: 2 ** 22 + 1 }) }],
    ['a lock whose number another process has by now', { 'crawl.lock': lockOf({ started: '1' }) }],
    ['a lock of an earlier boot', { 'crawl.lock': lockOf({ boot: 'earlier' }) }],
    ['half a lock', { 'crawl.lock': '{"pid":' }],
    ['half a manifest and half a lock', { 'crawl.json.1.part': '{', 'crawl.lock.2.part': '{' }],
    ['a reset that was not finished', { 'crawl.json.reset': '{}', 'items.jsonl': '{"id":"old"}\n' }],
  ])('can be opened after a killed process left %s', async (_, files) => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(base, name), content);
    const directory = await openCrawlDirectory(base, crawl);
    expect(directory.isNew).toBe(true);
    await directory.release();
    expect(readdirSync(base).sort()).toEqual(['crawl.json', 'robots']);
  });

  it('respects a lock of another machine', async () => {
    writeFileSync(join(base, 'crawl.lock'), lockOf({ host: 'elsewhere', pid: 2 ** 22 + 1 }));
    await expect(openCrawlDirectory(base, crawl)).rejects.toMatchObject({
      code: 'directory-in-use',
      message: expect.stringContaining(`process ${2 ** 22 + 1} of the machine elsewhere`),
      hint: expect.stringContaining('crawl.lock'),
    });
  });

  it('refuses a directory with other content, and does not change it', async () => {
    writeFileSync(join(base, 'thesis.txt'), 'years of work');
    await expect(openCrawlDirectory(base, crawl)).rejects.toMatchObject({ code: 'directory-taken' });
    expect(readdirSync(base)).toEqual(['thesis.txt']);
  });

  it.each([
    'requests.jsonl',
    'run.json',
    'items-3.jsonl',
    'files',
    'frontier',
    'frontier/data.mdb',
    'robots/index.jsonl',
    'archive/a.warc.gz.open',
    'crawl.lock',
    'cache.sqlite',
  ])('writes through no symbolic link: %s', async (name) => {
    await (await openCrawlDirectory(base, crawl)).release();
    const elsewhere = mkdtempSync(join(tmpdir(), 'mannerly-elsewhere-'));
    mkdirSync(dirname(join(base, name)), { recursive: true });
    symlinkSync(join(elsewhere, 'thesis.txt'), join(base, name));
    await expect(openCrawlDirectory(base, crawl)).rejects.toMatchObject({
      code: 'directory-format',
      message: expect.stringContaining(`${join(base, name)} is a symbolic link`),
    });
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true });
  });

  it('refuses a file in place of the directory', async () => {
    const file = join(base, 'file');
    writeFileSync(file, '');
    await expect(openCrawlDirectory(file, crawl)).rejects.toMatchObject({ code: 'directory-taken' });
  });

  it.each([
    ['another format', JSON.stringify({ ...crawl, format: 1 })],
    ['no JSON', '{'],
    ['no time', JSON.stringify({ ...crawl, format: 3, createdAtMs: 1e300 })],
    ['odd tokens', JSON.stringify({ ...crawl, tokens: ['te,ster'], format: 3, createdAtMs: 1 })],
    ['no manifest', '{"format":2}'],
    ['nothing', ''],
  ])('refuses a manifest with %s', async (_, content) => {
    writeFileSync(join(base, 'crawl.json'), content);
    await expect(openCrawlDirectory(base, crawl)).rejects.toMatchObject({ code: 'directory-format' });
    await expect(readCrawlDirectory(base)).rejects.toMatchObject({ code: 'directory-format' });
  });

  it.skipIf(process.platform === 'win32').each([
    ['requests.jsonl', (path: string) => execFileSync('mkfifo', [path])],
    ['crawl.lock', (path: string) => execFileSync('mkfifo', [path])],
    ['items.jsonl', (path: string) => symlinkSync('/dev/zero', path)],
    ['robots/index.jsonl', (path: string) => symlinkSync('/dev/zero', path)],
  ])('refuses a pipe or a device in place of %s, for which a reader would wait', async (name, make) => {
    const path = join(base, 'crawl');
    await (await openCrawlDirectory(path, crawl, 1)).release();
    make(join(path, name));
    const message = expect.stringMatching(/(\w+\.\w+) is a (?:pipe or device|symbolic link)/);
    await expect(openCrawlDirectory(path, crawl, 2)).rejects.toMatchObject({ code: 'directory-format', message });
    const read = { code: 'directory-format', message: expect.stringContaining(`${name} is a pipe or device`) };
    await expect(readCrawlDirectory(path)).rejects.toMatchObject(read);
  });

  it('has nothing to read if there is no crawl', async () => {
    await expect(readCrawlDirectory(join(base, 'absent'))).rejects.toMatchObject({ code: 'directory-taken' });
  });

  it('keeps each body of robots.txt once, and records each authority that served it', async () => {
    const { saveRobots, robotsPath } = await openCrawlDirectory(base, crawl);
    const body = new TextEncoder().encode('User-agent: *\nDisallow:');
    await Promise.all([
      saveRobots('https://a.test', '00112233aabbccdd', body),
      saveRobots('https://b.test', '00112233aabbccdd', body),
    ]);
    expect(readdirSync(robotsPath).sort()).toEqual(['00112233aabbccdd.txt', 'index.jsonl']);
    expect(readFileSync(join(robotsPath, '00112233aabbccdd.txt'), 'utf8')).toBe('User-agent: *\nDisallow:');
    expect(readFileSync(join(robotsPath, 'index.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('writes a kept body again if only half of it was left', async () => {
    const { saveRobots, robotsPath } = await openCrawlDirectory(base, crawl);
    const body = new TextEncoder().encode('User-agent: *\nDisallow:');
    writeFileSync(join(robotsPath, '00112233aabbccdd.txt'), body.subarray(0, 9));
    await saveRobots('https://a.test', '00112233aabbccdd', body);
    expect(readFileSync(join(robotsPath, '00112233aabbccdd.txt'), 'utf8')).toBe('User-agent: *\nDisallow:');
  });

  it.each(['../../evil', '', 'ABC', 'zz'])('writes nothing under a name that is not a hash: "%s"', async (hash) => {
    const { saveRobots, robotsPath } = await openCrawlDirectory(base, crawl);
    await saveRobots('https://a.test', hash, new Uint8Array());
    expect(readdirSync(robotsPath)).toEqual([]);
  });
});

const POLITE = { minMs: 1_000, factor: 2 };

describe('starting over', () => {
  it.each([
    ['nothing', [], 0],
    ['a quick answer', [{ startedAtMs: 5_000, endedAtMs: 5_010 }], 6_010],
    ['a slow answer', [{ startedAtMs: 5_000, endedAtMs: 8_000 }], 14_000],
    ['a Crawl-delay', [{ startedAtMs: 5_000, endedAtMs: 5_010, crawlDelayMs: 20_000 }], 25_010],
    ['a Request-rate', [{ startedAtMs: 5_000, endedAtMs: 5_010, requestIntervalMs: 20_000 }], 25_000],
    [
      'two hosts',
      [
        { startedAtMs: 5_000, endedAtMs: 5_010, crawlDelayMs: 9_000 },
        { startedAtMs: 6_000, endedAtMs: 6_010 },
      ],
      14_010,
    ],
  ])('says until when hosts must wait after %s', async (_, requests, restedAtMs) => {
    const { release, requestsPath } = await openCrawlDirectory(base, crawl);
    await release();
    const whole = { host: 'a.test', crawlDelayMs: null, requestIntervalMs: null };
    writeFileSync(requestsPath, requests.map((request) => `${JSON.stringify({ ...whole, ...request })}\n`).join(''));
    expect(await resetCrawlDirectory(base, 'tester', POLITE)).toBe(restedAtMs);
  });

  it('removes the files of the crawl, and nothing else', async () => {
    await (await openCrawlDirectory(base, crawl)).release();
    mkdirSync(join(base, 'files'));
    for (const name of ['items.jsonl', 'requests.jsonl', 'files/a.pdf', 'report.html', 'report.json', 'notes.txt'])
      writeFileSync(join(base, name), 'x\n');
    await resetCrawlDirectory(base, 'tester', POLITE);
    expect(readdirSync(base)).toEqual(['crawl.json.reset', 'notes.txt']);
  });

  it('is followed by a new crawl, even if the directory has other files', async () => {
    await (await openCrawlDirectory(base, crawl)).release();
    writeFileSync(join(base, 'notes.txt'), 'x\n');
    await resetCrawlDirectory(base, 'tester', POLITE);
    const directory = await openCrawlDirectory(base, crawl);
    expect(directory.isNew).toBe(true);
    await directory.release();
    expect(readdirSync(base).sort()).toEqual(['crawl.json', 'notes.txt', 'robots']);
  });

  it('has nothing to remove if there is nothing', async () => {
    await resetCrawlDirectory(base, 'tester', POLITE);
    await resetCrawlDirectory(join(base, 'absent'), 'tester', POLITE);
    expect(readdirSync(base)).toEqual([]);
  });

  it.each([
    ['no crawl', 'thesis.txt', 'years of work'],
    ['a crawl of another name', 'crawl.json', JSON.stringify({ ...crawl, name: 'other', format: 3 })],
    ['a manifest that cannot be read', 'crawl.json', '{'],
  ])('refuses a directory with %s, and does not change it', async (_, name, content) => {
    writeFileSync(join(base, name), content);
    await expect(resetCrawlDirectory(base, 'tester', POLITE)).rejects.toMatchObject({ code: 'directory-taken' });
    expect(readdirSync(base)).toEqual([name]);
  });

  it('refuses a crawl that is running', async () => {
    const { release } = await openCrawlDirectory(base, crawl);
    await expect(resetCrawlDirectory(base, 'tester', POLITE)).rejects.toMatchObject({ code: 'directory-in-use' });
    expect(readdirSync(base)).toContain('crawl.json');
    await release();
  });
});

describe('a crawl that failed before it had begun', () => {
  const deleteFrom = async (path: string, work: (opened: Awaited<ReturnType<typeof openCrawlDirectory>>) => void) => {
    const opened = await openCrawlDirectory(path, crawl, 1, true);
    writeFileSync(opened.requestsPath, '');
    writeFileSync(join(path, 'notes.txt'), 'mine');
    work(opened);
    await opened.release();
    await deleteIfNothingDone(path).catch(() => undefined);
    return readdirSync(path);
  };

  it('leaves the directory to another crawl', async () => {
    const path = join(base, 'crawl');
    expect(await deleteFrom(path, () => undefined)).toEqual(['notes.txt']);
    rmSync(join(path, 'notes.txt'));
    const other = await openCrawlDirectory(path, { ...crawl, name: 'other' }, 2);
    expect(other.isNew).toBe(true);
    await other.release();
  });

  const kept = [
    ['has sent a request', (path: string) => writeFileSync(join(path, 'requests-2.jsonl'), '{}\n')],
    ['was given a URL', (path: string) => writeFileSync(join(path, 'added.jsonl'), '{}\n')],
    ['was told to pause', (path: string) => writeFileSync(join(path, 'order.json'), '{}\n')],
    ['has another process', (path: string) => writeFileSync(join(path, 'crawl-2.lock'), lockOf({}))],
  ] as const;
  it.each(kept)('stays if it %s', async (_, work) => {
    const path = join(base, 'crawl');
    expect(await deleteFrom(path, () => work(path))).toContain('crawl.json');
  });
});
