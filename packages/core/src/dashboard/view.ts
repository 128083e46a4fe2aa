// The data of the live view, collected from the crawl's events: one JSON value, every list bounded, every text from a
// site shortened and cleaned. The page shows it only as text.

import {
  type CrawlActivity,
  type Crawler,
  type CrawlProgress,
  type HostWait,
  REASONS,
  type RequestRecord,
  type UrlStatus,
} from 'mannerly';
import { textOf } from '../errors.js';
import { keepLatest } from '../keep-latest.js';
import { printable } from '../report/table.js';
import type { CrawlPhase } from '../run/activity.js';
import {
  MAX_DASHBOARD_HOSTS,
  MAX_DASHBOARD_RECENT,
  MAX_DASHBOARD_SAMPLES,
  MAX_DASHBOARD_TALLIES,
  MAX_DASHBOARD_TEXT,
  MAX_DASHBOARD_UNDERWAY,
} from './limits.js';

export type WatchedCrawl = Pick<Crawler, 'events' | 'progress' | 'activity' | 'pause' | 'resume' | 'stop'> & {
  /** What several processes know, in place of `events`. @default there is one process */
  combinedView?(): Partial<Pick<DashboardView, 'hosts' | 'answers' | 'outcomes' | 'recent' | 'notes' | 'processes'>>;
};

interface ProcessRow {
  readonly name: string;
  /** `silent`: it has neither ended by itself nor reported recently. */
  readonly phase: CrawlPhase | 'silent';
  readonly underway: number;
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
}

/**
 * A host as a row. `asking`: a request is in flight; `ready`: its turn has come, or its pages are in flight; `waiting`:
 * until `untilMs`; `parked`: until it is unparked; `quiet`: nothing is queued.
 */
export interface HostRow {
  readonly host: string;
  readonly state: 'asking' | 'ready' | 'waiting' | 'parked' | 'quiet';
  readonly reason: HostWait['reason'] | null;
  readonly untilMs: number | null;
  readonly queued: number | null;
  /** `null` if there was nothing since the view began, or if it was forgotten. */
  readonly tally: HostTally | null;
}

interface HostTally {
  readonly requests: number;
  /** Requests without an answer, and answers of 4xx and 5xx. */
  readonly errors: number;
  readonly bytes: number;
  readonly lastStatus: number | null;
  readonly lastFailure: string | null;
  readonly lastEndedAtMs: number;
  /** The longer of Crawl-delay and Request-rate, milliseconds; `null` if nothing is required. */
  readonly asksMs: number | null;
  /** The smallest gap from the end of one exchange to the start of the next; `null` if there are fewer than two. */
  readonly smallestGapMs: number | null;
}

interface RequestRow extends Pick<RequestRecord, 'url' | 'purpose' | 'status' | 'failure'> {
  readonly tookMs: number;
  readonly bytes: number;
  readonly atMs: number;
}

interface NoteRow {
  readonly kind: string;
  readonly about: string;
  readonly detail: string;
  readonly atMs: number;
}

/** All data that the page shows. */
export interface DashboardView {
  readonly activity: Pick<CrawlActivity, 'phase' | 'ended' | 'nowMs' | 'name' | 'seeds' | 'seedCount' | 'bounds'>;
  readonly progress: Omit<CrawlProgress, 'waitingFor'>;
  /** One sample per second, the latest last: the changes of that second. */
  readonly rates: {
    readonly pages: readonly number[];
    readonly requests: readonly number[];
    readonly bytes: readonly number[];
  };
  readonly underway: CrawlActivity['underway'];
  readonly underwayCount: number;
  readonly hosts: readonly HostRow[];
  /** Waiting hosts, including those that are not listed. */
  readonly waitingHosts: number;
  /** Requests by class of status, or failure code, since the view began. */
  readonly answers: Readonly<Record<string, number>>;
  /** URLs by status and reason, since the view began. */
  readonly outcomes: Readonly<Partial<Record<UrlStatus, Readonly<Record<string, number>>>>>;
  readonly recent: readonly RequestRow[];
  readonly notes: readonly NoteRow[];
  /** Empty for a crawl of one process. */
  readonly processes: readonly ProcessRow[];
  readonly hasControls: boolean;
}

/** Keeps the view of one crawler up to date from now on. @throws Never */
export function createView(crawl: WatchedCrawl, hasControls: boolean) {
  const ledger = createHostTallies();
  const recent: RequestRow[] = [];
  const notes: NoteRow[] = [];
  const answers: Record<string, number> = {};
  const outcomes: Partial<Record<UrlStatus, Record<string, number>>> = {};
  const rates = { pages: [] as number[], requests: [] as number[], bytes: [] as number[] };
  let last: CrawlProgress | null = null;
  const note = (kind: string, about: string, detail: string, atMs = crawl.activity({ limit: 0 }).nowMs) =>
    pushBounded(notes, { kind, about: cleaned(about), detail: cleaned(detail), atMs }, MAX_DASHBOARD_RECENT);

  const unsubscribers = [
    crawl.events.on('request', (record) => {
      ledger.request(record);
      const { url, purpose, status, failure, encodedBytes: bytes, startedAtMs, endedAtMs: atMs } = record;
      const row = { url: cleaned(url), purpose, status, failure, tookMs: atMs - startedAtMs, bytes, atMs };
      pushBounded(recent, row, MAX_DASHBOARD_RECENT);
      count(answers, status === null ? (failure ?? 'internal') : `${Math.floor(status / 100)}xx`);
    }),
    crawl.events.on('decision', ({ status, reason }) => {
      outcomes[status] ??= {};
      // A server may invent statuses, so the table is limited to the known ones.
      count(
        outcomes[status],
        Object.hasOwn(REASONS, reason) ? reason : /^status-[1-5]\d\d$/.test(reason) ? reason : 'other',
      );
    }),
    crawl.events.on('host-warning', ({ code, host, detail, atMs }) => {
      if (code !== 'robots-read') note(code, host, detail, atMs);
    }),
    crawl.events.on('trap', ({ rule, pattern }) => note('trap', pattern, rule)),
    crawl.events.on('handler-error', ({ url, error }) => note('handler-error', url, textOf(error))),
  ];

  return {
    sample(): void {
      const progress = crawl.progress();
      // The first sample, or another crawl than before: what it had already done is not pace.
      const isOther = last === null || last.pages > progress.pages || last.requests > progress.requests;
      const from = last === null || isOther ? progress : last;
      for (const name of ['pages', 'requests', 'bytes'] as const)
        pushBounded(rates[name], Math.max(0, progress[name] - from[name]), MAX_DASHBOARD_SAMPLES);
      last = progress;
    },
    read(): DashboardView {
      const { waitingFor: _, ...progress } = crawl.progress();
      const { underway, underwayCount, ready, waits, waitingHosts, ...activity } = crawl.activity({
        limit: MAX_DASHBOARD_HOSTS,
      });
      return {
        activity: { ...activity, seeds: activity.seeds.map(cleaned) },
        progress,
        rates: structuredClone(rates),
        underway: underway
          .slice(0, MAX_DASHBOARD_UNDERWAY)
          .map((one) => ({ ...one, url: cleaned(one.url), host: cleaned(one.host) })),
        underwayCount,
        hosts: hostRows({ underway, ready, waits }, ledger),
        waitingHosts,
        ...structuredClone({ answers, outcomes }),
        recent: [...recent].reverse(),
        notes: [...notes].reverse(),
        processes: [],
        hasControls,
        ...crawl.combinedView?.(),
      };
    },
    close(): void {
      for (const end of unsubscribers) end();
    },
  };
}

/** What the view remembers about each host: the one requested longest ago is forgotten first. @throws Never */
export function createHostTallies(max = MAX_DASHBOARD_TALLIES) {
  const tallies = new Map<string, HostTally>();
  return {
    request(record: RequestRecord): void {
      const { host, status, failure, gapMs } = record;
      const { requests = 0, errors = 0, bytes = 0, smallestGapMs = null } = tallies.get(host) ?? {};
      const required = Math.max(record.crawlDelayMs ?? 0, record.requestIntervalMs ?? 0);
      const tally = {
        requests: requests + 1,
        errors: errors + (status === null || status >= 400 ? 1 : 0),
        bytes: bytes + record.encodedBytes,
        lastStatus: status,
        lastFailure: failure,
        lastEndedAtMs: record.endedAtMs,
        asksMs: required > 0 ? required : null,
        smallestGapMs: gapMs === null ? smallestGapMs : Math.min(gapMs, smallestGapMs ?? gapMs),
      };
      keepLatest(tallies, host, tally, max);
    },
    get: (host: string): HostTally | null => tallies.get(host) ?? null,
    /** Hosts by their last request, the latest first. */
    latest: () => [...tallies.keys()].reverse(),
  };
}

/** Hosts by what is due: in flight, ready, waiting by time, parked, and the rest by their last request. */
function hostRows(
  { underway, ready, waits }: Pick<CrawlActivity, 'underway' | 'ready' | 'waits'>,
  ledger: ReturnType<typeof createHostTallies>,
): HostRow[] {
  const rows = new Map<string, HostRow>();
  const queued = new Map([...ready, ...waits].map((one) => [one.host, one.queued]));
  const add = (host: string, state: HostRow['state'], { reason = null, untilMs = null }: Partial<HostRow> = {}) => {
    if (rows.size >= MAX_DASHBOARD_HOSTS || rows.has(host)) return;
    const row = { host: cleaned(host), state, reason, untilMs };
    rows.set(host, { ...row, queued: queued.get(host) ?? null, tally: ledger.get(host) });
  };
  for (const { host } of underway) add(host, 'asking');
  for (const { host } of ready) add(host, 'ready');
  for (const wait of waits) add(wait.host, wait.untilMs === null ? 'parked' : 'waiting', wait);
  for (const host of ledger.latest()) add(host, 'quiet');
  return [...rows.values()];
}

/** Text from a site: without control or direction characters, and shortened. */
function cleaned(text: string): string {
  return printable(text, MAX_DASHBOARD_TEXT);
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function pushBounded<T>(values: T[], value: T, max: number): void {
  values.push(value);
  if (values.length > max) values.shift();
}
