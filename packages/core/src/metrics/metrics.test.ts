// Metrics wake operators up: they must count what happened, once, under stable names, and a hostile site must not be
// able to make a time series database grow.

import { readFileSync } from 'node:fs';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { UrlDecision } from 'mannerly';
import { AggregatorRegistry, Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeCrawl, requestRecord } from '../../test-support/fake-crawl.js';
import { combineMetrics, familiesOf } from './combine-metrics.js';
import { MEASURES, outcomeOf } from './measures.js';
import { createOpenTelemetryMetrics } from './opentelemetry.js';
import { createPrometheusMetrics } from './prometheus.js';

const decision = (status: UrlDecision['status'], reason: string): UrlDecision => ({ status, reason }) as UrlDecision;

/** A crawl that did a little of everything, some of it before metrics were collected. */
function story() {
  const crawl = fakeCrawl(
    { pages: 12, queued: 34, hosts: 5, runningMs: 61_500 },
    { phase: 'paused', underwayCount: 3, waitingHosts: 2 },
  );
  const happen = (): void => {
    crawl.emit('request', requestRecord());
    crawl.emit('request', requestRecord({ status: 404, encodedBytes: 7, endedAtMs: 4_000 }));
    crawl.emit('request', requestRecord({ purpose: 'robots', status: null, failure: 'dns', encodedBytes: 0 }));
    crawl.emit('decision', decision('excluded', 'robots-rule'));
    crawl.emit('decision', decision('failed', 'status-404'));
    crawl.emit('decision', decision('failed', 'status-499'));
    crawl.emit('decision', decision('dropped', 'an-unknown-word'));
    crawl.emit('handler-error', { url: 'http://a.test/', error: new Error('mine') });
    const host = { kind: 'host', host: 'a.test', authority: null, untilMs: null, detail: '', atMs: 1 } as const;
    for (const code of ['host-paused', 'robots-read'] as const) crawl.emit('host-warning', { ...host, code });
  };
  return { crawl, happen };
}

describe('Prometheus', () => {
  it('counts events under the documented names, and reads current values', async () => {
    const { crawl, happen } = story();
    const registry = new Registry();
    const metrics = createPrometheusMetrics(crawl, { registry });
    happen();
    const lines = (await registry.metrics()).split('\n');
    expect(lines.filter((line) => line.startsWith('mannerly_host_warnings_total'))).toHaveLength(1);
    expect(lines).toEqual(
      expect.arrayContaining([
        'mannerly_requests_total{purpose="page",outcome="2xx"} 1',
        'mannerly_requests_total{purpose="page",outcome="4xx"} 1',
        'mannerly_requests_total{purpose="robots",outcome="dns"} 1',
        'mannerly_received_bytes_total{purpose="page"} 107',
        'mannerly_urls_total{status="excluded",reason="robots-rule"} 1',
        'mannerly_urls_total{status="failed",reason="status"} 2',
        'mannerly_urls_total{status="dropped",reason="other"} 1',
        'mannerly_handler_errors_total 1',
        'mannerly_host_warnings_total{code="host-paused"} 1',
        'mannerly_request_duration_seconds_bucket{le="0.25",purpose="page"} 1',
        'mannerly_request_duration_seconds_sum{purpose="page"} 3.2',
        'mannerly_pages_total 12',
        'mannerly_running_seconds_total 61.5',
        'mannerly_queued_urls 34',
        'mannerly_requests_underway 3',
        'mannerly_known_hosts 5',
        'mannerly_waiting_hosts 2',
        'mannerly_running 1',
        'mannerly_paused 1',
      ]),
    );
    // A second scrape does not change the counts.
    await new Promise(setImmediate);
    expect(await registry.metrics()).toContain('\nmannerly_pages_total 12\n');
    metrics.close();
    metrics.close();
    expect(crawl.listeners()).toBe(0);
    expect((await registry.metrics()).trim()).toBe('');
  });

  it('takes another prefix, so that two crawls can share a registry', async () => {
    const registry = new Registry();
    createPrometheusMetrics(fakeCrawl({ pages: 1 }), { registry, prefix: 'first_' });
    createPrometheusMetrics(fakeCrawl({ pages: 2 }), { registry, prefix: 'second_' });
    const text = await registry.metrics();
    expect(text).toContain('\nfirst_pages_total 1\n');
    expect(text).toContain('\nsecond_pages_total 2\n');
  });
});

describe('OpenTelemetry', () => {
  it('counts events under the documented names, with units, and reads current values', async () => {
    const { crawl, happen } = story();
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    // Collects on request: the reader's own timer would fire too late.
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ readers: [reader] });
    onTestFinished(() => provider.shutdown());
    const metrics = createOpenTelemetryMetrics(crawl, {
      meter: provider.getMeter('test'),
      attributes: { crawl: 'tides' },
    });
    happen();
    await provider.forceFlush();
    const exported = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
    const named = new Map(exported.map((metric) => [metric.descriptor.name, metric]));
    for (const { openTelemetry, unit, kind } of Object.values(MEASURES)) {
      if (openTelemetry === 'mannerly.items') continue; // No item was reported.
      expect(named.get(openTelemetry)?.descriptor.unit, `${openTelemetry} (${kind})`).toBe(unit);
    }
    const points = (name: string) => named.get(name)?.dataPoints.map(({ attributes, value }) => [attributes, value]);
    expect(points('mannerly.requests')).toContainEqual([{ crawl: 'tides', purpose: 'page', outcome: '4xx' }, 1]);
    expect(points('mannerly.urls')).toContainEqual([{ crawl: 'tides', status: 'failed', reason: 'status' }, 2]);
    expect(points('mannerly.pages')).toEqual([[{ crawl: 'tides' }, 12]]);
    expect(points('mannerly.hosts.waiting')).toEqual([[{ crawl: 'tides' }, 2]]);
    expect(points('mannerly.request.duration')?.[0]?.[1]).toMatchObject({ count: 2, sum: 3.2 });
    metrics.close();
    expect(crawl.listeners()).toBe(0);
  });
});

describe('the names', () => {
  const page = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');

  it.each(Object.values(MEASURES).map((measure) => [measure.prometheus, measure] as const))(
    '%s is in docs/metrics.md, word for word',
    (_, { prometheus, openTelemetry, unit, labels, help }) => {
      const labelList = labels.length === 0 ? '' : labels.map((label) => `\`${label}\``).join(', ');
      expect(page).toContain(
        `| \`mannerly_${prometheus}\` | \`${openTelemetry}\` | ${unit} | ${labelList}${labelList === '' ? '' : ' '}| ${help} |`,
      );
    },
  );

  it.each([
    [200, null, '2xx'],
    [599, null, '5xx'],
    [999, null, 'other'],
    [null, 'timeout-headers', 'timeout-headers'],
  ])('an exchange with status %s and failure %s is %s', (status, failure, expected) => {
    expect(outcomeOf({ status, failure })).toBe(expected);
  });
});

it('the metrics of a crawl on a server count statuses that a site invents as one reason too', async () => {
  const families = familiesOf({}, { failed: { 'status-404': 2, 'status-499': 1, dns: 1 } });
  const text = await combineMetrics(AggregatorRegistry, new Map([['', families]]));
  expect(text).toContain('mannerly_urls_total{status="failed",reason="status",process=""} 3');
  expect(text).toContain('mannerly_urls_total{status="failed",reason="dns",process=""} 1');
});

it('says what it expects in place of a crawler, a registry and a meter', () => {
  const crawl = fakeCrawl();
  const refused = expect.objectContaining({ code: 'option-invalid' });
  const registry = new Registry();
  const meter = new MeterProvider().getMeter('test');
  for (const none of [undefined, {}] as never[]) {
    expect(() => createPrometheusMetrics(none, { registry })).toThrow(refused);
    expect(() => createPrometheusMetrics(crawl, { registry: none })).toThrow(refused);
    expect(() => createOpenTelemetryMetrics(none, { meter })).toThrow(refused);
    expect(() => createOpenTelemetryMetrics(crawl, { meter: none })).toThrow(refused);
  }
});
