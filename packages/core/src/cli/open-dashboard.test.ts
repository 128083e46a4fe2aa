// The live view of the command: its address is printed on standard error only, it works, and it is closed when the
// command has ended.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type FakeIo, fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

let base: string;
let site: TestSite;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-look-'));
  site = await testSite(Array.from({ length: 200 }, (_, at) => `/${at}`));
});
afterEach(async () => {
  await site.close();
  rmSync(base, { recursive: true });
  delete process.env['MANNERLY_DASHBOARD_TOKEN'];
});

const crawl = (io: FakeIo, ...more: string[]): Promise<number> =>
  runCommand(
    ['crawl', `${site.url}/`, ...who, '--interval', '0.02', '--pages', '200', '--out', join(base, 'out'), ...more],
    io,
  );

/** The printed address, as soon as it is there. */
async function address(io: FakeIo): Promise<URL> {
  for (;;) {
    const line = io.errLines.find((line) => line.startsWith('Live view: '));
    if (line !== undefined) return new URL(line.slice('Live view: '.length));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('mannerly crawl --dashboard', () => {
  it('opens no client of the store if it cannot listen, since the command would not end', async () => {
    let connections = 0;
    const taken = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const io = fakeIo();
    expect(await crawl(io, '--dashboard', String(port), '--store', `redis://127.0.0.1:${port}`)).not.toBe(0);
    expect(io.errLines.join('\n')).toContain(`port ${port}: EADDRINUSE`);
    await new Promise((resolve) => setImmediate(resolve));
    expect(connections).toBe(0);
  });

  it('prints its address, shows the crawl, serves metrics, can stop the crawl, and ends with it', async () => {
    const io = fakeIo();
    const ended = crawl(io, '--dashboard', '--metrics');
    const url = await address(io);
    expect(url.hostname).toBe('127.0.0.1');
    const token = url.searchParams.get('token') ?? '';
    const authorization = `Bearer ${token}`;
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(new URL('/', url))).status).toBe(401);
    const metrics = await fetch(new URL('/metrics', url), { headers: { authorization } });
    expect(await metrics.text()).toContain('mannerly_queued_urls');
    const stopped = await fetch(new URL('/stop', url), {
      method: 'POST',
      headers: { authorization, origin: url.origin },
    });
    expect(stopped.status).toBe(200);
    expect(await ended).toBe(130);
    await expect(fetch(url)).rejects.toThrow();
    // The token is for the person at the terminal only.
    expect(io.outLines.join('\n')).not.toContain(token);
    expect(readFileSync(join(base, 'out', 'settings.json'), 'utf8')).not.toContain(token);
  });

  it('takes a token from the environment, so that a metrics reader knows it', async () => {
    process.env['MANNERLY_DASHBOARD_TOKEN'] = 'a-token-for-many-runs-0123456789';
    const io = fakeIo();
    const ended = crawl(io, '--dashboard');
    const url = await address(io);
    expect(url.searchParams.get('token')).toBe('a-token-for-many-runs-0123456789');
    io.interrupt();
    expect(await ended).toBe(130);
  });

  it.each([
    [['--metrics'], /--metrics needs --dashboard/],
    [['--dashboard', '70000'], /from 0 to 65535/],
    [['--progress', 'loud'], /auto, lines, none/],
  ])('%j is a wrong call, and no request is made', async (flags, says) => {
    const io = fakeIo();
    expect(await crawl(io, ...flags)).toBe(2);
    expect(io.errLines.join('\n')).toMatch(says);
    expect(site.requestedPaths).toEqual([]);
  });
});
