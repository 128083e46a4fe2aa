// TLS is verified against the name in the URL, at the judged address, without a fallback to http. If this breaks, an
// attacker on the network path can write a site's robots.txt.

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchRequest } from '../../test-support/fetch-request.js';
import { meanwhile } from '../../test-support/meanwhile.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../fetcher-conformance/failure-tests.js';
import { response } from '../fetcher-conformance/raw-server.js';
import type { FetchOutcome } from './outcome.js';
import { createUndiciFetcher } from './undici-fetcher.js';

interface TlsServer {
  readonly port: number;
  /** The names that clients requested. */
  readonly names: (string | false)[];
  readonly requests: string[];
  readonly reused: boolean[];
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serveTls(): Promise<TlsServer> {
  const names: (string | false)[] = [];
  const requests: string[] = [];
  const reused: boolean[] = [];
  const sockets = new Set<TLSSocket>();
  const server: Server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => {
    sockets.add(socket);
    names.push((socket as TLSSocket & { servername?: string | false }).servername ?? false);
    reused.push(socket.isSessionReused());
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      requests.push(chunk.toString('latin1'));
      socket.write(response('ok', { headers: ['Connection: close'] }));
    });
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return { port: (server.address() as AddressInfo).port, names, requests, reused };
}

function fetchTls(url: string, ca?: string): Promise<FetchOutcome | null> {
  const fetcher = createUndiciFetcher(ca === undefined ? {} : { ca });
  closing.push(() => fetcher.close());
  return fetcher.fetch(fetchRequest(url));
}

describe('https', () => {
  it.each([
    ['secure.test', 'secure.test'],
    ['secure.test.', 'secure.test'],
    ['127.0.0.1', false],
  ])('https://%s is verified, with the server name %s', async (host, name) => {
    const server = await serveTls();
    const outcome = await fetchTls(`https://${host}:${server.port}/a`, TEST_CERTIFICATE);
    expect(outcome).toMatchObject({ kind: 'response', status: 200, remoteAddress: '127.0.0.1' });
    expect(server.names).toEqual([name]);
    expect(server.requests[0]).toContain('GET /a HTTP/1.1');
  });

  it.each([
    ['a certificate that is not trusted', 'secure.test', undefined],
    ['a certificate for another name', 'other.test', TEST_CERTIFICATE],
    ['a certificate for a name below', 'www.secure.test', TEST_CERTIFICATE],
  ])('%s is a TLS failure, and no request is sent', async (_what, host, ca) => {
    const server = await serveTls();
    const outcome = await fetchTls(`https://${host}:${server.port}/`, ca);
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'tls', wasSent: false });
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['bytes', Buffer.from(TEST_CERTIFICATE)],
    ['a path', './authority.pem'],
    ['a list with a path', [TEST_CERTIFICATE, './authority.pem']],
  ])('a certificate authority as %s is refused at once', (_what, ca) => {
    const hint = expect.stringContaining("readFileSync(path, 'utf8')");
    const refusal = expect.objectContaining({ code: 'option-invalid', hint });
    expect(() => createUndiciFetcher({ ca: ca as string })).toThrow(refusal);
  });

  it('a session is resumed, for the same name only', async () => {
    const server = await serveTls();
    const fetcher = createUndiciFetcher({ ca: TEST_CERTIFICATE });
    closing.push(() => fetcher.close());
    for (const host of ['secure.test', 'secure.test', '127.0.0.1']) {
      const outcome = await fetcher.fetch(fetchRequest(`https://${host}:${server.port}/`));
      expect(outcome).toMatchObject({ kind: 'response', truncated: null });
      await meanwhile(20);
    }
    expect(server.reused).toEqual([false, true, false]);
  });
});
