// Several machines share Redis. At stake: two of them request one host at once, or too early after a restart. Every
// test has its own prefix on a real server (test/support/redis-server.ts says which).

import { randomUUID } from 'node:crypto';
import { frontierStoreSuite, type StoreUnderTest } from '@mannerly/frontier/conformance';
import { redisStore } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { redisProcesses, removeKeys } from '../support/redis-processes.js';
import { HAS_REDIS, type RedisForTest, sharedRedis } from '../support/redis-server.js';
import { sharedUnderTest } from './virtual-store.js';

const IS_CI = process.env['CI'] !== undefined;
let server: Pick<RedisForTest, 'url' | 'dispose'>;

/** A store of one shard (redis-cluster.test.ts has several) under a prefix of its own, on a virtual clock. */
async function redisUnderTest(settings: { readonly maxQueued?: number }): Promise<StoreUnderTest> {
  const client = new Redis(server.url);
  const prefix = `test-${randomUUID()}`;
  return sharedUnderTest(
    (nowMs) => redisStore({ client, prefix, ...settings, nowMs, onNotice: () => undefined }),
    async () => {
      await removeKeys(client, prefix);
      await client.quit();
    },
  );
}

describe.skipIf(!HAS_REDIS && !IS_CI)('the Redis store (redis-server; not run where it is absent)', () => {
  beforeAll(async () => {
    server = await sharedRedis();
  }, 300_000);
  afterAll(() => server.dispose());

  frontierStoreSuite({
    test: (title, body) => void it(title, body, 300_000),
    makeStore: redisUnderTest,
    capabilities: { shared: true, durable: 'process', maxBody: 65_536, maxBatch: 1_024 },
    isBounded: true,
    processes: { make: () => redisProcesses(server.url), seedsPerHost: 1, faultEveryMs: 300 },
  });
});
