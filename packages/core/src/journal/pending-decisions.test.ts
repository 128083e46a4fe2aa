// Decisions that are made at the end of a run are not lost if it is killed: otherwise a report counts too few refusals,
// and says that a bound cost nothing.

import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCrawlDirectory } from '../directory/crawl-directory.js';
import type { UrlDecision } from '../report/decision.js';
import { MAX_PENDING_DECISIONS, MAX_PENDING_LINES } from './limits.js';
import { PendingDecisions } from './pending-decisions.js';

const SEEDS = { name: 'bot', tokens: ['bot'], seeds: ['https://example.org/'] };
const decision = (path: string): UrlDecision => ({
  url: `https://example.org/${path}`,
  host: 'example.org',
  status: 'excluded',
  reason: 'link-nofollow',
  layer: 'page',
  httpStatus: null,
  line: null,
  pattern: null,
  dialect: null,
  robots: null,
  depth: 1,
  from: 'https://example.org/',
  atMs: 1,
  detail: null,
});

let path = '';
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'mannerly-pending-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

/** One run. @param isKilled - The file stays as it was after `act`. @returns The pending decisions at the end. */
async function run(act: (pending: PendingDecisions) => void, { isKilled = false, isShared = false } = {}) {
  const directory = await openCrawlDirectory(path, SEEDS, 0, isShared);
  const pending = await PendingDecisions.open(directory);
  act(pending);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const kept = join(path, 'kept');
  if (isKilled) await copyFile(directory.pendingPath, kept);
  const urls = pending.end().map(({ url }) => url);
  for (const url of urls) pending.delete(url);
  await pending.close();
  await directory.release();
  if (isKilled) await copyFile(kept, directory.pendingPath);
  return urls.map((url) => url.replace('https://example.org/', ''));
}

describe('pending decisions', () => {
  it('are taken over from a run that was killed, without those that were lifted', async () => {
    const first = (pending: PendingDecisions) => {
      for (const each of ['a', 'b', 'c']) pending.add(decision(each));
      pending.delete(decision('b').url);
    };
    expect(await run(first, { isKilled: true })).toEqual(['a', 'c']);
    expect(await run((pending) => pending.delete(decision('a').url), { isKilled: true })).toEqual(['c']);
    expect(await run(() => undefined)).toEqual(['c']);
    expect(await run(() => undefined)).toEqual([]);
    expect(await readdir(path)).not.toContain('pending.jsonl');
  });

  it('are taken over from ended processes that shared the directory', async () => {
    await run((pending) => pending.add(decision('a')), { isKilled: true, isShared: true });
    expect(await readdir(path)).toContain('pending-1.jsonl');
    expect(await run(() => undefined, { isKilled: true })).toEqual(['a']);
    expect(await readdir(path)).not.toContain('pending-1.jsonl');
    expect(await run(() => undefined)).toEqual(['a']);
  });

  it('have a file that does not grow with all that were lifted', { timeout: 60_000 }, async () => {
    const file = join(path, 'pending.jsonl');
    await run(
      (pending) => {
        pending.add(decision('kept'));
        for (let at = 0; at <= MAX_PENDING_LINES; at += 1) {
          const each = decision(String(at));
          pending.add(each);
          pending.delete(each.url);
        }
      },
      { isKilled: true },
    );
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines.length).toBeLessThan(MAX_PENDING_LINES);
    expect(await run(() => undefined)).toEqual(['kept']);
  });

  it('are bounded in number', async () => {
    const pending = await PendingDecisions.open(null);
    for (let at = 0; at < MAX_PENDING_DECISIONS; at += 1) expect(pending.add(decision(String(at)))).toBeNull();
    expect(pending.add(decision('more'))?.url).toBe('https://example.org/0');
  });
});
