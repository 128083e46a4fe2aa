// Several processes in one crawl directory: no two write the same file, and a process that needs it exclusively gets it
// exclusively.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinedItems } from '../output/joined-items.js';
import { resetCrawlDirectory } from '../run/run-directory.js';
import { openCrawlDirectory, readCrawlDirectory } from './crawl-directory.js';
import { holderOf, isPartLocked, lockDirectory, lockPart, refuseShared } from './directory-lock.js';

const crawl = { name: 'crew', tokens: ['crew'], seeds: ['https://example.org/'] };
let path = '';
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'mannerly-parts-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

const share = () => openCrawlDirectory(path, crawl, 1, true);

describe('a shared crawl directory', () => {
  it('gives each process its own files, and the number of an ended one to the next', async () => {
    const crew = await Promise.all([share(), share(), share()]);
    expect(crew.map(({ part }) => part).sort()).toEqual([1, 2, 3]);
    expect(new Set(crew.map(({ itemsPath }) => itemsPath)).size).toBe(3);
    expect(new Set(crew.map(({ frontierPath }) => frontierPath)).size).toBe(1);
    const gone = crew.find(({ part }) => part === 2);
    await gone?.release();
    const next = await share();
    expect(next.part).toBe(2);
    for (const each of [...crew, next]) await each.release();
    expect(readdirSync(path).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('is refused to a run that needs it exclusively, and to a reset', async () => {
    const one = await share();
    await expect(openCrawlDirectory(path, crawl)).rejects.toMatchObject({ code: 'directory-in-use' });
    await expect(resetCrawlDirectory(path, 'crew', { minMs: 0, factor: 0 })).rejects.toMatchObject({
      code: 'directory-in-use',
    });
    await one.release();
    const alone = await openCrawlDirectory(path, crawl);
    expect(alone.part).toBeNull();
    await alone.release();
  });

  it('is free of processes that have died, and has those that live', async () => {
    const dead = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), started: null, pidSpace: null });
    writeFileSync(join(path, 'crawl-1.lock'), dead);
    writeFileSync(join(path, 'crawl.lock'), dead);
    expect([await holderOf(path), await isPartLocked(path, 1), await isPartLocked(path, null)]).toEqual([
      null,
      false,
      false,
    ]);
    await refuseShared(path);
    const { part, lock } = await lockPart(path);
    expect([part, await isPartLocked(path, 1), await isPartLocked(path, null)]).toEqual([1, true, false]);
    expect(await holderOf(path)).toBe(`process ${process.pid}`);
    await expect(refuseShared(path)).rejects.toMatchObject({ code: 'directory-in-use' });
    await lock.release();
  });

  it('is released once: a second call leaves the lock of the next run', async () => {
    const first = await lockDirectory(path);
    await first.release();
    const next = await lockDirectory(path);
    await first.release();
    expect(await isPartLocked(path, null)).toBe(true);
    await next.release();
    expect(readdirSync(path)).toEqual([]);
  });

  it('of another crawl is refused to a process that would share it', async () => {
    await (await share()).release();
    const other = openCrawlDirectory(path, { ...crawl, name: 'other' }, 1, true);
    await expect(other).rejects.toMatchObject({ code: 'directory-taken' });
  });

  it('is read as a whole, with the items of all processes and each id once, and a reset removes all of it', async () => {
    const [one, two] = [await share(), await share()];
    const line = (id: string) => `{"id":"${id}","url":"https://example.org/"}\n`;
    writeFileSync(one.itemsPath, line('a') + line('b'));
    writeFileSync(two.itemsPath, line('b') + line('c'));
    for (const each of [one, two]) await each.release();
    const { parts } = await readCrawlDirectory(path);
    const ids: unknown[] = [];
    for await (const item of joinedItems(parts.map(({ itemsPath }) => itemsPath))) ids.push(JSON.parse(item).id);
    expect(ids).toEqual(['a', 'b', 'c']);
    await resetCrawlDirectory(path, 'crew', { minMs: 0, factor: 0 });
    expect(readdirSync(path)).toEqual(['crawl.json.reset']);
  });
});
