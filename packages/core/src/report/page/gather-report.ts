// Everything that the report shows, gathered from the logs of a crawl directory in one pass over each: requests as the audit
// judges them, notices in between, then decisions. Memory is bounded by hosts and by what a page can show.

import { type CrawlManifest, MANNERLY_VERSION } from '../../directory/crawl-manifest.js';
import { parseUrl } from '../../parse-url.js';
import { type AuditedCrawl, auditCrawl } from '../audit/audit-crawl.js';
import type { JudgedRequest } from '../audit/auditor.js';
import { finalDecisions } from '../final-decisions.js';
import { MAX_REPORT_HOSTS } from '../limits.js';
import { allWarnings, type LogPaths } from '../read-logs.js';
import type { RunPromise } from '../run-line.js';
import { createHostAccount, type HostAccount } from './host-account.js';
import { createDecisionCounts } from './left-alone-counts.js';
import { MAX_PAGE_HOSTS, MAX_PAGE_RUNS, MAX_PAGE_SEEDS, MAX_PAGE_SPANS, MAX_TIMELINE_HOSTS } from './limits.js';
import { methodsText } from './methods.js';
import { createPauses } from './pauses.js';
import type { Progress, ReportData, Timeline } from './report-data.js';
import { createTimeBars, type TimeBars } from './time-bars.js';

/** Where a crawl's logs are, and whose crawl it is. */
export type ReportedPaths = LogPaths & Pick<AuditedCrawl, 'robotsPath'> & { readonly manifest: CrawlManifest };

type Bar = 'requests' | 'bytes' | 'fetched' | 'excluded' | 'dropped' | 'failed' | 'queued';

/**
 * Reads the logs and gathers the report.
 *
 * @param nowMs - When it is made, epoch milliseconds.
 * @param onRequests - Told now and then how many requests have been judged.
 * @throws The platform's error when a log cannot be read; absent logs are empty.
 */
export async function gatherReport(
  paths: ReportedPaths,
  nowMs: number,
  onRequests: (requests: number) => void = () => undefined,
): Promise<ReportData> {
  const { manifest } = paths;
  const accounts = createAccounts();
  const answers = createAnswers();
  const pauses = createPauses();
  const runs: RunPromise[] = [];
  let bars: TimeBars<Bar> | null = null;
  const barsFrom = (atMs: number): TimeBars<Bar> => {
    bars ??= createTimeBars(atMs, MAX_PAGE_SPANS);
    return bars;
  };
  const parts = paths.parts ?? [paths];
  const warnings = allWarnings(parts);
  let warning = await warnings.next();
  const onRequest = async (judged: JudgedRequest): Promise<void> => {
    const { record, host } = judged;
    // A warning counts before the first request that began after it.
    for (; !warning.done && warning.value.atMs <= record.startedAtMs; warning = await warnings.next())
      pauses.warning(warning.value);
    pauses.request(judged);
    accounts.of(host)?.request(judged);
    answers.request(judged);
    onRequests(answers.totals().requests);
    const over = barsFrom(record.startedAtMs);
    over.add('requests', record.endedAtMs, 1);
    over.add('bytes', record.endedAtMs, record.encodedBytes);
  };
  const audit = await auditCrawl(paths, {
    onRequest,
    onRun: (run) => {
      runs.push(run);
      if (runs.length > MAX_PAGE_RUNS) runs.shift();
    },
  });
  for (; !warning.done; warning = await warnings.next()) pauses.warning(warning.value);

  const counts = createDecisionCounts();
  for await (const decision of finalDecisions(parts, counts.leftOut)) {
    const { status, url, atMs, queued } = decision;
    counts.decision(decision);
    const host = status === 'fetched' ? null : parseUrl(url);
    if (host !== null) accounts.known(host.hostname)?.decision(status);
    const over = barsFrom(atMs);
    if (status !== 'held') over.add(status, atMs, 1);
    if (queued !== undefined) over.set('queued', atMs, queued);
  }

  const { rows, leftOut: hostsLeftOut, timeline } = accounts.read();
  const silences = pauses.read();
  const { startedAtMs, endedAtMs } = audit;
  const data = {
    format: 2,
    generatedAtMs: nowMs,
    generator: { mannerly: MANNERLY_VERSION, node: process.version },
    crawl: {
      name: manifest.name,
      tokens: manifest.tokens,
      seeds: manifest.seeds.slice(0, MAX_PAGE_SEEDS),
      seedCount: manifest.seeds.length,
      createdAtMs: manifest.createdAtMs,
      startedAtMs,
      endedAtMs,
      runs,
    },
    totals: { ...answers.totals(), hosts: audit.hosts, outcomes: counts.outcomes() },
    audit,
    hosts: rows,
    hostsLeftOut,
    pauses: silences.pauses,
    pausesLeftOut: silences.leftOut,
    reasons: counts.reasons(),
    rules: counts.rules(),
    statuses: answers.statuses(),
    sizes: answers.sizes(),
    depths: counts.depths(),
    progress: progressOf(bars),
    timeline,
  } as const;
  return { ...data, methods: methodsText(data) };
}

/** The accounts of all hosts, within bounds. */
function createAccounts() {
  const accounts = new Map<string, HostAccount>();
  return {
    known: (host: string): HostAccount | null => accounts.get(host) ?? null,
    of(host: string): HostAccount | null {
      const known = accounts.get(host);
      if (known !== undefined || accounts.size >= MAX_REPORT_HOSTS) return known ?? null;
      const opened = createHostAccount();
      accounts.set(host, opened);
      return opened;
    },
    read() {
      const ranked = [...accounts].sort(([, a], [, b]) => b.requests - a.requests);
      const rows = ranked.slice(0, MAX_PAGE_HOSTS).map(([host, account]) => account.row(host));
      const shown = ranked.slice(0, MAX_TIMELINE_HOSTS);
      const timeline: Timeline = {
        hosts: shown.map(([host]) => host),
        points: shown.flatMap(([, account], index) => account.points(index)).sort(([a], [b]) => a - b),
        pointsLeftOut:
          shown.reduce((sum, [, account]) => sum + account.leftOut, 0) +
          ranked.slice(MAX_TIMELINE_HOSTS).reduce((sum, [, account]) => sum + account.requests, 0),
      };
      return { rows, leftOut: ranked.length - rows.length, timeline };
    },
  };
}

/** What came back, over all hosts. */
function createAnswers() {
  const statuses = new Map<string, number>();
  const sizes = new Map<number, number>();
  const totals = { requests: 0, pageRequests: 0, robotsRequests: 0, bytes: 0 };
  return {
    request({ record: { status, failure, purpose, encodedBytes } }: JudgedRequest): void {
      totals.requests += 1;
      if (purpose === 'page') totals.pageRequests += 1;
      if (purpose === 'robots') totals.robotsRequests += 1;
      totals.bytes += encodedBytes;
      const name = status === null ? (failure ?? 'none') : String(status);
      const key = statuses.has(name) || statuses.size < MAX_STATUSES ? name : 'other';
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      if (status === null) return;
      const power = encodedBytes <= 0 ? 0 : Math.floor(Math.log2(encodedBytes)) + 1;
      sizes.set(power, (sizes.get(power) ?? 0) + 1);
    },
    totals: () => totals,
    statuses: () =>
      [...statuses].map(([status, requests]) => ({ status, requests })).sort((a, b) => b.requests - a.requests),
    sizes: () =>
      [...sizes].sort(([a], [b]) => a - b).map(([power, responses]) => ({ belowBytes: 2 ** power, responses })),
  };
}

/** Different statuses and failures told apart: HTTP can express 900. */
const MAX_STATUSES = 1_000;

/** Spans as running sums. */
function progressOf(bars: TimeBars<Bar> | null): Progress {
  const summed = { requests: 0, bytes: 0, fetched: 0, excluded: 0, dropped: 0, failed: 0 };
  const names = Object.keys(summed) as (keyof typeof summed)[];
  const columns = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    keyof typeof summed,
    number[]
  >;
  const atMs: number[] = [];
  const queued: (number | null)[] = [];
  const { spans, spanMs, startMs } = bars?.read() ?? { spans: [], spanMs: 0, startMs: 0 };
  for (const [index, span] of spans.entries()) {
    atMs.push(startMs + (index + 1) * spanMs);
    for (const name of names) {
      summed[name] += span[name] ?? 0;
      columns[name].push(summed[name]);
    }
    queued.push(span.queued ?? queued.at(-1) ?? null);
  }
  return { atMs, ...columns, queued };
}
