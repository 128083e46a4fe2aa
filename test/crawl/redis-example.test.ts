// The example of two processes on one Redis server: each page is fetched once, and each host gets one request at a time
// from both together. Users start from this example when one machine is not enough.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTown } from '@mannerly/examples/demo/town';
import { describe, expect, it } from 'vitest';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';

const program = fileURLToPath(new URL('../../examples/dist/two-processes-on-redis.js', import.meta.url));

describe.skipIf(!existsSync(program) || !(HAS_REDIS || process.env['CI'] !== undefined))(
  'the example of two processes on Redis',
  () => {
    it('crawls a site once between them', { timeout: 240_000 }, async () => {
      const [town, redis] = await Promise.all([startTown(), startRedis()]);
      const cwd = await mkdtemp(join(tmpdir(), 'mannerly-redis-example-'));
      try {
        const env = {
          ...process.env,
          REDIS_URL: redis.url,
          MANNERLY_EXAMPLE_SEED: `http://meadow.test:${town.port}/`,
          MANNERLY_EXAMPLE_LOOPBACK: '1',
        };
        const run = () => promisify(execFile)(process.execPath, [program], { cwd, env, timeout: 200_000 });
        const outs = (await Promise.all([run(), run()])).map(({ stdout }) => stdout);
        const items = outs.map((out) => Number(/(\d+) items by this process/.exec(out)?.[1]));
        expect(items[0]! + items[1]!, outs.join('\n')).toBe(5);
        const pages = town.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
        expect({ pages: pages.length, different: new Set(pages).size }).toEqual({ pages: 5, different: 5 });
      } finally {
        await redis.dispose();
        await town.close();
        await rm(cwd, { recursive: true, force: true });
      }
    });
  },
);
