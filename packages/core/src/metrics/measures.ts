// The metrics of a crawl: one table of names, units and labels, and the mapping from a crawl's events. Prometheus and
// OpenTelemetry both use it, so that their numbers agree.

import { type Crawler, REASONS, type RequestRecord } from 'mannerly';
import { checkMembers } from '../call-options.js';

/** What is measured: a crawler, or an object like one. */
export type MeasuredCrawl = Pick<Crawler, 'events' | 'progress' | 'activity'>;

/** @throws MannerlyError `option-invalid` */
export function checkMeasuredCrawl(call: string, crawl: unknown): void {
  checkMembers(call, 'called with a crawler', crawl, 'events', 'progress', 'activity');
}

/** Metrics of one crawl. */
export interface CrawlMetrics {
  /** Stops listening, and removes the metrics from a registry of prom-client. A second call does nothing. */
  close(): void;
}

export interface Measure {
  /**
   * `counter`: grows with events of this process. `total`: grows, and is read on request; covers the crawl over all its
   * runs. `gauge`: read on request. `histogram`: a value per event.
   */
  readonly kind: 'counter' | 'total' | 'gauge' | 'histogram';
  /** The name in Prometheus, without its prefix. */
  readonly prometheus: string;
  readonly openTelemetry: string;
  /** In UCUM, as OpenTelemetry writes it. */
  readonly unit: string;
  readonly help: string;
  readonly labels: readonly string[];
}

function measure<const K extends Measure['kind']>(
  kind: K,
  prometheus: string,
  openTelemetry: string,
  unit: string,
  { help, labels = [] }: { readonly help: string; readonly labels?: readonly string[] },
): Measure & { readonly kind: K } {
  return { kind, prometheus, openTelemetry, unit, help, labels };
}

/** All metrics. Host names are not labels: a crawl meets more of them than a time series can take. */
export const MEASURES = Object.freeze({
  requests: measure('counter', 'requests_total', 'mannerly.requests', '{request}', {
    help: 'Requests that ended, robots.txt and redirects included. outcome: the class of the status (2xx), or the failure code.',
    labels: ['purpose', 'outcome'],
  }),
  requestSeconds: measure('histogram', 'request_duration_seconds', 'mannerly.request.duration', 's', {
    help: 'Seconds from sending a request to its last byte, or its failure.',
    labels: ['purpose'],
  }),
  receivedBytes: measure('counter', 'received_bytes_total', 'mannerly.received', 'By', {
    help: 'Bytes of bodies on the wire.',
    labels: ['purpose'],
  }),
  decisions: measure('counter', 'urls_total', 'mannerly.urls', '{url}', {
    help: 'URLs by status (fetched, excluded, dropped, failed, held) and reason; every HTTP status has the reason status.',
    labels: ['status', 'reason'],
  }),
  items: measure('counter', 'items_total', 'mannerly.items', '{item}', { help: 'Items that every sink has taken.' }),
  handlerErrors: measure('counter', 'handler_errors_total', 'mannerly.handler.errors', '{error}', {
    help: 'Handlers that threw or took too long.',
  }),
  hostWarnings: measure('counter', 'host_warnings_total', 'mannerly.host_warnings', '{warning}', {
    help: 'What an operator should know of a host: pauses, closed hours, hosts set aside.',
    labels: ['code'],
  }),
  pages: measure('total', 'pages_total', 'mannerly.pages', '{page}', {
    help: 'Pages that count against bounds.pages, of the crawl over all its runs.',
  }),
  runningSeconds: measure('total', 'running_seconds_total', 'mannerly.running', 's', {
    help: 'Seconds of running that count against bounds.minutes, of the crawl over all its runs; pauses do not count.',
  }),
  queuedUrls: measure('gauge', 'queued_urls', 'mannerly.queue.urls', '{url}', {
    help: 'URLs that are queued or in flight.',
  }),
  underway: measure('gauge', 'requests_underway', 'mannerly.requests.underway', '{request}', {
    help: 'Requests that have left and are not over.',
  }),
  knownHosts: measure('gauge', 'known_hosts', 'mannerly.hosts.known', '{host}', { help: 'Hosts met so far.' }),
  waitingHosts: measure('gauge', 'waiting_hosts', 'mannerly.hosts.waiting', '{host}', {
    help: 'Hosts that wait with something queued; 10,000 at most are counted.',
  }),
  longestStall: measure('gauge', 'longest_stall_seconds', 'mannerly.stall.longest', 's', {
    help: 'Seconds for which the run stood still at the longest, while one page was read or handled.',
  }),
  running: measure('gauge', 'running', 'mannerly.running.state', '1', {
    help: '1 while a run is under way, paused or not; 0 otherwise.',
  }),
  paused: measure('gauge', 'paused', 'mannerly.paused.state', '1', { help: '1 while the run is paused; 0 otherwise.' }),
});

export type MeasureName = keyof typeof MEASURES;

type MeasureOf<K extends Measure['kind']> = {
  [N in MeasureName]: (typeof MEASURES)[N]['kind'] extends K ? N : never;
}[MeasureName];

export function measuresOf<K extends Measure['kind']>(kind: K): MeasureOf<K>[] {
  return Object.entries(MEASURES).flatMap(([name, measure]) => (measure.kind === kind ? [name as MeasureOf<K>] : []));
}

/** Upper ends of the buckets of exchange times, seconds: from a nearby server to the timeout of an exchange. */
export const SECONDS_BUCKETS: readonly number[] = Object.freeze([
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]);

interface Instruments {
  add(name: MeasureOf<'counter'>, by: number, labels: Readonly<Record<string, string>>): void;
  observe(name: MeasureOf<'histogram'>, value: number, labels: Readonly<Record<string, string>>): void;
}

/** Sends the events of a crawl to `gauges`. @param onClose - Called at the first `close`. @throws Never */
export function watchCrawl({ events }: MeasuredCrawl, gauges: Instruments, onClose: () => void): CrawlMetrics {
  let ends = [
    events.on('request', (record) => {
      const { purpose } = record;
      gauges.add('requests', 1, { purpose, outcome: outcomeOf(record) });
      gauges.add('receivedBytes', record.encodedBytes, { purpose });
      gauges.observe('requestSeconds', Math.max(0, record.endedAtMs - record.startedAtMs) / 1_000, { purpose });
    }),
    events.on('decision', ({ status, reason }) => gauges.add('decisions', 1, { status, reason: knownReason(reason) })),
    events.on('item', () => gauges.add('items', 1, {})),
    events.on('handler-error', () => gauges.add('handlerErrors', 1, {})),
    // Reading a robots.txt needs no action, and happens for every host.
    events.on('host-warning', ({ code }) => code !== 'robots-read' && gauges.add('hostWarnings', 1, { code })),
    onClose,
  ];
  return {
    close() {
      for (const end of ends) end();
      ends = [];
    },
  };
}

export function readCrawl(crawl: MeasuredCrawl): Readonly<Record<MeasureOf<'gauge' | 'total'>, number>> {
  const { pages, runningMs, queued, hosts, longestStallMs = 0 } = crawl.progress();
  const { phase, underwayCount, waitingHosts } = crawl.activity({ limit: 0 });
  const isRunning = phase === 'running' || phase === 'paused' || phase === 'stopping';
  return {
    pages,
    runningSeconds: runningMs / 1_000,
    queuedUrls: queued,
    underway: underwayCount,
    knownHosts: hosts,
    waitingHosts,
    longestStall: longestStallMs / 1_000,
    running: isRunning ? 1 : 0,
    paused: phase === 'paused' ? 1 : 0,
  };
}

/** The class of the status, or the failure code: few enough for a label. @throws Never */
export function outcomeOf({ status, failure }: Pick<RequestRecord, 'status' | 'failure'>): string {
  if (status === null) return failure ?? 'internal';
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

/** A reason of the table; all HTTP statuses are one. A server may invent statuses, but not labels. */
export function knownReason(reason: string): string {
  if (Object.hasOwn(REASONS, reason)) return reason;
  return reason.startsWith('status-') ? 'status' : 'other';
}
