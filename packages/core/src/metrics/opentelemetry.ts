// A crawl's metrics for OpenTelemetry: instruments of the caller's meter. Only the types of the API are needed; the
// caller decides which SDK reads the meter and where it sends the numbers.

import type { Attributes, BatchObservableCallback, Meter } from '@opentelemetry/api';
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

interface OpenTelemetryOptions {
  readonly meter: Meter;
  /** Added to every value, for example the name of the crawl. Do not use hosts and URLs. @default none */
  readonly attributes?: Attributes;
}

/**
 * Keeps a crawl's numbers in instruments of a meter from now on. The instruments stay with their meter.
 *
 * @example
 * ```ts
 * import { metrics } from '@opentelemetry/api';
 * createOpenTelemetryMetrics(crawler, { meter: metrics.getMeter('my-crawls') });
 * ```
 * @throws MannerlyError `option-unknown`, `option-invalid`. The meter's error.
 */
export function createOpenTelemetryMetrics(crawl: MeasuredCrawl, options: OpenTelemetryOptions): CrawlMetrics {
  checkOptions('createOpenTelemetryMetrics', options, { meter: 'object!', attributes: 'object' });
  const { meter, attributes = {} } = options;
  checkMeasuredCrawl('createOpenTelemetryMetrics', crawl);
  const used = ['createCounter', 'createHistogram', 'createObservableGauge', 'addBatchObservableCallback'];
  checkMembers('createOpenTelemetryMetrics.meter', 'a meter of @opentelemetry/api', meter, ...used);
  const shapeOf = (name: MeasureName): [string, { description: string; unit: string }] => {
    const { openTelemetry, unit, help }: Measure = MEASURES[name];
    return [openTelemetry, { description: help, unit }];
  };
  const counters = new Map(measuresOf('counter').map((name) => [name, meter.createCounter(...shapeOf(name))]));
  const histograms = new Map(
    measuresOf('histogram').map((name) => {
      const [title, shape] = shapeOf(name);
      const advice = { explicitBucketBoundaries: [...SECONDS_BUCKETS] };
      return [name, meter.createHistogram(title, { ...shape, advice })];
    }),
  );
  const gauges = measuresOf('gauge').map((name) => [name, meter.createObservableGauge(...shapeOf(name))] as const);
  const totals = measuresOf('total').map((name) => [name, meter.createObservableCounter(...shapeOf(name))] as const);
  const observed = [...gauges, ...totals];
  const instruments = observed.map(([, instrument]) => instrument);
  const observe: BatchObservableCallback = (result) => {
    const reading = readCrawl(crawl);
    for (const [name, instrument] of observed) result.observe(instrument, reading[name], attributes);
  };
  meter.addBatchObservableCallback(observe, instruments);
  return watchCrawl(
    crawl,
    {
      add: (name, by, labels) => counters.get(name)?.add(by, { ...attributes, ...labels }),
      observe: (name, value, labels) => histograms.get(name)?.record(value, { ...attributes, ...labels }),
    },
    () => meter.removeBatchObservableCallback(observe, instruments),
  );
}
