// Options are refused where they are given, by name: a mistake that shows when the crawl is under way has cost somebody.

import { describe, expect, it } from 'vitest';
import { createCrawler } from '../crawler.js';
import { type CrawlerOptions, resolveOptions } from './options.js';
import { relaxedDefaultsOf } from './relaxed-defaults.js';

const base = {
  identity: { name: 'testbot', contact: 'https://example.org/bot' },
  scope: { seeds: ['https://a.test/'] },
  bounds: { pages: 1 },
} satisfies CrawlerOptions;
const given = (more: object): CrawlerOptions => ({ ...base, ...more }) as CrawlerOptions;

describe('what createCrawler refuses at once', () => {
  const rows: [object, string][] = [
    [{ profile: 'rude' }, 'politeness.profile'],
    [{ profile: { factor: 1, minMs: 5, maxMs: 1 } }, 'politeness.profile.maxMs'],
    [{ politeness: { perIp: 'yes' } }, 'politeness.perIp'],
    [{ politeness: { perDomain: 1 } }, 'politeness.perDomain'],
    [{ politeness: { requestsPerSecond: -1 } }, 'politeness.requestsPerSecond'],
    [{ politeness: { jitter: 0.5 } }, 'politeness.jitter'],
    [{ politeness: { perHost: true } }, 'politeness.perHost'],
    [{ robots: { visitTime: 'never' } }, 'robots.visitTime'],
    [{ robots: { policy: 'lax' } }, 'policy'],
    [{ robots: { crawlDelay: { maxSeconds: 0 } } }, 'robots.crawlDelay.maxSeconds'],
    [{ robots: { crawlDelayMaxSeconds: 5 } }, 'robots.crawlDelayMaxSeconds'],
    [{ robots: { nonsense: 1 } }, 'nonsense'],
    [{ network: { allowAddresses: ['10.0.0.0/99'] } }, '10.0.0.0/99'],
    [{ bounds: { pages: 1, bytes: 0 } }, 'bounds.bytes'],
    [{ bounds: { pages: 1, bytesPerHost: 1.5 } }, 'bounds.bytesPerHost'],
    [{ bounds: { pages: 1, minutesPerHost: 0 } }, 'bounds.minutesPerHost'],
    [{ bounds: { pages: 1, queued: -3 } }, 'bounds.queuedUrls'],
  ];
  it.each(rows)('%j', (more, named) => {
    const refusal = () => createCrawler(given(more));
    expect(refusal).toThrow(named);
    expect(refusal).toThrow(expect.objectContaining({ name: 'MannerlyError' }));
  });

  it('takes the nearest that is allowed', () => {
    const more = {
      politeness: { perIp: true, perDomain: true, requestsPerSecond: 0.5, jitter: 0.1 },
      bounds: { minutes: 1, bytes: 1, bytesPerHost: 1, minutesPerHost: 0.5, queued: 1 },
      robots: { crawlDelay: { maxSeconds: 1 } },
      network: { allowAddresses: ['10.0.0.0/8'] },
    };
    expect(resolveOptions(given(more)).spacing).toEqual({
      politeness: { perIp: true, requestsPerSecond: 0.5, jitter: 0.1, profile: 'polite' },
      hostKeyBy: 'domain',
    });
    expect(resolveOptions(base).spacing).toMatchObject({ hostKeyBy: 'host' });
  });
});

describe('departures', () => {
  const rows: [object, string | null][] = [
    [{}, null],
    [{ politeness: { perIp: true } }, null],
    [{ profile: { factor: 0, minMs: 100, maxMs: 100 } }, '100 ms'],
    [{ robots: { visitTime: 'warn' } }, 'robots.visitTime'],
    [{ robots: { crawlDelay: { maxSeconds: 5 } } }, 'robots.crawlDelay.maxSeconds'],
    [{ robots: { crawlDelay: { maxSeconds: 5, onOverMax: 'skip-host' } } }, null],
    [{ robots: { policy: 'declared-only' } }, 'robots.policy'],
    [{ robots: { policy: 'strictest' } }, null],
    [{ robots: { requestRateMode: 'bucket' } }, 'robots.requestRateMode'],
    [{ robots: { afterUnreachable: 'allow' } }, 'robots.afterUnreachable'],
    [{ robots: { afterUnreachable: 'hold' } }, null],
    [{ robots: { unreachableDays: 3 } }, 'robots.unreachableDays'],
    [{ robots: { onForbidden: 'deny' } }, null],
  ];
  it.each(rows)('%j: %s', (more, named) => {
    const told = relaxedDefaultsOf(resolveOptions(given(more)));
    if (named === null) expect(told).toEqual([]);
    else expect(told).toEqual([expect.stringContaining(named)]);
  });
});
