// What a crawler must never do about licences and prices (licensing §10), one test each, by the log of the servers.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createUndiciFetcher, exportItems, type Fetcher } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTACT, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { AGENT, faultsOf, OTHER_SITE, SITE, SITE_CA, SITE_TLS, TEST_PEM } from '../support/signature-witness.js';
import { page, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const TOKEN = 'tok-0123456789-secret';
const PLACE = 'MANNERLY_TEST_LICENCE_TOKEN';
const KEY_VARIABLE = 'MANNERLY_TEST_LICENCE_KEY';
const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';
const NO_TDM = { '/.well-known/tdmrep.json': { status: 404 } };
const rsl = (license = '', content = 'url="/"') =>
  text(`<rsl xmlns="https://rslstandard.org/rsl"><content ${content}><license>${license}</license></content></rsl>`);

beforeAll(() => {
  process.env[PLACE] = TOKEN;
  process.env[KEY_VARIABLE] = TEST_PEM;
});
afterAll(() => {
  delete process.env[PLACE];
  delete process.env[KEY_VARIABLE];
});

const LINKS = ['/402', '/202', '/403', '/after', '/503'];

/** A fetcher with a browser that opens every page that it gets, and records it. */
function withBrowser(opened: string[]): Fetcher {
  const renderer: NonNullable<Fetcher['renderer']> = {
    wants: () => true,
    render: async ({ url }) => {
      opened.push(new URL(url).pathname);
      const subresources = { loaded: 0, bytes: 0, refused: {}, refusals: [] };
      return { kind: 'rendered', html: page('opened', LINKS), url, endedBy: 'quiet', subresources };
    },
  };
  return { ...createUndiciFetcher(), renderer };
}

/** Two https origins; the crawl has a token for the first, which sells its pages. */
async function licensed(routes: Routes, other: Routes, options: Partial<TestCrawlOptions> = {}) {
  const robots = text('User-agent: *\nDisallow: /no\nLicense: /license.xml\n');
  const web = await webForTest({
    tls: SITE_TLS,
    hosts: {
      [SITE]: { ...NO_TDM, '/robots.txt': robots, '/license.xml': rsl(PRICE), ...routes },
      [OTHER_SITE]: { ...NO_TDM, ...other },
    },
  });
  const story = await crawl({
    seeds: [web.url(SITE)],
    scope: { seeds: [web.url(SITE)], within: 'domain' },
    fetcher: createUndiciFetcher({ ca: SITE_CA }),
    purposes: ['ai-train'],
    licensing: { tokens: [{ origin: new URL(web.url(SITE)).origin, token: `env:${PLACE}` }] },
    ...options,
  });
  const sent = web.log.map(({ authority, path, headers }) => ({
    host: authority.replace(/:\d+$/, ''),
    path,
    token: headers['authorization'] ?? null,
  }));
  return { web, story, sent };
}

describe('a crawl never', () => {
  it('pays, or sends a price it would pay, without a person’s standing decision', async () => {
    const offers = {
      'crawler-max-price': 'USD 5',
      'Crawler-Exact-Price': 'USD 0.01',
      'X-PAYMENT': 'e30',
      'payment-signature': 'e30',
    };
    const x402 = Buffer.from(JSON.stringify({ x402Version: 2, accepts: [{ amount: '1', network: 'eip155:1' }] }));
    const sold = { status: 402, headers: { 'payment-required': x402.toString('base64'), 'crawler-price': 'USD 0.01' } };
    const web = await webForTest({
      hosts: { 'a.test': { '/': page('a', ['/1', '/2']), '/1': sold, '/2': sold } },
    });
    const { report } = await crawl({
      seeds: [web.url('a.test')],
      handlers: (crawler) =>
        void crawler.on('html', async (one) => {
          for (const [name, offer] of Object.entries(offers))
            await expect(one.fetch('/own', { headers: { [name]: offer } })).rejects.toMatchObject({
              hint: expect.stringContaining('pays nothing'),
            });
          await one.follow();
        }),
    });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/1', '/2']);
    const sent = web.log.flatMap(({ headers }) => Object.keys(headers));
    expect(sent.filter((name) => /price|payment/i.test(name))).toEqual([]);
    expect(report.outcomes['failed']).toEqual({ 'payment-required': 2 });
  });

  it('fetches something disallowed because a licence, a price or a token exists', async () => {
    const { story, sent } = await licensed({ '/': page('start', ['/no', '/yes']), '/yes': page('yes') }, {});
    expect(sent.map(({ path }) => path)).not.toContain('/no');
    expect(story.decisions.find(({ url }) => url.endsWith('/no'))).toMatchObject({ reason: 'robots-rule' });
    // The token pays for allowed pages only.
    expect(story.itemUrls.map((url) => new URL(url).pathname)).toEqual(['/', '/yes']);
  });

  it('sends a token or signature to another origin, nor a token with anything but pages, nor keeps it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-token-'));
    try {
      const out = join(folder, 'crawl');
      const { web, sent } = await licensed(
        {
          '/': page('start', ['/away', '/own']),
          '/own': page('own'),
          // Redirects to the other host, on the port of this one.
          '/away': ({ headers }) => redirect(`https://other.${headers['host']}/landed`),
        },
        { '*': page('other') },
        {
          out,
          archive: { wacz: true },
          identity: { name: 'test-bot', contact: CONTACT, signature: { key: `env:${KEY_VARIABLE}`, agent: AGENT } },
          handlers: (crawler) =>
            void crawler.on('html', async (one) => {
              await one.emit({ url: one.url });
              await one.follow();
              if (one.url.endsWith('/own')) await one.fetch(`https://other.${new URL(one.url).host}/fetched`);
              if (one.url.endsWith('/own')) await one.fetch('/fetched');
            }),
        },
      );
      const withToken = sent.filter(({ token }) => token !== null);
      expect(withToken.map(({ host, path, token }) => `${host}${path} ${token}`).sort()).toEqual(
        ['/', '/away', '/own'].map((path) => `${SITE}${path} License ${TOKEN}`),
      );
      expect(sent.map(({ host, path }) => host + path)).toEqual(
        expect.arrayContaining([
          `${OTHER_SITE}/fetched`,
          `${SITE}/fetched`,
          `${SITE}/robots.txt`,
          `${SITE}/license.xml`,
        ]),
      );
      expect(web.paths(OTHER_SITE)).toContain('/landed');
      // Each request is signed, for its own origin and no other.
      expect(await faultsOf(web.log)).toEqual([]);
      const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
      const archived: Buffer[] = [];
      for (const { parentPath, name } of files) {
        const bytes = await readFile(join(parentPath, name));
        const plain = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
        expect(plain.includes(TOKEN), name).toBe(false);
        if (name.endsWith('.warc.gz')) archived.push(plain);
      }
      expect(Buffer.concat(archived).toString('latin1')).toContain('Authorization: License (withheld)\r\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('obtains a token by accepting terms unattended: neither a licence server nor its terms get a request', async () => {
    const hosts: Record<string, Routes> = {};
    const web = await webForTest({ hosts });
    const olp = (path: string) => web.url('olp.test', path);
    Object.assign(hosts, {
      'a.test': {
        ...NO_TDM,
        '/robots.txt': text('License: /license.xml\n'),
        '/license.xml': rsl(
          `<payment><standard>${olp('/terms')}</standard><custom>${olp('/offer')}</custom></payment>`,
          `url="/" server="${olp('/')}"`,
        ),
        '/': page('start'),
      },
      'olp.test': { '*': page('token') },
    } satisfies Record<string, Routes>);
    const { decisions } = await crawl({ seeds: [web.url('a.test')], purposes: ['search'] });
    expect(decisions).toMatchObject([{ status: 'held', reason: 'license' }]);
    expect(web.paths('olp.test')).toEqual([]);
  });

  it('treats silence, an unreadable document or `yes` as a grant beyond what robots.txt allows', async () => {
    const file = (...lines: string[]) => text(['User-agent: *', 'Disallow: /no', ...lines, ''].join('\n'));
    const grant = rsl('<permits type="usage">all</permits>');
    const sites: Record<string, Routes> = {
      silent: { '/robots.txt': file() },
      broken: { '/robots.txt': file('License: /license.xml'), '/license.xml': text('?') },
      missing: { '/robots.txt': file('License: /license.xml'), '/license.xml': { status: 404 } },
      free: { '/robots.txt': file('License: /license.xml', 'Content-Signal: ai-train=no'), '/license.xml': grant },
      yes: { '/robots.txt': file('Content-Usage: train-ai=y', 'Content-Signal: ai-train=yes') },
    };
    const granting = { 'content-type': 'text/html', 'content-signal': 'ai-train=yes', 'content-usage': 'train-ai=y' };
    const start = { headers: granting, body: page('start', ['/no']) };
    const web = await webForTest({
      hosts: Object.fromEntries(
        Object.entries(sites).map(([name, routes]) => [`${name}.test`, { ...NO_TDM, ...routes, '/': start }]),
      ),
    });
    const seeds = Object.keys(sites).map((name) => web.url(`${name}.test`));
    const { decisions } = await crawl({ seeds, purposes: ['ai-train'] });
    const ends = seeds.map((seed) => decisions.find(({ url }) => url === seed)?.reason);
    expect(ends).toEqual(['fetched', 'license', 'license', 'robots-preferences', 'fetched']);
    expect(web.log.map(({ path }) => path)).not.toContain('/no');
  });

  it('changes its name, address or declared purpose after a price', async () => {
    const paid = { status: 402, headers: { 'crawler-price': 'USD 0.01' } };
    const web = await webForTest({
      hosts: { 'a.test': { '/': page('a', ['/paid', '/after']), '/paid': paid, '/after': page('b') } },
    });
    const plain = createUndiciFetcher();
    const addresses = new Set<string | null | undefined>();
    const fetcher: Fetcher = {
      ...plain,
      fetch: (request) =>
        plain.fetch({
          ...request,
          mayStart(from) {
            addresses.add(from);
            return request.mayStart(from);
          },
        }),
    };
    const { report } = await crawl({ seeds: [web.url('a.test')], purposes: ['search'], fetcher });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/paid', '/after']);
    const [, before, , after] = web.log;
    expect(after?.headers).toEqual(before?.headers);
    expect(addresses.size).toBe(1);
    expect(report.outcomes['failed']).toEqual({ 'payment-required': 1 });
  });

  it('solves a challenge, or asks for a preview of a paid page as a browser', async () => {
    const opened: string[] = [];
    const form = page('Are you human?', ['/pass'], '<meta http-equiv="refresh" content="0;url=/pass?now">');
    const html = { 'content-type': 'text/html' };
    const web = await webForTest({
      hosts: {
        'a.test': {
          '/': page('start', LINKS),
          '/402': { status: 402, headers: { ...html, 'crawler-price': 'USD 0.01' }, body: form },
          '/202': { status: 202, headers: { ...html, 'x-amzn-waf-action': 'challenge' }, body: form },
          '/403': { status: 403, headers: { ...html, 'cf-mitigated': 'challenge' }, body: form },
          '/503': { status: 503, headers: { ...html, 'cf-mitigated': 'challenge' }, body: form },
          '/after': page('after'),
        },
      },
    });
    const { report } = await crawl({
      seeds: [web.url('a.test')],
      fetcher: withBrowser(opened),
    });
    // The browser works, and gets the pages that are free.
    expect(opened).toEqual(['/', '/after']);
    expect(web.paths('a.test').sort()).toEqual(['/', '/202', '/402', '/403', '/503', '/after', '/robots.txt']);
    expect(report.outcomes['failed']).toEqual({ 'payment-required': 1, challenged: 3 });
    expect(new Set(web.log.map(({ headers }) => headers['user-agent'])).size).toBe(1);
  });

  it('treats a challenge as the rules of a site, or as its statement about rights', async () => {
    const challenge = {
      status: 202,
      headers: { 'x-amzn-waf-action': 'challenge', 'content-type': 'text/html' },
      body: page('Human?'),
    };
    const site = { '/.well-known/tdmrep.json': challenge, '/': page('a') };
    const web = await webForTest({
      hosts: {
        'rules.test': { ...site, '/robots.txt': challenge },
        'rights.test': { ...site, '/robots.txt': text('') },
      },
    });
    const open = await crawl({ seeds: [web.url('rules.test')] });
    expect(open.notices.map(({ code }) => code)).toContain('robots-forbidden');
    const closed = await crawl({ seeds: [web.url('rules.test')], robots: { onForbidden: 'deny' } });
    expect(closed.itemUrls).toEqual([]);
    const { decisions } = await crawl({ seeds: [web.url('rights.test')], purposes: ['tdm'] });
    const ends = decisions.map(({ url, status, reason }) => [new URL(url).pathname, status, reason].join(' '));
    expect(ends.sort()).toEqual(['/ excluded tdm-reserved', '/.well-known/tdmrep.json failed challenged']);
  });

  it('strips terms from what it stores', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-terms-'));
    try {
      const web = await webForTest({
        hosts: {
          'a.test': {
            ...NO_TDM,
            '/robots.txt': text('License: /license.xml\n'),
            '/license.xml': rsl('<payment type="attribution"/>'),
            '/': page('a'),
          },
        },
      });
      const out = join(folder, 'crawl');
      await crawl({ seeds: [web.url('a.test')], purposes: ['search'], out });
      const document = web.url('a.test', '/license.xml');
      for (const format of ['jsonl', 'csv', 'parquet'] as const) {
        const to = join(folder, `items.${format}`);
        await exportItems({ from: [out], to, format });
        const kept = await readFile(to);
        expect(kept.includes(document), format).toBe(true);
        expect(kept.includes('attribution'), format).toBe(true);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
