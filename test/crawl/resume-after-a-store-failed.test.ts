// A store that fails ends the run with an error that names it. What it had committed is kept, and the rest is fetched
// again.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrontierStore } from '@mannerly/frontier';
import { aroundStoreVerbs } from '@mannerly/frontier/internal';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { expect, it, onTestFinished } from 'vitest';
import { crawl, makeCrawler } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const PATHS = Array.from({ length: 20 }, (_, number) => (number === 0 ? '/' : `/${number}`));

/** A store whose disk is full from the n-th call of a verb on. */
function failing(inner: FrontierStore, verb: 'commit' | 'add' | 'lease' | 'writeRecord' | 'nextDueInMs', from: number) {
  let uses = 0;
  return aroundStoreVerbs(inner, async (call, name) => {
    if (name === verb) uses += 1;
    if (name !== 'close' && uses >= from) throw new Error('the disk is full');
    return call();
  });
}

it.each([
  ['commit', 1],
  ['commit', 4],
  ['add', 1],
  ['lease', 2],
  ['writeRecord', 3],
  ['nextDueInMs', 2],
] as const)('%s fails from its use number %i on', async (verb, from) => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': { status: 404 },
        ...Object.fromEntries(PATHS.map((path, number) => [path, page(path, PATHS.slice(number + 1, number + 3))])),
      },
    },
  });
  const base = mkdtempSync(join(tmpdir(), 'mannerly-resume-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const out = join(base, 'crawl');
  const seeds = [web.url('a.test')];
  const store = (laterMs: number) => lmdbStore({ path: join(base, 'store'), nowMs: () => performance.now() + laterMs });
  const broken = makeCrawler({ seeds, store: failing(store(0), verb, from) });
  await expect(broken.run({ out })).rejects.toMatchObject({
    name: 'MannerlyError',
    code: 'store-failed',
    hint: expect.stringContaining('continues'),
  });
  // The broken store could not release its lease, so this waits until the lease ends.
  const { report } = await crawl({ seeds, out, store: store(60_000) });
  expect(report.state).toBe('finished');
  // Pages are counted before their commit: at most one too many, never one too few.
  expect([PATHS.length, PATHS.length + 1]).toContain(report.pages);
  const urls = readFileSync(join(out, 'items.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { url: string }).url);
  expect(urls.sort()).toEqual(PATHS.map((path) => web.url('a.test', path)).sort());
});
