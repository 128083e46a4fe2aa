// Login forms are for people. If this breaks, a password is tried again and again, or sent although robots.txt closes
// the form.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  formAt,
  PASSWORD,
  pathsWithCredentials,
  sessionSite,
  signedIn,
  siteOf,
  USER,
  withSecrets,
} from '../support/account.js';
import { CONTACT, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { OTHER_SITE, SITE } from '../support/signature-witness.js';
import { page, type Routes, redirect, text } from '../support/web.js';

withSecrets();

describe('a login form', () => {
  it('is sent once, and its cookies stay at its origin', async () => {
    const posts: string[] = [];
    const web = await siteOf(sessionSite({}, posts));
    const seeds = [web.url(SITE), web.url(OTHER_SITE)];
    const { decisions, requests } = await signedIn(web, formAt(web), { seeds, scope: { seeds, within: 'host' } });
    expect(posts).toEqual([new URLSearchParams({ user: USER, password: PASSWORD }).toString()]);
    expect(pathsWithCredentials(web, SITE).toSorted()).toEqual(['/!', '/b!', '/c!', '/login', '/robots.txt']);
    expect(pathsWithCredentials(web, OTHER_SITE).toSorted()).toEqual(['/', '/robots.txt', '/z']);
    expect(decisions.map(({ status }) => status)).toEqual(Array(5).fill('fetched'));
    const [login] = requests.filter(({ purpose }) => purpose === 'login');
    expect(login).toMatchObject({ method: 'POST', signedIn: true, status: 303, robots: { phase: 'rules' } });
    const post = web.log.find(({ method }) => method === 'POST');
    expect(post?.userAgent).toContain(CONTACT);
    expect(post?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('with a token of its page: the handler `login` reads it', async () => {
    const posts: string[] = [];
    const web = await siteOf(sessionSite({}, posts));
    const { report } = await signedIn(web, formAt(web), {
      handlers: (crawler) =>
        crawler
          .on('login', (form) => ({ csrf: form.$('[name=csrf]').attr('value') ?? '' }))
          .on('html', (each) => each.follow()),
    });
    expect(posts.map((each) => new URLSearchParams(each).get('csrf'))).toEqual(['tide-77']);
    expect(web.paths(SITE).filter((path) => path === '/login')).toHaveLength(2);
    expect([report.state, report.outcomes['fetched']?.['fetched']]).toEqual(['finished', 3]);
  });

  it('waits its turn like any request', async () => {
    const web = await siteOf(sessionSite());
    await signedIn(web, formAt(web), {
      politeness: { profile: { factor: 0, minMs: 60, maxMs: 60 } },
      handlers: (crawler) => crawler.on('login', () => ({ csrf: 'tide-77' })).on('html', () => undefined),
    });
    const gaps = web.log.slice(1).map(({ startMs }, at) => startMs - web.log[at]!.endMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59);
  });

  it.each<[string, Routes, Partial<TestCrawlOptions>, RegExp]>([
    ['robots.txt closes it', { '/robots.txt': text('User-agent: *\nDisallow: /login\n') }, {}, /line 2 .*\/login/],
    [
      'a hook refuses it',
      {},
      { hooks: { beforeFetch: ({ purpose }) => (purpose === 'login' ? { kind: 'refuse', reason: 'no' } : undefined) } },
      /hook-refused/,
    ],
    [
      'the handler throws',
      {},
      {
        handlers: (crawler) =>
          crawler.on('login', () => {
            throw new Error('no token');
          }),
      },
      /no token/,
    ],
    [
      'the handler gives no texts',
      {},
      { handlers: (crawler) => crawler.on('login', () => ({ csrf: 7 }) as never) },
      /no object of texts/,
    ],
  ])('is not sent if %s: the run ends, and no page is requested', async (_, routes, options, reason) => {
    const posts: string[] = [];
    const web = await siteOf(sessionSite(routes, posts));
    const { report } = await signedIn(web, formAt(web), options);
    expect(report).toMatchObject({ state: 'stopped', stopReason: expect.stringMatching(reason) });
    expect(report.stopReason).toMatch(/^sign-in-impossible: /);
    expect([posts, report.pages]).toEqual([[], 0]);
  });
});

describe('an account that is refused', () => {
  const answers: [string, Routes, string][] = [
    ['a 401', { '/': { status: 401 } }, 'answered with status 401'],
    ['a 403 before anything came', { '/': { status: 403 } }, 'answered with status 403'],
    ['the login page again', { '/': redirect('/login?next=/') }, 'led to the login page'],
    ['a form that is answered with 403', { '/login': { status: 403 } }, 'login form was answered with status 403'],
    ['a form that leads back', { '/login': redirect('/login?failed') }, 'led back to the login page'],
    ['a form without a cookie', { '/login': page('?') }, 'set no cookie'],
    [
      'a form without an answer',
      { '/login': { misbehave: 'silent' } },
      'no answer to the login form (timeout-headers)',
    ],
  ];
  it.each(answers)(
    'by %s: the host is parked, which is reported once, and nothing is sent again',
    async (_, routes, reason) => {
      const web = await siteOf(sessionSite(routes));
      const seeds = [web.url(SITE), web.url(SITE, '/b'), web.url(SITE, '/c')];
      const { report, notices, decisions } = await signedIn(web, formAt(web), {
        seeds,
        scope: { seeds },
        network: { headersTimeoutMs: 300 },
      });
      const warnings = notices.filter(({ code }) => code !== 'robots-read');
      expect(warnings.map(({ code, detail }) => [code, detail])).toEqual([
        ['host-parked', expect.stringContaining(`sign-in-refused: `)],
      ]);
      expect(warnings[0]?.detail).toContain(reason);
      expect(report.state).toBe('waiting');
      expect(web.log.filter(({ method }) => method === 'POST')).toHaveLength(1);
      expect(web.paths(SITE).filter((path) => path !== '/robots.txt' && path !== '/login').length).toBeLessThan(2);
      const reasons = decisions.map(({ reason }) => reason);
      expect(
        reasons.every((each) => each === 'sign-in-refused' || each === 'host-parked'),
        reasons.join(),
      ).toBe(true);
    },
  );

  it('counts only for its page if a 403 comes after other pages', async () => {
    const web = await siteOf(sessionSite({ '/b': { status: 403 } }));
    const { report, decisions } = await signedIn(web, formAt(web));
    expect(report.state).toBe('finished');
    expect(decisions.find(({ url }) => url.endsWith('/b'))).toMatchObject({ status: 'failed', reason: 'status-403' });
    expect(pathsWithCredentials(web, SITE)).toContain('/c!');
  });

  it('continues when it is given again and the host is unparked', async () => {
    let isOpen = false;
    const web = await siteOf(
      sessionSite({ '/': ({ headers }) => (isOpen && headers['cookie'] ? page('in', ['/b']) : { status: 401 }) }),
    );
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-sign-in-'));
    try {
      const out = join(folder, 'crawl');
      await signedIn(web, formAt(web), { out, maxIdleMs: 1_500 });
      const without = await crawl({
        seeds: [web.url(SITE)],
        scope: { seeds: [web.url(SITE)], within: 'domain' },
        out,
        maxIdleMs: 50,
      });
      expect(without.report.requests).toBe(web.log.length);
      const before = web.log.length;
      isOpen = true;
      const { crawler } = await signedIn(web, formAt(web), { out, maxIdleMs: 1_500 });
      expect(web.log.length).toBe(before);
      await crawler.unpark(SITE);
      const report = await crawler.run({ out, retry: { reason: 'sign-in-refused' } });
      expect(report.outcomes['fetched']?.['fetched']).toBe(2);
      expect(
        web.log
          .slice(before)
          .map(({ method, path }) => `${method} ${path}`)
          .filter((each) => !each.includes('robots')),
      ).toEqual(['POST /login', 'GET /', 'GET /b']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
