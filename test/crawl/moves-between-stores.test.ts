// A crawl moves from its directory to Redis and on to PostgreSQL, while it is stopped: every page is requested once,
// none is lost, and no host is requested earlier than its interval allows, whatever store it is in. If this breaks, an
// operator who outgrows a machine starts over, and so asks the sites for everything twice.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManyHosts, runMannerly, startHosts, tooEarly } from '../support/crawl-commands.js';
import { HAS_POSTGRES, sharedPostgres } from '../support/postgres-server.mjs';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';

const IS_RUN = process.platform === 'linux' && ((HAS_REDIS && HAS_POSTGRES) || process.env['CI'] !== undefined);
const INTERVAL_MS = 1_500;
const HOSTS = 8;
const PAGES = 9;

describe.skipIf(!IS_RUN)('mannerly move', () => {
  let place = '';
  let web: ManyHosts;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let postgres: Awaited<ReturnType<typeof sharedPostgres>>;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'mannerly-move-'));
    [web, redis, postgres] = await Promise.all([
      startHosts('127.0.11', HOSTS, PAGES),
      startRedis('--appendonly', 'yes'),
      sharedPostgres(),
    ]);
  }, 300_000);
  afterAll(async () => {
    await web.close();
    await redis.dispose();
    await postgres.dispose();
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }, 60_000);

  const crawl = (pages: number, ...more: readonly string[]) => {
    const who = ['--name', 'crew', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
    const pace = ['--interval', String(INTERVAL_MS / 1_000), '--pages', String(pages)];
    return runMannerly(place, 'crawl', ...web.seeds, ...who, ...pace, '--out', 'crawl', '--json', ...more);
  };

  it('moves a crawl through three stores, with every page once and no request early', {
    timeout: 240_000,
  }, async () => {
    const onRedis = `${redis.url}?crawl=moved`;
    const onPostgres = `${postgres.url}${postgres.url.includes('?') ? '&' : '?'}crawl=moved-${process.pid}&unsafe=fsync-off`;
    expect((await crawl(24)).code).toBe(0);
    const count = web.arrivals.length;
    expect(count).toBeGreaterThanOrEqual(24);
    const first = await runMannerly(place, 'move', 'crawl', onRedis, '--json');
    expect(first.code, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ hosts: HOSTS });
    // The crawl is no longer here, and a second move changes nothing.
    expect(await crawl(30)).toMatchObject({ stderr: expect.stringContaining('was moved to another store') });
    expect(await runMannerly(place, 'move', 'crawl', onRedis)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('It was moved before.'),
    });
    expect(web.arrivals.length).toBe(count);

    expect((await crawl(48, '--store', onRedis)).code).toBe(0);
    expect(web.arrivals.length).toBeGreaterThanOrEqual(48);
    const second = await runMannerly(place, 'move', onRedis, onPostgres);
    expect(second.code, second.stderr).toBe(0);
    const ended = await crawl(1_000, '--store', onPostgres);
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ state: 'finished', pages: HOSTS * PAGES });
    expect(web.arrivals.map(({ url }) => url).toSorted()).toEqual([...web.pages].toSorted());
    expect(tooEarly(web.arrivals, INTERVAL_MS - 1)).toEqual([]);

    expect(await runMannerly(place, 'move', onPostgres, onRedis)).toMatchObject({
      stderr: expect.stringContaining('which was moved away'),
    });
    // Moves it back to where the frontier was.
    await rm(join(place, 'crawl', 'frontier'), { recursive: true });
    const back = await runMannerly(place, 'move', onPostgres, 'crawl');
    expect(back.code, back.stderr).toBe(0);
    const count2 = web.arrivals.length;
    const again = await crawl(1_000);
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'finished', alreadyFinished: true, pages: HOSTS * PAGES });
    expect(web.arrivals.length).toBe(count2);
    await runMannerly(place, 'delete', '--yes', '--store', onPostgres);
  });
});
