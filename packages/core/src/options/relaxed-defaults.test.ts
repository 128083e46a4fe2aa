// Whoever reads a report must see what was bolder than a site may expect. If this breaks, a bold crawl looks like a polite one.

import { describe, expect, it } from 'vitest';
import { type CrawlerOptions, resolveOptions } from './options.js';
import { relaxedDefaultsOf } from './relaxed-defaults.js';

const GOOD: CrawlerOptions = {
  identity: { name: 'test-bot', contact: 'https://example.org/bot' },
  scope: { seeds: ['https://example.org/'] },
  bounds: { pages: 5 },
};

describe('the departures of a crawl', () => {
  it.each<[string, Partial<CrawlerOptions>]>([
    ['the defaults', {}],
    ['a slower profile', { profile: 'gentle', politeness: { perDomain: true, perIp: true } }],
    ['no cookies, said aloud', { network: { cookies: false, allowUnpinnedDns: false } }],
  ])('%s: none', (_, options) => {
    expect(relaxedDefaultsOf(resolveOptions({ ...GOOD, ...options }))).toEqual([]);
  });

  it.each<[string, Partial<CrawlerOptions>]>([
    ['network.cookies', { network: { cookies: true } }],
    ['network.allowUnpinnedDns', { network: { allowUnpinnedDns: true } }],
    ['minMs', { profile: { factor: 0, minMs: 0, maxMs: 0 } }],
    ['robots.visitTime', { robots: { visitTime: 'ignore' } }],
    ['robots.policy', { robots: { policy: 'base' } }],
  ])('%s is named, once', (name, options) => {
    const told = relaxedDefaultsOf(resolveOptions({ ...GOOD, ...options }));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(name);
  });
});
