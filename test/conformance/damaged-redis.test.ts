// Keys of a Redis that another program writes to as well, or that was restored from a damaged file.

import { randomUUID } from 'node:crypto';
import { redisStore } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeKeys } from '../support/redis-processes.js';
import { HAS_REDIS, type RedisForTest, sharedRedis } from '../support/redis-server.js';
import { type Contents, continueDamaged, type Damage, damagedBytes } from './damaged-contents.js';

const ODD_SCORES = ['-1', 'inf', '-inf', '1e308', '9e15', '1.5'];
const prefix = `test-${randomUUID()}`;
let server: Pick<RedisForTest, 'url' | 'dispose'>;
let client: Redis;

function redisContents(): Contents {
  let kept: { readonly key: string; readonly dump: Buffer; readonly ttlMs: number }[] = [];
  const keys = async () => (await client.keys(`{${prefix}:*`)).sort();

  async function damagesOf(key: string): Promise<Damage[]> {
    const damages: Damage[] = [];
    const add = (what: string, apply: () => Promise<unknown>) => damages.push({ what: `${key} ${what}`, apply });
    const type = await client.type(key);
    add('removed', () => client.del(key));
    for (const [other, command] of Object.entries({
      string: ['SET', key, 'x'],
      hash: ['HSET', key, 'x', 'x'],
      list: ['RPUSH', key, 'x'],
      zset: ['ZADD', key, 1, 'x'],
      set: ['SADD', key, 'x'],
    }))
      if (other !== type)
        add(`a ${other}`, async () => {
          await client.del(key);
          await client.call(...(command as [string, ...string[]]));
        });
    if (type === 'string') {
      const value = (await client.getBuffer(key))!;
      for (const [what, bytes] of damagedBytes(value)) add(what, () => client.set(key, bytes));
    } else if (type === 'hash') {
      for (const [field, value] of Object.entries(await client.hgetallBuffer(key))) {
        add(`${field} removed`, () => client.hdel(key, field));
        for (const [what, bytes] of damagedBytes(value)) add(`${field} ${what}`, () => client.hset(key, field, bytes));
        for (const odd of ODD_SCORES) add(`${field} = ${odd}`, () => client.hset(key, field, odd));
        add(`${field} under another name`, async () => {
          await client.hdel(key, field);
          await client.hset(key, `"':{}\n${field}`, value);
        });
      }
    } else if (type === 'list') {
      for (const [at, value] of (await client.lrangeBuffer(key, 0, -1)).entries()) {
        for (const [what, bytes] of damagedBytes(value)) add(`${at} ${what}`, () => client.lset(key, at, bytes));
      }
      add('reversed', async () => {
        const all = await client.lrangeBuffer(key, 0, -1);
        await client.del(key);
        await client.lpush(key, ...all);
      });
    } else if (type === 'zset') {
      for (const member of await client.zrangeBuffer(key, '0', '-1')) {
        add(`${member.toString('latin1')} removed`, () => client.zrem(key, member));
        for (const odd of ODD_SCORES)
          add(`${member.toString('latin1')} at ${odd}`, () => client.zadd(key, odd, member));
        for (const [what, bytes] of damagedBytes(member))
          add(`${member.toString('latin1')} ${what}`, async () => {
            const score = await client.zscore(key, member);
            await client.zrem(key, member);
            await client.zadd(key, score!, bytes);
          });
      }
    } else {
      for (const [what, bytes] of damagedBytes(Buffer.from('12345'))) add(what, () => client.sadd(key, bytes));
    }
    return damages;
  }

  return {
    client: (nowMs) => redisStore({ client, prefix, nowMs, onNotice: () => undefined }),
    async keep() {
      kept = await Promise.all(
        (await keys()).map(async (key) => ({
          key,
          dump: (await client.dumpBuffer(key))!,
          ttlMs: Math.max(0, await client.pttl(key)),
        })),
      );
    },
    async restore() {
      await removeKeys(client, prefix);
      for (const { key, dump, ttlMs } of kept) await client.restore(key, ttlMs, dump);
    },
    damages: async () => (await Promise.all((await keys()).map(damagesOf))).flat(),
  };
}

describe.skipIf(!HAS_REDIS && process.env['CI'] === undefined)(
  'Redis (redis-server; not run where it is absent)',
  () => {
    beforeAll(async () => {
      server = await sharedRedis();
      client = new Redis(server.url);
    }, 300_000);
    afterAll(async () => {
      await removeKeys(client, prefix);
      await client.quit();
      await server.dispose();
    });

    it('a crawl goes on politely with damaged keys of Redis, or says what is wrong', { timeout: 300_000 }, async () => {
      expect(await continueDamaged(redisContents(), 1)).toEqual([]);
    });
  },
);
