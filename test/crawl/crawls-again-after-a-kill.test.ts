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
    await run(true);
  } finally {
    clock.end();
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
  expect(statuses()).toEqual([200, 304, 304]);
  expect(handled).toEqual(['https://a.test/']);
});
