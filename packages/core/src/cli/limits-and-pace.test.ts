// Every flag of the command reaches the crawl, and a value out of range is reported with the flag, the range and the
// value before any request. If a flag is read and not passed on, a bound has no effect.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlReport } from 'mannerly';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

let base: string;
let site: TestSite;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-flags-'));
  site = await testSite(['/1', '/2', '/3', '/closed']);
});

afterEach(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

async function crawl(...more: string[]): Promise<{ report: CrawlReport; settings: Record<string, unknown> }> {
  const io = fakeIo();
  const out = join(base, 'crawl');
  await runCommand(['crawl', `${site.url}/`, ...who, '--out', out, '--json', ...more], io);
  expect(io.outLines, io.errLines.join('\n')).toHaveLength(1);
  return {
    report: JSON.parse(io.outLines[0]!) as CrawlReport,
    settings: JSON.parse(readFileSync(join(out, 'settings.json'), 'utf8')) as Record<string, unknown>,
  };
}

const fast = ['--interval', '0'];
const pages = (): string[] => site.requestedPaths.filter((path) => path !== '/robots.txt');

describe('a bound that a flag sets holds', () => {
  it.each<[string, string[], number, Partial<CrawlReport> | null]>([
    ['--bytes, robots.txt counted', ['--bytes', '40'], 1, { state: 'bounded', bound: 'bytes' }],
    ['--pages-per-host', ['--pages-per-host', '2'], 2, null],
    ['--bytes-per-host', ['--bytes-per-host', '100'], 1, null],
    [
      '--queued-urls with --drop-links',
      ['--queued-urls', '1', '--drop-links'],
      1,
      { outcomes: { fetched: { fetched: 1 }, dropped: { 'frontier-full': 3 } } },
    ],
  ])('%s', async (_, flags, expectedPaths, ends) => {
    const { report } = await crawl(...fast, ...flags);
    expect(pages()).toHaveLength(expectedPaths);
    if (ends !== null) expect(report).toMatchObject({ ...ends });
  });

  it('--body-bytes cuts a page', async () => {
    await crawl(...fast, '--max-body-bytes', '20');
    // The links come after the cut.
    expect(pages()).toEqual(['/']);
  });
});

describe('what is read besides pages', () => {
  it('--data-txt requests it, and --datasets what it names', async () => {
    await crawl(...fast, '--depth', '0', '--data-txt');
    expect([...site.requestedPaths].sort()).toEqual(['/', '/data.txt', '/robots.txt']);
    site.requestedPaths.length = 0;
    await crawl(...fast, '--depth', '1', '--datasets', '--reset');
    expect(site.requestedPaths).toContain('/tides.csv');
  });
});

describe('what a flag says is in the settings of the run', () => {
  it.each<[string[], Record<string, unknown>]>([
    [['--per-domain'], { hostKeyBy: 'domain' }],
    [['--per-ip', ...fast], { politeness: { perIp: true } }],
    [['--requests-per-second', '500'], { politeness: { requestsPerSecond: 500 } }],
    [['--jitter', '0.1'], { politeness: { jitter: 0.1 } }],
    [['--profile', 'gentle'], { politeness: { profile: 'gentle' } }],
    [['--interval', '0.5'], { politeness: { profile: { minMs: 500, maxMs: 500 } } }],
    [['--robots-policy', 'strictest'], { robots: { policy: 'strictest' } }],
    [['--robots-dialect', 'google'], { robots: { dialect: 'google' } }],
    [['--minutes-per-host', '2.5'], { bounds: { minutesPerHost: 2.5 } }],
    [['--bytes', '1e9'], { bounds: { bytes: 1e9 } }],
    [['--queued-urls', '7'], { maxQueued: 7 }],
  ])('%j', async (flags, says) => {
    const pace = flags.includes('--profile') || flags.includes('--interval') ? [] : fast;
    // The seed is closed, so only robots.txt is requested.
    const io = fakeIo();
    const out = join(base, 'crawl');
    const argv = ['crawl', `${site.url}/closed`, ...who, '--out', out, ...new Set([...pace, ...flags])];
    expect(await runCommand(argv, io), io.errLines.join('\n')).toBe(6);
    expect(JSON.parse(readFileSync(join(out, 'settings.json'), 'utf8'))).toMatchObject(says);
    expect(site.requestedPaths).toEqual(['/robots.txt']);
  });
});

describe('a value out of range', () => {
  it.each([
    ['--bytes', '0', /from 1 to/],
    ['--bytes', '1.5', /whole number/],
    ['--pages-per-host', '0', /from 1 to 1000000000/],
    ['--bytes-per-host', 'many', /from 1 to/],
    ['--minutes-per-host', '0', /above 0, up to 5256000/],
    ['--queued-urls', '-1', /from 1 to/],
    ['--requests-per-second', '0', /to 10000/],
    ['--requests-per-second', '10001', /to 10000/],
    ['--jitter', '0.2', /from 0 to 0\.1/],
    ['--port', '65536', /from 1 to 65535/],
    ['--max-body-bytes', '0', /from 1 to 1073741824/],
    ['--concurrency', '1025', /from 1 to 1024/],
    ['--robots-policy', 'mine', /base, declared/],
    ['--robots-dialect', '2077', /rfc9309, google/],
    ['--profile', 'rude', /polite, gentle/],
    ['--include', '[', /`scope\.include` \(--include\) to be patterns to begin with/],
    ['--prefix', 'p', /a path that begins with/],
    ['--header', 'nonsense', /a field such as/],
    ['--sitemap', 'x.xml', /an absolute/],
  ])('%s %s is reported with its range', async (flag, value, range) => {
    const io = fakeIo();
    const code = await runCommand(['crawl', `${site.url}/`, ...who, flag, value], io);
    const stderr = io.errLines.join('\n');
    expect({ code, paths: site.requestedPaths }).toEqual({ code: 2, paths: [] });
    expect(stderr).toContain(flag);
    expect(stderr).toContain(value);
    expect(stderr).toMatch(range);
  });
});
