// The flags mean the same as the options. If a flag is read and not passed on, a bound has no effect.

import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { type CrawlFlags, withCrawlFlags } from './crawl-flags.js';
import { setUpCrawl } from './crawl-setup.js';

const WHO = ['--name', 'tidepool-study', '--contact', 'https://example.org/our-crawler'];

async function optionsFor(...args: string[]) {
  const command = withCrawlFlags(new Command().exitOverride());
  command.parse([...WHO, ...args], { from: 'user' });
  return (await setUpCrawl(['https://example.org/'], { ...command.opts<CrawlFlags>(), config: false })).options;
}

describe('the flags of scope, URLs and traps', () => {
  it('without any, the defaults of the library apply', async () => {
    const { scope, urls, traps } = await optionsFor();
    expect([scope, urls, traps]).toEqual([{ seeds: ['https://example.org/'] }, undefined, undefined]);
  });

  it('all of them are passed on', async () => {
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
    const { scope, urls, traps } = await optionsFor(
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

  it.each(['tell', 'drop'])('near duplicates: %s', async (what) => {
    expect(await optionsFor('--near-duplicates', what)).toMatchObject({ nearDuplicates: what });
  });

  it.each([
    [['--surt', '(org,'], /--within surt/],
    [['--host', 'example.org'], /--within list/],
    [['--within', 'web'], /--within/],
    [['--no-traps', '--drop-traps'], /--drop-traps/],
  ])('%j is a wrong call', async (args, message) => {
    await expect(optionsFor(...args)).rejects.toThrow(message);
  });
});

describe('the flags of pace, bounds, robots.txt, network and discovery', () => {
  it('without any, the defaults of the library and the bounds of the command apply', async () => {
    const { bounds, ...rest } = await optionsFor();
    expect(bounds).toEqual({ pages: 100, minutes: 30 });
    expect(Object.keys(rest).sort()).toEqual(['identity', 'scope']);
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
        '--queued-urls',
        '9',
      ],
      { bounds: { bytes: 1e9, pagesPerHost: 20, bytesPerHost: 5_000, minutesPerHost: 2, queuedUrls: 9 } },
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
        '--max-body-bytes',
        '500',
        '--concurrency',
        '2',
      ],
      { network: { allowAddresses: ['10.0.0.0/8'], ports: [8_080, 8_443], maxBodyBytes: 500, concurrency: 2 } },
    ],
    [['--sitemaps'], { discover: { sitemaps: true } }],
    [
      ['--sitemap', 'https://example.org/s.xml', '--data-txt'],
      { discover: { sitemapUrls: ['https://example.org/s.xml'], dataTxt: true } },
    ],
    [['--datasets'], { discover: { dataTxt: true }, datasets: { enqueue: true } }],
    [['--max-idle', '1.5'], { maxIdleMs: 1_500 }],
    [['--warc'], { archive: {} }],
    [['--requisites'], { archive: { requisites: true } }],
    [
      ['--requisites', '--requisites-hosts', 'any', '--wacz'],
      { archive: { requisites: { hosts: 'any' }, wacz: true } },
    ],
    [['--warc', '--wacz', '--warc-bytes', '2e6'], { archive: { wacz: true, warcBytes: 2_000_000 } }],
    [['--decisions-sample', '0.5', '--decisions-max', '9'], { decisionLog: { sample: 0.5, maxLines: 9 } }],
    [['--order-seed', 'tide'], { orderSeed: 'tide' }],
    [['--purpose', 'search', '--purpose', 'tdm'], { purposes: ['search', 'tdm'] }],
  ])('%j', async (args, expected) => {
    expect(await optionsFor(...args)).toMatchObject(expected);
  });
});
