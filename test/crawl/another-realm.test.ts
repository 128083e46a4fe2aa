// A crawl in a context of `node:vm`, as under Jest: vitest runs this file in one. Errors of Node.js are no instances of
// the `Error` there. The sources must not tell them by that.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { csvSink } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { freePort } from '../support/free-port.mjs';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('makes a crawl directory, continues in it, and names failures, where errors have another realm', async () => {
  const absent: unknown = await readFile('/absent').catch((error: unknown) => error);
  expect([types.isNativeError(absent), absent instanceof Error]).toEqual([true, false]);

  const out = await mkdtemp(join(tmpdir(), 'mannerly-realm-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text(''), '/': page('start', ['/a']), '/a': page('a') } },
  });
  const closed = `http://b.test:${await freePort()}/`;
  const options = {
    seeds: [web.url('a.test'), closed],
    out: join(out, 'crawl'),
    sinks: [csvSink({ path: join(out, 'items.csv') })],
    retries: { failureWaitsMs: [] },
  };
  const first = await crawl({ ...options, bounds: { pages: 1 } });
  expect(first.report.state).toBe('bounded');
  const second = await crawl(options);
  expect(second.requests.map(({ url }) => new URL(url).pathname)).toContain('/a');
  const details = [...first.notices, ...second.notices].flatMap(({ detail }) => detail ?? []);
  expect(details.join('\n')).toContain('(refused)');
  expect((await readFile(join(out, 'items.csv'), 'utf8')).trim().split('\n')).toHaveLength(3);
});
