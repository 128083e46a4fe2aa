// Looking on, from the command line: the live view, its metrics, and how progress is shown.

import { type Command, Option } from 'commander';
import type { Crawler } from 'mannerly';
import type { Dashboard, MetricsSource } from 'mannerly/dashboard';
import { UsageError } from './failure.js';
import { numberArgument } from './flag-values.js';
import type { CliIo } from './io.js';
import { PROGRESS_MODES, type ProgressMode } from './progress.js';

/** The flags as commander hands them over. */
export interface DashboardFlags {
  /** A port; `true`: any that is free. */
  readonly dashboard?: number | true;
  readonly metrics?: boolean;
  readonly progress?: ProgressMode;
}

/** Names the token that a dashboard is to have, so that a reader of metrics knows it over several runs. */
const TOKEN_VARIABLE = 'MANNERLY_DASHBOARD_TOKEN';

/** Adds the flags to a command. */
export function withDashboard(command: Command): Command {
  return command
    .optionsGroup('Looking on:')
    .option(
      '--dashboard [port]',
      'serve a live view to this machine (default port: one that is free); its address goes to standard error',
      numberArgument(0, 65_535, true),
    )
    .option('--metrics', 'with --dashboard: serve metrics for Prometheus at /metrics too (needs prom-client)')
    .addOption(
      new Option(
        '--progress <how>',
        'auto: one live line on a terminal, quiet elsewhere; lines: a line every five seconds (default: auto)',
      ).choices(PROGRESS_MODES),
    );
}

/**
 * Opens the dashboard that the flags ask for, and says where it is.
 *
 * @returns `null` where none is asked for. The caller closes it.
 * @throws UsageError, MannerlyError `dashboard-failed`, `option-invalid`.
 */
export async function openDashboard(
  crawler: Crawler,
  { dashboard, metrics = false }: DashboardFlags,
  io: CliIo,
): Promise<Dashboard | null> {
  if (dashboard === undefined) {
    if (metrics)
      throw new UsageError(
        '--metrics needs --dashboard, which serves them',
        'Add --dashboard, or leave --metrics out.',
      );
    return null;
  }
  const { createDashboard } = await import('mannerly/dashboard');
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
    const { createPrometheusMetrics } = await import('mannerly/metrics/prometheus');
    const registry = new Registry();
    createPrometheusMetrics(crawler, { registry });
    return registry;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new UsageError(
        '--metrics needs prom-client, which is not installed',
        'Install it beside mannerly: npm install prom-client',
      );
    }
    throw error;
  }
}
