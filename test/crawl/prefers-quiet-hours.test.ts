// If more hosts are due than can be requested at a time, those where it is night go first. If this breaks, the
// preference has no effect, or a host is requested too early, or never.

import { expect, it } from 'vitest';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page } from '../support/web.js';

/** Virtual time starts at midnight UTC: one or two o'clock in Germany and France. */
const NIGHT = ['late.de', 'night.fr'];
const HOSTS = ['some.com', 'evening.us', NIGHT[0]!, 'also.org', NIGHT[1]!, 'morning.jp'];

async function crawled(quietHours: 'off' | 'prefer', minMs: number) {
  const pages = { '/': page('start', ['/1']), '/1': page('one') };
  const { log, startMs, report } = await crawlVirtually({
    hosts: Object.fromEntries(HOSTS.map((host) => [host, { pages }])),
    seeds: HOSTS.map((host) => `https://${host}/`),
    delayMs: 100,
    network: { concurrency: 1 },
    politeness: { quietHours, profile: { factor: 0, minMs, maxMs: minMs } },
  });
  expect(new Date(startMs).getUTCHours()).toBe(0);
  expect(report.state).toBe('finished');
  return log;
}

it('requests hosts where it is night first, if that is preferred', async () => {
  const lastOfNight = async (quietHours: 'off' | 'prefer') => {
    const order = (await crawled(quietHours, 0)).map(({ host }) => NIGHT.includes(host));
    expect(order).toHaveLength(3 * HOSTS.length);
    return order.lastIndexOf(true);
  };
  // Six requests to these hosts, and those in flight to others when they became due.
  expect(await lastOfNight('prefer')).toBeLessThan(12);
  expect(await lastOfNight('off')).toBeGreaterThan(14);
});

it('requests no host earlier because of that, and leaves none out', async () => {
  const log = await crawled('prefer', 1_000);
  for (const host of HOSTS) {
    const own = log.filter((each) => each.host === host);
    expect(own.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/1']);
    const gaps = own.slice(1).map(({ startMs }, at) => startMs - own[at]!.endMs!);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(1_000);
  }
});
