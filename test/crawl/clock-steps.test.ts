// The wall clock of the machine is set while a crawl runs: it uses up no bound, ends no run, and sends nothing early.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { crawl, NO_INTERVAL } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const HOUR_MS = 3_600_000;
const PAGES = 12;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the wall clock', () => {
  it.each([
    ['forward', 5 * HOUR_MS, ''],
    ['back', -5 * HOUR_MS, ''],
    ['forward and back in turns', null, ''],
    ['forward, with a Crawl-delay', 5 * HOUR_MS, 'User-agent: *\nCrawl-delay: 0.06'],
    ['back, with a Crawl-delay', -5 * HOUR_MS, 'User-agent: *\nCrawl-delay: 0.06'],
    ['forward and back in turns, with a Crawl-delay', null, 'User-agent: *\nCrawl-delay: 0.06'],
  ])('goes %s', async (_, stepMs, robots) => {
    const wallMs = Date.now;
    let offMs = 0;
    const routes = Object.fromEntries(
      Array.from({ length: PAGES }, (__, at) => [
        at === 0 ? '/' : `/${at}`,
        () => {
          offMs = stepMs === null ? (at % 2 === 0 ? 1 : -1) * at * HOUR_MS : at > PAGES / 2 ? stepMs : 0;
          return page(`${at}`, at + 1 < PAGES ? [`/${at + 1}`] : []);
        },
      ]),
    );
    const web = await webForTest({ hosts: { 'a.test': { ...routes, '/robots.txt': text(robots) } } });
    vi.spyOn(Date, 'now').mockImplementation(() => wallMs() + offMs);
    const { report, requests } = await crawl({
      seeds: [web.url('a.test')],
      bounds: { minutes: 5 },
      politeness: { profile: { ...NO_INTERVAL, minMs: 60, maxMs: 60 } },
    });
    expect(report).toMatchObject({ state: 'finished', pages: PAGES });
    expect(report.runningMs).toBeLessThan(60_000);
    // All times in the log are from one clock.
    expect(Math.max(...requests.map(({ endedAtMs }) => endedAtMs)) - requests[0]!.startedAtMs).toBeLessThan(60_000);
    const starts = web.log.map(({ startMs }) => startMs);
    for (const [at, startMs] of starts.slice(1).entries()) expect(startMs - starts[at]!).toBeGreaterThan(50);
  });
});
