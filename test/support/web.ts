// A small web on loopback that stamps arrivals: hosts by Host field, routes as data, misbehaviour at the socket on
// request. Its log is the evidence of the politeness tests: what the servers saw, not what a crawler reports.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text as textOfStream } from 'node:stream/consumers';

/** One exchange as the server saw it. Times are milliseconds of one monotonic clock, fractions included. */
export interface WebExchange {
  /** Host name without port. */
  readonly host: string;
  /** `host:port` as the client named it. */
  readonly authority: string;
  readonly path: string;
  readonly method: string;
  readonly userAgent: string;
  readonly headers: Readonly<Record<string, string>>;
  /** When the request's header section had arrived. */
  readonly startMs: number;
  /** When the last byte was handed to the socket, or the socket was closed. */
  readonly endMs: number;
  /** `null` if no status line was sent. */
  readonly status: number | null;
}

/** What a route answers: HTML with 200 as a string, or the parts that differ from it. */
export type Reply = string | ReplyParts;

/** The parts of an answer. */
export interface ReplyParts {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default '' */
  readonly body?: string | Uint8Array;
  /** Milliseconds between the request and the first byte of the answer. @default 0 */
  readonly delayMs?: number;
  /**
   * `reset`: the socket is destroyed unanswered; `silent`: nothing is ever sent; `cut`: more bytes announced than sent.
   */
  readonly misbehave?: 'reset' | 'silent' | 'cut';
}

/** A request, for a route. */
export interface WebRequest {
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST; absent for other methods. */
  readonly body?: string;
  /** How many requests for this path this host has had before. */
  readonly before: number;
}

/** An answer, or a function of the request. */
export type Route = Reply | ((request: WebRequest) => Reply);

/** Path with query → answer. `*` answers every other path; without it, 404. */
export type Routes = Readonly<Record<string, Route>>;

/** The parts of a web. */
export interface WebOptions {
  /** Host name → its routes. */
  readonly hosts: Readonly<Record<string, Routes>>;
  /** Serves TLS with this key and certificate, PEM. @default plain HTTP */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The clock of the log. @default `webNow` */
  readonly nowMs?: () => number;
}

/** A running web. */
export interface Web {
  readonly port: number;
  /** Every ended exchange, in order of its start. Live. */
  readonly log: readonly WebExchange[];
  /** The absolute URL of a path. */
  url(host: string, path?: string): string;
  /** Paths requested from a host, in order. */
  paths(host: string): string[];
  /** Closes every connection and the server. */
  close(): Promise<void>;
}

/** Epoch milliseconds with fractions, monotonic. */
export function webNow(): number {
  return performance.timeOrigin + performance.now();
}

/** A plain text answer, as for robots.txt. */
export function text(body: string, headers: Readonly<Record<string, string>> = {}): ReplyParts {
  return { body, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } };
}

/** A page with links to these addresses. */
export function page(title: string, hrefs: readonly string[] = [], head = ''): string {
  const links = hrefs.map((href) => `<p><a href="${href}">${href}</a></p>`).join('\n');
  return `<!doctype html><html><head><title>${title}</title>${head}</head><body>\n${links}\n</body></html>`;
}

/** A redirect. */
export function redirect(location: string, status = 302, headers: Readonly<Record<string, string>> = {}): ReplyParts {
  return { status, headers: { location, ...headers } };
}

/** Starts a web on a free loopback port. The caller closes it. */
export async function startWeb(options: WebOptions): Promise<Web> {
  const now = options.nowMs ?? webNow;
  const log: WebExchange[] = [];
  const requestCounts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startMs = now();
    const authority = request.headers.host ?? '';
    const host = authority.replace(/:\d+$/, '');
    const path = request.url ?? '/';
    const key = `${host} ${path}`;
    const before = requestCounts.get(key) ?? 0;
    requestCounts.set(key, before + 1);
    const headers = flat(request);
    // The entry's index is reserved at the start, so that the log is in order of arrival.
    const index = log.length;
    const entry = {
      host,
      authority,
      path,
      method: request.method ?? '',
      userAgent: headers['user-agent'] ?? '',
      headers,
      startMs,
    };
    log.push({ ...entry, endMs: Number.POSITIVE_INFINITY, status: null });
    onEnd(response, (isAnswered) => {
      log[index] = {
        ...entry,
        endMs: now(),
        status: isAnswered || response.headersSent ? response.statusCode : null,
      };
    });
    const posted = entry.method === 'POST' ? { body: await textOfStream(request) } : {};
    const route = routeOf(options.hosts[host], path);
    const reply = typeof route === 'function' ? route({ host, path, headers, ...posted, before }) : route;
    answer(
      response,
      typeof reply === 'string' ? { body: reply, headers: { 'content-type': 'text/html; charset=utf-8' } } : reply,
    );
  };
  const { tls } = options;
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.keepAliveTimeout = 30_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    log,
    url: (host, path = '/') => `http${tls === undefined ? '' : 's'}://${host}:${port}${path}`,
    paths: (host) => log.filter((exchange) => exchange.host === host).map((exchange) => exchange.path),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function routeOf(routes: Routes | undefined, path: string): Route {
  return (
    routes?.[path] ?? routes?.['*'] ?? { status: 404, headers: { 'content-type': 'text/plain' }, body: 'not here' }
  );
}

function answer(response: ServerResponse, parts: ReplyParts): void {
  if (parts.misbehave === 'silent') return;
  if (parts.misbehave === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const body = typeof parts.body === 'string' ? Buffer.from(parts.body) : Buffer.from(parts.body ?? new Uint8Array());
  const send = (): void => {
    if (response.destroyed) return;
    if (parts.misbehave === 'cut') {
      response.writeHead(parts.status ?? 200, { ...parts.headers, 'content-length': String(body.length + 1000) });
      response.write(body, () => response.socket?.destroy());
      return;
    }
    response.writeHead(parts.status ?? 200, { ...parts.headers, 'content-length': String(body.length) });
    response.end(body);
  };
  if ((parts.delayMs ?? 0) > 0) setTimeout(send, parts.delayMs);
  else send();
}

function onEnd(response: ServerResponse, end: (isAnswered: boolean) => void): void {
  let isOver = false;
  const once = (isAnswered: boolean): void => {
    if (isOver) return;
    isOver = true;
    end(isAnswered);
  };
  response.once('finish', () => once(true));
  response.once('close', () => once(response.writableFinished));
}

function flat(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function listen(server: Server): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', done);
  });
}
