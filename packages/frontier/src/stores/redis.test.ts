// The Redis store's own options and values, without a server. Tests with a server are in test/conformance.

import { describe, expect, it } from 'vitest';
import { FrontierError } from '../errors.js';
import { Connection, resolveRedisOptions } from './redis/connection.js';
import { laneNames, redisEngine } from './redis/engine.js';
import { shardBase } from './redis/open-crawl.js';
import { type RedisStoreOptions, redisStore } from './redis.js';
import { microseconds } from './server/server-store.js';
import { shardOf } from './sharded/placement.js';

const client = { status: 'ready', isCluster: false, callBuffer: async () => null };

function codeOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    return error instanceof FrontierError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'taken';
}

describe('redisStore', () => {
  it.each<[string, Record<string, unknown>]>([
    ['`client`', { client: undefined }],
    ['`client`', { client: {} }],
    ['`prefix`', { client, prefix: '' }],
    ['`prefix`', { client, prefix: 'a{b' }],
    ['`prefix`', { client, prefix: 'a b' }],
    ['`shards`', { client, shards: 0 }],
    ['`shards`', { client, shards: 1_025 }],
    ['`waitReplicas`', { client, waitReplicas: 17 }],
    ['`waitReplicas`', { client: { ...client, isCluster: true }, waitReplicas: 1 }],
    ['`maxQueued`', { client, maxQueued: 0.5 }],
    ['`holdMs`', { client, holdMs: -1 }],
    ['`maxQeued`', { client, maxQeued: 1 }],
  ])('names %s if it is wrong: %j', (name, options) => {
    const refusal = codeOf(() => redisStore(options as unknown as RedisStoreOptions));
    expect(refusal).toMatch(/^option-invalid: /);
    expect(refusal).toContain(name);
  });

  it('accepts valid options, and guarantees nothing before the settings of the server are read', () => {
    expect(redisStore({ client, shards: 1_024, holdMs: 0 }).capabilities).toMatchObject({
      shared: true,
      durable: 'none',
    });
  });

  it('refuses verbs before open', async () => {
    await expect(redisStore({ client }).readRecord('k')).rejects.toMatchObject({ code: 'not-open' });
  });
});

it.each([
  ['OOM command not allowed when used memory > maxmemory', /maxmemory/],
  ["READONLY You can't write against a read only replica.", /primary/],
  ['MISCONF Redis is configured to save RDB snapshots', /disk/],
  ['NOREPLICAS Not enough good replicas to write.', /replicas/],
  ['write EPIPE', /maxclients/],
])('says what to do about %s', async (text, advice) => {
  const messages: string[] = [];
  const callBuffer = () => Promise.reject(new Error(text));
  const onNotice = ({ message }: { message: string }) => void messages.push(message);
  const store = redisStore({ client: { ...client, callBuffer }, onNotice, holdMs: 500 });
  const failed = store.open({ crawl: 'one', create: true });
  await expect(failed).rejects.toMatchObject({ code: 'store-failed', hint: expect.stringMatching(advice) });
  expect(messages).toEqual([expect.stringMatching(advice)]);
});

it.each([0, 0.5, '2', 1e9])('does not open a crawl of %j shards', async (shards) => {
  const stored = { format: 'mannerly-frontier-redis', version: 4, crawl: 'one', identity: '', shards };
  const info = 'redis_version:7.2.0\r\nmaxmemory_policy:noeviction\r\n';
  const callBuffer = async (command: string) => Buffer.from(command === 'GET' ? JSON.stringify(stored) : info);
  const store = redisStore({ client: { ...client, callBuffer }, onNotice: () => undefined });
  const refused = store.open({ crawl: 'one', create: false });
  await expect(refused).rejects.toMatchObject({
    code: 'record-unreadable',
    message: expect.stringContaining('shards'),
  });
});

it('sends a record before the commit that is called next, so that a killed process has counted its pages', async () => {
  const sent: string[] = [];
  const callBuffer = async (command: string) => {
    sent.push(command);
    return [];
  };
  const options = resolveRedisOptions({ client: { ...client, callBuffer } });
  const engine = redisEngine(new Connection(options, '{docs:0}'), options, null);
  await Promise.all([engine.writeRecord('budget', new Uint8Array(1)), engine.commit(1, [], [], null)]);
  expect(sent).toEqual(['ZADD', 'SET', 'EVALSHA']);
});

describe('the values of scripts', () => {
  it('never makes a duration shorter', () => {
    expect([0, 0.0001, 1, 1.5, 86_400_000, -3].map(microseconds)).toEqual([0, 1, 1_000, 1_500, 86_400_000_000, 0]);
  });

  it('always gives a lane the same name, and no two lanes the same', () => {
    const lanes = laneNames();
    const [a, b, empty] = ['https://a.example', 'http://a.example', ''].map((lane) => lanes(lane));
    expect(new Set([a, b, empty, lanes(undefined)]).size).toBe(4);
    expect([lanes(undefined), laneNames()('https://a.example')]).toEqual(['', a]);
  });

  // Stored keys contain these: a change here changes the format.
  it.each([
    ['example.org', 16, 1, '{docs:1.60}'],
    ['example.com', 16, 6, '{docs:6}'],
    ['example.org', 1, 0, '{docs:0}'],
  ])('puts %s among %i shards into number %i, whose keys begin with %s', (host, shards, shard, base) => {
    expect(shardOf(host, shards)).toBe(shard);
    expect(shardBase('docs', shard, shards)).toBe(base);
  });
});
