// What a crawl can be measured by: one table of names, units and labels, and the way from a crawl's events to it. Prometheus
// and OpenTelemetry both read it, so that a dashboard of one says the same as a dashboard of the other.

import { type Crawler, REASONS, type RequestRecord } from 'mannerly';

/** What is watched: a crawler, or what looks like one. */
export type MeasuredCrawl = Pick<Crawler, 'events' | 'progress' | 'activity'>;

/** One thing that is measured. */
export interface Measure {
  /**
   * `counter`: grows with events of this process. `total`: grows, and is read when somebody asks; of the crawl over all its
   * runs. `gauge`: read when somebody asks. `histogram`: a value per event.
   */
  readonly kind: 'counter' | 'total' | 'gauge' | 'histogram';
  /** The name in Prometheus, without its prefix. */
  readonly prometheus: string;
  /** The name in OpenTelemetry. */
  readonly openTelemetry: string;
  /** By UCUM, as OpenTelemetry writes it. */
  readonly unit: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Everything that is measured. Host names are no labels: a crawl meets more of them than a time series database likes. */
export const MEASURES = Object.freeze({
  requests: {
    kind: 'counter',
    prometheus: 'requests_total',
    openTelemetry: 'mannerly.requests',
    unit: '{request}',
    labels: ['purpose', 'outcome'],
    help: 'Requests that ended, robots.txt and redirects included. outcome: the class of the status (2xx), or the failure word.',
  },
  requestSeconds: {
    kind: 'histogram',
    prometheus: 'request_duration_seconds',
    openTelemetry: 'mannerly.request.duration',
    unit: 's',
    labels: ['purpose'],
    help: 'Seconds from sending a request to its last byte, or its failure.',
  },
  receivedBytes: {
    kind: 'counter',
    prometheus: 'received_bytes_total',
    openTelemetry: 'mannerly.received',
    unit: 'By',
    labels: ['purpose'],
    help: 'Bytes of bodies on the wire.',
  },
  decisions: {
    kind: 'counter',
    prometheus: 'urls_total',
    openTelemetry: 'mannerly.urls',
    unit: '{url}',
    labels: ['word', 'reason'],
    help: 'URLs by final word (fetched, excluded, dropped, failed, held) and reason; every status has the reason status.',
  },
  items: {
    kind: 'counter',
    prometheus: 'items_total',
    openTelemetry: 'mannerly.items',
    unit: '{item}',
    labels: [],
    help: 'Items that every sink has taken.',
  },
  handlerErrors: {
    kind: 'counter',
    prometheus: 'handler_errors_total',
    openTelemetry: 'mannerly.handler.errors',
    unit: '{error}',
    labels: [],
    help: 'Handlers that threw or took too long.',
  },
  notices: {
    kind: 'counter',
    prometheus: 'notices_total',
    openTelemetry: 'mannerly.notices',
    unit: '{notice}',
    labels: ['notice'],
    help: 'What an operator should know of a host: pauses, closed hours, hosts set aside.',
  },
  pages: {
    kind: 'total',
    prometheus: 'pages_total',
    openTelemetry: 'mannerly.pages',
    unit: '{page}',
    labels: [],
    help: 'Pages that count against bounds.pages, of the crawl over all its runs.',
  },
  runningSeconds: {
    kind: 'total',
    prometheus: 'running_seconds_total',
    openTelemetry: 'mannerly.running',
    unit: 's',
    labels: [],
    help: 'Seconds of running that count against bounds.minutes, of the crawl over all its runs; pauses do not count.',
  },
  queuedUrls: {
    kind: 'gauge',
    prometheus: 'queued_urls',
    openTelemetry: 'mannerly.queue.urls',
    unit: '{url}',
    labels: [],
    help: 'URLs that are queued or in flight.',
  },
  underway: {
    kind: 'gauge',
    prometheus: 'requests_underway',
    openTelemetry: 'mannerly.requests.underway',
    unit: '{request}',
    labels: [],
    help: 'Requests that have left and are not over.',
  },
  knownHosts: {
    kind: 'gauge',
    prometheus: 'known_hosts',
    openTelemetry: 'mannerly.hosts.known',
    unit: '{host}',
    labels: [],
    help: 'Hosts met so far.',
  },
  waitingHosts: {
    kind: 'gauge',
    prometheus: 'waiting_hosts',
    openTelemetry: 'mannerly.hosts.waiting',
    unit: '{host}',
    labels: [],
    help: 'Hosts that wait with something queued; 10,000 at most are counted.',
  },
  running: {
    kind: 'gauge',
    prometheus: 'running',
    openTelemetry: 'mannerly.running.state',
    unit: '1',
    labels: [],
    help: '1 while a run is under way, paused or not; 0 otherwise.',
  },
  paused: {
    kind: 'gauge',
    prometheus: 'paused',
    openTelemetry: 'mannerly.paused.state',
    unit: '1',
    labels: [],
    help: '1 while the run is paused; 0 otherwise.',
  },
} as const satisfies Readonly<Record<string, Measure>>);

/** The names of the table. */
export type MeasureName = keyof typeof MEASURES;

/** Names of one kind. */
export type MeasureOf<K extends Measure['kind']> = {
  [N in MeasureName]: (typeof MEASURES)[N]['kind'] extends K ? N : never;
}[MeasureName];

/** The names of one kind, in the order of the table. @throws Never */
export function measuresOf<K extends Measure['kind']>(kind: K): MeasureOf<K>[] {
  return Object.entries(MEASURES).flatMap(([name, measure]) => (measure.kind === kind ? [name as MeasureOf<K>] : []));
}

/** Upper ends of the buckets of exchange times, seconds: from a server next door to the deadline of an exchange. */
export const SECONDS_BUCKETS: readonly number[] = Object.freeze([
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]);

/** Where measured values go. */
export interface Gauges {
  /** Adds to a counter. */
  add(name: MeasureOf<'counter'>, by: number, labels: Readonly<Record<string, string>>): void;
  /** One value of a histogram. */
  observe(name: MeasureOf<'histogram'>, value: number, labels: Readonly<Record<string, string>>): void;
}

/** Sends what the crawl tells to `gauges`. @returns Ends it; a second call does nothing. */
export function watchCrawl({ events }: MeasuredCrawl, gauges: Gauges): () => void {
  const ends = [
    events.on('request', (record) => {
      const { purpose } = record;
      gauges.add('requests', 1, { purpose, outcome: outcomeOf(record) });
      gauges.add('receivedBytes', record.encodedBytes, { purpose });
      gauges.observe('requestSeconds', Math.max(0, record.endedAtMs - record.startedAtMs) / 1_000, { purpose });
    }),
    events.on('decision', ({ status, reason }) =>
      gauges.add('decisions', 1, { word: status, reason: knownReason(reason) }),
    ),
    events.on('item', () => gauges.add('items', 1, {})),
    events.on('handler-error', () => gauges.add('handlerErrors', 1, {})),
    events.on('host-warning', ({ code }) => gauges.add('notices', 1, { notice: code })),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** What is read when somebody asks. @throws Never */
export function readCrawl(crawl: MeasuredCrawl): Readonly<Record<MeasureOf<'gauge' | 'total'>, number>> {
  const { pages, runningMs, queued, hosts } = crawl.progress();
  const { phase, underwayCount, waitingHosts } = crawl.activity({ limit: 0 });
  const isRunning = phase === 'running' || phase === 'paused' || phase === 'stopping';
  return {
    pages,
    runningSeconds: runningMs / 1_000,
    queuedUrls: queued,
    underway: underwayCount,
    knownHosts: hosts,
    waitingHosts,
    running: isRunning ? 1 : 0,
    paused: phase === 'paused' ? 1 : 0,
  };
}

/** The class of the status, or the failure word: few enough for a label. @throws Never */
export function outcomeOf({ status, failure }: Pick<RequestRecord, 'status' | 'failure'>): string {
  if (status === null) return failure ?? 'internal';
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

/** A word of the table of reasons; every status is one word. A server may invent statuses, but no labels. */
function knownReason(reason: string): string {
  if (Object.hasOwn(REASONS, reason)) return reason;
  return reason.startsWith('status-') ? 'status' : 'other';
}
