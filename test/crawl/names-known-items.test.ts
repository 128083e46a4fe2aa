// Items have the same ids in every crawl of a page, and a sink skips ids that it has. Without a notice, a program that
// writes one table and starts over would silently lose its new items.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@mannerly/frontier';
import { csvSink, jsonlSink } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { makeCrawler, type TestCrawlOptions } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it.each([
  ['csv', csvSink],
  ['jsonl', jsonlSink],
])('the log of a new crawl names a %s sink that had items of its pages', async (kind, sinkOf) => {
  const web = await webForTest({ hosts: { 'a.test': { '/': page('A', ['/b']), '/b': page('B') } } });
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-known-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'items');
  const run = async (edition: number, options: { readonly reset?: boolean }) => {
    const logged: string[] = [];
    const log = ({ code, message }: { code: string; message: string }) =>
      void (code === 'items-known' && logged.push(message));
    const handlers: TestCrawlOptions['handlers'] = (crawler) =>
      crawler.on('html', async (each) => {
        await each.emit({ edition });
        await each.follow();
      });
    const crawler = makeCrawler({ seeds: [web.url('a.test')], log, handlers }, [sinkOf({ path })]);
    await crawler.run({ out: join(folder, 'crawl'), ...options });
    return logged;
  };
  expect(await run(1, {})).toEqual([]);
  const before = await readFile(path, 'utf8');
  const logged = await run(2, { reset: true });
  expect(logged).toEqual([
    expect.stringMatching(`^${kind} .*items had 2 items of the same pages .* keeps them unchanged`),
  ]);
  expect(await readFile(path, 'utf8')).toBe(before);
});

it('a page that is handled again because its lease was lost is not taken for one of an earlier crawl', async () => {
  const web = await webForTest({ hosts: { 'a.test': { '/': page('A') } } });
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-known-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = memoryStore();
  const commit = store.commit.bind(store);
  let lost = 0;
  store.commit = async (hosts, links) => {
    if (lost > 0 || !hosts.some(({ done = [] }) => done.length > 0)) return commit(hosts, links);
    lost += 1;
    // Instead of the page's end, its host is released: it is handed out again.
    const released = hosts.map(({ host, fencingToken }) => ({
      ...{ host, fencingToken },
      then: { release: { dueInMs: 0 } },
    }));
    const answer = await commit(released, links);
    return { links: answer.links, hosts: hosts.map(() => ({ ok: false, reason: 'lost' })) };
  };
  const logged: string[] = [];
  const log = ({ code }: { code: string }) => void logged.push(code);
  const path = join(folder, 'items');
  const crawler = makeCrawler({ seeds: [web.url('a.test')], log, store }, [jsonlSink({ path })]);
  const decided: string[] = [];
  crawler.events.on('decision', ({ url }) => decided.push(url));
  expect(await crawler.run()).toMatchObject({ pages: 1 });
  expect([lost, decided]).toEqual([1, [web.url('a.test')]]);
  expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(1);
  expect(logged).not.toContain('items-known');
});
