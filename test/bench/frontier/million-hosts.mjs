// Memory of the process with a million hosts queued, one URL each, through the frontier itself.
// Usage: node --expose-gc million-hosts.mjs --store memory|lmdb [--hosts N]; prints one line of JSON; see README.md.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFrontier, memoryStore } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';

const { values } = parseArgs({
  options: { store: { type: 'string', default: 'memory' }, hosts: { type: 'string', default: '1000000' } },
});
const hosts = Number(values.hosts);
const folder = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
const store = values.store === 'memory' ? memoryStore() : lmdbStore({ path: folder });
const frontier = createFrontier({ store, robots: { tokens: ['benchbot'] } });
const BATCH = 500;

/** Megabytes. Memory that is mapped from the store's file counts in `rss` and not in `own`. */
function memory() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const read = (field) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_000);
  return { rssMb: read('VmRSS'), ownMb: read('RssAnon'), fileMb: read('RssFile'), peakMb: read('VmHWM') };
}

await frontier.open();
const before = process.cpuUsage();
for (let at = 0; at < hosts; at += BATCH) {
  const count = Math.min(BATCH, hosts - at);
  await frontier.add(
    Array.from({ length: count }, (_, index) => ({
      url: `https://host-${at + index}.example.org/`,
      depth: 1,
      via: 'link',
      from: 'https://seed.example.org/',
    })),
  );
}
const { user, system } = process.cpuUsage(before);
const full = memory();
globalThis.gc?.();
const row = { store: values.store, hosts, queued: (await store.stats()).queued };
console.log(JSON.stringify({ ...row, addUs: Number(((user + system) / hosts).toFixed(1)), full, afterGc: memory() }));
await frontier.close();
rmSync(folder, { recursive: true, force: true });
