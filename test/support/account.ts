// An account in tests: its secrets, a crawl with it, and a site with a session.

import { type CrawlerOptions, createUndiciFetcher } from 'mannerly';
import { afterAll, beforeAll } from 'vitest';
import { crawl, type TestCrawlOptions } from './crawl.js';
import { OTHER_SITE, SITE, SITE_CA, SITE_TLS } from './signature-witness.js';
import { page, type Routes, redirect, text, type Web, type WebRequest } from './web.js';
import { webForTest } from './web-for-test.js';

export const [USER, PASSWORD, TOKEN, SESSION] = [
  'ann-of-the-tests',
  'pass word&=ü',
  'tok.en-9f8a7b6c',
  'sess-5e4d3c2b',
];
/** The secrets in every encoding in which they could appear. */
export const SECRETS: string[] = [
  PASSWORD,
  encodeURIComponent(PASSWORD),
  'pass+word%26%3D%C3%BC',
  TOKEN,
  SESSION,
  USER,
].flatMap((each) => [each, Buffer.from(each).toString('base64').slice(0, -4)]);
SECRETS.push(Buffer.from(`${USER}:${PASSWORD}`).toString('base64'));
/** The environment variables that hold the secrets. */
export const ENV = { TEST_PAIR: `${USER}:${PASSWORD}`, TEST_TOKEN: TOKEN, TEST_USER: USER, TEST_PASSWORD: PASSWORD };
/** Sets these variables for the tests of a file. */
export function withSecrets(): void {
  beforeAll(() => void Object.assign(process.env, ENV));
  afterAll(() => {
    for (const name of Object.keys(ENV)) delete process.env[name];
  });
}

export const consent = 'account of our own, terms read on 2026-03-01';
export const ROBOTS = text('User-agent: *\nDisallow: /closed\n');
export const siteOf = (hosts: Record<string, Routes>) => webForTest({ hosts, tls: SITE_TLS });
export type SignIn = NonNullable<CrawlerOptions['signIn']>;

/** Crawls with an account. */
export function signedIn(web: Web, how: Omit<SignIn, 'origin' | 'consent'>, options: Partial<TestCrawlOptions> = {}) {
  const seeds = [web.url(SITE)];
  return crawl({
    seeds,
    scope: { seeds, within: 'domain' },
    signIn: { origin: new URL(web.url(SITE)).origin, consent, ...how },
    fetcher: createUndiciFetcher({ ca: SITE_CA }),
    ...options,
  });
}

/** The form of the login page, with fields in the environment. */
export const formAt = (web: Web, more: Partial<NonNullable<SignIn['form']>> = {}): Pick<SignIn, 'form'> => ({
  form: { url: web.url(SITE, '/login'), fields: ['user=env:TEST_USER', 'password=env:TEST_PASSWORD'], ...more },
});

/** The paths that were requested, in order; with `!` where the request carried something of the account. */
export const pathsWithCredentials = (web: Web, host: string): string[] =>
  web.log
    .filter((each) => each.host === host)
    .map(({ path, headers }) => ((headers['authorization'] ?? headers['cookie']) ? `${path}!` : path));

/** A site with a session. Its login form requires the fields of these tests and the token of its page. */
export function sessionSite(more: Routes = {}, posts: string[] = []): Record<string, Routes> {
  const inside =
    (title: string, links: string[] = []) =>
    ({ headers }: WebRequest) =>
      headers['cookie']?.includes(`session=${SESSION}`) === true ? page(title, links) : redirect('/login?next=here');
  const login = ({ body, headers }: WebRequest) => {
    if (body === undefined) {
      const set = { 'content-type': 'text/html', 'set-cookie': 'before=1; Path=/' };
      return { headers: set, body: '<form method=post><input type=hidden name=csrf value=tide-77>' };
    }
    posts.push(body);
    const fields = new URLSearchParams(body);
    const hasValidLogin = fields.get('user') === USER && fields.get('password') === PASSWORD;
    const hasValidToken = fields.get('csrf') === null || headers['cookie']?.includes('before=1') === true;
    if (!hasValidLogin || !hasValidToken) return redirect('/login');
    return redirect('/', 303, { 'set-cookie': `session=${SESSION}; Path=/; Secure; HttpOnly` });
  };
  return {
    [SITE]: {
      '/robots.txt': ROBOTS,
      '/login': login,
      '/': inside('start', ['/b', '/c']),
      '*': inside('page'),
      ...more,
    },
    [OTHER_SITE]: {
      '/robots.txt': ROBOTS,
      '*': { headers: { 'content-type': 'text/html', 'set-cookie': 'other=1' }, body: page('other', ['/z']) },
    },
  };
}
