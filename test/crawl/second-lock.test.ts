// The frontier's spacing is broken on purpose: every host is due at once, and the crawl has no pace. The second lock
// alone must keep the limits of sites and of the operator, measured at a server that stamps arrivals. If this breaks,
// one defect in the frontier is enough to overload a host that set a Crawl-delay.

import { createRequire } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONTACT, crawl, NO_INTERVAL } from '../support/crawl.js';
import { judge } from '../support/politeness.js';
import { page, text, type WebExchange } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

vi.mock('../../packages/frontier/src/politeness/host-clock.js', async (original) => ({
  ...(await original<object>()),
  requestInterval: () => ({ fromEndMs: 0, fromStartMs: 0 }),
  earliestStart: () => ({ atMs: 0, reason: 'interval' }),
}));
vi.mock('../../packages/frontier/src/politeness/shared-spacing.js', async (original) => {
  const real = await original<{ createCrawlPace(intervalMs: null, store: unknown): object }>();
  return { ...real, createCrawlPace: (_intervalMs: unknown, store: unknown) => real.createCrawlPace(null, store) };
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes bottleneck allow everything. */
function openAllLimiters(): void {
  const ofCore = createRequire(new URL('../../packages/core/package.json', import.meta.url));
  const { prototype } = ofCore('bottleneck') as { prototype: { schedule(job: () => unknown): unknown } };
  vi.spyOn(prototype, 'schedule').mockImplementation((job) => job());
}

const PAGES = 9;
/** The crawl's log has whole milliseconds, and the two clocks may differ by a few. */
const CLOCK_MS = 5;
const links = Array.from({ length: PAGES }, (_, index) => `/${index}`);
function site(robots: string) {
  const pages = links.map((path) => [path, page(path)] as const);
  return { '/robots.txt': text(`User-agent: *\n${robots}`), '/': page('start', links), ...Object.fromEntries(pages) };
}

async function earlyRequests(): Promise<readonly string[]> {
  const web = await webForTest({
    hosts: { 'delay.test': site('Crawl-delay: 0.2\n'), 'rate.test': site('Request-rate: 4/1s\n') },
  });
  const seeds = [web.url('delay.test'), web.url('rate.test')];
  const { requests } = await crawl({ seeds, politeness: { profile: NO_INTERVAL } });
  expect(web.paths('delay.test')).toHaveLength(PAGES + 2);
  expect(web.paths('rate.test')).toHaveLength(PAGES + 2);
  // Nothing is known of the host until robots.txt has arrived.
  const log = web.log.filter(({ path }) => path !== '/robots.txt');
  const ofRate = log.filter(({ host }) => host === 'rate.test').sort((one, other) => one.startMs - other.startMs);
  // An arrival may be late if the machine is busy. So the interval runs from the time when the last request was sent,
  // by the crawl's own log, to the arrival of the next.
  const sent = requests.filter(({ host, purpose }) => host === 'rate.test' && purpose === 'page');
  const tooSoon = ofRate.slice(1).flatMap(({ path, startMs }, at) => {
    const afterMs = startMs - sent[at]!.startedAtMs;
    return afterMs < 250 - CLOCK_MS ? [`${path} came ${afterMs} ms after the last request left`] : [];
  });
  return [...judge(log, { contact: CONTACT, rules: { 'delay.test': { gapMs: 200 } } }).early, ...tooSoon];
}

/** Requests that exceed the rate by more than two, over any period of the crawl. */
async function tooManyAt(perSecond: number): Promise<readonly WebExchange[]> {
  const hosts = ['a.test', 'b.test', 'c.test', 'd.test'];
  const web = await webForTest({ hosts: Object.fromEntries(hosts.map((host) => [host, site('')])) });
  const seeds = hosts.map((host) => web.url(host));
  await crawl({ seeds, politeness: { profile: NO_INTERVAL, requestsPerSecond: perSecond } });
  expect(web.log).toHaveLength(hosts.length * (PAGES + 2));
  const log = [...web.log].sort((one, other) => one.startMs - other.startMs);
  return log.filter((late, at) =>
    log.slice(0, at).some((first, from) => at - from + 1 > 3 + ((late.startMs - first.startMs) * perSecond) / 1_000),
  );
}

describe('with the spacing of the frontier broken', () => {
  it('no request is early at a host that set a Crawl-delay or a Request-rate', async () => {
    expect(await earlyRequests()).toEqual([]);
  });

  it('and with bottleneck broken too, requests are early, so the test detects the fault', async () => {
    openAllLimiters();
    expect((await earlyRequests()).length).toBeGreaterThanOrEqual(PAGES);
  });

  it('the crawl keeps `requestsPerSecond`', async () => {
    expect(await tooManyAt(20)).toEqual([]);
  });

  it('and with bottleneck broken too, it does not', async () => {
    openAllLimiters();
    expect((await tooManyAt(20)).length).toBeGreaterThan(10);
  });
});
