// A dashboard that any page in the operator's browser can reach is a remote control for a crawler. For everything that
// is admitted, its nearest neighbour must be refused.

import { describe, expect, it } from 'vitest';
import { type AccessRequest, accessRefusal, isSameText } from './access.js';

const TOKEN = 'a-token-that-is-hard-to-guess-0123456789';
const RULES = { token: TOKEN, hostNames: ['crawls.example.org'] };

const look: AccessRequest = {
  method: 'GET',
  host: '127.0.0.1:9464',
  origin: undefined,
  secFetchSite: undefined,
  authorization: undefined,
  queryToken: TOKEN,
  localAddress: '127.0.0.1',
};
const change: AccessRequest = {
  ...look,
  method: 'POST',
  queryToken: null,
  authorization: `Bearer ${TOKEN}`,
  origin: 'http://127.0.0.1:9464',
  secFetchSite: 'same-origin',
};

/** name, request, status; `null`: admitted. */
const CASES: readonly (readonly [name: string, request: AccessRequest, status: number | null])[] = [
  ['the address and the token', look, null],
  ['the token in a field', { ...look, queryToken: null, authorization: `bearer ${TOKEN}` }, null],
  ['no token', { ...look, queryToken: null }, 401],
  ['an empty token', { ...look, queryToken: '' }, 401],
  ['a token that is almost right', { ...look, queryToken: `${TOKEN.slice(0, -1)}8` }, 401],
  ['the beginning of the token', { ...look, queryToken: TOKEN.slice(0, 20) }, 401],
  ['the token and more', { ...look, queryToken: `${TOKEN}x` }, 401],
  ['a wrong field next to a right query', { ...look, authorization: 'Bearer wrong' }, 401],
  ['another scheme of authorization', { ...look, queryToken: null, authorization: `Basic ${TOKEN}` }, 401],
  ['a program of the API', { ...change, origin: undefined, secFetchSite: undefined, isApiRequest: true }, null],
  ['a program where there is no API', { ...change, origin: undefined, secFetchSite: undefined }, 403],
  ['another page at the API', { ...change, origin: 'http://evil.example', isApiRequest: true }, 403],
  ['a page at the API that hides', { ...change, origin: undefined, secFetchSite: 'none', isApiRequest: true }, 403],
  [
    'a program of the API with its token in the address',
    {
      ...change,
      origin: undefined,
      secFetchSite: undefined,
      authorization: undefined,
      queryToken: TOKEN,
      isApiRequest: true,
    },
    401,
  ],
  ['localhost', { ...look, host: 'localhost:9464' }, null],
  ['localhost through a tunnel, at another port', { ...look, host: 'localhost:8080' }, null],
  ['IPv6', { ...look, host: '[::1]:9464', localAddress: '::1' }, null],
  ['IPv4 at a socket for both', { ...look, localAddress: '::ffff:127.0.0.1' }, null],
  ['a name that was rebound to us', { ...look, host: 'evil.example:9464' }, 421],
  ['a name that only looks like ours', { ...look, host: 'localhost.evil.example' }, 421],
  ['a name that ends like an address', { ...look, host: '127.0.0.1.evil.example' }, 421],
  ['another address', { ...look, host: '10.0.0.7:9464' }, 421],
  ['no host', { ...look, host: undefined }, 421],
  ['an empty host', { ...look, host: '' }, 421],
  ['a host with credentials', { ...look, host: 'evil@127.0.0.1' }, 421],
  ['a name that was said to be ours', { ...look, host: 'Crawls.Example.org' }, null],
  ['an address of ours that is not loopback', { ...look, host: '10.0.0.7', localAddress: '10.0.0.7' }, null],
  ['localhost where we are not', { ...look, host: 'localhost', localAddress: '10.0.0.7' }, 421],
  ['a change from our page', change, null],
  [
    'a change from our page behind a proxy',
    { ...change, host: 'crawls.example.org', origin: 'https://crawls.example.org' },
    null,
  ],
  ['a change without an origin', { ...change, origin: undefined }, 403],
  ['a change from another origin', { ...change, origin: 'http://evil.example' }, 403],
  ['a change from another port', { ...change, origin: 'http://127.0.0.1:9465' }, 403],
  ['a change from nowhere', { ...change, origin: 'null' }, 403],
  ['a change that the browser says is from elsewhere', { ...change, secFetchSite: 'same-site' }, 403],
  [
    'a change with the token in the query, as a form could',
    { ...change, authorization: undefined, queryToken: TOKEN },
    401,
  ],
  ['a preflight', { ...look, method: 'OPTIONS', origin: 'http://evil.example' }, 401],
];

describe('access to the dashboard', () => {
  it.each(CASES)('%s', (_, request, status) => {
    expect(accessRefusal(request, RULES)?.[0] ?? null).toBe(status);
  });

  it.each([
    ['', '', true],
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', 'ab', false],
    ['é', 'e\u0301', false],
  ])('%j and %j are the same text: %s', (one, other, isSame) => {
    expect(isSameText(one, other)).toBe(isSame);
  });
});
