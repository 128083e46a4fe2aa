// The flags say the same as the options; a flag that is read and not passed on is a bound that does not hold.

import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { type CrawlFlags, crawlOptions, withCrawlFlags } from './crawl-flags.js';

const WHO = ['--name', 'tidepool-study', '--contact', 'https://example.org/our-crawler'];

function optionsFor(...args: string[]) {
  const command = withCrawlFlags(new Command().exitOverride());
  command.parse([...WHO, ...args], { from: 'user' });
  return crawlOptions(['https://example.org/'], command.opts<CrawlFlags>());
}

describe('the flags of scope, URLs and traps', () => {
  it('none of them: the defaults of the library', () => {
    const { scope, urls, traps } = optionsFor();
    expect([scope, urls, traps]).toEqual([{ seeds: ['https://example.org/'], within: 'host' }, undefined, undefined]);
  });

  it('all of them', () => {
    const lists = [
      '--prefix',
      '/docs/',
      '--include',
      '/*.html$',
      '--include',
      '*/',
      '--exclude',
      'https://old.example.org',
    ];
    const { scope, urls, traps } = optionsFor(
      '--within',
      'surt',
      '--surt',
      '(org,example,',
      ...lists,
      '--drop-tracking',
      '--no-traps',
    );
    expect(scope).toEqual({
      seeds: ['https://example.org/'],
      within: 'surt',
      surts: ['(org,example,'],
      prefixes: ['/docs/'],
      include: ['/*.html$', '*/'],
      exclude: ['https://old.example.org'],
    });
    expect([urls, traps]).toEqual([{ trackingParameters: 'drop' }, false]);
  });

  it.each([
    [['--surt', '(org,'], /--within surt/],
    [['--host', 'example.org'], /--within list/],
    [['--within', 'web'], /--within/],
  ])('%j is called wrongly', (args, message) => {
    expect(() => optionsFor(...args)).toThrow(message);
  });
});

describe('the flags of pace, bounds, robots.txt, network and discovery', () => {
  it('none of them: the defaults of the library, and the bounds of the command', () => {
    const { bounds, ...rest } = optionsFor();
    expect(bounds).toEqual({ pages: 100, depth: 5, minutes: 30 });
    expect(Object.keys(rest)).toEqual(['identity', 'scope']);
  });

  it.each<[string[], Record<string, unknown>]>([
    [
      [
        '--bytes',
        '1e9',
        '--pages-per-host',
        '20',
        '--bytes-per-host',
        '5000',
        '--minutes-per-host',
        '2',
        '--queued',
        '9',
      ],
      { bounds: { bytes: 1e9, pagesPerHost: 20, bytesPerHost: 5_000, minutesPerHost: 2, queued: 9 } },
    ],
    [['--per-domain', '--per-ip'], { politeness: { perDomain: true, perIp: true } }],
    [['--requests-per-second', '0.5', '--jitter', '0.05'], { politeness: { requestsPerSecond: 0.5, jitter: 0.05 } }],
    [['--profile', '1996-rule-of-thumb'], { politeness: { profile: '1996-rule-of-thumb' } }],
    [['--interval', '2.5'], { politeness: { profile: { factor: 0, minMs: 2_500, maxMs: 2_500 } } }],
    [
      ['--robots-policy', 'declared-only', '--robots-dialect', '1996'],
      { robots: { policy: 'declared-only', dialect: '1996' } },
    ],
    [
      [
        '--allow-address',
        '10.0.0.0/8',
        '--port',
        '8080',
        '--port',
        '8443',
        '--body-bytes',
        '500',
        '--concurrency',
        '2',
      ],
      { network: { allowAddresses: ['10.0.0.0/8'], ports: [8_080, 8_443], maxBodyBytes: 500, concurrency: 2 } },
    ],
    [['--sitemaps'], { discover: { sitemaps: true, sitemapUrls: [] } }],
    [
      ['--sitemap', 'https://example.org/s.xml', '--data-txt'],
      { discover: { sitemaps: false, sitemapUrls: ['https://example.org/s.xml'], dataTxt: true } },
    ],
    [['--datasets'], { discover: { dataTxt: true }, datasets: { enqueue: true } }],
    [['--patience', '1.5'], { maxIdleMs: 1_500 }],
    [['--purpose', 'search', '--purpose', 'tdm'], { purposes: ['search', 'tdm'] }],
  ])('%j', (args, expected) => {
    expect(optionsFor(...args)).toMatchObject(expected);
  });
});
