// The tests' crawl on a fake web in virtual time: for tables of cases about minutes, hours and days, where a loopback
// server would add only waiting. Each guarantee keeps a case on a real server next to its table.

import { createFakeWeb, createVirtualClock, type FakeExchange, type FakeHost } from 'mannerly/testing';
import { type CrawlStory, crawl, type TestCrawlOptions } from './crawl.js';
import type { WebExchange } from './web.js';

/** What is crawled, and how. Seeds are absolute URLs. */
export type VirtualCrawlOptions = Omit<TestCrawlOptions, 'hosts'> & {
  readonly hosts: Readonly<Record<string, FakeHost>>;
  /** Milliseconds until an answer begins. @default 0 */
  readonly delayMs?: number;
};

/** Everything that a crawl reported, and the fake web's log in the form of a loopback web's. */
export interface VirtualStory extends CrawlStory {
  /** Every request, in order of arrival. */
  readonly log: readonly WebExchange[];
  /** The paths that were requested from a host, in order. */
  paths(host: string): string[];
  /** The duration of the crawl, virtual milliseconds. */
  readonly tookMs: number;
  /** The start of the crawl, epoch milliseconds. */
  readonly startMs: number;
}

/** Runs a crawl to its end in virtual time; a day takes less than a second. */
export async function crawlVirtually({ hosts, delayMs = 0, ...options }: VirtualCrawlOptions): Promise<VirtualStory> {
  const web = createFakeWeb({ hosts, delayMs });
  const clock = createVirtualClock();
  try {
    const startMs = clock.nowMs();
    const { fetcher, network } = web.fakes(clock);
    const running = crawl({ ...options, clock, fetcher, network: { ...network, ...options.network } });
    const story = await clock.finish(running);
    if (web.errors.length > 0) throw web.errors[0];
    const log = web.exchanges.map(toWebExchange);
    const paths = (host: string) => log.filter((each) => each.host === host).map(({ path }) => path);
    return { ...story, log, paths, tookMs: clock.nowMs() - startMs, startMs };
  } finally {
    clock.end();
  }
}

function toWebExchange({ url, host, path, headers, startMs, endMs, status }: FakeExchange): WebExchange {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const userAgent = lower['user-agent'] ?? '';
  return { host, authority: new URL(url).host, path, method: 'GET', userAgent, headers: lower, startMs, endMs, status };
}
