// The cost of what a recrawl stores for each page: bytes of a record, and CPU microseconds to write, read and list one,
// 16 calls at a time. For a store on a server both are the server's. The records are made by the project's own code.
// Usage: node --expose-gc visits.mjs [--store memory|lmdb|redis|postgres] [--urls N]

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { memoryStore } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { VISIT_PREFIX, visitKey } from '../../../packages/core/dist/recrawl/page-visit.js';
import { startPostgresEngine } from './engine-postgres.mjs';
import { startRedisEngine } from './engine-redis.mjs';
import { cpuUs } from './own-use.mjs';

const { values } = parseArgs({
  options: { store: { type: 'string', default: 'lmdb' }, urls: { type: 'string', default: '200000' } },
});
const urls = Number(values.urls);
const AT_ONCE = 16;
const LISTED = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
const engines = { memory: inMemory, lmdb: onDisk, redis: startRedisEngine, postgres: startPostgresEngine };
const engine = await engines[values.store]();
try {
  const store = await engine.open();
  // The first calls compile the code.
  for (let at = 0; at < LISTED; at += 1) await write(store, at);
  const before = await engine.bytes();
  const writeUs = await costOf(urls - LISTED, (at) => write(store, at + LISTED));
  const bytesPerPage = ((await engine.bytes()) - before) / (urls - LISTED);
  const readUs = await costOf(Math.min(urls, 50_000), (at) => store.readRecord(visitKey(urlOf((at * 7_919) % urls))));
  const startS = await engine.cpuS();
  let cursor = null;
  let listed = 0;
  do {
    const listing = await store.listRecords(VISIT_PREFIX, cursor, LISTED);
    listed += listing.items.length;
    ({ cursor } = listing);
  } while (cursor !== null);
  if (listed !== urls) throw new Error(`${listed} of ${urls} records`);
  const listUs = (((await engine.cpuS()) - startS) * 1e6) / urls;
  const recordBytes = recordOf(visitOf(urls - 1)).length;
  console.log(JSON.stringify({ store: values.store, urls, recordBytes, bytesPerPage, writeUs, readUs, listUs }));
} finally {
  await engine.dispose();
  rmSync(folder, { recursive: true, force: true });
}

async function costOf(calls, work) {
  const startS = await engine.cpuS();
  for (let call = 0; call < calls; call += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, calls - call) }, (_, at) => work(call + at)));
  return (((await engine.cpuS()) - startS) * 1e6) / calls;
}

function write(store, at) {
  return store.writeRecord(visitKey(urlOf(at)), recordOf(visitOf(at)));
}

function urlOf(at) {
  return `https://docs-${at % 100}.example.org/guide/chapter-${at}/page.html`;
}

function recordOf(visit) {
  return Buffer.from(JSON.stringify(visit));
}

/** A record after some visits of a site with both validators and an archive. */
function visitOf(at) {
  const atMs = 1_795_000_000_000 + at;
  return {
    ...{ url: urlOf(at), depth: 3, from: urlOf(at >> 1), label: null, userData: null, kind: 'html' },
    ...{ atMs, changedAtMs: atMs - 864_000_000, estimate: { shape: 1.368_095, days: 8.678_024 } },
    ...{ etag: `"${at.toString(16).padStart(8, '0')}-5f2b"`, lastModified: 'Sun, 01 Nov 2026 08:00:00 GMT' },
    ...{ digest: 'q83vEjRWeJq83vEjRWeJqg', freshUntilMs: null, sentAs: 'q83vEjRW', visits: 5, changes: 1, missing: 0 },
    ...{ status: 'fetched', reason: 'unchanged', bytes: 40_000 },
    archived: { filename: 'study-20261124012635-00001.warc.gz', offset: at * 900, fullAtMs: atMs, revisits: 3 },
  };
}

async function opened(store) {
  await store.open({ crawl: 'bench', create: true });
  return store;
}

function inMemory() {
  const bytes = () => {
    globalThis.gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  return { open: () => opened(memoryStore()), bytes, cpuS: () => cpuUs() / 1e6, dispose: () => undefined };
}

function onDisk() {
  const store = lmdbStore({ path: folder });
  const bytes = () => statSync(join(folder, 'data.mdb')).blocks * 512;
  return { open: () => opened(store), bytes, cpuS: () => cpuUs() / 1e6, dispose: () => store.close() };
}
