// URLs that are added to the crawl of a directory, while it runs or before its next run. If this breaks, an added page
// is silently never requested.

import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { run } from '../../test-support/run-command.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

let base: string;
let out: string;
let site: TestSite;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-add-'));
  out = join(base, 'crawl');
  site = await testSite(['/1']);
});

afterEach(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

const crawlArgs = (...more: string[]) => ['crawl', `${site.url}/`, ...who, '--interval', '0', '--out', out, ...more];

it('are taken by a run that is kept open, if the crawl allows them', {
  timeout: 60_000,
}, async () => {
  const io = fakeIo();
  const crawl = runCommand(crawlArgs('--keep-open'), io);
  await vi.waitFor(() => expect(site.requestedPaths).toContain('/1'), 30_000);
  const added = await run('add', out, `${site.url}/late`, `${site.url}/closed`, '--label', 'x');
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining('2 URLs added.') });
  await vi.waitFor(() => expect(site.requestedPaths).toContain('/late'), 30_000);
  // The error of a second command names one reason, and that command takes no added URLs.
  expect((await run(...crawlArgs())).err).toMatch(/is in use/);
  expect((await run(...crawlArgs())).err).not.toContain('cannot be taken');
  io.interrupt();
  expect(await crawl).toBe(130);
  expect(io.errLines.join('\n')).toContain(
    `Added, and refused: "${site.url}/closed" (robots-rule)\n1 added URL queued`,
  );
  expect(site.requestedPaths).not.toContain('/closed');
});

it('are taken by the next run, once, and forgotten by a reset', { timeout: 60_000 }, async () => {
  await run(...crawlArgs('--pages', '9'));
  expect((await run('add', out, `${site.url}/late`)).err).toContain(`ended: mannerly explain ${out} ${site.url}/late`);
  // Two lines that are not additions, and a torn one.
  appendFileSync(join(out, 'added.jsonl'), '{"url":7}\n[]\n{"url":"http');
  expect((await run(...crawlArgs('--pages', '9'))).code).toBe(0);
  await run(...crawlArgs('--pages', '9'));
  expect(site.requestedPaths.filter((path) => path === '/late')).toHaveLength(1);
  await run(...crawlArgs('--pages', '9', '--reset'));
  expect(site.requestedPaths.filter((path) => path === '/late')).toHaveLength(1);
  // As of a crawl whose queue is on a server: another machine may take the URL.
  rmSync(join(out, 'frontier'), { recursive: true });
  expect((await run('add', out, `${site.url}/late`)).err).not.toContain('explain');
});

it.each([['mailto:x@example.org'], ['page'], [`http://a/${'x'.repeat(9_000)}`]])('must be URLs: %.30s', async (url) => {
  expect((await run(...crawlArgs('--pages', '1'))).err).toContain('At most 1 page, 30 minutes (');
  const result = await run('add', out, url);
  expect(result).toMatchObject({ code: 2, err: expect.stringContaining('not an http or https URL') });
});

it('need a crawl', async () => {
  expect((await run('add', join(base, 'none'), 'http://a.test/')).err).toContain('holds no crawl');
});
