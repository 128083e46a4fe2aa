// `orderSeed` decides the order of a crawl: the same pages are taken, each host's in the same order, and a bound ends
// the crawl at the same page, whichever host answers first. Without it the same web gives different crawls, which shows
// that the test can fail.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectCrawl, MannerlyError, readCrawlDirectory, readRunManifests } from 'mannerly';
import type { FakeHost } from 'mannerly/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawlVirtually, type VirtualCrawlOptions } from '../support/virtual-crawl.js';

const HOSTS = ['alder.test', 'birch.test', 'cedar.test', 'dogwood.test'];
const PAGES_PER_HOST = 16;

/**
 * Pages link to four others, on their own host and on the next, so the order of discovery depends on who answers first.
 */
function web(latency: (host: string, path: string) => number): Record<string, FakeHost> {
  return Object.fromEntries(
    HOSTS.map((host, at) => [
      host,
      {
        robots: 'User-agent: *\nDisallow: /p5\n',
        pages: ({ path }) => {
          const number = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? 0);
          if (number >= PAGES_PER_HOST) return null;
          if (number % 7 === 6) return { status: 301, headers: { location: `/p${(number * 5) % PAGES_PER_HOST}` } };
          const other = HOSTS[(at + 1) % HOSTS.length] ?? host;
          const links = [
            `/p${2 * number + 1}`,
            `/p${2 * number + 2}`,
            `https://${other}/p${(number * 7 + 3) % (PAGES_PER_HOST + 2)}`,
            `https://${other}/p${(number * 3 + 11) % PAGES_PER_HOST}`,
          ];
          return {
            headers: { 'content-type': 'text/html' },
            body: `<title>${host}${path}</title>${links.map((link) => `<a href="${link}">${link}</a>`).join('')}`,
            delayMs: latency(host, path),
          };
        },
      } satisfies FakeHost,
    ]),
  );
}

/** Latencies by a number: for each number another host is slow. The same number gives the same latencies. */
function latencies(number: number): (host: string, path: string) => number {
  return (host, path) => {
    let state = 0x811c9dc5 ^ (number * 0x9e3779b1);
    for (const char of host + path) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193);
    return (state >>> 8) % (host === HOSTS[number % HOSTS.length] ? 5_000 : 600);
  };
}

const baseOptions: Omit<VirtualCrawlOptions, 'hosts'> = {
  seeds: HOSTS.map((host) => `https://${host}/p0`),
  scope: { seeds: HOSTS.map((host) => `https://${host}/p0`), within: 'list', hosts: HOSTS },
  bounds: { pages: 30, minutes: 600, depth: 20 },
  politeness: { profile: { factor: 1, minMs: 100, maxMs: 2_000 } },
  maxIdleMs: 600_000,
};

/** The requests of each host in order, the pages, and where each URL was found. */
async function crawlSeeded(number: number, more: Partial<VirtualCrawlOptions>) {
  const story = await crawlVirtually({ ...baseOptions, ...more, hosts: web(latencies(number)) });
  const finds = story.decisions.map(({ url, status, depth, from }) => `${url} ${status} ${depth} ${from}`).sort();
  const pages = new Set(story.log.filter(({ path }) => path !== '/robots.txt').map(({ host, path }) => host + path));
  return { orders: HOSTS.map((host) => story.paths(host)), pages: [...pages].sort(), finds, report: story.report };
}

describe('a seeded crawl', () => {
  it('takes the same pages in the same order of each host, whichever host answers first', async () => {
    const [first, ...others] = [
      await crawlSeeded(1, { orderSeed: 'tide' }),
      await crawlSeeded(2, { orderSeed: 'tide' }),
      await crawlSeeded(3, { orderSeed: 'tide' }),
    ];
    expect(first?.report).toMatchObject({ state: 'bounded', bound: 'pages', pages: 30 });
    for (const other of others) {
      expect(other.orders).toEqual(first?.orders);
      expect(other.finds).toEqual(first?.finds);
      expect(other.report.queued).toBe(first?.report.queued);
    }
  });

  it('takes others under another seed, and without a seed in order of arrival', async () => {
    const seeded = await crawlSeeded(1, { orderSeed: 'tide' });
    expect((await crawlSeeded(1, { orderSeed: 2 })).pages).not.toEqual(seeded.pages);
    const [one, two] = [await crawlSeeded(1, {}), await crawlSeeded(2, {})];
    expect(one.pages).not.toEqual(two.pages);
  });

  it('leaves nothing out if there is space for all', async () => {
    const all = { ...baseOptions.bounds, pages: 1_000, minutes: 600, depth: 20 };
    const [seeded, plain] = [
      await crawlSeeded(1, { orderSeed: 7, bounds: all }),
      await crawlSeeded(1, { bounds: all }),
    ];
    expect(seeded.report.state).toBe('finished');
    expect(seeded.pages).toEqual(plain.pages);
    expect(seeded.report.queued).toBe(0);
  });

  it('continues after its bound in the same order, and its manifest says so', async () => {
    const out = await mkdtemp(join(tmpdir(), 'mannerly-seeded-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const whole = await crawlSeeded(1, { orderSeed: 'tide' });
    const less = { ...baseOptions.bounds, pages: 12, minutes: 600, depth: 20 };
    const first = await crawlSeeded(2, { orderSeed: 'tide', out, bounds: less, store: undefined as never });
    expect(first.report.pages).toBe(12);
    expect(first.report.queued).toBeGreaterThan(0);
    // `explain` knows URLs that wait for their wave. A copy is inspected, because inspections use the real clock.
    await cp(out, `${out}-copy`, { recursive: true });
    onTestFinished(() => rm(`${out}-copy`, { recursive: true, force: true }));
    const inspection = await inspectCrawl(`${out}-copy`);
    const remaining = whole.pages.filter((page) => !first.pages.includes(page)).map((page) => `https://${page}`);
    const answers = await Promise.all(remaining.map((url) => inspection.explain(url)));
    await inspection.close();
    expect(answers.filter(({ status }) => status === 'held').length).toBeGreaterThan(0);
    const second = await crawlSeeded(3, { orderSeed: 'tide', out, store: undefined as never });
    const both = first.orders.map((paths, at) => [
      ...paths,
      ...(second.orders[at] ?? []).filter((path) => path !== '/robots.txt'),
    ]);
    expect(both).toEqual(whole.orders);
    const { path } = await readCrawlDirectory(out);
    const [manifest] = await readRunManifests(path);
    expect(manifest?.options['orderSeed']).toBe('tide');
  });

  it('takes the waiting URLs in a run without an order seed', async () => {
    const out = await mkdtemp(join(tmpdir(), 'mannerly-seeded-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const all = { pages: 1_000, minutes: 600, depth: 20 };
    const whole = await crawlSeeded(1, { bounds: all });
    const first = await crawlSeeded(1, { orderSeed: 1, out, bounds: { ...all, pages: 12 }, store: undefined as never });
    const second = await crawlSeeded(1, { out, bounds: all, store: undefined as never });
    expect([...new Set([...first.pages, ...second.pages])].sort()).toEqual(whole.pages);
  });

  it('is refused for several processes, and for an invalid seed', async () => {
    const options = { ...baseOptions, hosts: web(latencies(1)) };
    await expect(crawlVirtually({ ...options, orderSeed: '' })).rejects.toThrow(
      'expected `orderSeed` to be a text of 1 to 128 characters, or a whole number, got ""',
    );
    await expect(crawlVirtually({ ...options, orderSeed: 0.5 })).rejects.toBeInstanceOf(MannerlyError);
  });
});
