// A cluster of three real servers: shards are on different ones, and slots move during a crawl. At stake: if half a
// shard counts as a whole one, URLs are lost, or a host is leased twice.

import { randomUUID } from 'node:crypto';
import type { NewEntry } from '@mannerly/frontier';
import { frontierStoreSuite, type StoreUnderTest } from '@mannerly/frontier/conformance';
import { redisStore } from '@mannerly/frontier/redis';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterForTest, HAS_REDIS, migrateSlot, slotsOf, startCluster } from '../support/redis-server.js';
import { sharedUnderTest } from './virtual-store.js';

const TTL_MS = 3_000;
const IS_CI = process.env['CI'] !== undefined;
let servers: ClusterForTest;

async function clusterUnderTest(): Promise<StoreUnderTest> {
  const client = new Cluster([...servers.nodes]);
  const prefix = `test-${randomUUID()}`;
  return sharedUnderTest(
    (nowMs) => redisStore({ client, prefix, nowMs, onNotice: () => undefined }),
    async () => client.disconnect(),
  );
}

function entry(number: number): NewEntry {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(number + 1) * 0x9e3779b97f4a7c15n));
  return { host: `h${number % 40}`, fingerprint, priority: 4, body: new TextEncoder().encode(String(number)) };
}

describe.skipIf(!HAS_REDIS && !IS_CI)('the Redis store on a cluster (redis-server; not run where it is absent)', () => {
  beforeAll(async () => {
    servers = await startCluster();
  }, 300_000);
  afterAll(() => servers.dispose());

  frontierStoreSuite({
    test: (title, body) => void it(title, body, 300_000),
    makeStore: clusterUnderTest,
    capabilities: {
      shared: true,
      durable: 'process',
      maxBody: 65_536,
      maxBatch: 1_024,
    },
    modelSteps: 300,
  });

  it('has a shard in every equal part of the slots, so that servers have equal shares', async () => {
    const client = new Cluster([...servers.nodes]);
    const prefix = `test-${randomUUID()}`;
    const shards = 16;
    const store = redisStore({ client, prefix, shards, onNotice: () => undefined });
    await store.open({ crawl: 'even', create: true });
    await store.nextDueInMs();
    const ofTheRecord = Number(await client.cluster('KEYSLOT', `{${prefix}:0}crawl`));
    const slots = await slotsOf(servers, prefix);
    const parts = slots.filter((slot) => slot !== ofTheRecord).map((slot) => Math.floor((slot * shards) / 16_384));
    expect(new Set([...parts, Math.floor((ofTheRecord * shards) / 16_384)]).size).toBe(shards);
    expect(slots.length).toBeLessThanOrEqual(shards + 1);
    client.disconnect();
  });

  it('continues while slots move: everything once, nothing lost', { timeout: 300_000 }, async () => {
    const client = new Cluster([...servers.nodes]);
    const prefix = `test-${randomUUID()}`;
    const shards = 4;
    const store = redisStore({ client, prefix, shards, onNotice: () => undefined });
    await store.open({ crawl: 'moving', create: true });
    const done = new Map<string, number>();
    let [added, known, isOver] = [0, 0, false];
    const adding = async () => {
      while (!isOver) {
        const batch = Array.from({ length: 8 }, () => entry(added++));
        const outcomes = await store.add(batch);
        known += outcomes.filter((outcome) => outcome !== 'new').length;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    const working = async () => {
      while (!isOver || (await store.nextDueInMs()) !== null) {
        const leases = await store.lease({ maxHosts: 4, entriesPerHost: 4, ttlMs: TTL_MS });
        if (leases.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        for (const { host, fencingToken, entries } of leases) {
          const part = { host, fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } };
          // Moving a slot may take longer than the lease; the entries are then leased again.
          if ((await store.commit([part])).hosts[0]?.ok !== true) continue;
          for (const { body } of entries) {
            const name = new TextDecoder().decode(body);
            done.set(name, (done.get(name) ?? 0) + 1);
          }
        }
      }
    };
    const fill = Array.from({ length: 1_000 }, () => entry(added++));
    await store.add(fill);
    const busy = [adding(), working(), working()];
    for (const slot of await slotsOf(servers, prefix)) await migrateSlot(servers, slot);
    isOver = true;
    await Promise.all(busy);
    expect([...done.values()].filter((times) => times !== 1)).toEqual([]);
    expect(done.size).toBe(added);
    // A repeated add answers `known` for entries that the first attempt had queued.
    expect(known).toBeLessThan(added);
    const { queued, inFlight, known: fingerprints } = await store.stats();
    expect([queued, inFlight, fingerprints]).toEqual([0, 0, added]);
    client.disconnect();
  });
});
