// Pausing, resuming and stopping the processes of a crawl directory, from another terminal. If this breaks, an operator
// believes that a crawl has stopped when it has not.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock } from '@mannerly/frontier';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { run } from '../../test-support/run-command.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { orderBytes, watchOrders } from '../run/crawl-orders.js';
import { runCommand } from './program.js';

let base: string;
let out: string;
let site: TestSite;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-order-'));
  out = join(base, 'crawl');
  site = await testSite(['/1']);
});

afterEach(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

it('pauses, continues and stops the run of a directory, and pauses one that starts there', async () => {
  const argv = ['crawl', `${site.url}/`, ...who, '--interval', '0', '--out', out, '--keep-open'];
  const first = runCommand(argv, fakeIo());
  await vi.waitFor(() => expect(site.requestedPaths).toContain('/1'), 30_000);
  expect(await run('stop', out)).toMatchObject({ code: 0, err: expect.stringContaining('within a second') });
  expect(await first).toBe(130);

  expect((await run('pause', out)).err).toContain('mannerly resume');
  const io = fakeIo({ isTerminal: true });
  const second = runCommand(argv, io);
  await run('add', out, `${site.url}/late`);
  const shown = () => {
    io.advance(1_000);
    return io.drawn.join('');
  };
  await vi.waitFor(() => expect(shown()).toContain('paused'), 30_000);
  // The terminal shows it in the progress line; redirected output gets a line of its own.
  expect(io.errLines.join('\n')).toContain('Paused by mannerly pause: no request before mannerly resume');
  expect(site.requestedPaths).not.toContain('/late');
  // An invalid order changes nothing.
  writeFileSync(join(out, 'order.json'), '{"order":"fly","id":"1"}');
  expect(JSON.parse((await run('resume', out, '--json')).out)).toEqual({ order: 'resume' });
  await vi.waitFor(() => expect(site.requestedPaths).toContain('/late'), 30_000);
  await run('stop', out);
  expect(await second).toBe(130);
}, 90_000);

it('needs a directory with a crawl, or a store, and one of them', async () => {
  expect((await run('pause', join(base, 'none'))).err).toContain('holds no crawl');
  expect((await run('pause')).code).toBe(2);
  expect((await run('stop', out, '--store', 'redis://h')).code).toBe(2);
  expect((await run('delete')).err).toContain('--store');
});

it('obeys no order twice, even if a server has forgotten the last one and shows the one before', async () => {
  const clock = createManualClock(0);
  const orders: string[] = [];
  let kept = orderBytes('resume');
  const end = await watchOrders(clock, [async () => kept], (order) => orders.push(order));
  const next = async (bytes: Uint8Array) => {
    kept = bytes;
    clock.advance(1_000);
    await new Promise(setImmediate);
  };
  const [resume, pause] = [kept, orderBytes('pause')];
  for (const bytes of [pause, resume, pause, new Uint8Array([7]), orderBytes('resume')]) await next(bytes);
  expect(orders).toEqual(['pause', 'resume']);
  end();
  await next(orderBytes('stop'));
  expect(orders).toEqual(['pause', 'resume']);
});
