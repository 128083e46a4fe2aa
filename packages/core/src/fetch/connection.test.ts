// What a fetcher does before it sends a request and with the connection afterwards: it connects only to the judged
// address, calls mayStart last, and reuses a connection only after a clean end. If this breaks, a forbidden request is
// sent, or one reaches an address that was not judged.

import type { Socket } from 'node:net';
import { Client } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { fetchRequest } from '../../test-support/fetch-request.js';
import { meanwhile } from '../../test-support/meanwhile.js';
import { fetcher, HEAD, send, sendAndEnd, serve } from '../../test-support/raw-fetcher.js';
import { type Answer, response, writeEndlessly } from '../fetcher-conformance/raw-server.js';
import { clientClass } from './connection.js';
import { MAX_IDLE_PROXY_CONNECTIONS } from './limits.js';
import { createUndiciFetcher } from './undici-fetcher.js';

describe('before a request is sent', () => {
  it('mayStart is called once and last, and false sends nothing', async () => {
    const server = await serve(send(response('x')));
    const one = fetcher();
    let calls = 0;
    const outcome = await one.fetch(
      fetchRequest(`${server.origin}/`, {
        mayStart: () => {
          calls += 1;
          expect(server.connections()).toBeLessThanOrEqual(1);
          return false;
        },
      }),
    );
    expect(outcome).toBeNull();
    expect(calls).toBe(1);
    // The next request uses the same, unused connection: anything written before would be visible.
    expect(await one.fetch(fetchRequest(`${server.origin}/next`))).toMatchObject({ kind: 'response' });
    expect(server.requests.map((head) => head.split(' ')[1])).toEqual(['/next']);
    expect(server.connections()).toBe(1);
  });

  it('mayStart is called when the connection is open, not before', async () => {
    const server = await serve(send(response('x')));
    let connectionsWhenAsked = -1;
    await fetcher().fetch(
      fetchRequest(`${server.origin}/`, {
        mayStart: () => {
          connectionsWhenAsked = 1;
          return true;
        },
      }),
    );
    expect(connectionsWhenAsked).toBe(server.connections());
  });

  it('a mayStart that throws sends nothing, and the result is a value', async () => {
    const server = await serve(send(response('x')));
    const outcome = await fetcher().fetch(
      fetchRequest(`${server.origin}/`, {
        mayStart: () => {
          throw new Error('broken clock');
        },
      }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'internal', detail: 'broken clock', wasSent: false });
    expect(server.requests).toEqual([]);
  });
});

describe('the address', () => {
  it('is the judged one: the name is not looked up again', async () => {
    const server = await serve(send(response('x')));
    // This name does not resolve; only the judged address leads to the server.
    const outcome = await fetcher().fetch(fetchRequest(`http://never.invalid:${server.port}/`));
    expect(outcome).toMatchObject({ kind: 'response', remoteAddress: '127.0.0.1' });
    expect(server.requests[0]).toContain(`host: never.invalid:${server.port}`);
  });

  it('a connection to another address is never used for it', async () => {
    const one = fetcher();
    const first = await serve(send(response('first')));
    const url = `http://never.invalid:${first.port}/`;
    await one.fetch(fetchRequest(url));
    const outcome = await one.fetch(fetchRequest(url, { address: { address: '127.0.0.2', family: 4 } }));
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'refused' });
    expect(first.requests).toHaveLength(1);
  });

  it('a name in place of an address is refused, not looked up', async () => {
    const server = await serve(send(response('x')));
    const outcome = await fetcher().fetch(
      fetchRequest(`${server.origin}/`, { address: { address: 'localhost', family: 4 } }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', wasSent: false });
    expect(server.connections()).toBe(0);
  });
});

describe('connections', () => {
  it('are reused, one request at a time', async () => {
    const server = await serve(send(response('x')));
    const one = fetcher();
    for (let index = 0; index < 5; index += 1) await one.fetch(fetchRequest(`${server.origin}/${index}`));
    expect(server.requests).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  it('two requests at once use two, never a pipeline', async () => {
    const server = await serve((socket) => setTimeout(() => socket.write(response('x')), 30));
    const one = fetcher();
    await Promise.all([one.fetch(fetchRequest(`${server.origin}/1`)), one.fetch(fetchRequest(`${server.origin}/2`))]);
    expect(server.connections()).toBe(2);
  });

  it.each([
    ['connection: close', send(response('x', { headers: ['Connection: close'] }))],
    ['an end after the response', sendAndEnd(response('x'))],
    ['bytes behind the response', send(response('x'), 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale')],
  ])('%s: the next request gets a new connection and its own answer', async (_what, answer) => {
    let isFirst = true;
    const server = await serve((socket, head, index) => {
      if (isFirst) answer(socket, head, index);
      else socket.write(response('second'));
      isFirst = false;
    });
    const one = fetcher();
    expect(await one.fetch(fetchRequest(`${server.origin}/1`))).toMatchObject({ kind: 'response', truncated: null });
    // A polite crawl waits at least this long. A request at the very moment when a connection closes fails as
    // closed-early.
    await meanwhile(150);
    const outcome = await one.fetch(fetchRequest(`${server.origin}/2`));
    expect(outcome).toMatchObject({ kind: 'response' });
    if (outcome?.kind === 'response') expect(Buffer.from(outcome.body).toString()).toBe('second');
    expect(server.connections()).toBe(2);
  });

  it('are not kept where a kept one ended unanswered, so that a URL is not lost to a server that resets them', async () => {
    const used = new Set<Socket>();
    const server = await serve((socket) => {
      if (used.has(socket)) socket.resetAndDestroy();
      else socket.write(response('x'));
      used.add(socket);
    });
    const one = fetcher();
    const kinds: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      kinds.push((await one.fetch(fetchRequest(`${server.origin}/${index}`)))?.kind ?? 'none');
    }
    expect(kinds).toEqual(['response', 'failed', 'response', 'response', 'response']);
  });

  it('that were cut are not reused, and no new one is opened without need', async () => {
    const server = await serve((socket) => {
      socket.write(`${HEAD}\r\n`);
      writeEndlessly(socket, Buffer.alloc(64_000));
    });
    const one = fetcher();
    await one.fetch(fetchRequest(`${server.origin}/`));
    await meanwhile(100);
    expect(server.connections()).toBe(1);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a proxy', () => {
  const PAGE = response('Log in', { headers: ['Content-Type: text/html'] });

  it.each<[string, Answer, object]>([
    ['at once', send(`HTTP/1.1 200 OK\r\n\r\n${PAGE}`), { failure: 'unreachable-network', detail: /with a page/ }],
    [
      'after its answer',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.write(PAGE));
      },
      { failure: /unreachable-network|reset|framing/ },
    ],
    ['as a redirect', send('HTTP/1.1 302 Found\r\nLocation: http://portal.example/\r\n\r\n'), { detail: /302/ }],
  ])('that sends a page in place of a connection, %s, is connected to once', async (_when, answer, expected) => {
    const proxy = await serve(answer);
    const one = fetcher({ proxy: proxy.origin });
    const outcome = await one.fetch(fetchRequest('http://site.invalid/'));
    const matching = Object.entries(expected).map(([name, value]) => [name, expect.stringMatching(value)]);
    expect(outcome).toMatchObject({ kind: 'failed', ...Object.fromEntries(matching) });
    expect(proxy.connections()).toBe(1);
  });

  it('keeps few unused connections, since a proxy counts those to all sites', async () => {
    // It is its own site: what is sent through it comes back to it.
    const open = new Set<Socket>();
    const proxy = await serve((socket, head) => {
      open.add(socket.once('close', () => open.delete(socket)));
      socket.write(head.startsWith('CONNECT') ? 'HTTP/1.1 200 OK\r\n\r\n' : response('x'));
    });
    const one = fetcher({ proxy: proxy.origin });
    for (let index = 0; index < 40; index += 1) await one.fetch(fetchRequest(`http://s${index}.invalid/`));
    await vi.waitFor(() => expect(open.size).toBe(MAX_IDLE_PROXY_CONNECTIONS));
    expect(proxy.connections()).toBe(40);
  });

  it('is a failing proxy if it does not speak HTTP', async () => {
    const proxy = await serve(send('220 mail.example ESMTP\r\n'));
    const one = fetcher({ proxy: proxy.origin });
    expect(await one.fetch(fetchRequest('http://site.invalid/'))).toMatchObject({ kind: 'failed', failure: 'proxy' });
  });
});

describe('aborting', () => {
  it('before the request began gives aborted, and mayStart is not called', async () => {
    const server = await serve(() => undefined);
    const outcome = await fetcher().fetch(fetchRequest(`${server.origin}/`, { signal: AbortSignal.abort() }));
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'aborted', wasSent: false });
    expect(server.connections()).toBe(0);
  });

  it('while it waits for an answer gives aborted, and the connection ends', async () => {
    const controller = new AbortController();
    let hasEnded: Promise<void> | null = null;
    const server = await serve((socket) => {
      hasEnded = new Promise((resolve) => socket.on('close', () => resolve()));
      controller.abort();
    });
    const outcome = await fetcher().fetch(fetchRequest(`${server.origin}/`, { signal: controller.signal }));
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'aborted', wasSent: true });
    await hasEnded;
    expect(server.connections()).toBe(1);
  });

  it('one signal ends every exchange that it belongs to', async () => {
    const server = await serve(() => undefined);
    const controller = new AbortController();
    const one = fetcher();
    const all = Array.from({ length: 20 }, (_, index) =>
      one.fetch(fetchRequest(`${server.origin}/${index}`, { signal: controller.signal })),
    );
    setTimeout(() => controller.abort(), 30);
    expect((await Promise.all(all)).map((outcome) => outcome?.kind === 'failed' && outcome.failure)).toEqual(
      Array.from({ length: 20 }, () => 'aborted'),
    );
  });

  it('close ends idle connections and lets the others finish', async () => {
    const server = await serve((socket) => setTimeout(() => socket.write(response('x')), 40));
    const one = createUndiciFetcher();
    const underway = one.fetch(fetchRequest(`${server.origin}/`));
    await new Promise((resolve) => setTimeout(resolve, 10));
    await one.close();
    expect(await underway).toMatchObject({ kind: 'response', truncated: null });
  });
});

it("connects with undici's own client, wherever undici keeps its file", () => {
  expect(clientClass()).toBe(Client);
});
