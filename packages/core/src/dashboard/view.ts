// What the live view shows, gathered from the crawl's events and its answers: one value, plain JSON, every list bounded and
// every text from a site cut and cleaned. The page shows it as text and nothing else.

import {
  type CrawlActivity,
  type Crawler,
  type CrawlProgress,
  type HostWait,
  printable,
  REASONS,
  type RequestRecord,
  type UrlStatus,
} from 'mannerly';
import { createHostLedger, type HostLedger, type HostTally } from './host-ledger.js';
import {
  MAX_DASHBOARD_HOSTS,
  MAX_DASHBOARD_RECENT,
  MAX_DASHBOARD_SAMPLES,
  MAX_DASHBOARD_TEXT,
  MAX_DASHBOARD_UNDERWAY,
} from './limits.js';

/** What is watched: a crawler, or what looks like one. */
export type WatchedCrawl = Pick<Crawler, 'events' | 'progress' | 'activity' | 'pause' | 'resume' | 'stop'>;

/** A host as a row. `asking`: a request is under way; `ready`: its turn has come, or its pages are in hand; `waiting`: until `untilMs`; `parked`: until somebody has looked at it; `quiet`: nothing is queued. */
export interface HostRow {
  readonly host: string;
  readonly state: 'asking' | 'ready' | 'waiting' | 'parked' | 'quiet';
  readonly reason: HostWait['reason'] | null;
  readonly untilMs: number | null;
  /** `null`: not told. */
  readonly queued: number | null;
  /** `null`: nothing since the view began, or forgotten. */
  readonly tally: HostTally | null;
}

/** A request that ended, as a row. */
export interface RequestRow {
  readonly url: string;
  readonly purpose: RequestRecord['purpose'];
  readonly status: number | null;
  readonly failure: string | null;
  readonly tookMs: number;
  readonly bytes: number;
  readonly atMs: number;
}

/** Something to know, as a row. */
export interface NoteRow {
  readonly kind: string;
  readonly about: string;
  readonly detail: string;
  readonly atMs: number;
}

/** Everything that the page shows. */
export interface DashboardView {
  readonly activity: Pick<CrawlActivity, 'phase' | 'ended' | 'nowMs' | 'name' | 'seeds' | 'seedCount' | 'bounds'>;
  readonly progress: Omit<CrawlProgress, 'waitingFor'>;
  /** One sample a second, the latest last: what the second brought. */
  readonly rates: {
    readonly pages: readonly number[];
    readonly requests: readonly number[];
    readonly bytes: readonly number[];
  };
  readonly underway: readonly {
    readonly url: string;
    readonly host: string;
    readonly purpose: string;
    readonly sinceMs: number;
  }[];
  readonly underwayCount: number;
  readonly hosts: readonly HostRow[];
  /** Hosts that wait, those included which are not listed. */
  readonly waitingHosts: number;
  /** Requests by class of status, or failure word, since the view began. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** URLs by final word and reason, since the view began. */
  readonly words: Readonly<Partial<Record<UrlStatus, Readonly<Record<string, number>>>>>;
  readonly recent: readonly RequestRow[];
  readonly notes: readonly NoteRow[];
  /** Whether pause, resume and stop are offered. */
  readonly hasControls: boolean;
}

/** The view of one crawler, kept up to date from here on. */
export interface ViewKeeper {
  /** A second has passed. */
  sample(): void;
  read(): DashboardView;
  /** Listens no longer. */
  close(): void;
}

/** Begins to watch. @throws Never */
export function keepView(crawl: WatchedCrawl, hasControls: boolean): ViewKeeper {
  const ledger = createHostLedger();
  const recent = createRing<RequestRow>(MAX_DASHBOARD_RECENT);
  const notes = createRing<NoteRow>(MAX_DASHBOARD_RECENT);
  const outcomes = new Map<string, number>();
  const words = new Map<UrlStatus, Map<string, number>>();
  const samples = { pages: [] as number[], requests: [] as number[], bytes: [] as number[] };
  let last: Pick<CrawlProgress, 'pages' | 'requests' | 'bytes'> | null = null;

  const ends = [
    crawl.events.on('request', (record) => {
      ledger.request(record);
      const { url, purpose, status, failure, encodedBytes: bytes, startedAtMs, endedAtMs: atMs } = record;
      recent.push({ url: shown(url), purpose, status, failure, tookMs: atMs - startedAtMs, bytes, atMs });
      count(outcomes, status === null ? (failure ?? 'internal') : `${Math.floor(status / 100)}xx`);
    }),
    crawl.events.on('decision', ({ status, reason }) => {
      const reasons = words.get(status) ?? new Map<string, number>();
      words.set(status, reasons);
      // A server may invent statuses; the view's table stays as long as ours.
      count(reasons, Object.hasOwn(REASONS, reason) ? reason : /^status-[1-5]\d\d$/.test(reason) ? reason : 'other');
    }),
    crawl.events.on('host-warning', ({ code, host, detail, atMs }) => {
      if (code !== 'robots-read') notes.push({ kind: code, about: shown(host), detail: shown(detail), atMs });
    }),
    crawl.events.on('trap', ({ rule, pattern }) =>
      notes.push({ kind: 'trap', about: shown(pattern), detail: rule, atMs: crawl.activity({ limit: 0 }).nowMs }),
    ),
    crawl.events.on('handler-error', ({ url, error }) =>
      notes.push({
        kind: 'handler-error',
        about: shown(url),
        detail: shown(String(error)),
        atMs: crawl.activity({ limit: 0 }).nowMs,
      }),
    ),
  ];

  return {
    sample() {
      const { pages, requests, bytes } = crawl.progress();
      // The first sample, and another crawl than before: what it had done already is no pace.
      const from = last === null || last.pages > pages || last.requests > requests ? { pages, requests, bytes } : last;
      last = { pages, requests, bytes };
      keepLast(samples.pages, pages - from.pages);
      keepLast(samples.requests, requests - from.requests);
      keepLast(samples.bytes, Math.max(0, bytes - from.bytes));
    },
    read() {
      const { waitingFor: _, ...progress } = crawl.progress();
      const { underway, underwayCount, ready, waits, waitingHosts, ...activity } = crawl.activity({
        limit: MAX_DASHBOARD_HOSTS,
      });
      return {
        activity: { ...activity, seeds: activity.seeds.map(shown) },
        progress,
        rates: { pages: [...samples.pages], requests: [...samples.requests], bytes: [...samples.bytes] },
        underway: underway
          .slice(0, MAX_DASHBOARD_UNDERWAY)
          .map((one) => ({ ...one, url: shown(one.url), host: shown(one.host) })),
        underwayCount,
        hosts: hostRows({ underway, ready, waits }, ledger),
        waitingHosts,
        outcomes: Object.fromEntries(outcomes),
        words: Object.fromEntries([...words].map(([word, reasons]) => [word, Object.fromEntries(reasons)])),
        recent: recent.latestFirst(),
        notes: notes.latestFirst(),
        hasControls,
      };
    },
    close() {
      for (const end of ends) end();
    },
  };
}

/** Hosts by what is due: those asked now, those whose turn has come, then by the time of their turn, set-aside ones, and the rest. */
function hostRows(
  { underway, ready, waits }: Pick<CrawlActivity, 'underway' | 'ready' | 'waits'>,
  ledger: HostLedger,
): HostRow[] {
  const rows = new Map<string, HostRow>();
  const row = (host: string, more: Omit<HostRow, 'host' | 'tally'>): void => {
    if (rows.size < MAX_DASHBOARD_HOSTS && !rows.has(host))
      rows.set(host, { host: shown(host), ...more, tally: ledger.get(host) });
  };
  const queued = new Map([...ready, ...waits].map((one) => [one.host, one.queued]));
  for (const { host } of underway) {
    row(host, { state: 'asking', reason: null, untilMs: null, queued: queued.get(host) ?? null });
  }
  for (const { host } of ready) {
    row(host, { state: 'ready', reason: null, untilMs: null, queued: queued.get(host) ?? null });
  }
  for (const wait of waits) {
    const { host, reason, untilMs } = wait;
    row(host, { state: untilMs === null ? 'parked' : 'waiting', reason, untilMs, queued: wait.queued });
  }
  for (const host of ledger.latest()) {
    if (rows.size >= MAX_DASHBOARD_HOSTS) break;
    row(host, { state: 'quiet', reason: null, untilMs: null, queued: null });
  }
  return [...rows.values()];
}

/** Text from a site: no control or direction characters, and not without end. */
function shown(text: string): string {
  return printable(text, MAX_DASHBOARD_TEXT);
}

function count(counts: Map<string, number>, word: string): void {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}

function keepLast(values: number[], value: number): void {
  values.push(value);
  if (values.length > MAX_DASHBOARD_SAMPLES) values.shift();
}

/** The last few of many. */
function createRing<T>(most: number): { push(value: T): void; latestFirst(): T[] } {
  const kept: T[] = [];
  return {
    push(value) {
      kept.push(value);
      if (kept.length > most) kept.shift();
    },
    latestFirst: () => [...kept].reverse(),
  };
}
