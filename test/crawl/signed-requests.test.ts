// Sites admit crawlers that they can verify. If this breaks, requests are unsigned, or others can use a signature.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@mannerly/frontier';
import {
  createCrawler,
  createUndiciFetcher,
  type Fetcher,
  readCrawlDirectory,
  reportFromLogs,
  writeReport,
} from 'mannerly';
import { fakePage } from 'mannerly/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONTACT, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import {
  AGENT,
  faultsOf,
  OTHER_SITE,
  SECRETS,
  SITE,
  SITE_CA,
  SITE_TLS,
  TEST_PEM,
  verifies,
} from '../support/signature-witness.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { readRecords } from '../support/warc.js';
import { page, type Reply, type Route, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const VARIABLE = 'MANNERLY_TEST_KEY';
beforeAll(() => {
  process.env[VARIABLE] = TEST_PEM;
});
afterAll(() => {
  delete process.env[VARIABLE];
});

const signature = { key: `env:${VARIABLE}`, agent: AGENT };
const identity = { name: 'test-bot', contact: CONTACT, signature };
const siteOf = (hosts: Record<string, Routes>) => webForTest({ hosts, tls: SITE_TLS });
const fetcherOf = (more: Partial<Fetcher> = {}): Fetcher => ({ ...createUndiciFetcher({ ca: SITE_CA }), ...more });
const sign = (options: TestCrawlOptions) => crawl({ identity, fetcher: fetcherOf(), ...options });

describe('every https request is signed for its own host, once', () => {
  it('robots.txt, pages, hops, sitemaps, files of a site, and what handlers ask for', async () => {
    const hosts: Record<string, Routes> = {};
    const web = await siteOf(hosts);
    Object.assign(hosts, {
      [SITE]: {
        '/robots.txt': redirect('/rules.txt'),
        '/rules.txt': text(`User-agent: *\nDisallow: /closed\nSitemap: ${web.url(SITE, '/sitemap.xml')}\n`),
        '/sitemap.xml': { body: `<urlset><url><loc>${web.url(SITE, '/listed?q=1')}</loc></url></urlset>` },
        '/': page('start', ['/away', '/b']),
        '/away': redirect(web.url(OTHER_SITE, '/here')),
        '*': page('other'),
      },
      [OTHER_SITE]: { '/robots.txt': text('User-agent: *\n'), '*': page('there') },
    } satisfies Record<string, Routes>);
    const seeds = [web.url(SITE)];
    const { requests, report } = await sign({
      seeds,
      scope: { seeds, within: 'domain' },
      discover: { sitemaps: true },
      purposes: ['tdm'],
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          if (each.url === seeds[0]) await each.fetch('/own');
          await each.follow();
        }),
    });
    expect(web.paths(SITE)).toEqual(
      expect.arrayContaining([
        '/robots.txt',
        '/rules.txt',
        '/.well-known/tdmrep.json',
        '/sitemap.xml',
        '/',
        '/away',

        '/own',
        '/listed?q=1',
      ]),
    );
    expect(web.paths(OTHER_SITE)).toEqual(expect.arrayContaining(['/robots.txt', '/here']));
    expect(await faultsOf(web.log)).toEqual([]);
    expect(requests.every(({ signed }) => signed === true)).toBe(true);
    expect(requests).toHaveLength(web.log.length);
    expect([report.requests, report.signed]).toEqual([web.log.length, web.log.length]);
  });

  it('what a page in a browser loads, from other origins too', async () => {
    const hosts: Record<string, Routes> = {};
    const web = await siteOf(hosts);
    Object.assign(hosts, {
      [SITE]: { '/robots.txt': text('User-agent: *\n'), '/': page('start'), '*': text('x') },
      [OTHER_SITE]: { '/robots.txt': text('User-agent: *\n'), '*': text('x') },
    });
    const seen: string[] = [];
    const renderer: NonNullable<Fetcher['renderer']> = {
      wants: () => true,
      async render({ url, load, signal }) {
        const wanted = ['/a.js', web.url(OTHER_SITE, '/b.js')].map((each) => new URL(each, url).href);
        const headers = { Signature: 'sig1=:AA==:', 'signature-agent': '"https://evil.example"' };
        const how = { type: 'script', headers, anywhere: true, waitMs: 30_000, maxBodyBytes: 1_000, signal };
        for (const each of wanted) seen.push(JSON.stringify(await load({ ...how, url: each })));
        const subresources = { loaded: 2, bytes: 2, refused: {}, refusals: [] };
        return { kind: 'rendered', html: '<title>made</title>', url, endedBy: 'quiet', subresources };
      },
    };
    await sign({ seeds: [web.url(SITE)], fetcher: fetcherOf({ renderer }) });
    expect([web.paths(SITE), web.paths(OTHER_SITE)]).toEqual([
      ['/robots.txt', '/', '/a.js'],
      ['/robots.txt', '/b.js'],
    ]);
    expect(await faultsOf(web.log)).toEqual([]);
    expect(seen.join('')).not.toMatch(/sig1|bot\.example/);
  });

  it('in each form, with the query, and by a key service', async () => {
    const web = await siteOf({ [SITE]: { '*': page('x') } });
    const { createPrivateKey, sign: signBytes } = await import('node:crypto');
    const { loaded } = { loaded: createPrivateKey(TEST_PEM) };
    const service = async (bytes: Uint8Array) => signBytes(null, bytes, loaded);
    const agent = 'https://bot.example';
    const kinds = [
      { ...signature, agent, form: 'origin' as const, components: 'query' as const },
      { ...signature, agent, form: 'string' as const, nonce: false, lifetimeSeconds: 30 },
      { sign: service, keyid: 'A'.repeat(43), agent },
    ];
    for (const kind of kinds) {
      await sign({ seeds: [web.url(SITE, '/p?q=1')], identity: { ...identity, signature: kind } });
    }
    expect(await faultsOf(web.log)).toEqual([]);
    const fields = web.log.map(({ headers }) => [headers['signature-agent'], headers['signature-input']].join(' '));
    expect(fields[0]).toMatch(/^sig1="https:\/\/bot\.example" .*"@query" "signature-agent";key="sig1"\)/);
    expect(fields[2]).toMatch(/^"https:\/\/bot\.example" (?!.*nonce).*"@path" "signature-agent"\)/);
    expect(fields[4]).toContain(`keyid="${'A'.repeat(43)}"`);
  });
});

it('a retry is signed again, at its own time', async () => {
  const pages = { '/': ({ before }: { before: number }) => (before === 0 ? { status: 503 } : fakePage('now', [])) };
  const seeds = ['https://a.example/'];
  const { log } = await crawlVirtually({ hosts: { 'a.example': { pages } }, seeds, identity, maxIdleMs: 600_000 });
  const attempts = log.filter(({ path }) => path === '/');
  const times = attempts.map(({ headers, startMs }) => {
    const created = Number(/created=(\d+)/.exec(headers['signature-input'] ?? '')?.[1]);
    return Math.floor(startMs / 1_000) - created;
  });
  expect(times).toEqual([2, 2]);
  expect(new Set(attempts.map(({ headers }) => headers['signature'])).size).toBe(2);
});

describe('a site that asks for another signature', () => {
  const ACCEPT_SIGNATURE = 'sig=("@authority" "@path" "@query");created;expires;nonce="of-the-site";tag="web-bot-auth"';
  /** Requires signatures with the query, and on the first request its nonce. */
  const strict = (then: Reply, needsNonce = false): Route => {
    return ({ headers, before }) => {
      const input = headers['signature-input'] ?? '';
      const isRight = input.includes('"@query"') && (!needsNonce || input.includes('of-the-site') === (before === 1));
      return isRight ? then : { status: 403, headers: { 'accept-signature': ACCEPT_SIGNATURE } };
    };
  };

  it('gets it once, in its turn, from then on: pages, robots.txt, handlers, browsers', async () => {
    const hosts: Record<string, Routes> = {};
    const web = await siteOf(hosts);
    Object.assign(hosts, {
      [SITE]: {
        '/robots.txt': strict(text('User-agent: *\nDisallow: /closed\n'), true),
        '*': strict(page('x', ['/closed', '/b'])),
      },
      [OTHER_SITE]: { '/robots.txt': text(''), '/own': strict(page('own'), true), '*': page('x') },
    });
    const seeds = [web.url(SITE)];
    const seen: string[] = [];
    const { notices, requests, decisions } = await sign({
      seeds,
      scope: { seeds, within: 'domain' },
      politeness: { profile: { factor: 0, minMs: 40, maxMs: 40 } },
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          if (each.url === seeds[0]) seen.push((await each.fetch(web.url(OTHER_SITE, '/own'))).kind);
          await each.follow();
        }),
    });
    expect(web.paths(SITE)).toEqual(['/robots.txt', '/robots.txt', '/', '/b']);
    expect(web.paths(OTHER_SITE)).toEqual(['/robots.txt', '/own', '/own']);
    expect(seen).toEqual(['response']);
    expect(decisions.find(({ url }) => url.endsWith('/closed'))).toMatchObject({ reason: 'robots-rule' });
    expect(await faultsOf(web.log)).toEqual([]);
    const rules = { [SITE]: { gapMs: 40, closed: ['/closed'] }, [OTHER_SITE]: { gapMs: 40 } };
    expect(judge(web.log, { rules, contact: CONTACT })).toEqual(POLITE);
    expect(notices.filter(({ code }) => code === 'signature-wanted')).toEqual([]);
    expect(requests.filter(({ status }) => status === 403)).toHaveLength(2);
  });

  it('and refuses every signature gets one more, and its 403 counts', async () => {
    const never = { status: 403, headers: { 'accept-signature': ACCEPT_SIGNATURE } };
    const web = await siteOf({ [SITE]: { '/robots.txt': text(''), '*': never } });
    const { decisions } = await sign({ seeds: [web.url(SITE), web.url(SITE, '/b')] });
    expect(
      web
        .paths(SITE)
        .filter((path) => path !== '/robots.txt')
        .toSorted(),
    ).toEqual(['/', '/', '/b']);
    expect(decisions.map(({ reason }) => reason)).toEqual(['status-403', 'status-403']);
    expect(await faultsOf(web.log)).toEqual([]);
  });

  it('that we do not make, or of a crawl without a key, is reported', async () => {
    const asking = { status: 403, headers: { 'accept-signature': 'a=("content-digest")' } };
    const web = await siteOf({ [SITE]: { '/robots.txt': text(''), '*': asking } });
    const wanted = async (options: Partial<TestCrawlOptions>) =>
      (await sign({ seeds: [web.url(SITE)], ...options })).notices.filter(({ code }) => code === 'signature-wanted');
    expect(await wanted({})).toMatchObject([{ detail: expect.stringContaining('content-digest') }]);
    expect(await wanted({ identity: { name: 'test-bot', contact: CONTACT } })).toMatchObject([
      { detail: expect.stringContaining('this site wants signed requests') },
    ]);
    expect(web.paths(SITE).filter((path) => path === '/')).toHaveLength(2);
  });
});

it('the time of a signature is that of the wall clock, also when that is set while the crawl runs', async () => {
  const wallMs = Date.now;
  let offMs = 0;
  const step = () => {
    offMs = 3_600_000;
    return page('x', ['/b']);
  };
  const web = await siteOf({ [SITE]: { '/robots.txt': text(''), '/': step, '*': page('x') } });
  const now = vi.spyOn(Date, 'now').mockImplementation(() => wallMs() + offMs);
  try {
    await sign({ seeds: [web.url(SITE)], fetcher: createUndiciFetcher({ ca: SITE_CA, nowMs: systemClock().nowMs }) });
  } finally {
    now.mockRestore();
  }
  const createdS = web.log.map(({ headers }) => Number(/created=(\d+)/.exec(headers['signature-input'] ?? '')?.[1]));
  const aheadS = createdS.map((each, at) => Math.round(each + 2 - web.log[at]!.startMs / 1_000));
  expect(aheadS.map((each) => Math.round(each / 60) + 0)).toEqual([0, 0, 60]);
});

describe('a wrong clock', () => {
  const hostsWith = (seconds: number) => {
    const date = () => new Date(Date.now() + seconds * 1_000).toUTCString();
    const dated = () => ({ headers: { date: date(), 'content-type': 'text/html' }, body: '' });
    const host = { robots: dated, pages: dated };
    return Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`h${at}.example`, host]));
  };
  const run = (seconds: number) => {
    const hosts = hostsWith(seconds);
    const seeds = Object.keys(hosts).map((host) => `https://${host}/`);
    return crawlVirtually({ hosts, seeds, identity, network: { concurrency: 1 } });
  };

  it('is reported above ten seconds, and ends the run above 45, and then nothing more is signed', async () => {
    const codes = ({ notices }: Awaited<ReturnType<typeof run>>) =>
      notices.map(({ code }) => code).filter((code) => code.startsWith('signature'));
    const fine = await run(-5);
    expect([fine.report.state, codes(fine)]).toEqual(['finished', []]);
    const warned = await run(-20);
    expect([warned.report.state, codes(warned)]).toEqual(['finished', ['signature-clock']]);
    const stopped = await run(60);
    expect(stopped.report).toMatchObject({ state: 'stopped', stopReason: expect.stringMatching(/6[01] s behind/) });
    expect(stopped.log).toHaveLength(5);
    expect(stopped.log.every(({ headers }) => headers['signature'] !== undefined)).toBe(true);
  });
});

describe('never', () => {
  it('over http, without a key, or by hand', async () => {
    const web = await webForTest({ hosts: { 'a.test': { '/': page('x', ['/y']), '*': page('x') } } });
    const own = ['Signature', 'Signature-Input', 'Signature-Agent'];
    const { requests, report } = await crawl({
      seeds: [web.url('a.test')],
      identity,
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          for (const name of own)
            await expect(each.fetch('/own', { headers: { [name]: 'x' } })).rejects.toMatchObject({
              hint: expect.stringContaining('identity.signature'),
            });
          await each.fetch('/own');
        }),
    });
    expect(web.paths('a.test')).toContain('/own');
    expect(web.log.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /^signature/.test(name))).toEqual(
      [],
    );
    expect(requests.filter(({ signed }) => signed !== undefined)).toEqual([]);
    expect(report.signed).toBeUndefined();
  });

  it('when the signer fails: nothing is sent', async () => {
    const web = await siteOf({ [SITE]: { '*': page('x') } });
    const refusing = { sign: async () => Promise.reject(new Error('no service')), keyid: 'A'.repeat(43), agent: AGENT };
    const { report } = await sign({
      seeds: [web.url(SITE)],
      identity: { ...identity, signature: refusing },
      maxIdleMs: 50,
    });
    expect([report.requests, web.log.length]).toEqual([0, 0]);
  });

  it('used again by others: not at another path, nor a minute later', async () => {
    const web = await siteOf({ [SITE]: { '*': page('x') } });
    await sign({ seeds: [web.url(SITE)] });
    const [first] = web.log;
    expect(await verifies({ ...first!, path: '/other' })).toBe(false);
    const [, created = '', expires = ''] =
      /created=(\d+);expires=(\d+)/.exec(first?.headers['signature-input'] ?? '') ?? [];
    expect(Number(expires) - Number(created)).toBe(60);
    expect(Number(created) * 1_000).toBeLessThan(first!.startMs - 1_000);
  });

  it('with the key that RFC 9421 prints, except on loopback', async () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU', x: '' };
    process.env[VARIABLE] = JSON.stringify({ ...jwk, x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' });
    try {
      const { log, decisions } = await crawlVirtually({
        hosts: { 'a.example': {} },
        seeds: ['https://a.example/'],
        identity,
      });
      expect([log, decisions.map(({ reason }) => reason)]).toEqual([[], ['address-forbidden']]);
      const web = await siteOf({ [SITE]: { '*': page('x') } });
      await sign({ seeds: [web.url(SITE)] });
      expect(web.log.map(({ headers }) => headers['signature-input']?.includes('poqkLGiymh_W0'))).toEqual([true, true]);
    } finally {
      process.env[VARIABLE] = TEST_PEM;
    }
  });

  it('written: the key is in no file of a crawl', async () => {
    const web = await siteOf({ [SITE]: { '*': page('x') } });
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-signed-'));
    try {
      const out = join(folder, 'crawl');
      await sign({ seeds: [web.url(SITE)], out, archive: { wacz: true } } as TestCrawlOptions);
      const again = await sign({ seeds: [web.url(SITE), web.url(SITE, '/2')], out });
      expect([again.report.signed, again.report.requests]).toEqual([web.log.length, web.log.length]);
      expect((await reportFromLogs(await readCrawlDirectory(out))).signed).toBe(web.log.length);
      const { data } = await writeReport(await readCrawlDirectory(out));
      expect([data.totals.signed, data.totals.requests]).toEqual([web.log.length, web.log.length]);
      expect(data.methods).toContain(`robots.txt; ${web.log.length} signed)`);
      const kept = (await readRecords(join(out, 'archive'))).filter(({ type }) => type === 'request');
      expect(kept.length).toBeGreaterThan(0);
      for (const { url, block } of kept) {
        const fields = String(block)
          .split('\r\n')
          .map((line) => [line.split(':')[0]!.toLowerCase(), line.replace(/^[^:]*: ?/, '')]);
        const { host: authority, pathname: path } = new URL(url);
        expect(await verifies({ authority, path, headers: Object.fromEntries(fields) }), url).toBe(true);
      }
      const names = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
      expect(files.some((path) => path.endsWith('.wacz') || path.includes('.warc'))).toBe(true);
      for (const path of files) {
        const bytes = await readFile(path);
        for (const secret of SECRETS) expect(bytes.includes(secret), path).toBe(false);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('refused before anything is requested', () => {
  const make = (more: object) => () =>
    createCrawler({
      identity: { ...identity, signature: { ...signature, ...more } },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 1 },
    });
  it.each<[string, object, string]>([
    ['no agent', { agent: undefined }, 'identity.signature.agent'],
    ['a key by value', { key: TEST_PEM }, 'neither file:PATH nor env:NAME'],
    ['key and sign', { sign: async () => new Uint8Array(64), keyid: 'A'.repeat(43) }, '`key`, or `sign` with `keyid`'],
    ['neither', { key: undefined }, '`key`, or `sign` with `keyid`'],
    ['a long life', { lifetimeSeconds: 301 }, '30 to 300'],
    ['a form that is none', { form: 'cimd' }, 'url, origin, string'],
  ])('%s', (_, more, message) => {
    expect(make(more)).toThrow(message);
    expect(make(more)).not.toThrow(new RegExp(SECRETS.join('|').replaceAll(/[+/]/g, '.')));
  });

  it('a key in place of the option group is not shown either', () => {
    const given = { ...identity, signature: TEST_PEM as unknown as typeof signature };
    const broken = () =>
      createCrawler({ identity: given, scope: { seeds: ['https://a.test/'] }, bounds: { pages: 1 } });
    expect(broken).toThrow('identity.signature');
    expect(broken).not.toThrow(SECRETS[1]!.slice(0, 20));
  });
});
