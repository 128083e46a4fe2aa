// Collects the report from the logs of a crawl directory in one pass over each: requests as the audit judges them, with
// the warnings in between, then decisions. Memory is bounded by the hosts and by what a page can show.
// `schema/report.schema.json`, which the report must match, defines each figure.

import type { CrawlManifest } from '../../directory/crawl-manifest.js';
import { type StageCounts, sumStages } from '../../handle/item-stages.js';
import { MANNERLY_VERSION } from '../../own-package.js';
import { parseUrl } from '../../parse-url.js';
import { type AuditedCrawl, auditCrawl } from '../audit/audit-crawl.js';
import type { AuditedRequest } from '../audit/auditor.js';
import { withoutZeros } from '../combined-counts.js';
import type { RunDeclaration } from '../decision.js';
import {
  MAX_PAGE_HOSTS,
  MAX_PAGE_RUNS,
  MAX_PAGE_SEEDS,
  MAX_REPORT_HOSTS,
  MAX_STATUSES,
  MAX_TIMELINE_HOSTS,
} from '../limits.js';
import { limitingBounds } from '../outcome-counts.js';
import { RequestCounts } from '../politeness.js';
import { allWarnings, finalDecisions, type LogPaths, readStages } from '../read-logs.js';
import { sumOf } from '../table.js';
import { DecisionCounts } from './decision-counts.js';
import { HostAccount, NO_URLS } from './host-account.js';
import { Pauses } from './pauses.js';
import { ProgressSpans } from './progress.js';

export type ReportedPaths = LogPaths &
  Pick<AuditedCrawl, 'robotsPath' | 'others'> & { readonly manifest: CrawlManifest };

/** The contents of `report.json`, and of `report.html` without its text. */
export type ReportData = Awaited<ReturnType<typeof gatherReport>>;

/** @param onRequests - Called with the number judged so far. @throws The platform's error if a log cannot be read. */
export async function gatherReport(
  paths: ReportedPaths,
  nowMs: number,
  onRequests: (requests: number) => void = () => undefined,
) {
  const { manifest } = paths;
  const parts = paths.parts ?? [paths];
  const progress = new ProgressSpans();
  const { audit, accounts, answers, sizes, pauses, runs } = await readRequests(paths, parts, progress, onRequests);
  const decisions = await readDecisions(parts, progress, accounts);
  const { counts } = decisions;
  const stages = await readAllStages(parts);
  const { startedAtMs, endedAtMs } = audit;
  const { requests, pages: pageRequests, robotsRequests, bytes, signed, truncated } = answers;
  const outcomes = { ...NO_URLS };
  for (const { status, urls } of counts.reasons) outcomes[status] += urls;
  return {
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
    totals: {
      ...{ requests, pageRequests, robotsRequests, bytes, hosts: audit.hosts, found: sumOf(outcomes) },
      ...withoutZeros({ signed, truncated }),
      outcomes,
    },
    audit,
    ...hostsOf(accounts),
    pauses: pauses.all(),
    pausesLeftOut: pauses.leftOut,
    reasons: decisions.reasons(),
    bounds: limitingBounds(counts.outcomes()),
    rules: decisions.rules(),
    statuses: [...answers.statuses]
      .map(([status, count]) => ({ status, requests: count }))
      .sort((a, b) => b.requests - a.requests),
    sizes: [...sizes].sort(([a], [b]) => a - b).map(([power, responses]) => ({ belowBytes: 2 ** power, responses })),
    depths: decisions.depths(),
    ...(stages.length === 0 ? {} : { stages }),
    progress: progress.read(),
  } as const;
}

async function readRequests(
  paths: ReportedPaths,
  parts: readonly LogPaths[],
  progress: ProgressSpans,
  onRequests: (requests: number) => void,
) {
  const accounts = new Map<string, HostAccount>();
  const answers = new RequestCounts();
  /** Number of responses by the next power of two above the size of their bodies. */
  const sizes = new Map<number, number>();
  const pauses = new Pauses();
  const runs: RunDeclaration[] = [];
  const warnings = allWarnings(parts);
  let warning = await warnings.next();
  const onRequest = async (audited: AuditedRequest): Promise<void> => {
    const { record, host } = audited;
    // A warning counts before the first request that began after it.
    for (; !warning.done && warning.value.atMs <= record.startedAtMs; warning = await warnings.next())
      pauses.warning(warning.value);
    pauses.request(audited);
    if (!accounts.has(host) && accounts.size < MAX_REPORT_HOSTS) accounts.set(host, new HostAccount());
    accounts.get(host)?.request(audited);
    answers.add(record, MAX_STATUSES);
    const { status, encodedBytes } = record;
    const power = encodedBytes <= 0 ? 0 : Math.floor(Math.log2(encodedBytes)) + 1;
    if (status !== null) sizes.set(power, (sizes.get(power) ?? 0) + 1);
    onRequests(answers.requests);
    progress.start(record.startedAtMs);
    progress.add('requests', record.endedAtMs, 1);
    progress.add('bytes', record.endedAtMs, encodedBytes);
  };
  const audit = await auditCrawl(paths, {
    onRequest,
    onRun: (run) => {
      runs.push(run);
      if (runs.length > MAX_PAGE_RUNS) runs.shift();
    },
  });
  for (; !warning.done; warning = await warnings.next()) pauses.warning(warning.value);
  return { audit, accounts, answers, sizes, pauses, runs };
}

async function readDecisions(
  parts: readonly LogPaths[],
  progress: ProgressSpans,
  accounts: ReadonlyMap<string, HostAccount>,
): Promise<DecisionCounts> {
  const decisions = new DecisionCounts();
  for await (const decision of finalDecisions(parts, (leftOut) => decisions.counts.leftOut(leftOut))) {
    const { status, url, atMs, queued, replaces } = decision;
    decisions.add(decision);
    const isFetched = status === 'fetched' && (replaces?.status ?? status) === status;
    const host = isFetched ? null : parseUrl(url);
    if (host !== null) accounts.get(host.hostname)?.decision(decision);
    progress.start(atMs);
    if (status !== 'held') progress.add(status, atMs, 1);
    // Failures come after everything else.
    if (queued !== undefined && status !== 'failed') progress.queued(atMs, queued);
  }
  return decisions;
}

async function readAllStages(parts: readonly LogPaths[]): Promise<StageCounts[]> {
  const stages: StageCounts[] = [];
  for (const { runsPath } of parts) {
    if (runsPath !== undefined) for await (const line of readStages(runsPath)) stages.push(...line.stages);
  }
  return sumStages(stages);
}

/** The hosts with the most requests, as rows and as points of the timeline. */
function hostsOf(accounts: ReadonlyMap<string, HostAccount>) {
  const ranked = [...accounts].sort(([, a], [, b]) => b.counts.requests - a.counts.requests);
  const listed = ranked.slice(0, MAX_TIMELINE_HOSTS);
  const hosts = ranked.slice(0, MAX_PAGE_HOSTS).map(([host, account]) => account.row(host));
  return {
    hosts,
    hostsLeftOut: ranked.length - hosts.length,
    timeline: {
      hosts: listed.map(([host]) => host),
      points: listed.flatMap(([, account], index) => account.points(index)).sort(([a], [b]) => a - b),
      pointsLeftOut: ranked.reduce(
        (sum, [, { leftOut, counts }], index) => sum + (index < MAX_TIMELINE_HOSTS ? leftOut : counts.requests),
        0,
      ),
    },
  };
}
