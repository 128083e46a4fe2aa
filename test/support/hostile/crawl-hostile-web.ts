// One crawl of all hostile scenarios at once, next to healthy hosts, and the result of each scenario.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { type CrawlReport, createUndiciFetcher, type HandledPage } from 'mannerly';
import { type CrawlStory, crawl } from '../crawl.js';
import { parseUrl } from '../parse-url.js';
import { page, type Routes, startWeb, text, type Web } from '../web.js';
import { TRUSTED } from './certificates.js';
import type { HostileScenario, ScenarioStory, SeenPage } from './scenario.js';
import { INSIDE_ADDRESS, startHostileWeb } from './server.js';

/** How many decoded bytes of a page these crawls keep. */
export const HOSTILE_BODY_BYTES = 200_000;

/**
 * Timeouts of these crawls, milliseconds. Servers and crawl share one event loop, and an honest answer must not exceed
 * them.
 */
const DEADLINES = { connectTimeoutMs: 8_000, headersTimeoutMs: 8_000, requestTimeoutMs: 10_000 } as const;

/** The bounds of the crawl. */
export interface HostileCrawlOptions {
  readonly scenarios: readonly HostileScenario[];
  /** The run ends when only hosts are left that wait longer than this. */
  readonly maxIdleMs: number;
  /** The bound on running time, minutes. */
  readonly minutes: number;
  /** The number of healthy hosts next to the hostile ones, and the pages of each. */
  readonly healthyHosts: number;
  readonly healthyPages: number;
  /** A factor for the timeouts. @default 1 */
  readonly timeoutFactor?: number;
}

/** The result of the crawl. */
export interface HostileCrawl {
  readonly report: CrawlReport;
  /** Milliseconds from the start of the crawl to its end. */
  readonly tookMs: number;
  readonly insideConnections: number;
  /** The number of healthy pages that were requested, and when the last was, milliseconds after the start. */
  readonly healthy: { readonly paths: number; readonly lastMs: number };
  readonly stories: ReadonlyMap<HostileScenario, ScenarioStory>;
}

/** Runs the crawl and closes every server. */
export async function crawlHostileWeb(options: HostileCrawlOptions): Promise<HostileCrawl> {
  const { scenarios, healthyHosts, healthyPages, timeoutFactor = 1 } = options;
  const hostile = await startHostileWeb(scenarios);
  const hosts = Array.from({ length: healthyHosts }, (_, index) => `healthy-${index}.test`);
  const healthy = await startWeb({ hosts: Object.fromEntries(hosts.map((host) => [host, healthySite(healthyPages)])) });
  const byHost = new Map(scenarios.flatMap((one) => hostile.hostsOf(one).map((host) => [host, one] as const)));
  const seeds = [...scenarios.map((scenario) => hostile.startUrl(scenario)), ...hosts.map((host) => healthy.url(host))];
  const pages: SeenPage[] = [];
  const reading = watchReading();
  const startedAt = performance.now();
  const startedAtMs = performance.timeOrigin + startedAt;
  try {
    const story = await crawl({
      seeds,
      scope: { seeds, within: 'list', hosts: [...byHost.keys(), ...hosts, INSIDE_ADDRESS] },
      bounds: { pages: 5_000, minutes: options.minutes },
      maxIdleMs: options.maxIdleMs,
      discover: { sitemaps: true },
      network: {
        connectTimeoutMs: DEADLINES.connectTimeoutMs * timeoutFactor,
        headersTimeoutMs: DEADLINES.headersTimeoutMs * timeoutFactor,
        requestTimeoutMs: DEADLINES.requestTimeoutMs * timeoutFactor,
        maxBodyBytes: HOSTILE_BODY_BYTES,
        // Allows single addresses: the forbidden one is in the same range.
        allowAddresses: ['127.0.0.1/32', '127.0.0.9/32'],
        resolve: async (name) => (byHost.has(name.replace(/\.$/, '')) ? hostile.resolve(name) : ['127.0.0.1']),
      },
      fetcher: createUndiciFetcher({ ca: TRUSTED }),
      handlers: (crawler) => {
        crawler.on('any', async (one) => {
          const { url, status, title, truncated } = one;
          pages.push({ url, status, title, truncated, maxBodyBytes: (await one.bytes()).length });
          await (byHost.get(new URL(one.url).hostname)?.handle ?? followAll)(one);
        });
      },
    });
    return {
      report: story.report,
      tookMs: performance.now() - startedAt,
      insideConnections: hostile.insideConnections(),
      healthy: healthyIn(healthy, startedAtMs),
      stories: new Map(
        scenarios.map((scenario) => {
          const names = hostile.hostsOf(scenario);
          return [
            scenario,
            {
              startUrl: hostile.startUrl(scenario),
              seen: hostile.seen(scenario),
              readBytes: reading.readBytes(hostile.clientPorts(scenario)),
              ...partOf({ ...story, pages }, names),
            },
          ];
        }),
      ),
    };
  } finally {
    reading.end();
    await hostile.close();
    await healthy.close();
  }
}

/** Counts the bytes that this process reads, by the local port of the connection. */
function watchReading(): { readBytes(ports: ReadonlySet<number>): number; end(): void } {
  const sockets: { readonly socket: Socket; port: number }[] = [];
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    const entry = { socket, port: 0 };
    sockets.push(entry);
    socket.once('connect', () => {
      entry.port = socket.localPort ?? 0;
    });
  };
  subscribe('net.client.socket', onSocket);
  return {
    readBytes: (ports) =>
      sockets.reduce((sum, { socket, port }) => (ports.has(port) ? sum + socket.bytesRead : sum), 0),
    end: () => void unsubscribe('net.client.socket', onSocket),
  };
}

async function followAll(one: HandledPage): Promise<void> {
  await one.emit({ url: one.url, truncated: one.truncated });
  await one.follow();
}

function healthySite(pages: number): Routes {
  const paths = Array.from({ length: pages }, (_, index) => `/p${index}`);
  return {
    '/robots.txt': text('User-agent: *\nDisallow:\n'),
    '/': page('start', paths),
    ...Object.fromEntries(paths.map((path) => [path, page(path)])),
  };
}

function healthyIn({ log }: Web, startedAtMs: number): HostileCrawl['healthy'] {
  const pages = log.filter(({ path, status }) => path !== '/robots.txt' && status === 200);
  return {
    paths: new Set(pages.map(({ host, path }) => host + path)).size,
    lastMs: Math.max(...pages.map(({ endMs }) => endMs)) - startedAtMs,
  };
}

function partOf(
  { decisions, requests, items, pages }: CrawlStory & Pick<ScenarioStory, 'pages'>,
  names: readonly string[],
): Pick<ScenarioStory, 'decisions' | 'requests' | 'items' | 'pages'> {
  const isOurs = (url: string): boolean => names.includes(parseUrl(url)?.hostname ?? '');
  return {
    decisions: decisions.filter(({ url }) => isOurs(url)),
    requests: requests.filter(({ url }) => isOurs(url)),
    items: items.filter(({ url }) => isOurs(url)),
    pages: pages.filter(({ url }) => isOurs(url)),
  };
}
