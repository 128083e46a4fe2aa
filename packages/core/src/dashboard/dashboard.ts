// The live view of a crawl: a page, a stream of its data, three buttons, metrics if there are any, and the HTTP API if
// it is wanted. It makes no request, and uses only the crawler's public interface.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import { MannerlyError } from 'mannerly';
import { checkMembers } from '../call-options.js';
import { buildPage } from '../report/page/build-page.js';
import { checkAccess } from './access.js';
import { ACTIONS, API_PATH, type ApiAnswer, type ApiCrawl, createApi, problem } from './api.js';
import { type DashboardOptions, type ResolvedDashboardOptions, resolveDashboardOptions } from './dashboard-options.js';
import {
  DASHBOARD_CLOSE_MS,
  DASHBOARD_INTERVAL_MS,
  DASHBOARD_REQUEST_MS,
  MAX_API_BODY_BYTES,
  MAX_DASHBOARD_CONNECTIONS,
  MAX_DASHBOARD_HEADER_BYTES,
  MAX_UNAUTHENTICATED_CONNECTIONS,
} from './limits.js';
import { createStreams, frameOf } from './streams.js';
import { createView, type WatchedCrawl } from './view.js';

/** An open dashboard. */
export interface Dashboard {
  /** The address with its token: only for the operator. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Sends the last view to open pages, and stops listening within a second. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Opens a dashboard for a crawler, before or during its run. The caller closes it; it stays open after the run, so that
 * its end can be read.
 *
 * @example
 * ```ts
 * const dashboard = await createDashboard(crawler);
 * console.error(`Live view: ${dashboard.url}`);
 * await crawler.run({ out: 'tidepools' }).finally(() => dashboard.close());
 * ```
 * @throws MannerlyError `option-unknown`, `option-invalid`; `dashboard-failed` if it cannot listen.
 */
export async function createDashboard(
  crawl: WatchedCrawl & ApiCrawl,
  options: DashboardOptions = {},
): Promise<Dashboard> {
  checkMembers('createDashboard', 'called with a crawler', crawl, 'events', 'progress', 'activity');
  return serveView(crawl, options, crawl);
}

/** As `createDashboard`, for an object like a crawler. @param api - What the HTTP API serves, if there is one. */
export async function serveView(
  crawl: WatchedCrawl,
  options: DashboardOptions,
  api: ApiCrawl | null = null,
): Promise<Dashboard> {
  const page = await buildPage('dashboard', { directives: ["connect-src 'self'", "frame-ancestors 'none'"] });
  const server = new DashboardServer(crawl, resolveDashboardOptions(options), page, api);
  await server.listen();
  return server;
}

/** For every answer: nothing is stored, framed, sniffed, or sent to another site as a referrer. */
const SECURITY_HEADERS: readonly (readonly [field: string, value: string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
];

class DashboardServer implements Dashboard {
  /** Known once it listens. */
  port = 0;
  readonly #crawl: WatchedCrawl;
  readonly #options: ResolvedDashboardOptions;
  readonly #page: Awaited<ReturnType<typeof buildPage>>;
  readonly #api: ReturnType<typeof createApi> | null;
  readonly #view: ReturnType<typeof createView>;
  readonly #streams = createStreams(() => performance.now());
  readonly #server: Server;
  /** Connections that have not sent the token yet, in the order of arrival. */
  readonly #unauthenticated = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | null = null;

  constructor(
    crawl: WatchedCrawl,
    options: ResolvedDashboardOptions,
    page: Awaited<ReturnType<typeof buildPage>>,
    api: ApiCrawl | null,
  ) {
    this.#crawl = crawl;
    this.#options = options;
    this.#page = page;
    this.#api = options.api === null || api === null ? null : createApi(api, options.api, options.controls);
    this.#view = createView(crawl, options.controls);
    this.#server = createServer(
      {
        maxHeaderSize: MAX_DASHBOARD_HEADER_BYTES,
        requestTimeout: DASHBOARD_REQUEST_MS,
        headersTimeout: DASHBOARD_REQUEST_MS,
        joinDuplicateHeaders: true,
      },
      (request, response) => {
        this.#answer(request, response).catch(() => {
          // Usually metrics that cannot be read; the crawl continues whatever happens here.
          if (response.headersSent) response.destroy();
          else send(response, text(500, 'This could not be read.'));
        });
      },
    );
    this.#server.maxConnections = MAX_DASHBOARD_CONNECTIONS;
    this.#server.on('connection', (socket) => {
      this.#unauthenticated.add(socket);
      socket.once('close', () => this.#unauthenticated.delete(socket));
      // Slow connections without the token are closed for new ones, so that they never keep the operator out.
      const [oldest] = this.#unauthenticated.size > MAX_UNAUTHENTICATED_CONNECTIONS ? this.#unauthenticated : [];
      oldest?.destroy();
    });
  }

  get url(): string {
    const { host, token } = this.#options;
    return `http://${isIPv6(host) ? `[${host}]` : host}:${this.port}/?token=${token}`;
  }

  get token(): string {
    return this.#options.token;
  }

  async listen(): Promise<void> {
    const { host, port } = this.#options;
    try {
      this.#server.listen({ port, host, exclusive: true });
      await once(this.#server, 'listening');
      this.port = (this.#server.address() as AddressInfo).port;
    } catch (cause) {
      this.#view.close();
      const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
      const message = `the dashboard cannot listen at ${host}, port ${port}: ${reason}`;
      const advice = 'Something listens there already: name another port, or 0 for any.';
      const hint = reason === 'EADDRINUSE' ? advice : 'Name another port or address.';
      throw new MannerlyError('dashboard-failed', message, { hint, cause });
    }
    this.#view.sample();
    this.#timer = setInterval(() => {
      this.#view.sample();
      if (this.#streams.count() > 0) this.#streams.send('view', this.#json());
    }, DASHBOARD_INTERVAL_MS);
    // An open dashboard does not keep the process alive.
    this.#timer.unref();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    this.#streams.send('view', this.#json());
    this.#streams.send('end', '{}');
    this.#streams.close();
    this.#view.close();
    await new Promise<void>((resolve) => {
      // A client that does not read its last frame is disconnected.
      const last = setTimeout(() => this.#server.closeAllConnections(), DASHBOARD_CLOSE_MS);
      this.#server.close(() => {
        clearTimeout(last);
        resolve();
      });
      this.#server.closeIdleConnections();
    });
  }

  #json(): string {
    return JSON.stringify(this.#view.read());
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [field, value] of SECURITY_HEADERS) response.setHeader(field, value);
    const { pathname, searchParams } = targetOf(request.url);
    const { method = '', headers, socket } = request;
    const api = pathname === API_PATH || pathname.startsWith(`${API_PATH}/`) ? this.#api : null;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const takesBody = api !== null && method === 'POST' && Number(headers['content-length'] ?? 0) <= MAX_API_BODY_BYTES;
    // The body is not read.
    const refuse = (status: number, message: string): void => {
      if (hasBody) response.setHeader('Connection', 'close');
      send(response, (api === null ? text : problem)(status, message));
    };
    if (hasBody && !takesBody) return refuse(413, 'A body is too long, or not taken here.');
    const { host, origin, authorization } = headers;
    const secFetchSite = headers['sec-fetch-site']?.toString();
    const accessRequest = {
      method,
      host,
      origin,
      authorization,
      secFetchSite,
      localAddress: socket.localAddress ?? '',
    };
    const isApiRequest = api !== null;
    const access = checkAccess(
      { ...accessRequest, queryToken: searchParams.get('token'), isApiRequest },
      this.#options,
    );
    if (access.kind === 'deny') return refuse(access.status, access.message);
    this.#unauthenticated.delete(socket);
    if (api !== null) {
      const contentType = headers['content-type'];
      const body = (): Promise<string | null> => bodyOf(request);
      const answer = await api.answer({ method, path: pathname, query: searchParams, contentType, body });
      if (hasBody && !request.complete) response.setHeader('Connection', 'close');
      return send(response, answer);
    }
    if (method === 'GET' && pathname === '/events' && this.#streams.add(response)) return this.#stream(response);
    if (method === 'GET') return send(response, await this.#respond(pathname, response));
    if (method === 'POST' && this.#options.controls) return send(response, this.#perform(pathname));
    return send(response, text(405, 'This cannot be done here.'));
  }

  async #respond(path: string, response: ServerResponse): Promise<ApiAnswer> {
    const { metrics } = this.#options;
    switch (path) {
      case '/':
        response.setHeader('Content-Security-Policy', this.#page.policy);
        return { status: 200, type: 'text/html; charset=utf-8', body: this.#page.html };
      case '/view':
        return { status: 200, type: 'application/json', body: this.#json() };
      case '/events':
        return text(503, 'Too many clients watch already.');
      case '/metrics':
        if (metrics === null) return text(404, 'No metrics are kept: start it with --metrics, or give it `metrics`.');
        return { status: 200, type: metrics.contentType, body: await metrics.metrics() };
      default:
        return text(404, NOT_FOUND_TEXT);
    }
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`retry: ${DASHBOARD_INTERVAL_MS * 2}\n\n${frameOf('view', this.#json())}`);
  }

  /** Pauses, resumes or stops. The answer is the view, which all open pages also get. */
  #perform(path: string): ApiAnswer {
    const action = ACTIONS.get(path.slice(1));
    if (action === undefined) return text(404, NOT_FOUND_TEXT);
    action(this.#crawl);
    const body = this.#json();
    this.#streams.send('view', body);
    return { status: 200, type: 'application/json', body };
  }
}

const NOT_FOUND_TEXT = 'There is nothing here.';

/** Only the path and the query count, whatever form the request line had. */
function targetOf(target: string | undefined): URL {
  return new URL(`http://dashboard${target?.startsWith('/') === true ? target : '/nothing'}`);
}

/** The body as a text; `null` if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_API_BODY_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function text(status: number, message: string): ApiAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${message}\n` };
}

function send(response: ServerResponse, { status, type, body, allow }: ApiAnswer): void {
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (allow !== undefined) response.setHeader('Allow', allow);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
