// The client requests each robots.txt once in its lifetime, applies the answers, and holds until the site has answered.

import { describe, expect, it } from 'vitest';
import { createRobotsClient, type RobotsClientOptions } from './index.js';

const IDENTITY = { name: 'examplebot', contact: 'https://example.org/bot' };
const HOUR_MS = 3_600_000;

type Reply = () => Response | Promise<Response>;

/** A client with replies by URL, the requests that it made, and a clock that stands still. */
function setUp(replies: Readonly<Record<string, Reply>>, more: Partial<RobotsClientOptions> = {}) {
  const requests: { readonly url: string; readonly headers: Headers }[] = [];
  const clock = { nowMs: 1_000_000 };
  const fetch = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const url = String(input);
    requests.push({ url, headers: new Headers(init?.headers) });
    expect(init).toMatchObject({ redirect: 'manual', credentials: 'omit' });
    const reply = replies[url];
    if (reply === undefined) throw new TypeError('fetch failed');
    return reply();
  };
  const client = createRobotsClient({ identity: IDENTITY, fetch, nowMs: () => clock.nowMs, ...more });
  return { client, requests, clock, urls: () => requests.map(({ url }) => url) };
}

const file = (text: string, headers: Record<string, string> = {}) => new Response(text, { headers });
const to = (location: string) => new Response(null, { status: 301, headers: { location } });

describe('a robots client', () => {
  it('refuses an option that does not exist', () => {
    const identity = { name: 'a', contact: 'https://example.org/' };
    expect(() => createRobotsClient({ identity, rule: {} } as never)).toThrow(
      expect.objectContaining({ code: 'option-unknown', hint: expect.stringContaining('rules') }),
    );
  });

  it.each([undefined, null])('refuses a call with %s, and says what it takes', (options) => {
    expect(() => createRobotsClient(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-tokens', hint: expect.stringContaining('identity: { name') }),
    );
  });

  it.each(['fetch', 'nowMs'])('refuses a %s that is not a function', (option) => {
    expect(() => createRobotsClient({ identity: IDENTITY, [option]: 1 } as never)).toThrow(
      expect.objectContaining({ code: 'option-invalid', message: `expected \`${option}\` to be a function, got 1` }),
    );
  });

  it.each([
    ' https://a.example/private',
    'https:a.example/private',
    'https:\\\\a.example\\private',
    '\thttps://a.example/private',
  ])('reads %j as fetch does', async (url) => {
    const { client } = setUp({ 'https://a.example/robots.txt': () => file('User-agent: *\nDisallow: /private') });
    expect(await client.check(url)).toMatchObject({ answer: 'deny', reason: 'rule', line: 2 });
  });

  it('sends one request per authority, names itself, and says which line decided', async () => {
    const { client, requests } = setUp({
      'https://a.example/robots.txt': () => file('User-agent: examplebot\nCrawl-delay: 3\nDisallow: /private/\n'),
      'http://a.example:8080/robots.txt': () => file('User-agent: *\nDisallow: /\n'),
    });
    expect(await client.isAllowed('https://a.example/page')).toBe(true);
    const check = await client.check(new URL('https://a.example/private/x#part'));
    expect(check).toMatchObject({ answer: 'deny', reason: 'rule', line: 3, untilMs: null });
    expect(check.rules?.crawlDelayMs).toBe(3_000);
    expect(await client.isAllowed('https://a.example/robots.txt')).toBe(true);
    expect(await client.isAllowed('http://a.example:8080/page')).toBe(false);
    expect(requests.map(({ url }) => url)).toEqual([
      'https://a.example/robots.txt',
      'http://a.example:8080/robots.txt',
    ]);
    expect(requests[0]?.headers.get('user-agent')).toBe('examplebot (+https://example.org/bot)');
  });

  it('sends one request for simultaneous questions', async () => {
    const { client, urls } = setUp({ 'https://a.example/robots.txt': () => file('') });
    const answers = await Promise.all(['/1', '/2', '/3'].map((path) => client.isAllowed(`https://a.example${path}`)));
    expect(answers).toEqual([true, true, true]);
    expect(urls()).toHaveLength(1);
  });

  it.each<[string, Reply, object]>([
    ['404: there are no rules', () => new Response('', { status: 404 }), { answer: 'allow', reason: 'no-rules' }],
    ['403: as RFC 9309 says', () => new Response('', { status: 403 }), { answer: 'allow', reason: 'no-rules' }],
    ['500: hold', () => new Response('', { status: 500 }), { answer: 'hold', reason: 'unreachable' }],
    ['no connection: hold', () => Promise.reject(new TypeError('fetch failed')), { answer: 'hold' }],
    ['a redirect to nowhere: hold', () => new Response(null, { status: 302 }), { answer: 'hold' }],
    ['a body that breaks off: hold', () => new Response(broken()), { answer: 'hold' }],
    // What a browser returns for a redirect that it hides.
    ['an opaque answer: hold', () => Response.error(), { answer: 'hold' }],
  ])('%s', async (_, reply, expected) => {
    const { client } = setUp({ 'https://a.example/robots.txt': reply });
    expect(await client.check('https://a.example/')).toMatchObject(expected);
  });

  it('holds until the next try, and sends no request before', async () => {
    let status = 503;
    const { client, urls, clock } = setUp({ 'https://a.example/robots.txt': () => new Response('', { status }) });
    const { answer, untilMs } = await client.check('https://a.example/');
    expect(answer).toBe('hold');
    expect(untilMs).toBeGreaterThanOrEqual(clock.nowMs + 60_000);
    clock.nowMs = (untilMs ?? 0) - 1;
    expect(await client.isAllowed('https://a.example/')).toBe(false);
    expect(urls()).toHaveLength(1);
    clock.nowMs = untilMs ?? 0;
    status = 404;
    expect(await client.isAllowed('https://a.example/')).toBe(true);
    expect(urls()).toHaveLength(2);
  });

  it('follows at most five redirects itself, and the rules belong to the first authority', async () => {
    const { client, urls } = setUp({
      'https://a.example/robots.txt': () => to('https://b.example/rules'),
      'https://b.example/rules': () => file('User-agent: *\nDisallow: /x\n'),
      ...Object.fromEntries([0, 1, 2, 3, 4, 5].map((at) => [`https://c.example/${at}`, () => to(`/${at + 1}`)])),
      'https://c.example/robots.txt': () => to('/0'),
    });
    expect(await client.check('https://a.example/x')).toMatchObject({ answer: 'deny', line: 2 });
    expect(urls()).toEqual(['https://a.example/robots.txt', 'https://b.example/rules']);
    expect(await client.check('https://c.example/x')).toMatchObject({ answer: 'allow', reason: 'no-rules' });
    expect(urls().filter((url) => url.startsWith('https://c.'))).toHaveLength(6);
  });

  it('requests the file again when its lifetime is over, and lets the server confirm the copy', async () => {
    const replies = [
      () => file('User-agent: *\nDisallow: /x\n', { etag: '"1"', 'cache-control': 'max-age=3600' }),
      () => new Response(null, { status: 304 }),
    ];
    const { client, requests, clock } = setUp({ 'https://a.example/robots.txt': () => (replies.shift() as Reply)() });
    expect(await client.isAllowed('https://a.example/x')).toBe(false);
    clock.nowMs += HOUR_MS - 1;
    expect(await client.isAllowed('https://a.example/x')).toBe(false);
    expect(requests).toHaveLength(1);
    clock.nowMs += 1;
    expect(await client.check('https://a.example/x')).toMatchObject({ answer: 'deny', line: 2 });
    expect(requests[1]?.headers.get('if-none-match')).toBe('"1"');
  });

  it('holds when a file can no longer be fetched, unless an option says to use the copy', async () => {
    for (const [afterUnreachable, answer] of [['copy-or-hold', 'hold'] as const, ['copy-at-once', 'deny'] as const]) {
      const replies = [() => file('User-agent: *\nDisallow: /x\n'), () => new Response('', { status: 502 })];
      const { client, clock } = setUp(
        { 'https://a.example/robots.txt': () => (replies.shift() as Reply)() },
        { access: { afterUnreachable } },
      );
      expect(await client.isAllowed('https://a.example/y')).toBe(true);
      clock.nowMs += 25 * HOUR_MS;
      expect(await client.check('https://a.example/x')).toMatchObject({ answer });
    }
  });

  it('reads only the part of a body that counts', async () => {
    let pulled = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new TextEncoder().encode('Disallow: /a\n'.repeat(5_000)));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const { client } = setUp({ 'https://a.example/robots.txt': () => new Response(endless) });
    expect(await client.isAllowed('https://a.example/')).toBe(true);
    expect(isCancelled).toBe(true);
    expect(pulled).toBeLessThan(12);
  });

  it('remembers a thousand authorities', async () => {
    const requestedUrls: string[] = [];
    const many = createRobotsClient({
      identity: IDENTITY,
      fetch: async (url) => {
        requestedUrls.push(String(url));
        return file('');
      },
    });
    for (let at = 0; at <= 1_000; at += 1) await many.isAllowed(`https://h${at}.example/`);
    await many.isAllowed('https://h1000.example/');
    expect(requestedUrls).toHaveLength(1_001);
    await many.isAllowed('https://h0.example/');
    expect(requestedUrls).toHaveLength(1_002);
  });

  it('denies what is not a web address, and never throws', async () => {
    const { client, urls } = setUp({});
    for (const url of ['ftp://a.example/', 'nonsense', '', 'javascript:alert(1)'])
      expect(await client.check(url)).toMatchObject({ answer: 'deny', reason: 'url-invalid' });
    expect(urls()).toEqual([]);
  });

  it.each([
    [{ name: 'example bot', contact: 'https://example.org/' }, 'identity.name'],
    [{ name: 'bot\r\nx', contact: 'https://example.org/' }, 'identity.name'],
    [{ name: 'examplebot' }, 'identity.contact'],
    [{ name: 'examplebot', contact: 'me@example.org' }, 'identity.contact'],
    [undefined, 'identity.name'],
  ])('refuses the identity %j', (identity, option) => {
    expect(() => createRobotsClient({ identity: identity as never })).toThrow(option);
  });
});

/** A body whose connection breaks. */
function broken(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('User-agent: *\n'));
      controller.error(new TypeError('terminated'));
    },
  });
}
