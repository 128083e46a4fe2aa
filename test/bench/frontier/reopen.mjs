// How long a store takes to continue after kill -9: a process queues URLs and is killed, another opens the file and
// leases. Usage: node reopen.mjs [--urls N] [--hosts N] [--body BYTES]; `--fill` is internal. See README.md.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { createLoad } from './load.mjs';

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '200000' },
    hosts: { type: 'string', default: '10000' },
    body: { type: 'string', default: '48' },
    fill: { type: 'string' },
  },
});
const [urls, hosts, maxBodyBytes] = [Number(values.urls), Number(values.hosts), Number(values.body)];
const BATCH = 8_000;

if (values.fill !== undefined) {
  const load = createLoad({ hosts, maxBodyBytes });
  const store = lmdbStore({ path: values.fill, maxQueued: 100_000_000 });
  await store.open({ crawl: 'bench', create: true });
  while (load.made < urls) await store.add(load.fresh(Math.min(BATCH, urls - load.made)));
  await store.lease({ maxHosts: 64, entriesPerHost: 16, ttlMs: 600_000 });
  process.stdout.write('full\n');
  setInterval(() => store.add(load.fresh(100)), 1);
} else {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-reopen-'));
  const again = [...process.argv.slice(1), '--fill', path];
  const victim = spawn(process.execPath, again, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => victim.stdout.once('data', resolve));
  await new Promise((resolve) => setTimeout(resolve, 200));
  victim.kill('SIGKILL');
  await new Promise((resolve) => victim.once('exit', resolve));

  const store = lmdbStore({ path, maxQueued: 100_000_000 });
  const { user, system } = process.cpuUsage();
  const start = performance.now();
  await store.open({ crawl: 'bench', create: false });
  const openMs = performance.now() - start;
  const leases = await store.lease({ maxHosts: 64, entriesPerHost: 16, ttlMs: 600_000 });
  const firstClaimMs = performance.now() - start;
  const cpu = process.cpuUsage({ user, system });
  const { queued, inFlight, known } = await store.stats();
  const round = (number) => Math.round(number);
  console.log(
    JSON.stringify({
      urls,
      known,
      unfinished: queued + inFlight,
      leases: leases.length,
      openMs: round(openMs),
      firstClaimMs: round(firstClaimMs),
      cpuMs: round((cpu.user + cpu.system) / 1e3),
      rssMb: round(process.memoryUsage().rss / 1e6),
    }),
  );
  await store.close();
  rmSync(path, { recursive: true, force: true });
}
