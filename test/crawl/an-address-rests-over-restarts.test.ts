// A killed process does not say which addresses it requested last. The next process still makes no request to another
// name of such an address before the pause is over, whether it is the profile's or one that the site asked for. Judged
// by arrivals at a server.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditCrawl, readCrawlDirectory } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { LIBRARY } from '../support/command.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** Crawls the seeds; kills itself in the handler of the first page. Arguments: the shortest interval, the seeds. */
const PROGRAM = `import { createCrawler } from ${JSON.stringify(LIBRARY)};
const [minMs, ...seeds] = process.argv.slice(2);
const crawler = createCrawler({
  identity: { name: 'crew', contact: 'https://example.org/us' },
  scope: { seeds },
  bounds: { pages: 10 },
  politeness: { profile: { factor: 0, minMs: Number(minMs), maxMs: Number(minMs) } },
  network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
});
crawler.on('html', () => process.kill(process.pid, 'SIGKILL'));
await crawler.run({ out: 'crawl' });
`;

it.each([
  ['of the profile', 2_000, 'User-agent: *\n'],
  ['that the last host asked for', 100, 'User-agent: *\nCrawl-delay: 3\n'],
])('a pause %s', { timeout: 60_000 }, async (_, minMs, robots) => {
  const site = { '/': page('start') };
  const web = await webForTest({
    hosts: {
      'one.many.test': { ...site, '/robots.txt': text(robots) },
      'two.many.test': { ...site, '/robots.txt': { status: 404 } },
    },
  });
  const cwd = mkdtempSync(join(tmpdir(), 'mannerly-address-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'program.mjs'), PROGRAM);
  const killed = (...hosts: readonly string[]) => {
    const seeds = hosts.map((host) => web.url(host));
    const child = spawn(process.execPath, ['program.mjs', String(minMs), ...seeds], { stdio: 'inherit', cwd });
    return new Promise<string | null>((done) => child.once('close', (_code, signal) => done(signal)));
  };
  expect(await killed('one.many.test')).toBe('SIGKILL');
  expect(await killed('one.many.test', 'two.many.test')).toBe('SIGKILL');
  expect(web.log.slice(0, 3).map(({ host, path }) => `${host}${path}`)).toEqual([
    ...['one.many.test/robots.txt', 'one.many.test/'],
    'two.many.test/robots.txt',
  ]);
  const pauseMs = web.log[2]!.startMs - web.log[1]!.endMs;
  expect(pauseMs).toBeGreaterThanOrEqual(Math.max(minMs, robots.includes('3') ? 3_000 : 0) - 2);
  expect((await auditCrawl(await readCrawlDirectory(join(cwd, 'crawl')))).violations).toEqual([]);
});
