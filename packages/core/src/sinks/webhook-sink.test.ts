// Items over HTTP: the contract of sinks, with a loopback receiver that stores each id once. At stake: items that are
// lost while the receiver is away, and secrets in messages.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itemOfLine } from '../output/jsonl.js';
import type { Item } from '../output/sink.js';
import { sinkSuite } from '../sink-conformance/suite.js';
import { webhookSink } from './webhook-sink.js';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly ids: readonly string[];
}

let server: Server;
let origin: string;
let received: Received[] = [];
/** Statuses of the next answers. */
let statuses: number[] = [];
const tables = new Map<string, Map<string, Item>>();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const piece of request) chunks.push(piece as Buffer);
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as { items: unknown[] };
    const { url: path = '', headers } = request;
    const all = items.flatMap((item) => itemOfLine(item) ?? []);
    received.push({ path, headers, ids: all.map(({ id }) => id) });
    const status = statuses.shift() ?? 204;
    const table = tables.get(path) ?? new Map<string, Item>();
    tables.set(path, table);
    if (status < 300) for (const item of all) if (!table.has(item.id)) table.set(item.id, item);
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
  statuses = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

let count = 0;
const AT_ONCE = { waitMs: 0 };

describe('webhookSink', () => {
  sinkSuite({
    test: it,
    makeMedium: async () => {
      count += 1;
      const path = `/items/${count}`;
      return {
        makeSink: () => webhookSink({ url: `${origin}${path}`, batch: AT_ONCE }),
        read: async () => [...(tables.get(path)?.values() ?? [])],
        refuse: async (isRefused) => {
          statuses = isRefused ? [400] : [];
        },
        dispose: async () => void tables.delete(path),
      };
    },
    capabilities: { durable: true, exactData: true },
  });
});

const item = (id: string, data: Item['data'] = { id }): Item => ({
  ...{ id, url: 'https://a.test/', fetchedAtMs: 0, data, expiresAtMs: null, preferences: {} },
});

async function written(options: Partial<Parameters<typeof webhookSink>[0]>, ...pages: Item[][]): Promise<void> {
  const sink = webhookSink({ url: `${origin}/hook?key=s3cret`, batch: AT_ONCE, ...options });
  await sink.open();
  const writes = pages.map((page) => sink.write(page));
  await Promise.allSettled(writes);
  await sink.close();
  await Promise.all(writes);
}

it('posts the pages of a batch together, with our header fields and the user’s', async () => {
  const headers = { Authorization: 'Bearer t0ken', 'Content-Type': 'text/plain' };
  await written(
    { headers, batch: { items: 4, waitMs: 100 } },
    [item('a'), item('b')],
    [item('c'), item('d')],
    [item('e')],
  );
  expect(received.map(({ ids }) => ids)).toEqual([['a', 'b', 'c', 'd'], ['e']]);
  expect(received[0]?.headers).toMatchObject({
    authorization: 'Bearer t0ken',
    'content-type': 'application/json',
    'idempotency-key': expect.stringMatching(/^"[0-9a-f]{64}"$/),
  });
});

it('sends the same items under the same key until they are taken', async () => {
  statuses = [503];
  await written({ retries: 1 }, [item('a')]);
  expect(received.map(({ ids }) => ids)).toEqual([['a'], ['a']]);
  expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

it('divides a batch that is too long for a request', async () => {
  const long = 'x'.repeat(5_000_000);
  await written({}, [item('a', long), item('b', long), item('c')]);
  expect(received.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
});

it.each([
  [400, 'status 400'],
  [302, 'status 302'],
  [503, 'status 503, 1 attempt'],
])('rejects the page at %i, and accepts it again', async (status, says) => {
  statuses = [status];
  const ended = written({ retries: 0 }, [item('a')]);
  await expect(ended).rejects.toThrow(says);
  await ended.catch((error: Error) => expect(error.message).not.toContain('s3cret'));
  await written({ retries: 0 }, [item('a')]);
  expect(received.map(({ path }) => path)).toEqual(['/hook?key=s3cret', '/hook?key=s3cret']);
});

it('shows neither the path of its URL nor its header fields', async () => {
  const sink = webhookSink({ url: `${origin}/T0/s3cret`, headers: { authorization: 't0ken' } });
  expect(JSON.stringify(sink)).not.toMatch(/s3cret|t0ken/);
  expect(sink.name).toBe(`webhook ${origin}`);
  for (const wrong of ['ftp://a.test/s3cret', 's3cret', 'https://me:s3cret@a.test/']) {
    expect(() => webhookSink({ url: wrong })).toThrow(/^(?!.*s3cret)expected `webhookSink.url`/);
  }
  const headers = { authorization: 's3cret\n' };
  expect(() => webhookSink({ url: origin, headers: { ...headers, x: 's3cret\0' } })).toThrow(
    /^(?!.*s3cret)expected `webhookSink.headers`/,
  );
});
