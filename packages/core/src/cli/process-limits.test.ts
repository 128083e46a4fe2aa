// The limits of `ulimit`: if they are too low, the command says so before any request; if they are low, it crawls with
// fewer sockets. There is never a stack trace or a segmentation fault.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';
import { who } from '../../test-support/test-site.js';
import { maxConcurrentRequests } from '../fetch/socket-limit.js';
import { tooFewFilesText } from './open-files.js';

const HOSTS = 40;
let server: Server;
let seeds: string[];
let folder: string;
let requestCount = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requestCount += 1;
    if (request.url === '/robots.txt') response.end('User-agent: *\nDisallow:\n');
    else setTimeout(() => response.setHeader('content-type', 'text/html').end('<a href="/next">next</a>'), 50);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  seeds = Array.from({ length: HOSTS }, (_, at) => `http://127.0.9.${at + 1}:${port}/`);
  folder = mkdtempSync(join(tmpdir(), 'mannerly-limits-'));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Crawls the first `hosts` seeds under a limit. */
async function crawl(limit: string, hosts = 1) {
  requestCount = 0;
  const argv = ['crawl', ...seeds.slice(0, hosts), '--out', join(folder, limit.replaceAll(' ', '')), '--interval', '0'];
  const child = spawn('sh', ['-c', `ulimit ${limit} && exec "$@"`, 'sh', process.execPath, COMMAND, ...argv, ...who], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code, requestCount };
}

describe.skipIf(process.platform !== 'linux')('a crawl that the system limits', { timeout: 60_000 }, () => {
  it.each([
    ['-n 24', 2, /may open 24 files, and it needs 128 or more\n.*ulimit -n/],
    ['-n 96', 2, /may open 96 files, and it needs 128 or more\n.*ulimit -n/],
    ['-f 8', 1, /a file of this process may have 4096 bytes, and lmdb needs 67108864\n.*ulimit -f unlimited/],
    ['-v 600000000', 1, /address space of this process may have 614400000000 bytes.*\n.*ulimit -v unlimited/],
  ])('%s: ends with code %i and a message, and has requested nothing', async (limit, exit, sentence) => {
    const { code, err, requestCount: requests } = await crawl(limit);
    expect(err).toMatch(sentence);
    expect(err).not.toMatch(/^ {4}at /m);
    expect([code, requests]).toEqual([exit, 0]);
  });

  it.each(['-n 128', '-n 200'])('%s: forty hosts are crawled, with fewer sockets, and it says so', async (limit) => {
    const { code, err, out, requestCount: requests } = await crawl(limit, HOSTS);
    expect(err).toMatch(/This process may open few files: \d+ requests at once/);
    expect(out).toMatch(/Finished/);
    expect([code, requests]).toEqual([0, 3 * HOSTS]);
  });
});

it('usual limits change nothing', () => {
  expect(maxConcurrentRequests(1_024)).toBeGreaterThan(64);
  expect(maxConcurrentRequests(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  expect(maxConcurrentRequests(0)).toBe(1);
  expect(tooFewFilesText(128)).toBeNull();
});
