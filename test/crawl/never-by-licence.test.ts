// What a crawler must never do about licences and prices (licensing §10), one test each, by the log of the servers.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUndiciFetcher, exportItems } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawl, type TestCrawlOptions } from '../support/crawl.js';
import { OTHER_SITE, SITE, SITE_CA, SITE_TLS } from '../support/signature-witness.js';
import { page, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const TOKEN = 'tok-0123456789-secret';
const PLACE = 'MANNERLY_TEST_LICENCE_TOKEN';
const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';
const NO_TDM = { '/.well-known/tdmrep.json': { status: 404 } };
const rsl = (license = '', content = 'url="/"') =>
  text(`<rsl xmlns="https://rslstandard.org/rsl"><content ${content}><license>${license}</license></content></rsl>`);

beforeAll(() => {
  process.env[PLACE] = TOKEN;
});
afterAll(() => {
  delete process.env[PLACE];
});

/** Two https origins; the first one has a token, and sells its pages. */
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
  it('fetches something disallowed because a licence, a price or a token exists', async () => {
    const { story, sent } = await licensed({ '/': page('start', ['/no', '/yes']), '/yes': page('yes') }, {});
    expect(sent.map(({ path }) => path)).not.toContain('/no');
    expect(story.decisions.find(({ url }) => url.endsWith('/no'))).toMatchObject({ reason: 'robots-rule' });
    // The token meets the price of what is allowed.
    expect(story.itemUrls.map((url) => new URL(url).pathname)).toEqual(['/', '/yes']);
  });

  it('sends a token to another origin, nor with anything but pages, nor keeps it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-token-'));
    try {
      const out = join(folder, 'crawl');
      const { web, sent } = await licensed(
        {
          '/': page('start', ['/away', '/own']),
          '/own': page('own'),
          // To the other host, on this one's port.
          '/away': ({ headers }) => redirect(`https://other.${headers['host']}/landed`),
        },
        { '*': page('other') },
        {
          out,
          archive: { wacz: true },
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
      const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
      for (const { parentPath, name } of files) {
        expect((await readFile(join(parentPath, name))).includes(TOKEN), name).toBe(false);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('obtains a token by accepting terms: a licence server gets no request', async () => {
    const web = await webForTest({
      hosts: {
        'a.test': {
          ...NO_TDM,
          '/robots.txt': text('License: /license.xml\n'),
          '/license.xml': rsl(
            '<payment><standard>http://olp.test/terms</standard></payment>',
            'url="/" server="http://olp.test/"',
          ),
          '/': page('start'),
        },
        'olp.test': { '*': page('token') },
      },
    });
    const { decisions } = await crawl({ seeds: [web.url('a.test')], purposes: ['search'] });
    expect(decisions).toMatchObject([{ status: 'held', reason: 'license' }]);
    expect(web.log.filter(({ authority }) => authority.startsWith('olp.test'))).toEqual([]);
  });

  it('takes silence, an unreadable document or a `yes` for a grant', async () => {
    const closed = (more: string) => text(`User-agent: *\nDisallow: /no\nContent-Signal: ai-train=no\n${more}`);
    const yes = { headers: { 'content-type': 'text/html', 'content-signal': 'ai-train=yes' } };
    const web = await webForTest({
      hosts: {
        'silent.test': { ...NO_TDM, '/robots.txt': closed(''), '/': page('x', ['/no']) },
        'broken.test': {
          ...NO_TDM,
          '/robots.txt': closed('License: /license.xml\n'),
          '/license.xml': text('?'),
          '/': page('x', ['/no']),
        },
        'free.test': {
          ...NO_TDM,
          '/robots.txt': closed('License: /license.xml\n'),
          '/license.xml': rsl('<permits type="usage">all</permits>'),
          '/': { ...yes, body: page('x', ['/no']) },
        },
      },
    });
    const hosts = ['silent.test', 'broken.test', 'free.test'];
    const { items } = await crawl({ seeds: hosts.map((host) => web.url(host)), purposes: ['ai-train'] });
    expect(items).toEqual([]);
    expect(web.log.map(({ path }) => path)).not.toContain('/no');
  });

  it('changes its name or purpose after a price, nor asks for the page again as somebody else', async () => {
    const paid = { status: 402, headers: { 'crawler-price': 'USD 0.01' } };
    const web = await webForTest({ hosts: { 'a.test': { '/': page('a', ['/paid', '/after']), '/paid': paid } } });
    await crawl({ seeds: [web.url('a.test')] });
    expect(new Set(web.log.map(({ headers }) => headers['user-agent'])).size).toBe(1);
    expect(web.paths('a.test').filter((path) => path.startsWith('/paid'))).toEqual(['/paid']);
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
