// The live view of a crawl: a page, a stream of its data, three buttons, metrics if there are any, and the HTTP API if
// it is wanted. It makes no request, and uses only the crawler's public interface.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import { MannerlyError } from 'mannerly';
import { checkMembers } from '../call-options.js';
import { isError } from '../errors.js';
import { buildPage } from '../report/page/build-page.js';
import { accessRefusal } from './access.js';
import { ACTIONS, API_PATH, type ApiAnswer, type ApiCrawl, createApi, problem } from './api.js';
import { type DashboardOptions, type ResolvedDashboardOptions, resolveDashboardOptions } from './dashboard-options.js';
import {
  DASHBOARD_CLOSE_MS,
  DASHBOARD_INTERVAL_MS,
  DASHBOARD_REQUEST_MS,
  MAX_API_BODY_BYTES,
  MAX_DASHBOARD_CONNECTIONS,
  MAX_DASHBOARD_HEADER_BYTES,
  MAX_DROPPED_BODY_BYTES,
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

/** As `createDashboard`, for an object like a crawler. @param apiCrawl - What the HTTP API serves, if there is one. */
export async function serveView(
  crawl: WatchedCrawl,
  given: DashboardOptions,
  apiCrawl: ApiCrawl | null = null,
): Promise<Dashboard> {
  const page = await buildPage('dashboard', { directives: ["connect-src 'self'", "frame-ancestors 'none'"] });
  const options = resolveDashboardOptions(given);
  const { host, token, controls } = options;
  const api = options.api === null || apiCrawl === null ? null : createApi(apiCrawl, options.api, controls);
  const view = createView(crawl, controls);
  const streams = createStreams(() => performance.now());
  const viewJson = (): string => JSON.stringify(view.read());
  const routes = routesOf(crawl, options, page, streams, viewJson);
  const site: Site = { options, api, routes, streams, viewJson };
  const server = createViewServer((request, response, unauthenticated) =>
    answer(site, request, response, () => unauthenticated.delete(request.socket)),
  );
  const port = await listen(server, options).catch((error: unknown) => {
    view.close();
    throw error;
  });
  view.sample();
  const timer = setInterval(() => {
    view.sample();
    if (streams.count() > 0) streams.send('view', viewJson());
  }, DASHBOARD_INTERVAL_MS);
  // An open dashboard does not keep the process alive.
  timer.unref();
  const closeOnce = async (): Promise<void> => {
    clearInterval(timer);
    streams.send('view', viewJson());
    streams.send('end', '{}');
    streams.close();
    view.close();
    await closeServer(server);
  };
  let closing: Promise<void> | null = null;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}/?token=${token}`,
    port,
    token,
    close() {
      closing ??= closeOnce();
      return closing;
    },
  };
}

interface Site {
  readonly options: ResolvedDashboardOptions;
  readonly api: ReturnType<typeof createApi> | null;
  readonly routes: ReturnType<typeof routesOf>;
  readonly streams: ReturnType<typeof createStreams>;
  readonly viewJson: () => string;
}

/** Answers a request. @param onAccess - Called if it has the token. */
async function answer(
  { options, api, routes, streams, viewJson }: Site,
  request: IncomingMessage,
  response: ServerResponse,
  onAccess: () => void,
): Promise<void> {
  const call = readCall(request, api !== null);
  const { method, path, isApiRequest, hasBody } = call;
  const refuse = (status: number, message: string): void => {
    // The body is not read.
    if (hasBody) response.setHeader('Connection', 'close');
    send(response, (isApiRequest ? problem : text)(status, message));
  };
  if (hasBody && !call.takesBody) return refuse(413, 'No body is taken here.');
  const refusal = accessRefusal(call, options);
  if (refusal !== null) return refuse(...refusal);
  onAccess();
  if (api !== null && isApiRequest) {
    const answered = await api.answer(call);
    if (hasBody && !request.complete) response.setHeader('Connection', 'close');
    send(response, answered);
  } else if (method === 'GET' && path === '/events' && streams.add(response)) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`retry: ${DASHBOARD_INTERVAL_MS * 2}\n\n${frameOf('view', viewJson())}`);
  } else if (method === 'GET' || (method === 'POST' && options.controls)) {
    send(response, (await routes.get(`${method} ${path}`)?.()) ?? text(404, 'There is nothing here.'));
  } else send(response, text(405, 'This cannot be done here.'));
}

/** The answers by method and path. Those to buttons are the view, which all open pages also get. */
function routesOf(
  crawl: WatchedCrawl,
  { controls, metrics }: ResolvedDashboardOptions,
  { html, policy }: Awaited<ReturnType<typeof buildPage>>,
  streams: ReturnType<typeof createStreams>,
  viewJson: () => string,
): ReadonlyMap<string, () => ApiAnswer | Promise<ApiAnswer>> {
  const ok = (type: string, body: string, fields = {}): ApiAnswer => ({ status: 200, type, body, fields });
  const routes = new Map<string, () => ApiAnswer | Promise<ApiAnswer>>([
    ['GET /', () => ok('text/html; charset=utf-8', html, { 'Content-Security-Policy': policy })],
    ['GET /view', () => ok('application/json', viewJson())],
    ['GET /events', () => text(503, 'Too many clients watch already.')],
    [
      'GET /metrics',
      async () =>
        metrics === null
          ? text(404, 'No metrics are kept: start it with --metrics, or give it `metrics`.')
          : ok(metrics.contentType, await metrics.metrics()),
    ],
  ]);
  for (const [name, { act }] of Object.entries(controls ? ACTIONS : {})) {
    routes.set(`POST /${name}`, () => {
      act(crawl);
      const body = viewJson();
      streams.send('view', body);
      return ok('application/json', body);
    });
  }
  return routes;
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

/** A server with bounds. @param answer - Removes connections that have sent the token from the set. */
function createViewServer(
  answer: (request: IncomingMessage, response: ServerResponse, unauthenticated: Set<Socket>) => Promise<void>,
): Server {
  /** Connections that have not sent the token yet, in the order of arrival. */
  const unauthenticated = new Set<Socket>();
  const limits = {
    maxHeaderSize: MAX_DASHBOARD_HEADER_BYTES,
    requestTimeout: DASHBOARD_REQUEST_MS,
    headersTimeout: DASHBOARD_REQUEST_MS,
    joinDuplicateHeaders: true,
  };
  const server = createServer(limits, (request, response) => {
    for (const [field, value] of SECURITY_HEADERS) response.setHeader(field, value);
    answer(request, response, unauthenticated).catch(() => {
      // Usually metrics that cannot be read; the crawl continues whatever happens here.
      if (response.headersSent) response.destroy();
      else send(response, text(500, 'This could not be read.'));
    });
  });
  server.maxConnections = MAX_DASHBOARD_CONNECTIONS;
  server.on('connection', (socket) => {
    unauthenticated.add(socket);
    socket.once('close', () => unauthenticated.delete(socket));
    // Slow connections without the token are closed for new ones, so that they never keep the operator out.
    const [oldest] = unauthenticated.size > MAX_UNAUTHENTICATED_CONNECTIONS ? unauthenticated : [];
    oldest?.destroy();
  });
  return server;
}

/** @returns The port. @throws MannerlyError `dashboard-failed` */
async function listen(server: Server, { host, port }: ResolvedDashboardOptions): Promise<number> {
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    const reason = isError(cause) && 'code' in cause ? String(cause.code) : String(cause);
    const message = `the dashboard cannot listen at ${host}, port ${port}: ${reason}`;
    const advice = 'Something listens there already: name another port, or 0 for any.';
    const hint = reason === 'EADDRINUSE' ? advice : 'Name another port or address.';
    throw new MannerlyError('dashboard-failed', message, { hint, cause });
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A client that does not read its last frame is disconnected.
    const last = setTimeout(() => server.closeAllConnections(), DASHBOARD_CLOSE_MS);
    server.close(() => {
      clearTimeout(last);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What a request says. Only the path and the query count, whatever form its target had. */
function readCall(request: IncomingMessage, hasApi: boolean) {
  const { method = '', url = '', headers, socket } = request;
  const { pathname: path, searchParams: query } = new URL(`http://dashboard${url.startsWith('/') ? url : '/nothing'}`);
  const isApiRequest = hasApi && (path === API_PATH || path.startsWith(`${API_PATH}/`));
  const bodyBytes = Number(headers['content-length'] ?? 0);
  return {
    method,
    path,
    query,
    isApiRequest,
    hasBody: headers['transfer-encoding'] !== undefined || bodyBytes > 0,
    takesBody: isApiRequest && method === 'POST',
    contentType: headers['content-type'],
    body: async () => (bodyBytes > MAX_DROPPED_BODY_BYTES ? null : bodyOf(request)),
    host: headers.host,
    origin: headers.origin,
    secFetchSite: headers['sec-fetch-site']?.toString(),
    authorization: headers.authorization,
    queryToken: query.get('token'),
    localAddress: socket.localAddress ?? '',
  };
}

/** The body as a text; `null` if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_DROPPED_BODY_BYTES) return null;
    if (bytes <= MAX_API_BODY_BYTES) chunks.push(chunk as Buffer);
    else chunks.length = 0;
  }
  return bytes > MAX_API_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

function text(status: number, message: string): ApiAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${message}\n` };
}

function send(response: ServerResponse, { status, type, body, fields }: ApiAnswer): void {
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  response.writeHead(status, { ...fields, 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
