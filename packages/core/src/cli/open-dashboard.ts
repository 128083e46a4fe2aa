// The live view of `mannerly crawl --dashboard`, its metrics, and the HTTP API of `mannerly serve`.

import { isIP } from 'node:net';
import type { Crawler } from '../crawler.js';
import type { Dashboard } from '../dashboard/dashboard.js';
import type { MetricsSource } from '../dashboard/dashboard-options.js';
import { loadPeer } from '../optional-peer.js';
import type { CrawlFlags } from './crawl-flags.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';

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
  if (dashboard === undefined && listen === undefined) {
    if (!metrics) return null;
    throw new UsageError('--metrics needs --dashboard, which serves them', 'Add --dashboard, or leave --metrics out.');
  }
  const { createDashboard } = await import('../dashboard/dashboard.js');
  const token = process.env[TOKEN_VARIABLE];
  const opened = await createDashboard(crawler, {
    ...(listen === undefined
      ? { port: dashboard === true ? 0 : (dashboard ?? 0) }
      : { ...addressOf(listen), hostNames: listenName, api: { out } }),
    ...(token === undefined || token === '' ? {} : { token }),
    ...(metrics ? { metrics: await metricsOf(crawler) } : {}),
  });
  io.err(`Live view: ${opened.url}`);
  if (listen !== undefined) {
    const { origin, search, hostname } = new URL(opened.url);
    io.err(`HTTP API:  ${origin}/api${search} (for programs: Authorization: Bearer ${opened.token})`);
    if (!/^(?:127\.|\[::1\])/.test(hostname)) io.err(OPEN_TO_OTHERS);
  }
  return opened;
}

const OPEN_TO_OTHERS =
  'Warning: other machines can connect, and the token travels unencrypted. Put a proxy with TLS before it.';

/** Where to listen: `8080`, `0.0.0.0:8080`, `[::1]:8080`. @throws UsageError */
function addressOf(listen: string): { readonly host?: string; readonly port: number } {
  const found = /^(?:(?:\[([\da-f:.]+)\]|([\d.]+)):)?(\d{1,5})$/i.exec(listen);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  if (found === null || port > 65_535 || (host !== undefined && isIP(host) === 0)) {
    const hint = 'Write --listen 8080 for this machine, or --listen 0.0.0.0:8080 for all.';
    throw new UsageError(`--listen takes a port, or an IP address and a port, not "${listen}"`, hint);
  }
  return { port, ...(host === undefined ? {} : { host }) };
}

async function metricsOf(crawler: Crawler): Promise<MetricsSource> {
  const { Registry } = await loadPeer<typeof import('prom-client')>('prom-client', '--metrics');
  const { createPrometheusMetrics } = await import('../metrics/prometheus.js');
  const registry = new Registry();
  createPrometheusMetrics(crawler, { registry });
  return registry;
}
