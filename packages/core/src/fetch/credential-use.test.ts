// An account goes to its origin only, and its use stops at the first answer that refuses it. If this breaks, a secret
// goes to another site, or a site that has refused an account gets it again and again.

import { describe, expect, it } from 'vitest';
import { response } from '../../test-support/page-work.js';
import { Credential } from './credential.js';
import { createCredentialUse, redacted } from './credential-use.js';
import type { FetchOutcome, HeaderLines } from './outcome.js';

const ORIGIN = 'https://a.example';
const PAGE = new URL(`${ORIGIN}/page`);
const LOGIN = new URL(`${ORIGIN}/login`);
const form = { url: `${ORIGIN}/session`, page: LOGIN.href, fields: ['user=env:USER_SECRET'] };
const accountOf = (kind: object, cookie: string | null = null) =>
  createCredentialUse(
    new Credential({ origin: ORIGIN, consent: 'the owner has agreed', ...kind }, { TOKEN: 'abc', USER_SECRET: 'ann' }),
    { valueFor: async () => cookie },
  );
const answer = (status: number, headers: HeaderLines = []): FetchOutcome =>
  response(PAGE.href, '', headers, { status });
const failed: FetchOutcome = {
  kind: 'failed',
  url: LOGIN.href,
  failure: 'reset',
  detail: '',
  remoteAddress: null,
  wasSent: true,
  timing: { startedAtMs: 1, headersAtMs: null, endedAtMs: 3 },
};

describe('a credential', () => {
  it.each([
    ['page', PAGE.href, null, true],
    ['handler', PAGE.href, null, true],
    ['subresource', PAGE.href, `${ORIGIN}/other`, true],
    ['subresource', PAGE.href, 'https://b.example/', false],
    ['subresource', PAGE.href, 'nonsense', false],
    ['page', 'https://www.a.example/page', null, false],
    ['page', 'http://a.example/page', null, false],
    ['page', 'https://a.example:8443/page', null, false],
    ['robots', `${ORIGIN}/robots.txt`, null, false],
    ['data-txt', `${ORIGIN}/data.txt`, null, false],
    ['well-known', `${ORIGIN}/.well-known/tdmrep.json`, null, false],
    ['license', `${ORIGIN}/l.xml`, null, false],
  ] as const)('for a %s at %s, from %s, is sent: %s', async (purpose, url, from, isSent) => {
    const account = accountOf({ bearer: 'env:TOKEN' }, 's=1');
    const fields = await account.fields(new URL(url), { purpose, from });
    expect(fields).toEqual(isSent ? { Authorization: 'Bearer abc', Cookie: 's=1' } : null);
    const marked = await account.mark(new URL(url), { purpose, from }, answer(200, [['Set-Cookie', 's=2; Secure']]));
    expect(marked.signedIn).toBe(isSent ? true : undefined);
    expect(marked).toMatchObject({ headers: [['Set-Cookie', '(withheld)']] });
  });

  it('is recorded without its value', () => {
    expect(redacted({ Authorization: 'Bearer abc', Cookie: 's=1', Other: 'Digest x' })).toEqual({
      Authorization: 'Bearer (withheld)',
      Cookie: '(withheld)',
      Other: '(withheld)',
    });
  });
});

describe('an answer refuses a credential', () => {
  const faultsOf = async (kind: object, ...answers: readonly FetchOutcome[]) => {
    const account = accountOf(kind);
    const faults: (string | null)[] = [];
    for (const each of answers) {
      const { signInRefused } = await account.mark(PAGE, { purpose: 'page' }, each);
      faults.push(signInRefused ?? null);
    }
    return faults.map((fault) => fault?.replace('sign-in-refused: ', '').replace(ORIGIN, '') ?? null);
  };
  const to = (status: number, location: string) => answer(status, [['Location', location]]);
  const back = '/page led to the login page';

  it.each([
    ['401', [answer(401)], ['/page answered with status 401']],
    ['401 after it worked', [answer(200), answer(401)], [null, '/page answered with status 401']],
    ['403', [answer(403)], ['/page answered with status 403']],
    ['no 403 once it has worked', [answer(200), answer(403)], [null, null]],
    [
      'which 199 and 300 do not show',
      [answer(199), answer(300), answer(403)],
      [null, null, '/page answered with status 403'],
    ],
    ['which 299 does', [answer(299), answer(403)], [null, null]],
    ['a redirect to the login page', [to(302, '/login?next=/page'), to(303, LOGIN.href)], [back, back]],
    ['one to where its form goes', [to(301, '/session')], [back]],
    [
      'none to another page, site or scheme',
      [to(302, '/'), to(302, 'https://b.example/login'), to(302, 'http://a.example/login')],
      [null, null, null],
    ],
    ['no Location of another status', [to(200, '/login'), to(299, '/login'), to(400, '/login')], [null, null, null]],
    ['no failure', [failed], [null]],
  ] as const)('with %s', async (_what, answers, expected) => {
    expect(await faultsOf({ form }, ...answers)).toEqual(expected);
  });

  it('with no redirect if it has no form, and only for a page', async () => {
    expect(await faultsOf({ bearer: 'env:TOKEN' }, to(302, '/login'))).toEqual([null]);
    const marked = await accountOf({ form }).mark(PAGE, { purpose: 'handler' }, answer(401));
    expect(marked).not.toHaveProperty('signInRefused');
  });

  it.each([
    ['GET', answer(200), null, null],
    ['GET', answer(404), null, 'the login page answered with status 404'],
    ['GET', failed, null, null],
    ['POST', failed, null, 'no answer to the login form (reset)'],
    ['POST', answer(400), 's=1', 'the login form was answered with status 400'],
    ['POST', answer(399), 's=1', null],
    ['POST', to(302, '/login'), 's=1', 'the login form led back to the login page'],
    ['POST', to(302, '/'), 's=1', null],
    ['POST', answer(200), null, 'the login form set no cookie'],
  ] as const)('when its form is fetched or sent: %s', async (method, received, cookie, fault) => {
    const { signInRefused } = await accountOf({ form }, cookie).mark(LOGIN, { purpose: 'login', method }, received);
    expect(signInRefused ?? null).toBe(fault === null ? null : `sign-in-refused: ${fault}`);
  });
});
