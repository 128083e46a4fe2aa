// The live view of a crawl: a page, a stream of what it shows, three buttons, and metrics where they are kept, served to the
// machine itself and to whoever knows the token. It asks nobody anything and knows nothing that the crawler's own interface
// does not tell: it is a user of it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { MannerlyError } from 'mannerly';
import { judgeAccess } from './access.js';
import { type DashboardOptions, type DashboardSettings, resolveDashboardOptions } from './dashboard-options.js';
import {
  DASHBOARD_CLOSE_MS,
  DASHBOARD_EVERY_MS,
  DASHBOARD_REQUEST_MS,
  MAX_DASHBOARD_CONNECTIONS,
  MAX_DASHBOARD_HEADER_BYTES,
} from './limits.js';
import { type DashboardPage, readPage } from './page-files.js';
import { createStreams, frameOf, type Streams } from './streams.js';
import { keepView, type ViewKeeper, type WatchedCrawl } from './view.js';

/** A dashboard that is open. */
export interface Dashboard {
  /** The address with its token: for the operator's eyes. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Tells those who look on how it ended, and stops listening, within a second. A second call does nothing. */
  close(): Promise<void>;
}

/** What one request is answered with. */
interface Parts {
  readonly crawl: WatchedCrawl;
  readonly settings: DashboardSettings;
  readonly page: DashboardPage;
  readonly view: ViewKeeper;
  readonly streams: Streams;
}

/**
 * Opens a dashboard for a crawler, before or during its run. The caller closes it; a run that ends leaves it open, so that its
 * end can be read.
 *
 * @example
 * ```ts
 * const dashboard = await createDashboard(crawler);
 * console.error(`Live view: ${dashboard.url}`);
 * await crawler.run({ out: 'tidepools' }).finally(() => dashboard.close());
 * ```
 * @throws MannerlyError `option-unknown`, `option-invalid`; `dashboard-failed` where it cannot listen.
 */
export async function createDashboard(crawl: WatchedCrawl, options: DashboardOptions = {}): Promise<Dashboard> {
  const settings = resolveDashboardOptions(options);
  const page = await readPage();
  const streams = createStreams(() => performance.now());
  const view = keepView(crawl, settings.controls);
  const parts: Parts = { crawl, settings, page, view, streams };
  const server = createServer(
    {
      maxHeaderSize: MAX_DASHBOARD_HEADER_BYTES,
      requestTimeout: DASHBOARD_REQUEST_MS,
      headersTimeout: DASHBOARD_REQUEST_MS,
      joinDuplicateHeaders: true,
    },
    (request, response) => {
      answer(parts, request, response).catch(() => {
        // Metrics that cannot be read, usually; the crawl goes on whatever happens here.
        if (response.headersSent) response.destroy();
        else sendText(response, 500, 'This could not be read.');
      });
    },
  );
  server.maxConnections = MAX_DASHBOARD_CONNECTIONS;
  try {
    await listen(server, settings);
  } catch (error) {
    view.close();
    throw listenFailed(settings, error);
  }
  view.sample();
  const timer = setInterval(() => {
    view.sample();
    if (streams.count() > 0) streams.send('view', JSON.stringify(view.read()));
  }, DASHBOARD_EVERY_MS);
  // A crawl that is over does not go on because somebody might look.
  timer.unref();
  const { port } = server.address() as AddressInfo;
  const name = isIPv6(settings.host) ? `[${settings.host}]` : settings.host;
  let closing: Promise<void> | null = null;
  return {
    url: `http://${name}:${port}/?token=${settings.token}`,
    port,
    token: settings.token,
    close() {
      closing ??= closeAll(server, timer, parts);
      return closing;
    },
  };
}

/** One request, whoever it comes from. */
async function answer(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { settings } = parts;
  for (const [field, value] of FIELDS) response.setHeader(field, value);
  // Nothing that is asked here has a body: one that comes is not read.
  if (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0) {
    response.setHeader('Connection', 'close');
    return sendText(response, 413, 'Nothing here takes a body.');
  }
  const target = new URL(`http://dashboard${pathOf(request.url)}`);
  const { host, origin, authorization } = request.headers;
  const secFetchSite = request.headers['sec-fetch-site'];
  const access = judgeAccess(
    {
      method: request.method ?? '',
      host,
      origin,
      authorization,
      secFetchSite: typeof secFetchSite === 'string' ? secFetchSite : undefined,
      queryToken: target.searchParams.get('token'),
      localAddress: request.socket.localAddress ?? '',
    },
    settings,
  );
  if (access.kind === 'out') return sendText(response, access.status, access.says);
  if (request.method === 'GET') return show(parts, target.pathname, response);
  if (request.method === 'POST' && settings.controls) return act(parts, target.pathname, response);
  return sendText(response, 405, 'This cannot be done here.');
}

/** What can be looked at. */
async function show({ page, view, streams, settings }: Parts, path: string, response: ServerResponse): Promise<void> {
  switch (path) {
    case '/':
      response.setHeader('Content-Security-Policy', page.policy);
      return send(response, 200, 'text/html; charset=utf-8', page.html);
    case '/view':
      return send(response, 200, 'application/json', JSON.stringify(view.read()));
    case '/events':
      if (!streams.add(response)) return sendText(response, 503, 'Too many are looking on already.');
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`retry: ${DASHBOARD_EVERY_MS * 2}\n\n${frameOf('view', JSON.stringify(view.read()))}`);
      return;
    case '/metrics':
      if (settings.metrics === null) return sendText(response, 404, 'No metrics are kept: see docs/metrics.md.');
      return send(response, 200, settings.metrics.contentType, await settings.metrics.metrics());
    default:
      return sendText(response, 404, 'There is nothing here.');
  }
}

/** What can be done. The answer is the view, and everybody who looks on gets it too. */
function act({ crawl, view, streams }: Parts, path: string, response: ServerResponse): void {
  const verb = VERBS.get(path);
  if (verb === undefined) {
    sendText(response, 404, 'There is nothing here.');
    return;
  }
  verb(crawl);
  const now = JSON.stringify(view.read());
  streams.send('view', now);
  send(response, 200, 'application/json', now);
}

const VERBS: ReadonlyMap<string, (crawl: WatchedCrawl) => void> = new Map([
  ['/pause', (crawl: WatchedCrawl) => crawl.pause()],
  ['/resume', (crawl: WatchedCrawl) => crawl.resume()],
  // Stopping a second time would cut off what is in hand; a button that is pressed twice does not mean that.
  ['/stop', (crawl: WatchedCrawl) => (crawl.activity({ limit: 0 }).phase === 'stopping' ? undefined : crawl.stop())],
]);

/** On every answer: nothing is kept, framed, sniffed, or told to another site. */
const FIELDS: readonly (readonly [field: string, value: string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
];

/** Only the path and the query, whatever form the request line had. After an authority of ours every path makes a URL. */
function pathOf(target: string | undefined): string {
  return target?.startsWith('/') === true ? target : '/nothing';
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function sendText(response: ServerResponse, status: number, says: string): void {
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  send(response, status, 'text/plain; charset=utf-8', `${says}\n`);
}

function listen(server: Server, { port, host }: DashboardSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function listenFailed({ host, port }: DashboardSettings, cause: unknown): MannerlyError {
  const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new MannerlyError('dashboard-failed', `the dashboard cannot listen at ${host}, port ${port}: ${why}`, {
    hint:
      why === 'EADDRINUSE'
        ? 'Something listens there already: name another port, or 0 for any.'
        : 'Name another port or address.',
    cause,
  });
}

async function closeAll(server: Server, timer: NodeJS.Timeout, { view, streams }: Parts): Promise<void> {
  clearInterval(timer);
  streams.send('view', JSON.stringify(view.read()));
  streams.send('end', '{}');
  streams.close();
  view.close();
  await new Promise<void>((resolve) => {
    // Whoever does not read its last frame does not keep us.
    const last = setTimeout(() => server.closeAllConnections(), DASHBOARD_CLOSE_MS);
    server.close(() => {
      clearTimeout(last);
      resolve();
    });
    server.closeIdleConnections();
  });
}
