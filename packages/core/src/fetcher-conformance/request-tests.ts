// What a fetcher guarantees about the request: what is sent, when, to which address, and only once.

import { gzipSync } from 'node:zlib';
import { assert, assertEqual, assertFields } from './assert.js';
import { assertFailure, bodyText, type FetcherTest, summary, test, testNeeding } from './fetcher-test.js';
import { type Answer, replying, response } from './raw-server.js';

export const REQUEST_TESTS: readonly FetcherTest[] = [
  test('sends the request line and the given fields', async (t) => {
    const { server } = await t.response(replying('x'), {
      headers: { 'User-Agent': 'tide/1.0', Accept: 'text/html', 'X-Own': 'a b' },
    });
    const [head = ''] = server.requests;
    assertEqual(head.split('\r\n')[0], 'GET /a?b=c HTTP/1.1', 'the request line');
    for (const line of ['user-agent: tide/1.0', 'accept: text/html', 'x-own: a b', `host: 127.0.0.1:${server.port}`]) {
      assert(
        linesOf(head).includes(line),
        `the field "${line}" must be sent; the request had ${listOf(linesOf(head))}`,
      );
    }
  }),
  test('sends the body of a POST, with its length', async (t) => {
    const afterBody: Answer = (socket, _head, index) => index === 1 && socket.write(response('x'));
    // The server takes text that ends with an empty line for a header section.
    const { server } = await t.response(afterBody, { method: 'POST', body: 'user=ann\r\n\r\n' });
    const [head = '', body] = server.requests;
    assertEqual(head.split('\r\n')[0], 'POST /a?b=c HTTP/1.1', 'the request line');
    assert(
      linesOf(head).includes('content-length: 12'),
      `a POST must have the length of its body (Content-Length: 12); it had ${listOf(linesOf(head))}`,
    );
    assertEqual(body, 'user=ann', 'the body that arrived');
  }),
  testNeeding('exactHeaders', 'adds no field but Host and Connection', async (t) => {
    const { server } = await t.response(replying('x'), { headers: { 'X-Own': '1' } });
    const names = linesOf(server.requests[0] ?? '').map((line) => line.slice(0, line.indexOf(':')));
    const own = names.filter((name) => !['host', 'connection', 'x-own'].includes(name));
    assert(
      own.length === 0,
      `a request may have no field but the given ones, Host and Connection; it had ${listOf(own)}`,
    );
  }),
  test('sends no cookies, credentials, referrer or conditions of its own, not even the second time', async (t) => {
    const server = await t.serve(
      replying('x', { headers: ['Set-Cookie: a=1; Path=/', 'ETag: "1"', 'Cache-Control: max-age=600'] }),
    );
    await t.fetch(`${server.origin}/`);
    await t.fetch(`${server.origin}/`);
    assertEqual(server.requests.length, 2, 'requests that reached the server (nothing is cached)');
    for (const head of server.requests) {
      const stateful = linesOf(head).filter((line) => /^(cookie|authorization|referer|if-[a-z-]+):/.test(line));
      assert(stateful.length === 0, `a request must carry nothing over from another one; it had ${listOf(stateful)}`);
    }
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
    const sent = linesOf(server.requests[0] ?? '').filter((line) => line.startsWith('x-signed:'));
    const wasCalled = order[0] === 'headersNow';
    assertEqual(sent, [wasCalled ? 'x-signed: now' : 'x-signed: before'], 'signed fields that were sent');
    assertEqual(order, wasCalled ? ['headersNow', 'mayStart'] : ['mayStart'], 'what was asked, in order');
  }),
  test('sends nothing if headersNow fails', async (t) => {
    let wasCalled = false;
    const server = await t.serve(replying('x'));
    const outcome = await t.fetch(`${server.origin}/`, {
      headersNow: () => {
        wasCalled = true;
        return Promise.reject(new Error('no key'));
      },
    });
    assertEqual(server.requests.length, wasCalled ? 0 : 1, 'requests that reached the server');
    assert(
      !wasCalled || outcome?.kind === 'failed',
      `a request whose headersNow rejects must end as a failure; it ended as ${summary(outcome)}`,
    );
  }),
  test('asks mayStart once, before anything reaches the server', async (t) => {
    let calls = 0;
    let seenBefore = -1;
    const server = await t.serve(replying('x'));
    await t.fetch(`${server.origin}/`, {
      mayStart: () => {
        calls += 1;
        seenBefore = server.requests.length;
        return true;
      },
    });
    assertEqual(calls, 1, 'times that mayStart was asked');
    assertEqual(seenBefore, 0, 'requests that had reached the server when mayStart was asked');
  }),
  testNeeding('checksMayStart', 'asks mayStart with the connection made', async (t) => {
    let connections = -1;
    const server = await t.serve(replying('x'));
    const outcome = await t.fetch(`${server.origin}/`, {
      mayStart: () => {
        connections = server.connections();
        return true;
      },
    });
    // The server may see the connection a turn later than the client.
    assert(
      outcome?.kind === 'response' && connections >= 0,
      `mayStart must be asked, and the request must end as a response; it ended as ${summary(outcome)}`,
    );
    const closed = await t.serve(() => undefined);
    await closed.close();
    let wasCalled = false;
    await t.fetch(`${closed.origin}/`, {
      mayStart: () => {
        wasCalled = true;
        return true;
      },
    });
    assert(!wasCalled, 'mayStart must be asked when the connection is made; it was asked although there was no server');
  }),
  test('sends nothing and resolves to null when mayStart says no', async (t) => {
    const server = await t.serve(replying('x'));
    const refused = await t.fetch(`${server.origin}/`, { mayStart: () => false });
    assert(refused === null, `\`fetch\` must resolve to null when mayStart says no; it ended as ${summary(refused)}`);
    assertEqual(server.requests.length, 0, 'requests that reached the server');
    const next = await t.fetch(`${server.origin}/`);
    assert(next?.kind === 'response', `the next request must end as a response; it ended as ${summary(next)}`);
  }),
  testNeeding('pinsAddress', 'connects to the judged address, whatever the name in the URL', async (t) => {
    const server = await t.serve(replying('there'));
    const outcome = await t.fetch(`http://name.invalid:${server.port}/`);
    assert(
      outcome?.kind === 'response' && bodyText(outcome) === 'there',
      `the request must reach the server at \`request.address\`; it ended as ${summary(outcome)}`,
    );
    const host = linesOf(server.requests[0] ?? '').find((line) => line.startsWith('host: '));
    assertEqual(host, `host: name.invalid:${server.port}`, 'the field that names the host of the URL');
  }),
  test('follows no redirect', async (t) => {
    const { outcome, server } = await t.response(
      replying('', { status: '302 Found', headers: ['Location: /elsewhere'] }),
    );
    assertFields(outcome, { status: 302 }, 'the response to the redirect');
    assertEqual(server.requests.length, 1, 'requests that reached the server (no redirect is followed)');
    const location = outcome.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
    assertEqual(location, '/elsewhere', 'the field Location of the response');
  }),
  test('sends nothing a second time', async (t) => {
    const { server } = await t.failure((socket) => socket.resetAndDestroy());
    assertEqual(server.requests.length, 1, 'requests that reached the server (a failed one is not sent again)');
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
  }),
  test('reports a URL that is neither http nor https as a value', async (t) => {
    for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense']) {
      assertFailure(await t.fetch(url), 'scheme-unsupported', false, `a request for ${url}`);
    }
  }),
];

/** Lines in a message. */
const listOf = (lines: readonly string[]): string =>
  lines.length === 0 ? 'none' : lines.map((line) => `"${line}"`).join(', ');

/** Field lines in lower case, with one space after the colon. */
function linesOf(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => line.replace(/^([^:]+): */, (_, name: string) => `${name.toLowerCase()}: `));
}
