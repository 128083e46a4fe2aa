// People run `mannerly plan` before a crawl to know what it will do: it must request no page.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

let site: TestSite;
let folder: string;
const flags = () => [
  `${site.url}/`,
  '--name',
  'tester',
  '--contact',
  'me@example.org',
  '--allow-address',
  '127.0.0.0/8',
  '--interval',
  '0',
  '--pages',
  '7',
];

beforeAll(async () => {
  site = await testSite(['/a', '/b']);
  folder = await mkdtemp(join(tmpdir(), 'mannerly-plan-'));
});
beforeEach(() => void site.requestedPaths.splice(0));
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

it('requests no page, and says so', async () => {
  const io = fakeIo();
  expect(await runCommand(['plan', ...flags()], io)).toBe(0);
  expect(site.requestedPaths).toEqual(['/robots.txt']);
  expect(io.outLines.join('\n')).toContain('no sitemap');
  expect(io.outLines.join('\n')).toMatch(
    /will take between .* and .*, or so:\n.* for 1 page in 2 requests, if links lead to no other pages.*\n.* for 7 pages in 8 requests, if they lead/,
  );
  expect(io.outLines.join('\n')).not.toContain('at most');
  expect(io.outLines.join('\n')).toContain('1 request was made');
});

it('prints JSON, and does not change the directory of the crawl', async () => {
  const io = fakeIo();
  const out = join(folder, 'crawl');
  expect(await runCommand(['plan', ...flags(), '--json', '--out', out], io)).toBe(0);
  expect(JSON.parse(io.outLines.join('\n'))).toMatchObject({
    format: 1,
    isComplete: true,
    hosts: [{ host: '127.0.0.1', allowed: null, pages: 7 }],
    estimate: { pages: 7, isAtMost: true, ends: 'pages' },
  });
  expect(existsSync(out)).toBe(false);
  const audit = fakeIo();
  expect(await runCommand(['audit', `${out}.plan`], audit)).toBe(0);
  expect(await runCommand(['plan', ...flags(), '--out', out], fakeIo())).toBe(0);
});

it('says so if nothing may be fetched', async () => {
  const io = fakeIo();
  const [, ...others] = flags();
  expect(await runCommand(['plan', `${site.url}/closed`, ...others], io)).toBe(0);
  expect(io.outLines.join('\n')).toMatch(/would fetch no page: robots\.txt disallows its seeds.*mannerly robots/);
  expect(io.outLines.join('\n')).toContain('1 request was made');
});

it('says what is missing, as the crawl does', async () => {
  const io = fakeIo();
  expect(await runCommand(['plan', `${site.url}/`], io)).toBe(2);
  expect(io.errLines.join('\n')).toContain('missing --name');
  expect(site.requestedPaths).toEqual([]);
});

it('names the cause if an address is refused, and what to do', async () => {
  const io = fakeIo();
  const argv = flags().filter((arg) => arg !== '--allow-address' && arg !== '127.0.0.0/8');
  expect(await runCommand(['plan', ...argv], io)).toBe(0);
  expect(site.requestedPaths).toEqual([]);
  const printed = io.outLines.join('\n');
  expect(printed).toMatch(/would fetch no page:\n {2}address-forbidden \(1\): .*--allow-address/);
  expect(printed).not.toContain('robots.txt closes');
});

it('names the cause if no host answers', async () => {
  const closedSite = await testSite([]);
  await closedSite.close();
  const [, ...others] = flags();
  const io = fakeIo();
  await runCommand(['plan', `${closedSite.url}/`, ...others, '--max-idle', '0'], io);
  expect(io.outLines.join('\n')).toMatch(/would fetch no page:\n {2}robots-unreachable \(1\): .*the site answers/);
  expect(io.errLines.join('\n')).toContain('robots-unreachable: attempt 1 failed (refused)');
});

it('says that it does not know hosts to which only links lead', async () => {
  const io = fakeIo();
  expect(await runCommand(['plan', ...flags(), '--within', 'any'], io)).toBe(0);
  expect(io.outLines.join('\n')).toContain('Links may lead to hosts that no seed or sitemap names');
  const usual = fakeIo();
  await runCommand(['plan', ...flags()], usual);
  expect(usual.outLines.join('\n')).not.toContain('Links may lead to hosts');
});

it('says at Ctrl-C what it knows, and that the same command plans again', async () => {
  const io = fakeIo();
  const err = (line: string): void => {
    io.err(line);
    if (line.startsWith('Planning')) io.interrupt();
  };
  expect(await runCommand(['plan', ...flags()], { ...io, err })).toBe(130);
  expect(io.outLines.join('\n')).toContain('The reading was stopped');
  expect(io.errLines.join('\n')).toMatch(/Stopping: .*\nStopped: .* The same command plans again from the start\.$/);
});
