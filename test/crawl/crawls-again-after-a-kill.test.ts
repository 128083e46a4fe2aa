// A process that is killed between the record of a visit and its commit leaves the visit in the queue. If the page was
// unchanged, the next run treats it as a known page too: its site sends no body twice, and its items are not written
// again.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { createCrawler } from 'mannerly';
import { createFakeWeb, createVirtualClock, runCrawl } from 'mannerly/testing';
import { expect, it } from 'vitest';

it('repeats the visit of an unchanged page with conditions, and without its handler', async () => {
  const etag = '"1"';
  const page = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
    headers['if-none-match'] === etag
      ? { status: 304, headers: { ETag: etag } }
      : { headers: { 'Content-Type': 'text/html', ETag: etag }, body: '<title>a</title>' };
  const web = createFakeWeb({ hosts: { 'a.test': { pages: { '/': page } } } });
  const clock = createVirtualClock();
  const path = mkdtempSync(join(tmpdir(), 'mannerly-again-'));
  const handled: string[] = [];
  const run = (again: boolean, isKilled = false) => {
    const store = lmdbStore({ path, nowMs: () => clock.nowMs() });
    const commit: typeof store.commit = (...parts) =>
      isKilled && statuses().length > 1 ? Promise.reject(new Error('killed')) : store.commit(...parts);
    const crawler = createCrawler({
      identity: { name: 'tester', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 100 },
      recrawl: true,
      ...web.fakes(clock),
      store: { ...store, commit },
    });
    crawler.on('html', (one) => void handled.push(one.url));
    return runCrawl(crawler, clock, { again });
  };
  const statuses = () => web.exchanges.filter(({ url }) => url.endsWith('/')).map(({ status }) => status);
  try {
    await run(false);
    await clock.advance(86_400_000);
    await expect(run(true, true)).rejects.toThrow('killed');
    const { outcomes, requests } = await run(true);
    // Of all runs. The killed one had not saved its last request.
    expect([outcomes, requests]).toEqual([{ fetched: { fetched: 1 } }, web.exchanges.length - 1]);
  } finally {
    clock.end();
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
  expect(statuses()).toEqual([200, 304, 304]);
  expect(handled).toEqual(['https://a.test/']);
});

it('reports no count below 0 if the first run was killed before it saved what it had counted', async () => {
  const body = '<title>a</title>';
  const web = createFakeWeb({
    hosts: { 'a.test': { pages: { '/': { headers: { 'Content-Type': 'text/html' }, body } } } },
  });
  const clock = createVirtualClock();
  const path = mkdtempSync(join(tmpdir(), 'mannerly-again-'));
  const run = (again: boolean) => {
    const store = lmdbStore({ path, nowMs: () => clock.nowMs() });
    const writeRecord: typeof store.writeRecord = (key, ...record) =>
      !again && web.exchanges.length > 1 && key.includes('totals')
        ? Promise.reject(new Error('killed'))
        : store.writeRecord(key, ...record);
    const crawler = createCrawler({
      identity: { name: 'tester', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 100 },
      recrawl: true,
      ...web.fakes(clock),
      store: { ...store, writeRecord },
    });
    return runCrawl(crawler, clock, { again });
  };
  try {
    await expect(run(false)).rejects.toThrow('killed');
    await clock.advance(86_400_000);
    expect((await run(true)).outcomes).toEqual({ fetched: { unchanged: 1 } });
  } finally {
    clock.end();
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
});
