// `mannerly … | head` closes the pipe early. A stack trace there, or a crawl that dies because no one reads its
// progress, is a bug.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const command = fileURLToPath(new URL('../../bin/mannerly.js', import.meta.url));

/** Starts the command; what no one reads is closed at once. */
function start(closed: 'stdout' | 'stderr', ...argv: string[]) {
  const child = spawn(process.execPath, [command, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  child[closed].destroy();
  return child;
}

it('a closed standard output ends the command, and nothing is said', { timeout: 60_000 }, async () => {
  const child = start('stdout', 'crawl', '--help');
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ code, said }).toEqual({ code: 0, said: '' });
});

it('a closed standard error lets the crawl go on to its report', { timeout: 60_000 }, async () => {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>a</title>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const out = mkdtempSync(join(tmpdir(), 'mannerly-pipe-'));
  onTestFinished(() => {
    server.close();
    rmSync(out, { recursive: true });
  });
  const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const who = ['--name', 'tester', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
  const child = start('stderr', 'crawl', seed, ...who, '--interval', '0', '--json', '--out', join(out, 'crawl'));
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect({ code, pages: (JSON.parse(said) as { pages: number }).pages }).toEqual({ code: 0, pages: 1 });
});
