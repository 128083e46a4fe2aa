// A crawl's metrics for Prometheus, through prom-client: fills the caller's registry, and serves nothing.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { checkMembers, checkOptions } from '../call-options.js';
import {
  type CrawlMetrics,
  checkMeasuredCrawl,
  MEASURES,
  type Measure,
  type MeasuredCrawl,
  type MeasureName,
  measuresOf,
  readCrawl,
  SECONDS_BUCKETS,
  watchCrawl,
} from './measures.js';

export type { CrawlMetrics } from './measures.js';

interface PrometheusOptions {
  /** The registry for the metrics. The caller serves it, for example by the dashboard. One registry per crawler. */
  readonly registry: Registry;
  /** The prefix of every name. @default 'mannerly_' */
  readonly prefix?: string;
}

/**
 * Keeps a crawl's numbers in a registry of prom-client from now on.
 *
 * @example
 * ```ts
 * import { Registry } from 'prom-client';
 * const registry = new Registry();
 * createPrometheusMetrics(crawler, { registry });
 * const dashboard = await createDashboard(crawler, { metrics: registry });
 * ```
 * @throws MannerlyError `option-unknown`, `option-invalid`. prom-client's error for a name that the registry already
 *   has, or an invalid prefix.
 */
export function createPrometheusMetrics(crawl: MeasuredCrawl, options: PrometheusOptions): CrawlMetrics {
  checkOptions('createPrometheusMetrics', options, { registry: 'object!', prefix: 'string' });
  const { registry, prefix = 'mannerly_' } = options;
  checkMeasuredCrawl('createPrometheusMetrics', crawl);
  const used = ['registerMetric', 'removeSingleMetric'];
  checkMembers('createPrometheusMetrics.registry', 'a Registry of prom-client', registry, ...used);
  const registers = [registry];
  const shapeOf = (name: MeasureName) => {
    const { prometheus, help, labels }: Measure = MEASURES[name];
    return { name: `${prefix}${prometheus}`, help, labelNames: [...labels], registers };
  };
  const counters = new Map(measuresOf('counter').map((name) => [name, new Counter(shapeOf(name))]));
  const histograms = new Map(
    measuresOf('histogram').map((name) => [name, new Histogram({ ...shapeOf(name), buckets: [...SECONDS_BUCKETS] })]),
  );
  // One reading serves all metrics of a scrape, which reads them together.
  let reading: ReturnType<typeof readCrawl> | null = null;
  const read = (): ReturnType<typeof readCrawl> => {
    if (reading !== null) return reading;
    setImmediate(() => {
      reading = null;
    });
    reading = readCrawl(crawl);
    return reading;
  };
  for (const name of measuresOf('gauge')) {
    const gauge: Gauge = new Gauge({ ...shapeOf(name), collect: () => gauge.set(read()[name]) });
  }
  for (const name of measuresOf('total')) {
    const total: Counter = new Counter({
      ...shapeOf(name),
      collect() {
        // A total of the whole crawl; it restarts with another crawl, as counters do.
        total.reset();
        total.inc(read()[name]);
      },
    });
  }
  return watchCrawl(
    crawl,
    {
      add: (name, by, labels) => counters.get(name)?.inc(labels, by),
      observe: (name, value, labels) => histograms.get(name)?.observe(labels, value),
    },
    () => {
      for (const { prometheus } of Object.values(MEASURES)) registry.removeSingleMetric(`${prefix}${prometheus}`);
    },
  );
}
