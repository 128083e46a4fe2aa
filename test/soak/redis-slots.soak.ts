// A whole crawl on a cluster of three real servers while the slots of its shards move between them. At stake: pages
// that are lost, requested twice, or requested too early. It may take as long as a lease, because a lease whose answer
// was lost has to end.

import { randomUUID } from 'node:crypto';
import { redisStore } from '@mannerly/frontier/redis';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { type ClusterForTest, HAS_REDIS, migrateSlot, slotsOf, startCluster } from '../support/redis-server.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const IS_CI = process.env['CI'] !== undefined;
let servers: ClusterForTest;

describe.skipIf(!HAS_REDIS && !IS_CI)(
  'a crawl on a cluster of Redis (redis-server; not run where it is absent)',
  () => {
    beforeAll(async () => {
      servers = await startCluster();
    }, 300_000);
    afterAll(() => servers.dispose());

    it('keeps a whole crawl going while its slots move: every page once', { timeout: 480_000 }, async () => {
      const client = new Cluster([...servers.nodes]);
      const prefix = `test-${randomUUID()}`;
      const shards = 4;
      const names = Array.from({ length: 8 }, (_, host) => `h${host}.test`);
      const paths = Array.from({ length: 40 }, (_, page) => `/${page}`);
      const web = await webForTest({
        hosts: Object.fromEntries(
          names.map((name) => [name, { '/robots.txt': 'User-agent: *\n', '*': page('all', paths) }]),
        ),
      });
      let isMoved = false;
      const moving = (async () => {
        // The slots of all shards, and of the crawl's record.
        let slots: number[] = [];
        while (slots.length < shards) slots = await slotsOf(servers, prefix);
        for (const slot of slots) await migrateSlot(servers, slot);
        isMoved = true;
      })();
      const { report } = await crawl({
        seeds: names.map((name) => web.url(name, '/0')),
        store: redisStore({ client, prefix, shards, onNotice: () => undefined }),
        politeness: { profile: { factor: 0, minMs: 20, maxMs: 20 } },
        // A lease that ended while its slot was moved is waited for.
        maxIdleMs: 60_000,
        bounds: { pages: 500, minutes: 60 },
      });
      await moving;
      expect(isMoved).toBe(true);
      expect(report.state).toBe('finished');
      for (const name of names) expect(web.paths(name).toSorted()).toEqual(['/robots.txt', ...paths].toSorted());
      client.disconnect();
    });
  },
);
