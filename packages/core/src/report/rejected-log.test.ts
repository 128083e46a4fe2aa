// A schema that matches no page of a large crawl rejects everything: the file of rejected items must not fill the disk.

import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCrawlDirectory } from '../directory/crawl-directory.js';
import type { RejectedItem } from '../handle/staged.js';
import type { RunDeclaration } from './decision.js';
import { LineLog } from './line-log.js';
import { readRejected } from './read-logs.js';
import { RunLogs } from './run-logs.js';

const item = (at: number): RejectedItem => ({
  url: `https://a.test/${at}`,
  visit: 0,
  fetchedAtMs: 1,
  issues: [{ message: 'too long', path: ['name', at] }],
  data: { name: 'é'.repeat(20) },
  dataChars: 31,
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function urls(path: string): Promise<string[]> {
  const found: string[] = [];
  for await (const each of readRejected(path)) found.push(each.url);
  return found;
}

it('is not made before an item is rejected', async () => {
  const folder = newFolder();
  const directory = await openCrawlDirectory(folder, { name: 'bot', tokens: ['bot'], seeds: ['http://a.test/'] }, 0);
  const logs = new RunLogs(directory, { startedAtMs: 0, tokens: ['bot'] } as unknown as RunDeclaration);
  logs.rejected([]);
  expect(existsSync(directory.rejectedPath)).toBe(false);
  logs.rejected([item(1)]);
  await logs.close();
  await directory.release();
  expect(await urls(directory.rejectedPath)).toEqual([item(1).url]);
});

it('keeps complete lines up to its limit, over all runs', async () => {
  const path = join(newFolder(), 'rejected.jsonl');
  const bytes = Buffer.byteLength(JSON.stringify(item(1))) + 1;
  for (const at of [1, 2, 3]) {
    const log = new LineLog<RejectedItem>(path, 5 * bytes + bytes / 2);
    log.append(item(at));
    log.append(item(at + 3));
    log.close();
  }
  expect(statSync(path).size).toBe(5 * bytes);
  expect(await urls(path)).toEqual([1, 4, 2, 5, 3].map((at) => item(at).url));
});

it('reads what it wrote, and treats a missing file as empty', async () => {
  const path = join(newFolder(), 'rejected.jsonl');
  expect(await urls(path)).toEqual([]);
  const log = new LineLog<RejectedItem>(path);
  log.append(item(1));
  log.close();
  for await (const each of readRejected(path)) expect(each).toEqual(item(1));
});
