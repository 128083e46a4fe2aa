// Anyone who receives a crawl must be able to say what ran, with which options and which robots.txt, and that the files
// are those of that run. The run manifest is compared with the files.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { type CrawlerOptions, createCrawler, readRunManifests } from 'mannerly';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { page, startWeb, text, type Web } from '../support/web.js';

let web: Web;
let folder: string;
const PACKAGE = new URL('../../packages/core/package.json', import.meta.url);
const ROBOTS = 'User-agent: *\nDisallow: /closed\n';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-manifest-'));
  web = await startWeb({
    hosts: { 'a.test': { '/robots.txt': text(ROBOTS), '/': page('a', ['/b', '/closed/x']), '/b': page('b') } },
  });
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true, force: true });
});

function crawler(pages: number, more: Partial<CrawlerOptions> = {}) {
  const made = createCrawler({
    identity: { name: 'tester', contact: 'https://example.org/us' },
    scope: { seeds: [web.url('a.test')], allows: () => true, exclude: [/\.zip$/] },
    bounds: { pages },
    politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
    network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
    ...more,
  });
  made.on('html', async (found) => {
    await found.emit({ title: found.title });
    await found.follow();
  });
  return made;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('says what ran, with what, under which rules, and what it left', async () => {
  const out = join(folder, 'one');
  const report = await crawler(5, { archive: true }).run({ out });
  const [manifest] = await readRunManifests(out);
  expect(manifest).toMatchObject({
    format: 1,
    versions: { mannerly: JSON.parse(await readFile(PACKAGE, 'utf8')).version, node: process.version },
    environment: { platform: process.platform, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    seeds: [web.url('a.test')],
    seedCount: 1,
    options: {
      identity: { name: 'tester' },
      bounds: { pages: 5, depth: null },
      scope: { within: 'host', allows: '(function)', exclude: ['/\\.zip$/'] },
      network: { resolve: '(function)', concurrency: 64 },
      handlerTimeoutMs: 60_000,
      licensing: { mode: 'respect', read: 'with-purpose', tokens: [] },
    },
    end: { state: 'finished', counts: { pages: 2, items: 2, requests: 3, outcomes: report.outcomes }, moreRobots: 0 },
    earlier: [],
  });
  const { robots = [], outputs = [] } = manifest?.end ?? {};
  expect(robots).toHaveLength(1);
  const copy = await readFile(join(out, 'robots', `${robots[0]?.hash}.txt`), 'utf8');
  expect(copy).toBe(ROBOTS);
  expect(robots[0]?.fetchedAtMs).toBeGreaterThanOrEqual(report.startedAtMs);

  const names = outputs.map(({ path }) => path);
  expect(names).toEqual(expect.arrayContaining(['items.jsonl', 'requests.jsonl', 'decisions.jsonl', 'crawl.json']));
  expect(names.some((name) => /^archive\/.*\.warc\.gz$/.test(name))).toBe(true);
  for (const { path, bytes, sha256: hash } of outputs) {
    const content = await readFile(join(out, path));
    expect([path, content.length, sha256(content)]).toEqual([path, bytes, hash]);
  }
});

it('distinguishes runs with the same settings from others, and remembers killed runs', async () => {
  const out = join(folder, 'two');
  await crawler(1).run({ out });
  const [first] = await readRunManifests(out);
  await crawler(1).run({ out });
  const [second] = await readRunManifests(out);
  expect(second).toMatchObject({ optionsHash: first?.optionsHash, crawlStartedAtMs: first?.crawlStartedAtMs });
  expect(second?.earlier).toMatchObject([{ startedAtMs: first?.startedAtMs, state: 'bounded' }]);
  // The manifest as a killed run leaves it.
  const killed = JSON.stringify({ ...second, end: null, sha256: undefined });
  await writeFile(
    join(out, 'run.json'),
    JSON.stringify({ ...JSON.parse(killed), sha256: sha256(Buffer.from(killed)) }),
  );
  await crawler(5).run({ out });
  const [third] = await readRunManifests(out);
  expect(third?.optionsHash).not.toBe(first?.optionsHash);
  expect(third?.earlier).toMatchObject([{ endedAtMs: null, state: null }, { state: 'bounded' }]);
  expect(third?.end?.counts.pages).toBe(2);
});

it('has the same start of the crawl in each directory of a shared store', async () => {
  const starts = [];
  for (const name of ['shared-1', 'shared-2']) {
    await crawler(1, { store: lmdbStore({ path: join(folder, 'store') }) }).run({ out: join(folder, name) });
    const [manifest] = await readRunManifests(join(folder, name));
    starts.push(manifest?.crawlStartedAtMs);
  }
  expect(starts[0]).toEqual(expect.any(Number));
  expect(starts[1]).toBe(starts[0]);
});

it('is written before any request, and removed by a reset', async () => {
  const out = join(folder, 'three');
  let during: unknown = null;
  const first = crawler(1);
  first.events.on('request', () => {
    during ??= readFile(join(out, 'run.json'), 'utf8').then((content) => JSON.parse(content) as unknown);
  });
  await first.run({ out });
  expect(await during).toMatchObject({ seedCount: 1, end: null });
  await crawler(1).run({ out, reset: true });
  expect((await readRunManifests(out))[0]?.earlier).toEqual([]);
});

it('is separate for each process if several share the crawl', async () => {
  const out = join(folder, 'four');
  await crawler(1).run({ out, shared: true });
  expect((await readdir(out)).filter((name) => name.startsWith('run'))).toEqual(['run-1.json', 'runs-1.jsonl']);
  const [manifest] = await readRunManifests(out);
  const names = manifest?.end?.outputs.map(({ path }) => path) ?? [];
  expect(names).toContain('items-1.jsonl');
  expect(names).not.toContain('crawl.json');
});

it.each([
  ['torn', () => '{ torn'],
  ['without its hash', (whole: string) => JSON.stringify({ ...JSON.parse(whole), sha256: undefined })],
])('is no reason to fail when it is %s', async (how, damaged) => {
  const out = join(folder, how);
  await crawler(1).run({ out });
  await writeFile(join(out, 'run.json'), damaged(await readFile(join(out, 'run.json'), 'utf8')));
  expect(await readRunManifests(out)).toEqual([]);
  await crawler(1).run({ out });
  expect(await readRunManifests(out)).toHaveLength(1);
});
