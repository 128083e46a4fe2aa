// The cost of known URLs when nothing else of them is stored: memory, disk, and opening the file again.
// Usage: node --expose-gc seen.mjs [--store memory|lmdb] [--urls N] [--budget BYTES]; see README.md.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { memoryStore } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { createLoad } from './load.mjs';
import { cpuUs, memoryMb } from './own-use.mjs';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'lmdb' },
    urls: { type: 'string', default: '10000000' },
    budget: { type: 'string', default: '1073741824' },
  },
});
const urls = Number(values.urls);
const HOSTS = 16;
const BATCH = 8_000;
const TTL_MS = 600_000;
const folder = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
const make = () =>
  values.store === 'memory' ? memoryStore() : lmdbStore({ path: folder, seenBudget: Number(values.budget) });

let store = make();
await store.open({ crawl: 'bench', create: true });
const load = createLoad({ hosts: HOSTS, maxBodyBytes: 1 });
await complete(BATCH);
globalThis.gc?.();
const before = memoryMb();
let us = 0;
while (load.made < urls) us += await complete(Math.min(BATCH, urls - load.made));
globalThis.gc?.();
const after = memoryMb();
const { known } = await store.stats();
const row = {
  store: values.store,
  known,
  usPerUrl: Number((us / urls).toFixed(2)),
  bytesPerUrl: Number((((after.arrayBuffers - before.arrayBuffers) * 1e6) / known).toFixed(1)),
  memory: after,
};
if (values.store !== 'memory') {
  await store.close();
  row.diskBytesPerUrl = Number(((statSync(join(folder, 'data.mdb')).blocks * 512) / known).toFixed(1));
  store = make();
  const [startUs, startMs] = [cpuUs(), performance.now()];
  await store.open({ crawl: 'bench', create: false });
  row.openCpuS = Number(((cpuUs() - startUs) / 1e6).toFixed(2));
  row.openS = Number(((performance.now() - startMs) / 1e3).toFixed(2));
}
console.log(JSON.stringify(row));
await store.close();
rmSync(folder, { recursive: true, force: true });

/** Queues so many new URLs and completes them. Returns the CPU time. */
async function complete(count) {
  const entries = load.fresh(count);
  const startUs = cpuUs();
  await store.add(entries);
  const leases = await store.lease({ maxHosts: HOSTS, entriesPerHost: BATCH, ttlMs: TTL_MS });
  await store.commit(
    leases.map(({ host, fencingToken, entries: taken }) => ({
      host,
      fencingToken,
      done: taken.map(({ id }) => id),
      then: { release: { dueInMs: 0 } },
    })),
  );
  return cpuUs() - startUs;
}
