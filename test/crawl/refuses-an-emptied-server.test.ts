// A server comes back empty, and the command that continues the crawl is started again. If it created a new crawl,
// every page would be requested once more, and hosts too early.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { runMannerly, startHosts } from '../support/crawl-commands.js';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';

const isRun = process.platform === 'linux' && (HAS_REDIS || process.env['CI'] !== undefined);

it.skipIf(!isRun)(
  'does not continue a crawl on a server that has lost it, and writes nothing to it',
  async () => {
    const place = await mkdtemp(join(tmpdir(), 'mannerly-emptied-'));
    const server = await startRedis();
    const web = await startHosts('127.0.9', 2, 10);
    const client = new Redis(server.url);
    const crawl = (...more: readonly string[]) => {
      const who = ['--name', 'crew', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
      const what = ['--out', 'out', '--pages', '4', '--interval', '0.1', '--store', server.url, ...more];
      return runMannerly(place, 'crawl', ...web.seeds, ...who, ...what);
    };
    try {
      expect((await crawl()).code).toBe(0);
      expect(await client.dbsize()).toBeGreaterThan(0);
      // The command opens the store twice, but prints each warning of the store once.
      const { stderr } = await runMannerly(place, 'queue', '--store', server.url);
      const lines = stderr.trim().split('\n');
      expect(lines).toEqual([...new Set(lines)]);
      expect(stderr).toContain('appendonly');
      const count = web.arrivals.length;
      await client.flushall();
      const refused = await crawl();
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('no crawl') });
      expect(refused.stderr).toContain('take a new crawl directory');
      expect([await client.dbsize(), web.arrivals.length]).toEqual([0, count]);
    } finally {
      client.disconnect();
      await web.close();
      await server.dispose();
      await rm(place, { recursive: true, force: true, maxRetries: 5 });
    }
  },
  120_000,
);
