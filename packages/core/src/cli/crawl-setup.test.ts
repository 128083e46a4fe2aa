// A crawl by the command whose server is away: stopping the crawl also ends the wait for its store.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createCommandCrawl, setUpCrawl } from './crawl-setup.js';

// The store itself gives up only after ten seconds.
it('ends at once when it is stopped twice, even if its store waits for a server', { timeout: 9_000 }, async () => {
  const base = mkdtempSync(join(tmpdir(), 'mannerly-away-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const flags = { config: false, name: 'tester', contact: 'https://example.org/us' } as const;
  const setup = await setUpCrawl(['http://a.test/'], { ...flags, store: `redis://127.0.0.1:${port}` });
  const lines: string[] = [];
  const { crawler, run } = await createCommandCrawl(setup, true, (line) => void lines.push(line));
  const running = run(join(base, 'crawl')).catch((error: unknown) => String(error));
  await vi.waitFor(() => expect(lines.join('\n')).toContain('waiting for it'), 10_000);
  crawler.stop();
  crawler.stop();
  expect(await running).toContain('Redis could not be reached');
});
