// Somebody complains, and the operator pauses a crawl by several processes on two servers with one command. If a
// process continued, or joined and sent requests, the operator's promise would be broken. And a deleted crawl is gone.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DashboardView } from 'mannerly/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  type ManyHosts,
  runMannerly,
  startHosts,
  startMannerly,
  tooEarly,
} from '../support/crawl-commands.js';
import { HAS_POSTGRES, sharedPostgres } from '../support/postgres-server.mjs';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';

const CI = process.env['CI'] !== undefined;
const INTERVAL_MS = 200;
/** Milliseconds in which a crawl that is not paused requests several pages of each host. */
const LONG_MS = 1_500;

const IS_RUN = process.platform === 'linux' && ((HAS_REDIS && HAS_POSTGRES) || CI);

describe.skipIf(!IS_RUN)('processes on a PostgreSQL and four shards of Redis as one', () => {
  let place = '';
  let web: ManyHosts;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
  let running: Promise<CommandResult>[] = [];
  const onPostgres = () =>
    `${postgres.url}${postgres.url.includes('?') ? '&' : '?'}crawl=ours-${process.pid}&unsafe=fsync-off`;
  const ofStore = () => ['--store', `${onPostgres()} ${redis.url}?crawl=ours&shards=4`];
  const command = (...args: readonly string[]) => runMannerly(place, ...args, ...ofStore());
  const crawl = (out: string) => {
    const who = ['--name', 'crew', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
    return command(
      'crawl',
      ...web.seeds,
      ...who,
      '--out',
      out,
      '--pages',
      '100000',
      ...['--interval', String(INTERVAL_MS / 1_000)],
    );
  };
  const arrived = async (count: number): Promise<void> => {
    while (web.arrivals.length < count) await new Promise((done) => setTimeout(done, 20));
  };

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'mannerly-operator-'));
    [web, redis, postgres] = await Promise.all([
      startHosts('127.0.7', 6, 1_000),
      startRedis('--appendonly', 'yes'),
      sharedPostgres(),
    ]);
  }, 300_000);
  afterAll(async () => {
    if (running.length > 0) await command('stop');
    await Promise.all(running);
    await web.close();
    await redis.dispose();
    await postgres.dispose();
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }, 120_000);

  it('pause, wait, resume and stop as ordered', { timeout: 240_000 }, async () => {
    running = ['one', 'two'].map(crawl);
    await arrived(30);
    const paused = await command('pause');
    const count = web.arrivals.length;
    expect(paused).toMatchObject({ code: 0, stdout: '2 processes paused.\n' });
    // One dashboard shows all processes.
    const dashboard = startMannerly(place, 'dashboard', ...ofStore(), '--metrics');
    const [, address = '', token = ''] = await dashboard.waitForStderr(/Live view: (\S+)\/\?token=(\S+)/);
    const authorization = `Bearer ${token}`;
    const fetchText = async (path: string) => (await fetch(`${address}${path}`, { headers: { authorization } })).text();
    const viewed = async () => JSON.parse(await fetchText('/view')) as DashboardView;
    // A process that joins is paused too.
    running.push(crawl('three'));
    const pausedCount = async () => (await viewed()).processes.filter(({ phase }) => phase === 'paused').length;
    while ((await pausedCount()) < 3) await new Promise((done) => setTimeout(done, 50));
    await new Promise((done) => setTimeout(done, LONG_MS));
    expect(web.arrivals.length).toBe(count);
    const { processes } = JSON.parse((await command('report', '--json')).stdout);
    expect(processes.map(({ phase }: { phase: string }) => phase)).toEqual(['paused', 'paused', 'paused']);

    const view = await viewed();
    expect(view).toMatchObject({ activity: { phase: 'paused', name: 'crew' }, underwayCount: 0 });
    expect(view.processes.map(({ phase }) => phase)).toEqual(['paused', 'paused', 'paused']);
    const requests = view.processes.reduce((sum, each) => sum + each.requests, 0);
    expect(requests).toBe(view.progress.requests);
    const metrics = await fetchText('/metrics');
    const rows = [...metrics.matchAll(/^mannerly_requests_total\{process="[^"]+"\} (\d+)$/gm)].map(([, count]) =>
      Number(count),
    );
    expect(rows).toHaveLength(3);
    expect(rows.reduce((sum, each) => sum + each, 0)).toBe(requests);
    expect(metrics).toContain(`\nmannerly_pages_total ${view.progress.pages}\n`);

    const refused = await command('delete', '--yes');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('3 of its processes are running') });
    const resume = { method: 'POST', headers: { authorization, origin: address } };
    expect((await fetch(`${address}/resume`, resume)).status).toBe(200);
    expect(await command('resume')).toMatchObject({ code: 0, stdout: '3 processes running.\n' });
    await arrived(count + 20);
    dashboard.interrupt();
    expect((await dashboard.ended).code).toBe(0);
    expect(await command('stop')).toMatchObject({ code: 0, stdout: '3 processes stopped.\n' });
    expect((await Promise.all(running)).map(({ code }) => code)).toEqual([130, 130, 130]);
    running = [];
    expect(tooEarly(web.arrivals, INTERVAL_MS - 1)).toEqual([]);

    // Each process has compared its clock with the server's, which is the same here.
    const directories = ['one', 'two', 'three'];
    expect(await runMannerly(place, 'audit', ...directories)).toMatchObject({ code: 0 });
    for (const directory of directories) {
      const lines = (await readFile(join(place, directory, 'runs-1.jsonl'), 'utf8')).trim().split('\n');
      const { clock } = JSON.parse(lines.find((line) => line.startsWith('{"clock":'))!);
      expect(Math.abs(clock.aheadMs)).toBeLessThanOrEqual(clock.errorMs + 1);
    }
  });

  it('are removed from the server by the delete command', { timeout: 120_000 }, async () => {
    expect(await command('delete')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await command('delete', '--yes')).toMatchObject({ code: 0 });
    expect(await command('report')).toMatchObject({ stderr: expect.stringContaining('holds no crawl') });
    // The directories know that their frontier was deleted.
    const again = await crawl('one');
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain('no crawl');
  });
});
