// A host that refuses twenty requests in a row is parked: no restart tries it again, but the operator can. The operator
// cannot shorten what a Retry-After asks for, and the crawl does not forget why it waits.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { crawl, makeCrawler } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('a parked host stays parked over restarts until it is unparked', async () => {
  let isClosed = true;
  const paths = Array.from({ length: 24 }, (_, number) => `/${number}`);
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': { status: 404 },
        '/': page('start', paths),
        '*': () => (isClosed ? { status: 403 } : page('leaf')),
      },
    },
  });
  const base = mkdtempSync(join(tmpdir(), 'mannerly-resume-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const options = { seeds: [web.url('a.test')], out: join(base, 'crawl') };
  const parked = { state: 'waiting', waiting: [{ host: 'a.test', reason: 'host-parked', untilMs: null, queued: 4 }] };
  expect((await crawl(options)).report).toMatchObject(parked);
  const requestsBefore = web.log.length;
  isClosed = false;
  expect((await crawl(options)).report).toMatchObject(parked);
  expect(web.log).toHaveLength(requestsBefore);
  const crawler = makeCrawler(options);
  await crawler.unpark('a.test');
  expect(await crawler.run({ out: options.out })).toMatchObject({ state: 'finished', waiting: [] });
  expect(web.log).toHaveLength(requestsBefore + 4);
});

it('a pause that the site asked for continues when its host is unparked, and is reported', async () => {
  const busy = { status: 429, headers: { 'retry-after': '999999' } };
  const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': { status: 404 }, '*': busy } } });
  const base = mkdtempSync(join(tmpdir(), 'mannerly-resume-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const options = { seeds: [web.url('a.test')], out: join(base, 'crawl') };
  const paused = { state: 'waiting', waiting: [{ host: 'a.test', reason: 'host-paused', queued: 1 }] };
  expect((await crawl(options)).report).toMatchObject(paused);
  const requestsBefore = web.log.length;
  const notices: string[] = [];
  const crawler = makeCrawler({
    ...options,
    log: ({ code, message }) => code === 'not-parked' && notices.push(message),
  });
  for (const host of ['a.test', 'b.test']) await crawler.unpark(host);
  expect(await crawler.run({ out: options.out })).toMatchObject(paused);
  expect(web.log).toHaveLength(requestsBefore);
  expect(notices).toEqual([
    expect.stringMatching(/^a\.test is not parked: it waits until \d{4}-.*Z \(host-paused\), as before$/),
    'b.test is not parked: this crawl knows no such host',
  ]);
});
