// Raw servers and fetchers of one test, which are closed after it, and what such a server answers.

import { onTestFinished } from 'vitest';
import type { Fetcher } from '../src/fetch/fetcher.js';
import { createUndiciFetcher, type UndiciFetcherOptions } from '../src/fetch/undici-fetcher.js';
import { type Answer, listenRaw, type RawServer } from '../src/fetcher-conformance/raw-server.js';

export async function serve(answer: Answer, host?: string): Promise<RawServer> {
  const server = await listenRaw(answer, host);
  onTestFinished(() => server.close());
  return server;
}

export function fetcher(options: UndiciFetcherOptions = {}): Fetcher {
  const made = createUndiciFetcher(options);
  onTestFinished(() => made.close());
  return made;
}

export const send =
  (...parts: (string | Buffer)[]): Answer =>
  (socket) => {
    for (const part of parts) socket.write(part, 'latin1' as BufferEncoding);
  };

export const sendAndEnd =
  (...parts: (string | Buffer)[]): Answer =>
  (socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };

export const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
