// The live view of `mannerly crawl --dashboard`, its metrics, and the HTTP API of `mannerly serve`.

import { isIP } from 'node:net';
import type { Registry } from 'prom-client';
import type { Crawler } from '../crawler.js';
import type { Dashboard } from '../dashboard/dashboard.js';
import type { DashboardOptions, MetricsSource } from '../dashboard/dashboard-options.js';
import type { WatchedCrawl } from '../dashboard/view.js';
import type { MetricFamily } from '../metrics/joined-metrics.js';
import { loadPeer } from '../optional-peer.js';
import { present } from '../present.js';
import type { CrawlFlags } from './crawl-flags.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';
import type { WorkerPool } from './workers/worker-pool.js';

/** The variable with the token of the dashboard, so that a reader of metrics can use it over several runs. */
const TOKEN_VARIABLE = 'MANNERLY_DASHBOARD_TOKEN';

/**
 * Opens the dashboard that the flags request; `null`: none. The caller closes it.
 *
 * @param out - The crawl directory, whose logs the API reports.
 * @throws UsageError, MannerlyError
 */
export async function openDashboard(
  crawler: Crawler,
  { dashboard, listen, listenName = [], metrics = false }: CrawlFlags,
  out: string,
  io: CliIo,
): Promise<Dashboard | null> {
  if (dashboard === undefined && listen === undefined) return refuseMetricsAlone(metrics);
  const { createDashboard } = await import('../dashboard/dashboard.js');
  const opened = await createDashboard(crawler, {
    ...(listen === undefined
      ? { port: dashboard === true ? 0 : (dashboard ?? 0) }
      : { ...addressOf(listen), hostNames: listenName, api: { out } }),
    ...tokenOption(),
    ...(metrics ? { metrics: await metricsOf(crawler) } : {}),
  });
  tellAddress(opened, io);
  if (listen !== undefined) {
    const { origin, search } = new URL(opened.url);
    io.err(`HTTP API:  ${origin}/api${search} (for programs: Authorization: Bearer ${opened.token})`);
  }
  return opened;
}

function tellAddress({ url }: Dashboard, io: CliIo): void {
  io.err(`Live view: ${url}`);
  if (!/^(?:127\.|\[::1\])/.test(new URL(url).hostname)) io.err(OPEN_TO_OTHERS);
}

/** @throws UsageError */
function refuseMetricsAlone(metrics: boolean): null {
  if (!metrics) return null;
  throw new UsageError('--metrics needs --dashboard, which serves them', 'Add --dashboard, or leave --metrics out.');
}

const OPEN_TO_OTHERS =
  'Warning: other machines can connect, and the token travels unencrypted. Put a proxy with TLS before it.';

/** Where to listen: `8080`, `0.0.0.0:8080`, `[::1]:8080`. @throws UsageError */
export function addressOf(listen: string): { readonly host?: string; readonly port: number } {
  const found = /^(?:(?:\[([\da-f:.]+)\]|([\d.]+)):)?(\d{1,5})$/i.exec(listen);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  if (found === null || port > 65_535 || (host !== undefined && isIP(host) === 0)) {
    const hint = 'Write --listen 8080 for this machine, or --listen 0.0.0.0:8080 for all.';
    throw new UsageError(`--listen takes a port, or an IP address and a port, not "${listen}"`, hint);
  }
  return { port, ...present({ host }) };
}

/** The live view of workers; `null`: none is wanted. The caller closes it. @throws UsageError, MannerlyError */
export async function openWorkersDashboard(
  crawl: WatchedCrawl,
  pool: Pick<WorkerPool, 'workers'>,
  { dashboard, metrics = false }: CrawlFlags,
  io: CliIo,
): Promise<Dashboard | null> {
  if (dashboard === undefined) return refuseMetricsAlone(metrics);
  const families = () => new Map(pool.workers().map((worker) => [worker.name, worker.metrics]));
  return serve(crawl, { port: dashboard === true ? 0 : dashboard }, metrics ? families : null, io);
}

/** Serves the live view of a crawl of several processes, and their metrics. @throws MannerlyError */
export async function serve(
  crawl: WatchedCrawl,
  options: DashboardOptions,
  families: (() => ReadonlyMap<string, readonly MetricFamily[]>) | null,
  io: CliIo,
): Promise<Dashboard> {
  const { serveView } = await import('../dashboard/dashboard.js');
  const opened = await serveView(crawl, {
    ...options,
    ...tokenOption(),
    ...(families === null ? {} : { metrics: await joinedSource(families) }),
  });
  tellAddress(opened, io);
  return opened;
}

async function joinedSource(families: () => ReadonlyMap<string, readonly MetricFamily[]>): Promise<MetricsSource> {
  const { AggregatorRegistry, Registry } = await loadPeer<typeof import('prom-client')>('prom-client', '--metrics');
  const { joinedMetrics } = await import('../metrics/joined-metrics.js');
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    metrics: () => joinedMetrics(AggregatorRegistry, families()),
  };
}

function tokenOption(): { readonly token?: string } {
  const token = process.env[TOKEN_VARIABLE];
  return token === undefined || token === '' ? {} : { token };
}

/** A registry with the metrics of a crawl of this process. */
export async function metricsOf(crawler: Crawler): Promise<Registry> {
  const { Registry } = await loadPeer<typeof import('prom-client')>('prom-client', '--metrics');
  const { createPrometheusMetrics } = await import('../metrics/prometheus.js');
  const registry = new Registry();
  createPrometheusMetrics(crawler, { registry });
  return registry;
}
