// A loopback site for tests of the command: a front page with links, and pages whose statuses a test sets.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The flags of a command that requests one. */
export const who = ['--name', 'tester', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];

/** A running site. */
export interface TestSite {
  /** Without a trailing slash. */
  readonly url: string;
  /** The requested paths, in order. */
  readonly requestedPaths: string[];
  /** Paths that answer with a status other than 200. */
  readonly statuses: Map<string, number>;
  close(): Promise<void>;
}

/** Starts a site whose front page links to `links`, unchanged; robots.txt closes `/closed`. */
export async function testSite(links: readonly string[]): Promise<TestSite> {
  const requestedPaths: string[] = [];
  const statuses = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requestedPaths.push(path);
    const status = statuses.get(path) ?? 200;
    if (path === '/robots.txt') {
      response.writeHead(status, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /closed\n');
      return;
    }
    if (path === '/data.txt') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('path: /tides.csv\nname: Tides\n');
      return;
    }
    const body = path === '/' ? links.map((link) => `<a href="${link}">${link}</a>`).join(' ') : `page ${path}`;
    response.writeHead(status, { 'content-type': 'text/html' }).end(`<title>${path}</title>${body}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestedPaths,
    statuses,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
