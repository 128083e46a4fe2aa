// `mannerly serve` as a team without JavaScript uses it: only over HTTP. The site's log shows what it requests.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

let base: string;
let site: TestSite;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-serve-'));
  site = await testSite(['/1']);
});

afterEach(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

const serveArgs = (...more: string[]) => [
  'serve',
  `${site.url}/`,
  ...[...who, '--interval', '0', '--out', join(base, 'crawl')],
  ...more,
];

it('takes URLs, answers, pauses, reports and stops over HTTP', { timeout: 60_000 }, async () => {
  const io = fakeIo();
  const serving = runCommand(serveArgs(), io);
  const line = await vi.waitFor(() => {
    const found = /^HTTP API: {2}(\S+)\?token=\S+ \(for programs: (Authorization): (Bearer \S+)\)$/m;
    const [, api = '', field = '', value = ''] = found.exec(io.errLines.join('\n')) ?? [];
    expect(api).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
    return { api, headers: { [field]: value } };
  }, 30_000);
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${line.api}${path}`, { ...init, headers: { ...line.headers, ...init.headers } });
    return (await response.json()) as Record<string, unknown>;
  };
  const add = (...urls: string[]) =>
    call('/urls', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ urls }) });

  await vi.waitFor(() => expect(site.requestedPaths).toContain('/1'), 30_000);
  const answers = await add(`${site.url}/late`, `${site.url}/closed`, 'http://elsewhere.test/', `${site.url}/1`);
  expect(answers['urls']).toMatchObject([
    { url: `${site.url}/late`, kind: 'queued', reason: null },
    { kind: 'refused', reason: 'robots-rule' },
    { kind: 'refused', reason: 'out-of-scope' },
    { kind: 'known' },
  ]);
  await vi.waitFor(async () => expect(await call('/status')).toMatchObject({ progress: { pages: 3 } }), 30_000);

  expect(await call('/pause', { method: 'POST' })).toMatchObject({ phase: 'paused' });
  await add(`${site.url}/while-paused`);
  expect(await call('/status')).toMatchObject({ phase: 'paused', progress: { pages: 3, queued: 1 } });
  expect(site.requestedPaths).not.toContain('/while-paused');
  expect(await call('/resume', { method: 'POST' })).toMatchObject({ phase: 'running' });
  await vi.waitFor(async () => expect(await call('/status')).toMatchObject({ progress: { pages: 4 } }), 30_000);

  const of = encodeURIComponent(`${site.url}/closed`);
  expect(JSON.stringify(await call(`/explain?of=${of}`))).toContain('robots-rule');
  await vi.waitFor(async () => {
    const report = await call('/report');
    expect(report).toMatchObject({ manifest: { name: 'tester' }, requests: site.requestedPaths.length });
  }, 30_000);
  await call('/stop', { method: 'POST' });
  expect(await serving).toBe(130);
  await expect(call('/status')).rejects.toThrow();
  expect(site.requestedPaths).toEqual(['/robots.txt', '/', '/1', '/late', '/while-paused']);
});

it('keeps neither the password of an added URL nor its own token', { timeout: 60_000 }, async () => {
  const io = fakeIo();
  const serving = runCommand(serveArgs(), io);
  await vi.waitFor(() => expect(io.errLines.join('\n')).toContain('HTTP API'), 30_000);
  const [, api = '', token = ''] = /(http:\S+\/api)\?token=(\S+)/.exec(io.errLines.join('\n')) ?? [];
  const withPassword = (url: string) => url.replace('//', '//user:s3cr3t@');
  const urls = [`${site.url}/late`, `${site.url}/closed`, 'http://elsewhere.test/'].map(withPassword);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${api}/urls`, { method: 'POST', headers, body: JSON.stringify({ urls }) });
  expect(response.status).toBe(200);
  await vi.waitFor(() => expect(site.requestedPaths).toContain('/late'), 30_000);
  io.interrupt();
  expect(await serving).toBe(130);
  expect(io.outLines.join('\n')).not.toMatch(new RegExp(`s3cr3t|${token}`));
  const files = readdirSync(base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(5);
  const telling = files.filter((entry) => {
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    return bytes.includes('s3cr3t') || bytes.includes(token);
  });
  expect(telling.map(({ name }) => name)).toEqual([]);
});

it('says that other machines can connect', { timeout: 60_000 }, async () => {
  const io = fakeIo();
  const serving = runCommand(serveArgs('--listen', '[::]:0', '--listen-name', 'crawler'), io);
  await vi.waitFor(() => expect(io.errLines.join('\n')).toContain('Warning: other machines can connect'), 30_000);
  const [, port = '', token = ''] = /:(\d+)\/api\?token=(\S+)/.exec(io.errLines.join('\n')) ?? [];
  const { request } = await import('node:http');
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${token}` };
      const sent = request({ host: '127.0.0.1', port, path: '/api/status', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
  expect(await statusFor('crawler:8080')).toBe(200);
  expect(await statusFor('other:8080')).toBe(421);
  io.interrupt();
  expect(await serving).toBe(130);
});

it.each([
  [['--listen', 'localhost:80'], /--listen takes a port/],
  [['--listen', '70000'], /--listen takes a port/],
  [['--listen', '1.2.3:80'], /--listen takes a port/],
  [['--dashboard'], /live view at its own address/],
  [['--workers', '2'], /serve runs one process/],
])('%j is a wrong call, and no request is made', async (flags, says) => {
  const io = fakeIo();
  expect(await runCommand(serveArgs(...flags), io)).toBe(2);
  expect(io.errLines.join('\n')).toMatch(says);
  expect(site.requestedPaths).toEqual([]);
});
