// The live view from the command line: of a crawl in this process, of its workers, or of a crawl on a server, with
// their metrics; and the HTTP API of `mannerly serve`.

import { isIP } from 'node:net';
import type { Registry } from 'prom-client';
import type { Crawler } from '../crawler.js';
import type { ApiCrawl } from '../dashboard/api.js';
import type { Dashboard } from '../dashboard/dashboard.js';
import type { MetricsSource } from '../dashboard/dashboard-options.js';
import type { WatchedCrawl } from '../dashboard/view.js';
import type { MetricFamily } from '../metrics/combine-metrics.js';
import { loadPeer } from '../optional-peer.js';
import { present } from '../present.js';
import type { CrawlFlags } from './crawl-flags.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';

/**
 * The environment variable with the token of the dashboard, so that a reader of metrics can keep it over several runs.
 */
const TOKEN_VARIABLE = 'MANNERLY_DASHBOARD_TOKEN';

const PUBLIC_ADDRESS_WARNING =
  'Warning: other machines can connect, and the token travels unencrypted. Put a proxy with TLS before it.';

/**
 * Opens the dashboard that the flags request; `null` if they request none. The caller closes it.
 * @param source - The source of its metrics, if they are wanted.
 * @param api - Served if the flags say where to listen; `out` is the crawl directory, whose logs it reports. @default
 *   none
 * @throws UsageError, MannerlyError
 */
export async function openDashboard(
  crawl: WatchedCrawl,
  flags: Pick<CrawlFlags, 'dashboard' | 'listen' | 'listenName' | 'metrics'>,
  source: () => Promise<MetricsSource>,
  io: CliIo,
  api: { readonly crawl: ApiCrawl; readonly out: string } | null = null,
): Promise<Dashboard | null> {
  const { dashboard, listen, listenName = [], metrics = false } = flags;
  if (dashboard === undefined && listen === undefined) {
    if (!metrics) return null;
    throw new UsageError('--metrics needs --dashboard, which serves them', 'Add --dashboard, or leave --metrics out.');
  }
  const { serveView } = await import('../dashboard/dashboard.js');
  const token = process.env[TOKEN_VARIABLE] || undefined;
  const hasApi = listen !== undefined && api !== null;
  const opened = await serveView(
    crawl,
    {
      ...(listen === undefined ? { port: dashboard === true ? 0 : (dashboard ?? 0) } : addressOf(listen)),
      hostNames: listenName,
      ...(hasApi ? { api: { out: api.out } } : {}),
      ...(metrics ? { metrics: await source() } : {}),
      ...present({ token }),
    },
    hasApi ? api.crawl : null,
  );
  io.err(`Live view: ${opened.url}`);
  const { origin, hostname, search } = new URL(opened.url);
  if (!/^(?:127\.|\[::1\])/.test(hostname)) io.err(PUBLIC_ADDRESS_WARNING);
  if (hasApi) io.err(`HTTP API:  ${origin}/api${search} (for programs: Authorization: Bearer ${opened.token})`);
  return opened;
}

/** Where to listen: `8080`, `0.0.0.0:8080`, `[::1]:8080`. @throws UsageError */
function addressOf(listen: string): { readonly host?: string; readonly port: number } {
  const found = /^(?:(?:\[([\da-f:.]+)\]|([\d.]+)):)?(\d{1,5})$/i.exec(listen);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  if (found === null || port > 65_535 || (host !== undefined && isIP(host) === 0)) {
    const hint = 'Write --listen 8080 for this machine, or --listen 0.0.0.0:8080 for all.';
    throw new UsageError(`--listen takes a port, or an IP address and a port, not "${listen}"`, hint);
  }
  return { port, ...present({ host }) };
}

/** The metrics of several processes, by their names. @throws MannerlyError `peer-missing` */
export async function combinedSource(
  families: () => ReadonlyMap<string, readonly MetricFamily[]>,
): Promise<MetricsSource> {
  const { AggregatorRegistry, Registry } = await loadPeer<typeof import('prom-client')>('prom-client', '--metrics');
  const { combineMetrics } = await import('../metrics/combine-metrics.js');
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    metrics: () => combineMetrics(AggregatorRegistry, families()),
  };
}

/** A registry with the metrics of a crawl in this process. @throws MannerlyError `peer-missing` */
export async function metricsOf(crawler: Crawler): Promise<Registry> {
  const { Registry } = await loadPeer<typeof import('prom-client')>('prom-client', '--metrics');
  const { createPrometheusMetrics } = await import('../metrics/prometheus.js');
  const registry = new Registry();
  createPrometheusMetrics(crawler, { registry });
  return registry;
}
