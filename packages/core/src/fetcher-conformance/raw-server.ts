// A loopback server that writes exactly the given bytes and records the requests. For the conformance suite of fetchers
// and for our own tests.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** What a scenario does with one request; `head` is the request's header section. */
export type Answer = (socket: Socket, head: string, index: number) => void;

export interface RawServer {
  readonly port: number;
  readonly origin: string;
  /** Header sections of requests, in order of arrival. */
  readonly requests: string[];
  connections(): number;
  written(): number;
  close(): Promise<void>;
}

/** The beginning of a response, without the end of its header section. */
export const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
export const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** Time to read an answer before the connection is reset: milliseconds, then turns of the event loop. */
const RESET_AFTER_MS = 20;
const RESET_AFTER_TURNS = 20;

export async function listenRaw(answer: Answer, host = '127.0.0.1'): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let written = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let pending = '';
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      written += socket.bytesWritten;
      sockets.delete(socket);
    });
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        requests.push(pending.slice(0, end));
        pending = pending.slice(end + 4);
        answer(socket, requests.at(-1) ?? '', requests.length - 1);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    requests,
    connections: () => connections,
    written: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, written),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

export function response(body: string | Buffer, more: { status?: string; headers?: readonly string[] } = {}): Buffer {
  const bytes = Buffer.from(body);
  const head = [
    `HTTP/1.1 ${more.status ?? '200 OK'}`,
    `Content-Length: ${bytes.length}`,
    ...(more.headers ?? ['Content-Type: text/html']),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

export function sending(text: string): Answer {
  return (socket) => socket.write(text);
}

export function replying(...args: Parameters<typeof response>): Answer {
  return (socket) => socket.write(response(...args));
}

/** Writes a piece repeatedly, as fast as the other side reads, until the connection ends. */
export function writeEndlessly(socket: Socket, chunk: Buffer): void {
  const go = (): void => {
    while (!socket.destroyed && socket.write(chunk)) {
      if (socket.writableLength > 1_000_000) break;
    }
  };
  socket.on('drain', go);
  go();
}

/** Writes bytes, and resets once the client has had many turns to read them: a reset discards unread bytes. */
export function writeAndReset(socket: Socket, bytes: string): void {
  const reset = (turns: number): void => {
    if (turns === 0) socket.resetAndDestroy();
    else setImmediate(reset, turns - 1);
  };
  socket.write(bytes, () => setTimeout(reset, RESET_AFTER_MS, RESET_AFTER_TURNS));
}

/** Writes a text over and over, a character every 10 ms. The timer ends with the connection. */
export function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(text[at % text.length] ?? '');
    at += 1;
  }, 10);
  socket.on('close', () => clearInterval(timer));
}
