// The live view of `mannerly crawl --dashboard`, and its metrics.

import type { Crawler } from '../crawler.js';
import type { Dashboard } from '../dashboard/dashboard.js';
import type { MetricsSource } from '../dashboard/dashboard-options.js';
import type { CrawlFlags } from './crawl-flags.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';

/** The variable with the token of the dashboard, so that a reader of metrics can use it over several runs. */
const TOKEN_VARIABLE = 'MANNERLY_DASHBOARD_TOKEN';

/** Opens the dashboard that the flags request; `null`: none. The caller closes it. @throws UsageError, MannerlyError */
export async function openDashboard(
  crawler: Crawler,
  { dashboard, metrics = false }: CrawlFlags,
  io: CliIo,
): Promise<Dashboard | null> {
  if (dashboard === undefined) {
    if (!metrics) return null;
    throw new UsageError('--metrics needs --dashboard, which serves them', 'Add --dashboard, or leave --metrics out.');
  }
  const { createDashboard } = await import('../dashboard/dashboard.js');
  const token = process.env[TOKEN_VARIABLE];
  const opened = await createDashboard(crawler, {
    port: dashboard === true ? 0 : dashboard,
    ...(token === undefined || token === '' ? {} : { token }),
    ...(metrics ? { metrics: await metricsOf(crawler) } : {}),
  });
  io.err(`Live view: ${opened.url}`);
  return opened;
}

async function metricsOf(crawler: Crawler): Promise<MetricsSource> {
  try {
    const { Registry } = await import('prom-client');
    const { createPrometheusMetrics } = await import('../metrics/prometheus.js');
    const registry = new Registry();
    createPrometheusMetrics(crawler, { registry });
    return registry;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      const hint = 'Install it with mannerly: npm install prom-client';
      throw new UsageError('--metrics needs prom-client, which is not installed', hint);
    }
    throw error;
  }
}
