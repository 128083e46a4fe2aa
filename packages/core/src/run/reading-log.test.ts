// A page whose reading killed the process three times is refused once. A page whose reading ended is forgotten.

import { appendFile, copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCrawlDirectory } from '../directory/crawl-directory.js';
import { MAX_READING_LOG_BYTES, POISON_DEATHS } from './limits.js';
import { ReadingLog } from './reading-log.js';

const BAD = 'https://example.org/bad';
const GOOD = 'https://example.org/good';
const LATE = 'https://example.org/late';
const SEEDS = { name: 'bot', tokens: ['bot'], seeds: ['https://example.org/'] };

let path = '';
let logPath = '';
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'mannerly-reading-'));
  logPath = join(path, 'reading.jsonl');
});
afterEach(() => rm(path, { recursive: true, force: true }));

/** Opens the log as a new process does. */
async function opened(isShared = false) {
  const directory = await openCrawlDirectory(path, SEEDS, 0, isShared);
  const log = await ReadingLog.open(directory);
  return { log, directory };
}

/** A process that dies while it reads the pages: what it has written remains. */
async function died(urls: readonly string[], isShared = false, isStopping = false): Promise<void> {
  const { log, directory } = await opened(isShared);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const readings = urls.map((url) => log.track(url, () => ended));
  await Promise.resolve();
  if (isStopping) {
    log.stopping();
    readings.push(log.track(LATE, () => ended));
    await Promise.resolve();
  }
  await copyFile(directory.readingPath, `${directory.readingPath}.dead`);
  end();
  await Promise.all(readings);
  await log.close();
  await directory.release();
  await copyFile(`${directory.readingPath}.dead`, directory.readingPath);
}

async function refused(url: string, isShared = false): Promise<boolean[]> {
  const { log, directory } = await opened(isShared);
  const answers = [log.refuses(url), log.refuses(url)];
  await log.close();
  await directory.release();
  return answers;
}

describe('the reading log', () => {
  it('refuses a page from the third death on, and once: a retry may read it again', async () => {
    for (const refusals of [0, 0, 1]) {
      await died([BAD]);
      expect(await refused(BAD)).toEqual([refusals === 1, false]);
    }
    // The refusal took one death away, so the next start lets a retry read it.
    expect(await refused(BAD)).toEqual([false, false]);
    await died([BAD]);
    expect(await refused(BAD)).toEqual([true, false]);
  });

  it('blames no page once the run stops: somebody else ends the process then', async () => {
    await died([BAD]);
    await died([BAD]);
    for (let times = 0; times < POISON_DEATHS; times += 1) await died([BAD, GOOD], false, true);
    for (const url of [BAD, GOOD, LATE]) expect(await refused(url)).toEqual([false, false]);
    await died([BAD]);
    expect(await refused(BAD)).toEqual([true, false]);
  });

  it('forgets a page whose reading ended, well or not, and the file with the last one', async () => {
    await died([BAD, GOOD]);
    await died([BAD, GOOD]);
    const { log, directory } = await opened();
    await log.track(GOOD, async () => undefined);
    await expect(log.track(BAD, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await log.close();
    await directory.release();
    await expect(stat(logPath)).rejects.toThrow('ENOENT');
    await died([BAD, GOOD]);
    await died([BAD, GOOD]);
    expect(await refused(BAD)).toEqual([false, false]);
  });

  it('writes at once that a suspected page was read, so that no later death counts against it', async () => {
    await died([BAD]);
    await died([BAD]);
    const { log, directory } = await opened();
    await log.track(BAD, async () => undefined);
    await copyFile(directory.readingPath, `${directory.readingPath}.dead`);
    await log.close();
    await directory.release();
    await copyFile(`${directory.readingPath}.dead`, directory.readingPath);
    expect(await refused(BAD)).toEqual([false, false]);
  });

  it('reads pages that were read at a death one by one, so that the next death has one cause', async () => {
    await died([BAD, GOOD]);
    const { log, directory } = await opened();
    const begun: string[] = [];
    let end = (): void => undefined;
    const first = log.track(GOOD, () => {
      begun.push(GOOD);
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const second = log.track(BAD, async () => void begun.push(BAD));
    const other = log.track('https://example.org/new', async () => void begun.push('new'));
    await other;
    expect(begun).toEqual([GOOD, 'new']);
    end();
    await Promise.all([first, second]);
    expect(begun).toEqual([GOOD, 'new', BAD]);
    await log.close();
    await directory.release();
  });

  it('counts what dead processes of the directory left, and nothing that a living one is reading', async () => {
    await died([BAD], true);
    await died([BAD], true);
    const first = await opened(true);
    expect(first.directory.part).toBe(1);
    await first.log.track(GOOD, async () => {
      const second = await opened(true);
      expect(second.directory.part).toBe(2);
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const reading = second.log.track(BAD, () => ended);
      await copyFile(second.directory.readingPath, join(path, 'dead'));
      end();
      await reading;
      await second.log.close();
      await second.directory.release();
      await copyFile(join(path, 'dead'), second.directory.readingPath);
    });
    const third = await opened(true);
    expect(third.log.refuses(GOOD)).toBe(false);
    await third.log.close();
    await third.directory.release();
    await first.log.close();
    await first.directory.release();
    expect(await refused(BAD, true)).toEqual([true, false]);
  });

  it('accepts a file with broken lines, and keeps it small', async () => {
    await died([BAD]);
    await appendFile(logPath, '{"url":7,"is":"begun"}\n[]\nnull\n{"url":"https://example.org/half","is":"beg');
    const { log, directory } = await opened();
    const url = `https://example.org/${'a'.repeat(2_000)}`;
    for (let at = 0; at < 100; at += 1) await log.track(`${url}${at}`, async () => undefined);
    expect((await stat(logPath)).size).toBeLessThan(MAX_READING_LOG_BYTES + 8_192);
    expect(await readFile(logPath, 'utf8')).toContain(JSON.stringify({ url: BAD, is: 1 }));
    await log.close();
    await directory.release();
    await died([BAD]);
    await died([BAD]);
    expect(await refused(BAD)).toEqual([true, false]);
  });
});
