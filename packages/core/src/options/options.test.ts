// A mistake in the options must be reported before any request, with name and value. Options that are less polite than
// a site may expect must be in the report: otherwise a bold crawl looks polite.

import { describe, expect, it } from 'vitest';
import { createCrawler } from '../crawler.js';
import { resolveExclusionOptions } from '../page/exclusion.js';
import type { CrawlerOptions } from './crawler-options.js';
import { resolveOptions } from './options.js';
import { OPTIONS, placedRows } from './table.js';

const GOOD: CrawlerOptions = {
  identity: { name: 'test-bot', contact: 'https://example.org/bot' },
  scope: { seeds: ['https://example.org:8443/a'] },
  bounds: { pages: 5 },
};
const FORM = { url: 'https://a.example/login', fields: ['user=text:ann'] };
const options = (more: object): CrawlerOptions => ({ ...GOOD, ...more }) as CrawlerOptions;
const { seeds } = GOOD.scope;
const circular: Record<string, unknown> = {};
circular['itself'] = circular;

describe('createCrawler', () => {
  it.each<[string, object, string, string]>([
    ['an unknown option', { speed: 11 }, 'option-unknown', '`speed`'],
    ['an unknown option of the network', { network: { retries: 5 } }, 'option-unknown', '`network.retries`'],
    ['an unknown bound', { bounds: { pages: 1, hosts: 2 } }, 'option-unknown', '`bounds.hosts`'],
    ['an unknown spacing', { politeness: { perHost: true } }, 'option-unknown', '`politeness.perHost`'],
    ['an unknown option of robots', { robots: { nonsense: 1 } }, 'option-unknown', '`robots.nonsense`'],
    ['an unknown trap', { traps: { pages: 5 } }, 'option-unknown', '`traps.pages`'],
    ['an unknown hook', { hooks: { before: () => undefined } }, 'option-unknown', '`hooks.before`'],
    ['a misspelt page option', { pageLevel: { noindexx: 'flag' } }, 'option-unknown', '`pageLevel.noindexx`'],
    ['a misspelt rel', { links: { rel: { nofolow: true } } }, 'option-unknown', '`links.rel.nofolow`'],
    ['an option of rel outside it', { links: { nofollow: true } }, 'option-unknown', '`links.nofollow`'],
    ['no identity', { identity: undefined }, 'identity-name', 'name'],
    ['no contact', { identity: { name: 'test-bot' } }, 'identity-contact', 'contact'],
    ['no scope', { scope: undefined }, 'seed-invalid', '`scope.seeds`'],
    ['no seeds', { scope: { seeds: [] } }, 'seed-invalid', '`scope.seeds`'],
    ['a seed that is no URL', { scope: { seeds: ['example.org'] } }, 'seed-invalid', '"example.org"'],
    ['a seed of another scheme', { scope: { seeds: ['ftp://example.org/'] } }, 'seed-invalid', '"ftp://example.org/"'],
    ['a strange `within`', { scope: { seeds, within: 'planet' } }, 'option-invalid', '"planet"'],
    ['a list without hosts', { scope: { seeds, within: 'list' } }, 'option-invalid', '`scope.hosts`'],
    ['a prefix without a slash', { scope: { seeds, prefixes: ['docs'] } }, 'option-invalid', '`scope.prefixes[0]`'],
    ['a scope function that is none', { scope: { seeds, allows: true } }, 'option-invalid', '`scope.allows`'],
    ['no bounds', { bounds: undefined }, 'bounds-missing', 'bounds.pages'],
    ['bounds without pages or minutes', { bounds: { depth: 3 } }, 'bounds-missing', 'bounds.minutes'],
    ['no pages at all', { bounds: { pages: 0 } }, 'option-invalid', '`bounds.pages`'],
    ['half a page', { bounds: { pages: 1.5 } }, 'option-invalid', '1.5'],
    ['endless pages', { bounds: { pages: Number.POSITIVE_INFINITY } }, 'option-invalid', 'got Infinity'],
    ['a bigint', { bounds: { pages: 5n } }, 'option-invalid', 'got 5'],
    ['an object that holds itself', { maxIdleMs: circular }, 'option-invalid', '`maxIdleMs`'],
    ['no minutes at all', { bounds: { minutes: 0 } }, 'option-invalid', '`bounds.minutes`'],
    ['a negative depth', { bounds: { pages: 1, depth: -1 } }, 'option-invalid', '`bounds.depth`'],
    ['a depth beyond all lists', { bounds: { pages: 1, depth: 1_000_001 } }, 'option-invalid', '`bounds.depth`'],
    ['no bytes', { bounds: { pages: 1, bytes: 0 } }, 'option-invalid', '`bounds.bytes`'],
    ['half a byte', { bounds: { pages: 1, bytesPerHost: 1.5 } }, 'option-invalid', '`bounds.bytesPerHost`'],
    [
      'a shortest interval above the longest',
      { recrawl: { minDays: 10, maxDays: 1 } },
      'option-invalid',
      '`recrawl.minDays`',
    ],
    ['a negative queue', { bounds: { pages: 1, queuedUrls: -3 } }, 'option-invalid', '`bounds.queuedUrls`'],
    ['few similar pages', { traps: { maxSimilarPages: 15 } }, 'option-invalid', 'from 16 to 1000000, got 15'],
    ['half a segment', { traps: { maxPathSegments: 2.5 } }, 'option-invalid', '`traps.maxPathSegments`'],
    [
      'a sink that lacks a method',
      { sinks: [{ name: 'mine', write: async () => undefined }] },
      'option-invalid',
      'expected `sinks[0]` to be a value of type Sink, an object with name, open, write, close',
    ],
    [
      'a sink without a name',
      { sinks: [{ open: async () => undefined, write: async () => undefined, close: async () => undefined }] },
      'option-invalid',
      'expected `sinks[0]` to be a value of type Sink, an object with name, open, write, close',
    ],
    ['traps that are on', { traps: true }, 'option-invalid', 'expected `traps` to be false, or an object of'],
    ['a rude profile', { politeness: { profile: 'rude' } }, 'option-invalid', '`politeness.profile`'],
    [
      'a negative pause',
      { politeness: { profile: { factor: 1, minMs: -1, maxMs: 5 } } },
      'option-invalid',
      'expected `politeness.profile.minMs` to be a number from 0 to 86400000, got -1',
    ],
    [
      'a longest pause below the shortest',
      { politeness: { profile: { factor: 1, minMs: 5, maxMs: 1 } } },
      'option-invalid',
      '`politeness.profile.maxMs`',
    ],
    ['perIp as a word', { politeness: { perIp: 'yes' } }, 'option-invalid', '`politeness.perIp`'],
    ['perDomain as a number', { politeness: { perDomain: 1 } }, 'option-invalid', '`politeness.perDomain`'],
    ['a negative rate', { politeness: { requestsPerSecond: -1 } }, 'option-invalid', '`politeness.requestsPerSecond`'],
    ['much jitter', { politeness: { jitter: 0.5 } }, 'option-invalid', '`politeness.jitter`'],
    ['a strange Visit-time', { robots: { visitTime: 'never' } }, 'option-invalid', '`robots.visitTime`'],
    ['a lax policy', { robots: { policy: 'lax' } }, 'option-invalid', '`robots.policy`'],
    ['no Crawl-delay', { robots: { maxCrawlDelayMs: 0 } }, 'option-invalid', '`robots.maxCrawlDelayMs`'],
    ['a port past the last', { network: { ports: [65_536] } }, 'option-invalid', '`network.ports[0]`'],
    ['no range', { network: { allowAddresses: ['10.0.0.0/99'] } }, 'option-invalid', '10.0.0.0/99'],
    ['a prefix with zeros', { network: { allowAddresses: ['10.0.0.0/0008'] } }, 'option-invalid', '10.0.0.0/0008'],
    ['half an address', { network: { allowAddresses: ['10.0.0'] } }, 'option-invalid', '10.0.0'],
    ['a scoped address', { network: { allowAddresses: ['fe80::1%eth0'] } }, 'option-invalid', 'fe80'],
    ['no body at all', { network: { maxBodyBytes: 0 } }, 'option-invalid', '`network.maxBodyBytes`'],
    ['too many requests at once', { network: { concurrency: 5_000 } }, 'option-invalid', '5000'],
    ['cookies by name', { network: { cookies: 'yes' } }, 'option-invalid', '`network.cookies`'],
    ['a sitemap that is no URL', { discover: { sitemapUrls: ['/s.xml'] } }, 'option-invalid', '`discover.sitemapUrls'],
    ['negative idle time', { maxIdleMs: -1 }, 'option-invalid', '`maxIdleMs`'],
    ['an empty order seed', { orderSeed: '' }, 'option-invalid', '`orderSeed`'],
    ['an unknown page value', { pageLevel: { noindex: 'sometimes' } }, 'option-invalid', '`pageLevel.noindex`'],
    ['a group that is a word', { pageLevel: 'off' }, 'option-invalid', '`pageLevel`'],
    ['a purpose that is none', { purposes: ['fun'] }, 'option-invalid', '`purposes[0]`'],
    ['tdm as a boolean', { tdm: false }, 'option-invalid', '`tdm`'],
    ['unknown preferences', { preferences: 'none' }, 'option-invalid', '`preferences`'],
    ['an unknown use', { preferences: { contentUse: 'some' } }, 'option-invalid', '`preferences.contentUse`'],
    ['an unknown canonical', { canonical: 'ignore' }, 'option-invalid', '`canonical`'],
    ['indexInstead as a boolean', { indexInstead: true }, 'option-invalid', '`indexInstead`'],
    ['a negative sample', { decisionLog: { sample: -0.1 } }, 'option-invalid', '`decisionLog.sample`'],
    ['a sample that is no number', { decisionLog: { sample: Number.NaN } }, 'option-invalid', '`decisionLog.sample`'],
    ['no lines', { decisionLog: { maxLines: 0 } }, 'option-invalid', '`decisionLog.maxLines`'],
    ['small WARC files', { archive: { warcBytes: 5 } }, 'option-invalid', '`archive.warcBytes`'],
    ['an unknown digest', { archive: { digest: 'md5' } }, 'option-invalid', '`archive.digest`'],
    ['an empty folder', { archive: { folder: '' } }, 'option-invalid', '`archive.folder`'],
    ['an unknown option of the archive', { archive: { warc: 5 } }, 'option-unknown', '`archive.warc`'],
    ['a hook that is no function', { hooks: { beforeFetch: 5 } }, 'option-invalid', '`hooks.beforeFetch`'],
    ['a fetcher that cannot fetch', { fetcher: {} }, 'option-invalid', '`fetcher`'],
    ['null', { network: null }, 'option-invalid', '`network`'],
  ])('refuses %s', (_name, change, code, message) => {
    const attempt = (): unknown => createCrawler(options(change));
    expect(attempt).toThrow(expect.objectContaining({ name: 'MannerlyError', code }));
    expect(attempt).toThrow(message);
  });

  it.each<[string, object]>([
    ['pages alone', {}],
    ['minutes alone', { bounds: { minutes: 0.5 } }],
    ['depth 0', { bounds: { pages: 1, depth: 0 } }],
    ['a depth of a million', { bounds: { pages: 1, depth: 1_000_000 } }],
    ['the last port', { network: { ports: [65_535] } }],
    ['no idle time', { maxIdleMs: 0 }],
    ['an option that is undefined', { network: undefined }],
    [
      'the nearest values that are allowed',
      {
        politeness: { perIp: true, perDomain: true, requestsPerSecond: 0.5, jitter: 0.1 },
        bounds: { minutes: 1, bytes: 1, bytesPerHost: 1, minutesPerHost: 0.5, queuedUrls: 1 },
        robots: { maxCrawlDelayMs: 1_000 },
        network: { allowAddresses: ['10.0.0.0/8'] },
      },
    ],
  ])('accepts %s', (_name, change) => {
    expect(() => createCrawler(options(change))).not.toThrow();
  });
});

describe('resolved options', () => {
  it('are filled in', () => {
    const { bounds, network, spacing, maxIdleMs, scope, exclusion, traps, archive } = resolveOptions(GOOD);
    expect(bounds).toMatchObject({ pages: 5, minutes: null, depth: null, pagesPerHost: null, queuedUrls: 10_000_000 });
    expect(spacing).toEqual({
      politeness: { profile: 'polite', perIp: 'domain', quietHours: 'off', jitter: 0 },
      hostKeyBy: 'host',
    });
    expect(maxIdleMs).toBe(720_000);
    expect(scope.within).toBe('host');
    expect(exclusion).toEqual(resolveExclusionOptions({}));
    expect(traps).toEqual({ action: 'defer', maxSimilarPages: 128, maxPathSegments: 32, maxQueryParameters: 32 });
    expect(archive).toBeNull();
    expect(network).toMatchObject({
      allowAddresses: [],
      concurrency: 64,
      maxBodyBytes: 10 * 1024 * 1024,
      resolve: null,
    });
  });

  it('keep what is given', () => {
    const { spacing, traps, archive } = resolveOptions(
      options({
        politeness: { profile: 'gentle', perDomain: true, requestsPerSecond: 0.5 },
        traps: { maxSimilarPages: 50 },
        archive: true,
      }),
    );
    expect(spacing).toEqual({
      politeness: { profile: 'gentle', perIp: 'domain', quietHours: 'off', jitter: 0, requestsPerSecond: 0.5 },
      hostKeyBy: 'domain',
    });
    expect(traps).toMatchObject({ maxSimilarPages: 50, maxPathSegments: 32 });
    const plain = { warcBytes: 1_000_000_000, digest: 'sha-256', wacz: false, folder: null };
    expect(archive).toEqual({ ...plain, requisites: null });
    const limits = { hosts: 'site', perPage: 100, bytesPerPage: 20 * 1024 * 1024, total: 10_000, totalBytes: 2 ** 30 };
    for (const requisites of [true, {}, { perPage: 100 }])
      expect(resolveOptions(options({ archive: { requisites } })).archive).toEqual({ ...plain, requisites: limits });
    expect(resolveOptions(options({ traps: false })).traps).toBeNull();
    const { politeness } = resolveOptions(options({ politeness: { profile: { minMs: 90_000 } } })).spacing;
    expect(politeness.profile).toEqual({ factor: 2, minMs: 90_000 });
    expect(resolveOptions(options({ archive: { wacz: true } })).archive).toMatchObject({
      wacz: true,
      digest: 'sha-256',
    });
  });

  it('allow the ports of seeds, and no others', () => {
    expect(resolveOptions(GOOD).network.ports).toEqual([8443]);
    expect(resolveOptions(options({ network: { ports: [8080] } })).network.ports).toEqual([8080, 8443]);
  });
});

describe('relaxed defaults', () => {
  const cases: [object, string | null][] = [
    [{}, null],
    [{ politeness: { profile: 'gentle', perDomain: true, perIp: true } }, null],
    [{ politeness: { perIp: false } }, 'politeness.perIp'],
    [{ network: { cookies: false, allowUnpinnedDns: false } }, null],
    [{ network: { cookies: true } }, 'network.cookies'],
    [{ network: { cookies: () => ({}) } }, 'network.cookies'],
    [{ network: { allowUnpinnedDns: true } }, 'network.allowUnpinnedDns'],
    [{ politeness: { profile: { factor: 0, minMs: 100, maxMs: 100 } } }, 'politeness.profile.minMs` is 100'],
    [{ politeness: { profile: { factor: 0, minMs: 1_000, maxMs: 1_000 } } }, null],
    [{ robots: { visitTime: 'warn' } }, 'robots.visitTime'],
    [{ robots: { visitTime: 'ignore' } }, 'robots.visitTime'],
    [{ robots: { maxCrawlDelayMs: 5_000 } }, 'robots.maxCrawlDelayMs'],
    [{ robots: { maxCrawlDelayMs: 5_000, onLongCrawlDelay: 'skip-host' } }, null],
    [{ robots: { policy: 'base' } }, 'robots.policy'],
    [{ robots: { policy: 'declared-only' } }, 'robots.policy'],
    [{ robots: { policy: 'strictest' } }, null],
    [{ robots: { dialect: 'google' } }, 'robots.dialect'],
    [{ robots: { dialect: 'google', afterUnreachable: 'hold' } }, null],
    [{ robots: { accessProfile: 'google' } }, 'robots.accessProfile'],
    [{ robots: { requestRateMode: 'bucket' } }, 'robots.requestRateMode'],
    [{ robots: { afterUnreachable: 'allow' } }, 'robots.afterUnreachable'],
    [{ robots: { afterUnreachable: 'hold' } }, null],
    [{ robots: { afterUnreachable: 'hold', unreachableDays: 3 } }, null],
    [{ robots: { unreachableDays: 3 } }, 'robots.unreachableDays'],
    [{ robots: { onForbidden: 'deny' } }, null],
    [{ pageLevel: { noindex: 'ignore' } }, 'pageLevel.noindex'],
    [{ pageLevel: { noindex: 'flag' } }, 'pageLevel.noindex'],
    [{ pageLevel: { noindex: 'skip-handler' } }, null],
    [{ pageLevel: { noarchive: 'ignore' } }, 'pageLevel.noarchive'],
    [{ pageLevel: { snippet: 'ignore' } }, 'pageLevel.snippet'],
    [{ pageLevel: { images: 'ignore' } }, 'pageLevel.images'],
    [{ pageLevel: { unavailableAfter: 'ignore' } }, 'pageLevel.unavailableAfter'],
    [{ pageLevel: { robotsNoindex: 'expose' } }, 'pageLevel.robotsNoindex'],
    [{ links: { pageNofollow: 'ignore' } }, 'links.pageNofollow'],
    [{ links: { rel: { nofollow: true } } }, 'links.rel.nofollow'],
    [{ links: { rel: { ugc: false } } }, null],
    [{ tdm: 'off' }, 'tdm'],
    [{ licensing: { mode: 'observe' } }, 'licensing.mode'],
    [{ licensing: { mode: 'off' } }, 'licensing.mode'],
    [{ licensing: { read: 'never' } }, 'licensing.read'],
    [{ licensing: { read: 'always', strict: true } }, null],
    [{ preferences: 'observe' }, 'preferences'],
    [{ preferences: { apply: 'off' } }, 'preferences.apply'],
    [{ preferences: { unknown: 'disallow' } }, null],
    [{ indexInstead: 'expose' }, 'indexInstead'],
    [{ signIn: { origin: 'https://a.example', consent: 'an account of our own', form: FORM } }, 'signIn.consent'],
    [{ retries: { failureWaitsMs: [1, 1, 1, 1] } }, 'retries.failureWaitsMs'],
    [{ retries: { throttleWaitsMs: [1, 1, 1, 1] } }, 'retries.throttleWaitsMs'],
    [{ retries: { handler: 4 } }, 'retries.handler'],
    [{ retries: { failureWaitsMs: [], throttleWaitsMs: [60_000], handler: 3 } }, null],
  ];
  it.each(cases)('with %j: %s', (more, named) => {
    const { relaxedDefaults } = resolveOptions(options(more));
    if (named === null) expect(relaxedDefaults).toEqual([]);
    else expect(relaxedDefaults).toEqual([expect.stringContaining(`\`${named}`)]);
  });

  it('have a case above for every option that has a relaxed value', () => {
    const relaxable = placedRows(OPTIONS).flatMap(({ path, row }) => (row.relaxed === undefined ? [] : [path]));
    const named = cases.map(([, says]) => says ?? '');
    const untested = relaxable.filter((option) => !named.some((says) => says.startsWith(option)));
    expect(untested).toEqual([]);
  });
});
