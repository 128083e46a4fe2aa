// What a fetcher guarantees about the request: what is sent, when, to which address, and only once.

import { gzipSync } from 'node:zlib';
import { headerValue } from '../fetch/outcome.js';
import { assert, assertEqual, assertFields } from './assert.js';
import {
  assertFailure,
  assertResponse,
  bodyText,
  type FetcherTest,
  summary,
  test,
  testNeeding,
} from './fetcher-test.js';
import { type Answer, HEAD, replying, response } from './raw-server.js';

export const REQUEST_TESTS: readonly FetcherTest[] = [
  test('sends the request line and the given fields', async (t) => {
    const headers = { 'User-Agent': 'tide/1.0', Accept: 'text/html', 'X-Own': 'a b' };
    const { server } = await t.response(replying('x'), { headers });
    const [head = ''] = server.requests;
    assertEqual(head.split('\r\n')[0], 'GET /a?b=c HTTP/1.1', 'the request line');
    for (const field of ['user-agent: tide/1.0', 'accept: text/html', 'x-own: a b', `host: 127.0.0.1:${server.port}`])
      assertSent(head, field);
  }),
  test('sends the body of a POST, with its length', async (t) => {
    const afterBody: Answer = (socket, _head, index) => index === 1 && socket.write(response('x'));
    // The server takes text that ends with an empty line for a header section.
    const { server } = await t.response(afterBody, { method: 'POST', body: 'user=ann\r\n\r\n' });
    const [head = '', body] = server.requests;
    assertEqual(head.split('\r\n')[0], 'POST /a?b=c HTTP/1.1', 'the request line');
    assertSent(head, 'content-length: 12');
    assertEqual(body, 'user=ann', 'the body that arrived');
  }),
  testNeeding('exactHeaders', 'adds no field but Host and Connection', async (t) => {
    const { server } = await t.response(replying('x'), { headers: { 'X-Own': '1' } });
    const own = fieldsOf(server.requests[0] ?? '').filter((field) => !/^(host|connection|x-own):/.test(field));
    assertEqual(own, [], 'fields besides the given ones, Host and Connection');
  }),
  test('sends no cookies, credentials, referrer or conditions of its own, not even the second time', async (t) => {
    const headers = ['Set-Cookie: a=1; Path=/', 'ETag: "1"', 'Cache-Control: max-age=600'];
    const server = await t.serve(replying('x', { headers }));
    await t.fetch(`${server.origin}/`);
    await t.fetch(`${server.origin}/`);
    assertEqual(server.requests.length, 2, 'requests that reached the server (nothing is cached)');
    const carried = server.requests.flatMap(fieldsOf).filter((field) => /^(cookie|auth.*|referer|if-.*):/.test(field));
    assertEqual(carried, [], 'fields that carry something over from another request');
  }),
  test('sends the fields that headersNow returns, called once and before mayStart; without it, the given ones', async (t) => {
    const order: string[] = [];
    const { server } = await t.response(replying('x'), {
      headers: { 'X-Signed': 'before' },
      headersNow: async () => {
        order.push('headersNow');
        return { 'X-Signed': 'now' };
      },
      mayStart: () => order.push('mayStart') > 0,
    });
    const sent = fieldsOf(server.requests[0] ?? '').filter((field) => field.startsWith('x-signed:'));
    const wasCalled = order[0] === 'headersNow';
    assertEqual(sent, [wasCalled ? 'x-signed: now' : 'x-signed: before'], 'signed fields that were sent');
    assertEqual(order, wasCalled ? ['headersNow', 'mayStart'] : ['mayStart'], 'what was asked, in order');
  }),
  test('sends nothing if headersNow fails', async (t) => {
    let wasCalled = false;
    const headersNow = async () => {
      wasCalled = true;
      throw new Error('no key');
    };
    const { outcome, server } = await t.get(replying('x'), { headersNow });
    assertEqual(server.requests.length, wasCalled ? 0 : 1, 'requests that reached the server');
    const isRight = !wasCalled || outcome.kind === 'failed';
    assert(isRight, `a request whose headersNow rejects must end as a failure; it ended as ${summary(outcome)}`);
  }),
  test('asks mayStart once, before anything reaches the server', async (t) => {
    const seenBefore: number[] = [];
    const server = await t.serve(replying('x'));
    await t.fetch(`${server.origin}/`, { mayStart: () => seenBefore.push(server.requests.length) > 0 });
    assertEqual(seenBefore, [0], 'requests that had reached the server, each time that mayStart was asked');
  }),
  testNeeding('checksMayStart', 'asks mayStart with the connection made', async (t) => {
    const asked: string[] = [];
    assertResponse((await t.get(replying('x'), { mayStart: () => asked.push('of a server') > 0 })).outcome);
    const closed = await t.serve(() => undefined);
    await closed.close();
    await t.fetch(`${closed.origin}/`, { mayStart: () => asked.push('without a server') > 0 });
    assertEqual(asked, ['of a server'], 'when mayStart was asked');
  }),
  test('sends nothing and resolves to null when mayStart says no', async (t) => {
    const server = await t.serve(replying('x'));
    const refused = await t.fetch(`${server.origin}/`, { mayStart: () => false });
    assert(refused === null, `\`fetch\` must resolve to null when mayStart says no; it ended as ${summary(refused)}`);
    assertEqual(server.requests.length, 0, 'requests that reached the server');
    assertResponse(await t.fetch(`${server.origin}/`));
  }),
  testNeeding('pinsAddress', 'connects to the judged address, whatever the name in the URL', async (t) => {
    const server = await t.serve(replying('there'));
    const outcome = await t.fetch(`http://name.invalid:${server.port}/`);
    const isThere = outcome?.kind === 'response' && bodyText(outcome) === 'there';
    assert(isThere, `the request must reach the server at \`request.address\`; it ended as ${summary(outcome)}`);
    assertSent(server.requests[0] ?? '', `host: name.invalid:${server.port}`);
  }),
  test('follows no redirect', async (t) => {
    const redirect = replying('', { status: '302 Found', headers: ['Location: /elsewhere'] });
    const { outcome, server } = await t.response(redirect);
    assertFields(outcome, { status: 302 }, 'the response to the redirect');
    assertEqual(server.requests.length, 1, 'requests that reached the server (no redirect is followed)');
    assertEqual(headerValue(outcome.headers, 'location'), '/elsewhere', 'the field Location of the response');
  }),
  test('sends nothing a second time', async (t) => {
    const { outcome, server } = await t.get((socket) => socket.resetAndDestroy());
    assertFailure(outcome, 'reset', true, 'a request that the server resets');
    assertEqual(server.requests.length, 1, 'requests that reached the server (a failed one is not sent again)');
    const others: readonly (readonly [what: string, answer: Answer])[] = [
      ['ends without an answer', (socket) => socket.end()],
      ['says nothing', () => undefined],
      ['cuts its body', (socket) => socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`)],
      ['wants another request now', replying('', { status: '503 Busy', headers: ['Retry-After: 0'] })],
      ['wants fewer requests', replying('', { status: '429 Too Many', headers: ['Retry-After: 0'] })],
      ['wants a password', replying('', { status: '401 Who', headers: ['WWW-Authenticate: Basic realm="a"'] })],
    ];
    for (const [what, answer] of others) {
      const { server: other } = await t.get(answer, { limits: { headersTimeoutMs: 200 } });
      assertEqual(other.requests.length, 1, `requests that reached a server that ${what}`);
    }
  }),
  test('makes many exchanges at once, each with its own response', async (t) => {
    const server = await t.serve((socket, head) => {
      const path = /^GET (\S+)/.exec(head)?.[1] ?? '';
      socket.write(response(gzipSync(path), { headers: ['Content-Encoding: gzip'] }));
    });
    const paths = Array.from({ length: 25 }, (_, index) => `/page-${index}`);
    const outcomes = await Promise.all(paths.map((path) => t.fetch(`${server.origin}${path}`)));
    const bodies = outcomes.map((outcome) => (outcome?.kind === 'response' ? bodyText(outcome) : summary(outcome)));
    for (const [at, path] of paths.entries()) assertEqual(bodies[at], path, `the body of the response to ${path}`);
  }),
  test('sends nothing if the signal is aborted, and ends with `aborted` if it is aborted later', async (t) => {
    const server = await t.serve(() => controller.abort());
    const controller = new AbortController();
    const early = await t.fetch(`${server.origin}/`, { signal: AbortSignal.abort() });
    assertFailure(early, 'aborted', false, 'a request whose signal is already aborted');
    assertEqual(server.requests.length, 0, 'requests that reached the server');
    const late = await t.fetch(`${server.origin}/`, { signal: controller.signal });
    assertFailure(late, 'aborted', true, 'a request whose signal is aborted after it was sent');
    const within = new AbortController();
    const abortsWithinBody: Answer = (socket) => {
      socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`);
      setTimeout(() => within.abort(), 50);
    };
    const cut = await t.get(abortsWithinBody, { signal: within.signal, limits: { requestTimeoutMs: 1_000 } });
    assertFailure(cut.outcome, 'aborted', true, 'a request whose signal is aborted within the body');
  }),
  testNeeding('checksMayStart', 'sends nothing, and ends in time, if no connection is made', async (t) => {
    // A server that never answers the TLS handshake.
    const url = (await t.serve(() => undefined)).origin.replace('http:', 'https:');
    const limits = { connectTimeoutMs: 200, headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 };
    const late = await t.fetch(url, { limits });
    assertFailure(late, 'timeout-connect', false, 'a connection that is not made in time');
    const signal = AbortSignal.timeout(50);
    const aborted = await t.fetch(url, { limits: { ...limits, connectTimeoutMs: 1_000 }, signal });
    assertFailure(aborted, 'aborted', false, 'a request whose signal is aborted before the connection is made');
  }),
  test('reports a URL that is neither http nor https as a value', async (t) => {
    for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense']) {
      assertFailure(await t.fetch(url), 'scheme-unsupported', false, `a request for ${url}`);
    }
  }),
];

/** Field lines in lower case, with one space after the colon. */
function fieldsOf(head: string): string[] {
  const [, ...lines] = head.split('\r\n');
  return lines.map((line) => line.replace(/^([^:]+): */, (_, name: string) => `${name.toLowerCase()}: `));
}

/** @throws ContractBroken unless the request had this field line. */
function assertSent(head: string, field: string): void {
  const sent = fieldsOf(head);
  const all = sent.map((line) => `"${line}"`).join(', ');
  assert(sent.includes(field), `the field "${field}" must be sent; the request had ${all}`);
}
