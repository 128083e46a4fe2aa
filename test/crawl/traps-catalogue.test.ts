// A crawl in an endless space requests the same content again and again, and never reaches its goal. With `action:
// 'drop'`, at most 200 pages are spent on each of these traps; by default they get the rest of the bound. The site's
// real pages are all fetched.

import { describe, expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { anyHost, ORDINARY, TRAP_SITES, type TrapSite, trapRoutes } from '../support/trap-sites.js';
import { webForTest } from '../support/web-for-test.js';

const MAX_PAGES = 200;
const HOST = 'site.test';
const BY_RULE = [
  ...['numbers that go on', 'pages of an empty list', 'a path that only grows, with new names'],
  ...['hosts without end', 'every error a page of its own'],
];

async function crawlTrap(site: TrapSite, more: Parameters<typeof crawl>[0] = { seeds: [] }) {
  const isHosts = site.entry.includes('PORT');
  const web = await webForTest({ hosts: isHosts ? anyHost(site) : { [HOST]: trapRoutes(site) } });
  const start = isHosts ? 'www.trap.test' : HOST;
  const story = await crawl({
    bounds: { pages: 1_500, depth: 1_000 },
    network: isHosts ? { ports: [web.port] } : {},
    ...more,
    seeds: [],
    scope: {
      seeds: [web.url(start), new URL(site.entry.replace('PORT', String(web.port)), web.url(start)).href],
      within: 'domain',
    },
  });
  const requests = web.log.filter(({ path, status }) => path !== '/robots.txt' && (status ?? 0) < 300);
  const isOrdinary = ({ host, path }: { host: string; path: string }) =>
    host === start && (path === '/' || ORDINARY.includes(path));
  return {
    ...story,
    spent: requests.filter((each) => !isOrdinary(each)).length,
    ordinary: requests.filter(isOrdinary).length,
  };
}

describe('traps', () => {
  it.each(TRAP_SITES.map((site) => [site.name, site] as const))('%s', { timeout: 300_000 }, async (name, site) => {
    const { spent, ordinary, report, decisions } = await crawlTrap(site, { seeds: [], traps: { action: 'drop' } });
    console.info(
      `trap: ${name}: ${spent} pages, ${JSON.stringify(report.outcomes['dropped'] ?? {})}, ${report.traps.map((trap) => `${trap.rule} ${trap.pattern}`).join('; ')}`,
    );
    expect(spent).toBeLessThanOrEqual(MAX_PAGES);
    expect(ordinary).toBe(ORDINARY.length + 1);
    const lost = report.outcomes['dropped']?.['trap'] ?? 0;
    expect(report.bounds).toEqual(lost === 0 ? [] : [{ bound: 'traps', dropped: lost, left: 0 }]);
    expect(report.state).toBe(lost === 0 ? 'finished' : 'bounded');
    // A chain of redirects has its own bound.
    const reason = name === 'redirects without end' ? 'redirect-limit' : 'trap';
    const dropped = decisions.filter((each) => each.reason === reason);
    expect(dropped.length).toBeGreaterThan(0);
    if (reason === 'trap')
      for (const { status, layer, detail } of dropped)
        expect([status, layer, detail]).toEqual(['dropped', 'scope', expect.stringMatching(/^[a-z-]+: .+/)]);
  });

  // One for each rule: that the trap is found is tested above.
  it.each(TRAP_SITES.filter(({ name }) => BY_RULE.includes(name)).map((site) => [site.name, site] as const))(
    'last: %s',
    { timeout: 300_000 },
    async (_name, site) => {
      // Each host has its own clock, as if it had its own address; otherwise they would take turns.
      const politeness = { perIp: false };
      const { ordinary, report } = await crawlTrap(site, { seeds: [], bounds: { pages: 260 }, politeness });
      expect(ordinary).toBe(ORDINARY.length + 1);
      expect(report.outcomes['dropped']?.['trap']).toBeUndefined();
      expect(report.bounds.filter(({ dropped }) => dropped > 0)).toEqual([]);
    },
  );
});
