// What a fetcher guarantees about the request: what is sent, when, to which address, and only once.

import { gzipSync } from 'node:zlib';
import { assert, assertEqual } from './assert.js';
import { bodyText, type FetcherTest, summary, test, testNeeding } from './fetcher-test.js';
import { type Answer, replying, response } from './raw-server.js';

export const REQUEST_TESTS: readonly FetcherTest[] = [
  test('sends the request line and the given fields', async (t) => {
    const { server } = await t.response(replying('x'), {
      headers: { 'User-Agent': 'tide/1.0', Accept: 'text/html', 'X-Own': 'a b' },
    });
    const [head = ''] = server.requests;
    assert(head.startsWith('GET /a?b=c HTTP/1.1\r\n'), `the request line is ${head.split('\r\n')[0]}`);
    for (const line of ['user-agent: tide/1.0', 'accept: text/html', 'x-own: a b', `host: 127.0.0.1:${server.port}`]) {
      assert(linesOf(head).includes(line), `"${line}" was not sent`);
    }
  }),
  test('sends the body of a POST, with its length', async (t) => {
    const afterBody: Answer = (socket, _head, index) => index === 1 && socket.write(response('x'));
    // The server takes text that ends with an empty line for a header section.
    const { server } = await t.response(afterBody, { method: 'POST', body: 'user=ann\r\n\r\n' });
    const [head = '', body] = server.requests;
    assert(head.startsWith('POST /a?b=c HTTP/1.1\r\n'), `the request line is ${head.split('\r\n')[0]}`);
    assert(linesOf(head).includes('content-length: 12'), 'no length of the body was sent');
    assertEqual(body, 'user=ann', 'the body that arrived');
  }),
  testNeeding('exactHeaders', 'adds no field but Host and Connection', async (t) => {
    const { server } = await t.response(replying('x'), { headers: { 'X-Own': '1' } });
    const names = linesOf(server.requests[0] ?? '').map((line) => line.slice(0, line.indexOf(':')));
    const own = names.filter((name) => !['host', 'connection', 'x-own'].includes(name));
    assertEqual(own, [], 'fields of its own');
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
      assertEqual(stateful, [], 'fields that carry state from one request to another');
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
    const isAsked = order[0] === 'headersNow';
    assertEqual(sent, [isAsked ? 'x-signed: now' : 'x-signed: before'], 'signed fields that were sent');
    assertEqual(order, isAsked ? ['headersNow', 'mayStart'] : ['mayStart'], 'what was asked, in order');
  }),
  test('sends nothing if headersNow fails', async (t) => {
    let isAsked = false;
    const server = await t.serve(replying('x'));
    const outcome = await t.fetch(`${server.origin}/`, {
      headersNow: () => {
        isAsked = true;
        return Promise.reject(new Error('no key'));
      },
    });
    assertEqual(server.requests.length, isAsked ? 0 : 1, 'requests that reached the server');
    assert(!isAsked || outcome?.kind === 'failed', `the outcome is ${summary(outcome)}`);
  }),
  test('asks mayStart once, before anything reaches the server', async (t) => {
    let asked = 0;
    let seenBefore = -1;
    const server = await t.serve(replying('x'));
    await t.fetch(`${server.origin}/`, {
      mayStart: () => {
        asked += 1;
        seenBefore = server.requests.length;
        return true;
      },
    });
    assertEqual([asked, seenBefore], [1, 0], 'times asked, and requests seen before');
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
    assert(outcome?.kind === 'response' && connections >= 0, summary(outcome));
    const closed = await t.serve(() => undefined);
    await closed.close();
    let wasAsked = false;
    await t.fetch(`${closed.origin}/`, {
      mayStart: () => {
        wasAsked = true;
        return true;
      },
    });
    assert(!wasAsked, 'mayStart was asked although there is no connection');
  }),
  test('sends nothing and resolves to null when mayStart says no', async (t) => {
    const server = await t.serve(replying('x'));
    assertEqual(await t.fetch(`${server.origin}/`, { mayStart: () => false }), null, 'what it resolved to');
    assertEqual(server.requests.length, 0, 'requests');
    assert((await t.fetch(`${server.origin}/`))?.kind === 'response', 'the next request must be served');
  }),
  testNeeding('pinsAddress', 'connects to the judged address, whatever the name in the URL', async (t) => {
    const server = await t.serve(replying('there'));
    const outcome = await t.fetch(`http://name.invalid:${server.port}/`);
    assert(outcome?.kind === 'response' && bodyText(outcome) === 'there', summary(outcome));
    assert(/^host: name\.invalid:/im.test(server.requests[0] ?? ''), 'Host must name the URL’s host');
  }),
  test('follows no redirect', async (t) => {
    const { outcome, server } = await t.response(
      replying('', { status: '302 Found', headers: ['Location: /elsewhere'] }),
    );
    assertEqual([outcome.status, server.requests.length], [302, 1], 'status and requests');
    const location = outcome.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
    assertEqual(location, '/elsewhere', 'Location');
  }),
  test('sends nothing a second time', async (t) => {
    const { server } = await t.failure((socket) => socket.resetAndDestroy());
    assertEqual(server.requests.length, 1, 'requests');
  }),
  test('makes many exchanges at once, each with its own response', async (t) => {
    const server = await t.serve((socket, head) => {
      const path = /^GET (\S+)/.exec(head)?.[1] ?? '';
      socket.write(response(gzipSync(path), { headers: ['Content-Encoding: gzip'] }));
    });
    const paths = Array.from({ length: 25 }, (_, index) => `/page-${index}`);
    const outcomes = await Promise.all(paths.map((path) => t.fetch(`${server.origin}${path}`)));
    const bodies = outcomes.map((outcome) => (outcome?.kind === 'response' ? bodyText(outcome) : summary(outcome)));
    assertEqual(bodies, paths, 'bodies');
  }),
  test('sends nothing if the signal is aborted, and ends with `aborted` if it is aborted later', async (t) => {
    const server = await t.serve(() => control.abort());
    const control = new AbortController();
    const early = await t.fetch(`${server.origin}/`, { signal: AbortSignal.abort() });
    assert(early?.kind === 'failed' && early.failure === 'aborted' && !early.wasSent, summary(early));
    assertEqual(server.requests.length, 0, 'requests');
    const late = await t.fetch(`${server.origin}/`, { signal: control.signal });
    assert(late?.kind === 'failed' && late.failure === 'aborted' && late.wasSent, summary(late));
  }),
  test('reports a URL that is neither http nor https as a value', async (t) => {
    for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense']) {
      const outcome = await t.fetch(url);
      const isRefused = outcome?.kind === 'failed' && outcome.failure === 'scheme-unsupported' && !outcome.wasSent;
      assert(isRefused, `${url}: expected failed: scheme-unsupported, not sent; got ${summary(outcome)}`);
    }
  }),
];

/** Field lines in lower case, with one space after the colon. */
function linesOf(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => line.replace(/^([^:]+): */, (_, name: string) => `${name.toLowerCase()}: `));
}
