// A server that refuses clients, is killed, restarted or restored. At stake: URLs that were confirmed, and sites that
// get requests too early because a lease was forgotten.

import { inspect } from 'node:util';
import type { FrontierStore } from '@mannerly/frontier';
import { type RedisStoreOptions, redisStore, type ServerNotice } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HAS_REDIS, type RedisForTest, startRedis } from '../support/redis-server.js';
import {
  entry,
  expectKeptAcrossKill,
  expectLinksAddedAgain,
  expectNoTokenRepeated,
  expectNothingEarlyAfterKill,
  expectNothingEarlyAfterLeap,
  expectWaitsKept,
  refusal,
} from './restarts.js';

const IS_CI = process.env['CI'] !== undefined;
const TTL_MS = 1_500;
const DELAY_MS = 400;
const ask = { maxHosts: 10, entriesPerHost: 10, ttlMs: TTL_MS, delayMs: DELAY_MS };

async function serverWith(...settings: readonly string[]): Promise<RedisForTest> {
  const server = await startRedis(...settings);
  onTestFinished(server.dispose);
  return server;
}

/** A client that soon gives up a request, so that the store is what waits. */
function clientOf({ url }: RedisForTest): Redis {
  const client = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

/** It keeps a copy of its data only when it is told to. */
function restored({ kill, start }: RedisForTest, client: Redis) {
  return { save: () => client.save(), setBack: () => kill().then(start) };
}

async function opened(options: RedisStoreOptions, crawl = 'one'): Promise<FrontierStore> {
  const store = redisStore({ onNotice: () => undefined, ...options });
  await store.open({ crawl, create: true });
  return store;
}

describe.skipIf(!HAS_REDIS && !IS_CI)(
  'Redis, its settings and restarts (redis-server; not run where it is absent)',
  () => {
    it('is refused while it may drop keys', async () => {
      const server = await serverWith('--maxmemory-policy', 'allkeys-lru');
      const client = clientOf(server);
      expect(await refusal(opened({ client }))).toMatch(/^store-mismatch: .*maxmemory-policy allkeys-lru/);
      expect(await client.dbsize()).toBe(0);
    });

    it.each([
      [['--appendonly', 'no'], 'none', ['weak-durability']],
      [['--appendonly', 'yes'], 'process', []],
      [['--appendonly', 'yes', '--appendfsync', 'always'], 'power', []],
    ])('promises with %j: %s', async (settings, durable, notice) => {
      const notices: ServerNotice[] = [];
      const client = clientOf(await serverWith(...settings));
      const store = await opened({ client, onNotice: (notice) => notices.push(notice) });
      expect(store.capabilities.durable).toBe(durable);
      expect(notices.map(({ kind }) => kind)).toEqual(notice);
    });

    it('refuses a crawl with another name, identity or format', async () => {
      const client = clientOf(await serverWith());
      await opened({ client, identity: 'mybot' });
      await opened({ client, identity: 'mybot' });
      await opened({ client });
      expect(await refusal(opened({ client }, 'two'))).toMatch(/^store-mismatch: .*"one", not "two"/);
      expect(await refusal(opened({ client, identity: 'other' }))).toMatch(/^store-mismatch: .*"mybot", not "other"/);
      const key = '{mannerly:0}crawl';
      const kept = JSON.parse((await client.get(key)) ?? '') as object;
      await client.set(key, JSON.stringify({ ...kept, version: 99 }));
      expect(await refusal(opened({ client }))).toMatch(/^store-mismatch: .*redis 99/);
      const absent = redisStore({ client, prefix: 'absent' });
      expect(await refusal(absent.open({ crawl: 'one', create: false }))).toMatch(
        /^store-mismatch: no crawl.*Restore the data/,
      );
    });

    it('waits while the server is away, and keeps across its kill what was answered', {
      timeout: 300_000,
    }, async () => {
      const server = await serverWith('--appendonly', 'yes');
      const notices: string[] = [];
      const store = await opened({ client: clientOf(server), onNotice: ({ kind }) => notices.push(kind) });
      await expectKeptAcrossKill(store, server, notices);
    });

    it('grants nothing after a restart before the longest lease and the delay have passed', {
      timeout: 300_000,
    }, async () => {
      const server = await serverWith('--appendonly', 'yes');
      await expectNothingEarlyAfterKill(await opened({ client: clientOf(server) }), server, ask);
    });

    it('repeats no fencing token and forgets no delay when the server is set back', { timeout: 300_000 }, async () => {
      const server = await serverWith();
      const client = clientOf(server);
      await expectNoTokenRepeated(await opened({ client }), restored(server, client), ask);
    });

    it('adds links again that a restored server has forgotten, and reports it', { timeout: 300_000 }, async () => {
      const server = await serverWith();
      const client = clientOf(server);
      const notices: ServerNotice[] = [];
      const store = await opened({ client, onNotice: (notice) => notices.push(notice) });
      await expectLinksAddedAgain(store, restored(server, client), async () => {
        // The first verb notices the restored server, and the entries that are there again.
        expect(await store.nextDueInMs()).not.toBeNull();
        expect(store.rollbacks).toBe(1);
        expect(notices.at(-1)).toMatchObject({
          kind: 'rolled-back',
          message: expect.stringMatching(/4 links .* added again, 2 of them were lost/),
        });
      });
    });

    it('makes hosts wait as long as their sites asked, even if a restored server has forgotten it', {
      timeout: 300_000,
    }, async () => {
      const server = await serverWith();
      const client = clientOf(server);
      await expectWaitsKept(await opened({ client }), restored(server, client), ask);
    });

    it('refuses a server with a replica that accepts writes without it, unless that is allowed', async () => {
      const server = await serverWith();
      const client = clientOf(server);
      const replica = await serverWith('--replicaof', '127.0.0.1', new URL(server.url).port);
      const replicaClient = clientOf(replica);
      while (!(await replicaClient.info('replication')).includes('master_link_status:up'))
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await refusal(opened({ client }))).toMatch(/^store-mismatch: .*min-replicas-to-write 0/);
      await opened({ client, allowUnsafe: ['split-brain'] });
      await client.config('SET', 'min-replicas-to-write', '1');
      await opened({ client });
    });

    it('grants nothing early if its clock is set forward, until the longest lease and the delay have passed', async () => {
      const client = clientOf(await serverWith());
      await expectNothingEarlyAfterLeap((clocks) => opened({ client, ...clocks }), ask);
    });

    it('does not create a crawl on an empty server', async () => {
      const client = clientOf(await serverWith());
      const store = await opened({ client });
      await store.add([entry('h', 1)]);
      await client.flushall();
      for (const verb of [
        () => store.nextDueInMs(),
        () => store.add([entry('h', 2)]),
        () => store.lease(ask),
        () => store.wake('h'),
      ]) {
        expect(await refusal(verb())).toMatch(/^store-failed: Redis has lost the crawl: .*\{mannerly:0\}/);
      }
      expect(await client.dbsize()).toBe(0);
      // The error has its causes, but not the script that was sent or its arguments.
      await client.script('FLUSH');
      const error: unknown = await store.add([entry('h', 3)]).catch((reason: unknown) => reason);
      expect(inspect(error, { depth: 9 })).not.toContain('redis.call');
    });

    it('waits while the memory of the server is full, and changes nothing partly', async () => {
      const client = clientOf(await serverWith());
      const notices: string[] = [];
      const store = await opened({ client, onNotice: ({ kind }) => notices.push(kind) });
      await store.add([entry('h', 1), entry('h', 2)]);
      const [lease] = await store.lease(ask);
      const stats = await store.stats();
      await client.config('SET', 'maxmemory', '1');
      const part = { host: 'h', fencingToken: lease?.fencingToken ?? '', done: [lease?.entries[0]?.id ?? ''] };
      const committed = store.commit([{ ...part, then: { release: { dueInMs: 0 } } }], [entry('h', 3)]);
      while (!notices.includes('holding')) await new Promise((resolve) => setTimeout(resolve, 5));
      await client.config('SET', 'maxmemory', '0');
      expect(await committed).toMatchObject({ hosts: [{ ok: true }], links: ['new'] });
      expect(await store.stats()).toEqual({ ...stats, queued: 2, inFlight: 0, known: 3 });
    });

    it('fails with store-failed if the server is away for too long', async () => {
      const server = await serverWith();
      const store = await opened({ client: clientOf(server), holdMs: 300 });
      await server.kill();
      expect(await refusal(store.add([entry('h', 1)]))).toMatch(/^store-failed: Redis could not be reached/);
    });

    it('recognises a repeated release, and no other', async () => {
      const server = await serverWith();
      const client = clientOf(server);
      let isDoubled = false;
      const doubling = {
        status: 'ready',
        isCluster: false,
        callBuffer: async (command: string, args: (string | Buffer | number)[]) => {
          if (isDoubled && command === 'EVALSHA') await client.callBuffer(command, args);
          return client.callBuffer(command, args);
        },
      };
      const store = await opened({ client: doubling });
      await store.add([entry('h', 1), entry('h', 2)]);
      const [lease] = await store.lease({ ...ask, entriesPerHost: 1 });
      const part = { host: 'h', fencingToken: lease?.fencingToken ?? '', done: [lease?.entries[0]?.id ?? ''] };
      const then = { release: { dueInMs: 0 } };
      isDoubled = true;
      expect((await store.commit([{ ...part, then }])).hosts).toEqual([{ ok: true, entries: [] }]);
      isDoubled = false;
      expect((await store.commit([{ ...part, then }])).hosts).toEqual([{ ok: false, reason: 'lost' }]);
      expect(await store.stats()).toMatchObject({ queued: 1, inFlight: 0 });
    });

    it('answers a commit when the replicas have it, if waitReplicas is set', { timeout: 120_000 }, async () => {
      const primary = await serverWith();
      const replica = await serverWith('--replicaof', '127.0.0.1', new URL(primary.url).port);
      const copy = clientOf(replica);
      while (!(await copy.info('replication')).includes('master_link_status:up'))
        await new Promise((resolve) => setTimeout(resolve, 20));
      const notices: ServerNotice['kind'][] = [];
      const store = await opened({
        client: clientOf(primary),
        allowUnsafe: ['split-brain'],
        waitReplicas: 1,
        onNotice: ({ kind }) => void notices.push(kind),
      });
      await store.add([entry('h', 1)]);
      expect(await copy.hget('{mannerly:0}m', 'u')).toBe('1');
      await replica.kill();
      let isAnswered = false;
      const added = store.add([entry('h', 2)]).finally(() => {
        isAnswered = true;
      });
      while (!notices.includes('holding')) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(isAnswered).toBe(false);
      await replica.start();
      expect(await added).toEqual(['new']);
      expect(notices.slice(-2)).toEqual(['holding', 'resumed']);
    });
  },
);
