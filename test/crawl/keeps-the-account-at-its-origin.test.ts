// The crawl may use an account for one site only. If this breaks, its password reaches somebody else, or is written to
// a disk.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrawler, createUndiciFetcher, type Fetcher, readCrawlDirectory, writeReport } from 'mannerly';
import { describe, expect, it } from 'vitest';
import {
  consent,
  ENV,
  formAt,
  PASSWORD,
  pathsWithCredentials,
  ROBOTS,
  SECRETS,
  SESSION,
  type SignIn,
  sessionSite,
  signedIn,
  siteOf,
  TOKEN,
  withSecrets,
} from '../support/account.js';
import { CONTACT } from '../support/crawl.js';
import { OTHER_SITE, SITE, SITE_CA } from '../support/signature-witness.js';
import { readRecords } from '../support/warc.js';
import { page, type Routes, redirect, type Web, type WebRequest } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

withSecrets();

describe('the credential is sent only to its origin', () => {
  const hostsOf = (isLetIn: (request: WebRequest) => boolean): Record<string, Routes> => {
    const hosts: Record<string, Routes> = {};
    const inside = (then: Routes[string]) => (request: WebRequest) =>
      !isLetIn(request) ? { status: 401 } : typeof then === 'function' ? then(request) : then;
    hosts[SITE] = {
      '/robots.txt': ROBOTS,
      '/': inside(({ headers }) =>
        page('start', ['/b', '/away', `https://${OTHER_SITE}:${headers['host']?.split(':')[1]}/x`]),
      ),
      '/away': inside(({ headers }) => redirect(`https://${OTHER_SITE}:${headers['host']?.split(':')[1]}/y`)),
      '*': inside(page('inside')),
    };
    hosts[OTHER_SITE] = { '/robots.txt': ROBOTS, '*': page('other') };
    return hosts;
  };

  it.each<[string, Omit<SignIn, 'origin' | 'consent'>, string]>([
    ['basic', { basic: 'env:TEST_PAIR' }, `Basic ${Buffer.from(ENV.TEST_PAIR).toString('base64')}`],
    ['bearer', { bearer: 'env:TEST_TOKEN' }, `Bearer ${TOKEN}`],
  ])('%s: not with robots.txt, links, redirects, and what a handler requests elsewhere', async (_, how, value) => {
    const web = await siteOf(hostsOf(({ headers }) => headers['authorization'] === value));
    const plain = await webForTest({ hosts: { [SITE]: { '*': page('plain') } } });
    const { requests, decisions } = await signedIn(web, how, {
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          if (each.url === web.url(SITE)) {
            const mine = each.fetch('/own', { headers: { Authorization: 'Bearer mine' } });
            await expect(mine).rejects.toMatchObject({ code: 'option-invalid' });
            await each.fetch('/own');
            await each.fetch(web.url(OTHER_SITE, '/own'));
            await each.add(plain.url(SITE, '/plain'));
          }
          await each.follow();
        }),
      network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
    });
    expect(pathsWithCredentials(web, SITE).toSorted()).toEqual(['/!', '/away!', '/b!', '/own!', '/robots.txt']);
    expect(pathsWithCredentials(web, OTHER_SITE).toSorted()).toEqual(['/own', '/robots.txt', '/x', '/y']);
    expect(pathsWithCredentials(plain, SITE).toSorted()).toEqual(['/plain', '/robots.txt']);
    expect(web.log.filter(({ headers }) => headers['authorization'] === value)).toHaveLength(4);
    const marked = requests.filter((each) => each.signedIn === true).map(({ url }) => new URL(url).pathname);
    expect(marked.toSorted()).toEqual(['/', '/away', '/b', '/own']);
    expect(decisions.filter(({ status }) => status === 'failed')).toEqual([]);
  });

  it('not with what a page of another origin loads in a browser, and not from a copy', async () => {
    const web = await siteOf(hostsOf(({ headers }) => headers['authorization'] !== undefined));
    const script = web.url(SITE, '/a.js');
    const renderer: NonNullable<Fetcher['renderer']> = {
      wants: () => true,
      async render({ url, load, signal }) {
        const how = { type: 'script', headers: {}, anywhere: true, waitMs: 30_000, maxBodyBytes: 1_000, signal };
        await load({ ...how, url: script });
        await load({ ...how, url: web.url(OTHER_SITE, '/back') });
        const subresources = { loaded: 1, bytes: 2, refused: {}, refusals: [] };
        return { kind: 'rendered', html: '<title>made</title>', url, endedBy: 'quiet', subresources };
      },
    };
    await signedIn(
      web,
      { bearer: 'env:TEST_TOKEN' },
      {
        seeds: [web.url(SITE, '/b'), web.url(OTHER_SITE, '/page')],
        scope: { seeds: [web.url(SITE, '/b'), web.url(OTHER_SITE, '/page')], within: 'host' },
        fetcher: { ...createUndiciFetcher({ ca: SITE_CA }), renderer },
      },
    );
    const scripts = pathsWithCredentials(web, SITE).filter((path) => path.startsWith('/a.js'));
    expect(scripts.toSorted()).toEqual(['/a.js', '/a.js!']);
    expect(pathsWithCredentials(web, OTHER_SITE).filter((path) => path.endsWith('!'))).toEqual([]);
  });

  it('nothing is sent over https with an invalid certificate', async () => {
    const web = await siteOf(hostsOf(() => true));
    await signedIn(web, { bearer: 'env:TEST_TOKEN' }, { fetcher: createUndiciFetcher(), maxIdleMs: 50 });
    expect(web.log).toEqual([]);
  });
});

it('the secret is nowhere: not in files, logs, events, items, the report, errors', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-sign-in-'));
  const kinds: ((web: Web) => Omit<SignIn, 'origin' | 'consent'>)[] = [
    () => ({ basic: 'env:TEST_PAIR' }),
    () => ({ bearer: 'env:TEST_TOKEN' }),
    (web) => formAt(web),
  ];
  try {
    const logged: unknown[] = [];
    for (const [at, kind] of kinds.entries()) {
      const site = sessionSite({
        '/': {
          headers: { 'content-type': 'text/html', 'set-cookie': `session=${SESSION}; Secure` },
          body: page('x', ['/b', '/bad']),
        },
        '/b': page('b'),
        '/bad': { status: 401, headers: { 'set-cookie': `session=${SESSION}2` } },
      });
      const web = await siteOf(site);
      const out = join(folder, `crawl-${at}`);
      const story = await signedIn(web, kind(web), {
        out,
        archive: { wacz: true },
        recrawl: true,
        maxIdleMs: 1_500,
        log: (entry) => void logged.push(entry),
        handlers: (crawler) =>
          crawler.on('html', async (each) => {
            await each.emit({ headers: each.headers });
            await each.follow();
          }),
      });
      const { crawler, ...told } = story;
      logged.push(told, crawler.activity(), await crawler.explain(web.url(SITE, '/bad'), { out }));
      const { data } = await writeReport(await readCrawlDirectory(out));
      logged.push(data);
      expect(story.report.relaxedDefaults.join('\n')).toContain(consent);
      const manifest = JSON.parse(await readFile(join(out, 'run.json'), 'utf8')) as { readonly options: object };
      expect(JSON.stringify(manifest.options)).toContain(`"origin":"${new URL(web.url(SITE)).origin}","kind":`);
      expect(JSON.stringify(manifest.options)).toContain(consent);
      const records = await readRecords(join(out, 'archive'));
      const requests = records.filter(({ type, url }) => type === 'request' && !url.endsWith('/robots.txt'));
      expect(requests.every(({ block }) => String(block).includes('(withheld)'))).toBe(true);
      expect(records.filter(({ url }) => url.endsWith('/login'))).toEqual([]);
      const answered = records.filter(({ type }) => type === 'response').map(({ block }) => String(block));
      expect(answered.some((block) => /set-cookie: \(withheld\)\r\n/i.test(block))).toBe(true);
    }
    const text = JSON.stringify(logged);
    for (const secret of SECRETS) expect(text.includes(secret), secret).toBe(false);
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
    expect(files.some((path) => path.endsWith('.wacz'))).toBe(true);
    for (const path of files) {
      const bytes = await readFile(path);
      for (const secret of SECRETS) expect(bytes.includes(secret), `${secret} in ${path}`).toBe(false);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('refused before anything is requested, without showing what was given', () => {
  const origin = 'https://a.test';
  const form = { url: `${origin}/login`, fields: ['user=env:TEST_USER'] };
  const bearer = 'env:TEST_TOKEN';
  it.each<[string, unknown, string]>([
    ['a token by value', { origin, consent, bearer: TOKEN }, 'signIn.bearer'],
    ['a pair by value', { origin, consent, basic: ENV.TEST_PAIR }, 'signIn.basic'],
    [
      'a field by value',
      { origin, consent, form: { ...form, fields: [`password=${PASSWORD}`] } },
      'signIn.form.fields[0]',
    ],
    ['a value in the place of the group', PASSWORD, '`signIn` to be an object'],
    ['a value in the place of the form', { origin, consent, form: PASSWORD }, '`signIn.form` to be an object'],
    ['a pair without a password', { origin, consent, basic: 'env:TEST_USER' }, 'NAME:PASSWORD'],
    ['a place with nothing', { origin, consent, bearer: 'env:TEST_NOTHING' }, 'no such variable is set'],
    ['two kinds', { origin, consent, bearer, form }, 'one of basic, bearer and form'],
    ['no kind', { origin, consent }, 'one of basic, bearer and form'],
    ['no consent', { origin, bearer }, 'signIn.consent'],
    ['a consent that says nothing', { origin, bearer, consent: 'yes' }, '20 to 500 characters'],
    ['no origin', { consent, bearer }, 'signIn.origin'],
    ['http', { origin: 'http://a.test', consent, bearer }, 'https://host'],
    ['an address of loopback over http', { origin: 'http://127.0.0.1:80', consent, bearer }, 'https://host'],
    ['a path', { origin: 'https://a.test/in', consent, bearer }, 'https://host'],
    [
      'a form of another origin',
      { origin, consent, form: { ...form, url: 'https://b.test/login' } },
      'a URL of https://a.test',
    ],
    ['a form over http', { origin, consent, form: { ...form, url: 'http://a.test/login' } }, 'a URL of https://a.test'],
    ['an unknown key', { origin, consent, bearer, password: PASSWORD }, 'unknown option `signIn.password`'],
  ])('%s', (_, signIn, message) => {
    const make = () =>
      createCrawler({
        identity: { name: 'test-bot', contact: CONTACT },
        scope: { seeds: [origin] },
        bounds: { pages: 1 },
        signIn: signIn as SignIn,
      });
    expect(make).toThrow(message);
    for (const secret of SECRETS) expect(make).not.toThrow(secret);
  });

  it('http, and says why', () => {
    const make = () =>
      createCrawler({
        identity: { name: 'test-bot', contact: CONTACT },
        scope: { seeds: [origin] },
        bounds: { pages: 1 },
        signIn: { origin: 'http://a.test', consent, bearer },
      });
    expect(make).toThrow(expect.objectContaining({ hint: expect.stringContaining('https only') }));
  });

  it('next to a licence token for the same origin', () => {
    const licensing = { tokens: [{ origin, token: bearer }] };
    const rest = { identity: { name: 'test-bot', contact: CONTACT }, scope: { seeds: [origin] }, bounds: { pages: 1 } };
    expect(() => createCrawler({ ...rest, licensing, signIn: { origin, consent, bearer } })).toThrow(
      'licensing.tokens',
    );
  });
});
