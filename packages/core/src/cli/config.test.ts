// A configuration is how a crawl is repeated. It must take effect, flags must override single keys, and a mistake must
// be reported with its key, range and value before any request.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type CrawlConfig, createCrawler, defineConfig } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite } from '../../test-support/test-site.js';
import { CONFIG_NAMES, findConfig, readConfig } from './config-file.js';
import { type CrawlFlags, withCrawlFlags } from './crawl-flags.js';
import { setUpCrawl } from './crawl-setup.js';
import { runCommand } from './program.js';

let folder: string;
let site: TestSite;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-config-'));
  site = await testSite(['/a', '/b']);
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

/** Writes a file into a folder of its own. */
async function written(name: string, text: string): Promise<string> {
  count += 1;
  const own = join(folder, String(count));
  await mkdir(own);
  await writeFile(join(own, name), text);
  return join(own, name);
}

const asFile = (config: unknown): Promise<string> => written('mannerly.config.json', JSON.stringify(config));

/** The result of a command line with this configuration. */
async function setUp(config: CrawlConfig, args: readonly string[] = []) {
  const file = await asFile(config);
  const command = withCrawlFlags(new Command().argument('[seed...]')).exitOverride();
  command.parse([...args, '--config', file], { from: 'user' });
  return setUpCrawl(command.args, command.opts<CrawlFlags>());
}

const IDENTITY = { name: 'tester', contact: 'https://example.org/us' };
const WHOLE: CrawlConfig = {
  identity: IDENTITY,
  scope: { seeds: ['https://a.test/'] },
  bounds: { pages: 20, minutes: 9 },
};

describe('flags and configuration together', () => {
  it('need no flag if the file says everything', async () => {
    const { options, seeds } = await setUp(WHOLE);
    expect(seeds).toEqual(['https://a.test/']);
    expect(options).toEqual({
      identity: IDENTITY,
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 20, minutes: 9 },
    });
    expect(() => createCrawler(options)).not.toThrow();
  });

  it.each<[string, CrawlConfig, string[], unknown]>([
    ['a bound', WHOLE, ['--pages', '7'], { bounds: { pages: 7, minutes: 9 } }],
    ['a bound given with its default value', WHOLE, ['--pages', '100'], { bounds: { pages: 100 } }],
    ['the name', WHOLE, ['--name', 'other'], { identity: { name: 'other', contact: IDENTITY.contact } }],
    ['seeds', WHOLE, ['https://b.test/'], { scope: { seeds: ['https://b.test/'] } }],
    [
      'the pace',
      { ...WHOLE, politeness: { profile: 'gentle' } },
      ['--interval', '3'],
      { politeness: { profile: { minMs: 3_000, maxMs: 3_000 } } },
    ],
    [
      'nothing else',
      { ...WHOLE, politeness: { profile: 'gentle' } },
      ['--depth', '2'],
      { politeness: { profile: 'gentle' }, bounds: { depth: 2 } },
    ],
    [
      'one of the network',
      { ...WHOLE, network: { allowAddresses: ['10.0.0.0/8'], maxBodyBytes: 5 } },
      ['--max-body-bytes', '9'],
      { network: { allowAddresses: ['10.0.0.0/8'], maxBodyBytes: 9 } },
    ],
    [
      'not what only the flag left out',
      { ...WHOLE, discover: { sitemaps: true } },
      ['--sitemap', 'https://a.test/s.xml'],
      { discover: { sitemaps: true, sitemapUrls: ['https://a.test/s.xml'] } },
    ],
    [
      'not the scope of the file',
      { ...WHOLE, scope: { seeds: ['https://a.test/'], within: 'list', hosts: ['a.test', 'b.test'] } },
      ['--exclude', '/x'],
      { scope: { within: 'list', hosts: ['a.test', 'b.test'], exclude: ['/x'] } },
    ],
  ])('a flag overrides %s', async (_title, config, args, expected) => {
    expect((await setUp(config, args)).options).toMatchObject(expected as object);
  });

  it('have the defaults of the command if neither sets a value', async () => {
    const { bounds: _, ...config } = WHOLE;
    expect((await setUp(config)).options.bounds).toEqual({ pages: 100, minutes: 30 });
  });

  it('read paths relative to the file', async () => {
    const { flags, file } = await setUp({ ...WHOLE, out: 'here/crawl' });
    expect(flags.out).toBe(join(file ?? '', '..', 'here/crawl'));
    const signature = { key: 'file:keys/bot.key', agent: 'https://bot.example/' };
    const signed = setUp({ ...WHOLE, identity: { ...IDENTITY, signature } });
    await expect(signed).rejects.toThrow(/file:\S+[\\/]\d+[\\/]keys[\\/]bot\.key to hold a private key/);
    const account = { origin: 'https://a.test', consent: 'an account of our own' };
    const form = { url: 'https://a.test/login', fields: ['user=file:keys/user'] };
    for (const how of [{ basic: 'file:keys/user' }, { bearer: 'file:keys/user' }, { form }]) {
      const signedIn = setUp({ ...WHOLE, signIn: { ...account, ...how } });
      await expect(signedIn).rejects.toThrow(/cannot be read.*file:\S+[\\/]\d+[\\/]keys[\\/]user/);
    }
  });

  it('pass on the store and the concurrency, which several processes divide', async () => {
    const { flags } = await setUp({ ...WHOLE, store: 'redis://127.0.0.1/', network: { concurrency: 8 } });
    expect(flags).toMatchObject({ store: 'redis://127.0.0.1/', config: expect.any(String) });
    // A worker gets them as JSON.
    const { options } = await setUpCrawl(['https://a.test/'], JSON.parse(JSON.stringify({ ...flags, concurrency: 4 })));
    expect(options).toMatchObject({ network: { concurrency: 4 }, bounds: { pages: 20, minutes: 9 } });
  });

  it('refuse sinks of a module for several processes', async () => {
    const file = await written(
      'c.mjs',
      'export default { sinks: [{ name: "mine", open() {}, write() {}, close() {} }] };',
    );
    const command = withCrawlFlags(new Command()).exitOverride();
    command.parse(['--workers', '2', '--config', file], { from: 'user' });
    await expect(setUpCrawl(['https://a.test/'], command.opts<CrawlFlags>())).rejects.toThrow('`sinks` of');
  });

  it.each<[string, CrawlConfig, string]>([
    ['a name', { scope: WHOLE.scope as NonNullable<CrawlConfig['scope']> }, 'missing --name'],
    ['seeds', { identity: IDENTITY }, 'missing seeds'],
  ])('report a missing %s', async (_title, config, message) => {
    await expect(setUp(config)).rejects.toThrow(message);
  });
});

describe('a mistake', () => {
  it.each<[unknown, string]>([
    [{ bounds: { page: 3 } }, 'unknown option `bounds.page`; known: pages, minutes'],
    [{ boundz: {} }, 'unknown option `boundz`; known: identity, scope'],
    [{ bounds: { pages: 0 } }, 'expected `bounds.pages` to be a whole number from 1 to 1000000000, got 0'],
    [{ bounds: { pages: 'many' } }, 'expected `bounds.pages` to be a whole number from 1 to 1000000000, got "many"'],
    [{ bounds: { minutes: 0 } }, 'expected `bounds.minutes` to be a number above 0, up to 5256000, got 0'],
    [
      { scope: { within: 'planet' } },
      'expected `scope.within` to be one of host, domain, list, surt, any, got "planet"',
    ],
    [{ scope: { seeds: ['ftp://a.test/'] } }, '`scope.seeds[0]`'],
    [
      { politeness: { profile: 'rude' } },
      'expected `politeness.profile` to be one of polite, gentle, 1996-rule-of-thumb, or an object of factor, minMs, maxMs, got "rude"',
    ],
    [
      { politeness: { profile: { factor: 1, minMs: -1, maxMs: 0 } } },
      'expected `politeness.profile.minMs` to be a number from 0 to 86400000',
    ],
    [
      { traps: true },
      'expected `traps` to be false, or an object of action, maxSimilarPages, maxPathSegments, maxQueryParameters, got true',
    ],
    [{ network: { ports: [99_999] } }, '`network.ports[0]`'],
    [
      { discover: 'sitemaps' },
      'expected `discover` to be an object of sitemaps, sitemapUrls, feeds, dataTxt, got "sitemaps"',
    ],
    [{ hooks: { beforeFetch: 'no' } }, '`hooks.beforeFetch`'],
    [{ fetcher: {} }, '`fetcher`'],
    [{ store: 'mongodb://a' }, '`store`'],
    [[], 'holds no configuration'],
  ])('in %j is reported', async (config, message) => {
    const file = await asFile(config);
    await expect(readConfig(file)).rejects.toThrow(message);
    await expect(readConfig(file)).rejects.toThrow(file);
  });

  it('in the JSON itself is reported', async () => {
    await expect(readConfig(await written('c.json', '{ "bounds": '))).rejects.toThrow('is not JSON');
  });

  it('in the name of the file is reported', async () => {
    await expect(readConfig(join(folder, 'nowhere.json'))).rejects.toThrow('is not there');
  });
});

describe('a module', () => {
  it('may contain code, and its other keys are checked', async () => {
    const code = (pages: string) =>
      `export default { bounds: { pages: ${pages} }, scope: { allows: () => true, include: [/x/, '/y'] }, network: { resolve: async () => [] }, sinks: [], hooks: { beforeFetch() {} } };`;
    const config = await readConfig(await written('mannerly.config.mjs', code('4')));
    expect(config.scope?.allows).toBeTypeOf('function');
    await expect(readConfig(await written('mannerly.config.mjs', code('-4')))).rejects.toThrow('`bounds.pages`');
  });

  it('without a default export is reported', async () => {
    await expect(readConfig(await written('c.mjs', 'export const x = 1;'))).rejects.toThrow('holds no configuration');
  });
});

describe('the file', () => {
  it.each(CONFIG_NAMES)('%s is found in the working directory', async (name) => {
    const file = await written(name, '');
    expect(findConfig(join(file, '..'))).toBe(file);
  });

  it('is absent if there is none', () => expect(findConfig(folder)).toBeNull());

  it('is not chosen if there are several', async () => {
    const file = await written('mannerly.config.json', '{}');
    await writeFile(join(file, '..', 'mannerly.config.mjs'), '');
    expect(() => findConfig(join(file, '..'))).toThrow('several configurations');
  });
});

it('a crawl runs with its file alone, with handlers named in it, and so does its plan', async () => {
  const file = await asFile({
    identity: IDENTITY,
    scope: { seeds: [`${site.url}/`] },
    bounds: { pages: 5 },
    politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
    network: { allowAddresses: ['127.0.0.0/8'] },
    handlers: './handlers.mjs',
    out: 'crawl',
  });
  const own = join(file, '..');
  await writeFile(
    join(own, 'handlers.mjs'),
    'export const handlers = { html: async (page) => { await page.emit({ mine: page.url }); } };',
  );
  const planned = fakeIo();
  expect(await runCommand(['plan', '--config', file], planned)).toBe(0);
  expect(site.requestedPaths).toEqual(['/robots.txt']);
  const io = fakeIo();
  expect(await runCommand(['crawl', '--config', file], io)).toBe(0);
  expect(io.errLines.join('\n')).toContain(`Configured by ${file}`);
  expect(io.errLines.join('\n')).toContain('At most 5 pages (');
  expect(await readFile(join(own, 'crawl', 'items.jsonl'), 'utf8')).toContain('"mine"');
});

it('defineConfig returns its argument', () => expect(defineConfig(WHOLE)).toBe(WHOLE));
