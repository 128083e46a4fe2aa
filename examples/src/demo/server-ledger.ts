// Computes the politeness table again from the servers' own log, and the complaints of the hosts. It shares no code
// with the crawler's ledger: it has the whole log and checks every pair.

import type { TownHost } from './plan.js';
import type { TownRequest } from './town.js';

/** One host, as its server saw the crawler. */
export interface ServerRow {
  readonly host: string;
  readonly requests: number;
  readonly robotsRequests: number;
  readonly smallestGapMs: number | null;
  readonly smallestStartToStartMs: number | null;
  readonly highestConcurrency: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * By how many milliseconds the two sides may differ about one gap: the time between a timestamp and the network on a
 * busy machine. The server's gap is the longer one. `objections` checks strictly that it is not too short.
 */
export const TOLERANCE_MS = 250;
/** Milliseconds for rounding: the crawler has whole milliseconds of an adjusted clock, the town has fractions. */
const ROUNDING_MS = 3;

/** The table from the log, one row per requested host, in the town's order. */
export function serverRows(hosts: readonly TownHost[], log: readonly TownRequest[]): ServerRow[] {
  return hosts.flatMap((host) => {
    const visits = visitsOf(host, log);
    return visits.length === 0 ? [] : [serverRow(host, visits)];
  });
}

function serverRow(host: TownHost, visits: readonly TownRequest[]): ServerRow {
  const statuses: Record<string, number> = {};
  for (const { status } of visits) statuses[status] = (statuses[status] ?? 0) + 1;
  const robotsRequests = visits.filter(isRobots).length;
  const pairs = inPairs(visits);
  return {
    host: host.name,
    requests: visits.length,
    robotsRequests,
    smallestGapMs: smallest(pairs.map(([before, after]) => Math.max(0, after.startedAtMs - before.endedAtMs))),
    smallestStartToStartMs:
      host.startToStartMs === 0
        ? null
        : smallest(pairs.map(([before, after]) => after.startedAtMs - before.startedAtMs)),
    highestConcurrency: Math.max(...visits.map((visit) => atOnce(visits, visit.startedAtMs))),
    statuses,
  };
}

/**
 * The complaints of the hosts, from the log alone; empty for a polite crawler. Gaps are judged to the millisecond,
 * because the time between network and timestamp can only lengthen them. Intervals from start to start get the
 * tolerance: if the first request arrives late, the second looks early.
 */
export function objections(hosts: readonly TownHost[], log: readonly TownRequest[], contact: string): string[] {
  const strangers = log.filter((visit) => hosts.every((host) => host.name !== visit.host));
  const strange = strangers.map((visit) => `${visit.host}${visit.path} was asked of a host that is not in the town`);
  return strange.concat(hosts.flatMap((host) => hostObjections(host, visitsOf(host, log), contact)));
}

function hostObjections(host: TownHost, visits: readonly TownRequest[], contact: string): string[] {
  const found: string[] = [];
  const firstAnswer = visits.find(isRobots)?.endedAtMs ?? Number.POSITIVE_INFINITY;
  for (const visit of visits) {
    if (!visit.userAgent.includes(contact)) found.push(`${host.name}${visit.path} was asked for without the contact`);
    if (host.isClosed(visit.path)) found.push(`${host.name}${visit.path} is closed and was asked for`);
    if (!isRobots(visit) && visit.startedAtMs < firstAnswer)
      found.push(`${host.name}${visit.path} was asked for before robots.txt was answered`);
  }
  for (const [before, after] of inPairs(visits)) {
    const gap = after.startedAtMs - before.endedAtMs;
    const startToStart = after.startedAtMs - before.startedAtMs;
    if (gap < 0) found.push(`${host.name}${after.path} overlaps ${before.path}`);
    else if (gap < host.gapMs - ROUNDING_MS)
      found.push(`${host.name}${after.path} came after ${gap.toFixed(1)} ms, not ${host.gapMs}`);
    if (startToStart < host.startToStartMs - TOLERANCE_MS) {
      found.push(
        `${host.name}${after.path} started ${startToStart.toFixed(1)} ms after ${before.path}, not ${host.startToStartMs}`,
      );
    }
  }
  return found;
}

/** Where the crawler's rows and the servers' rows differ; empty when they agree. */
export function differences(crawler: readonly ServerRow[], servers: readonly ServerRow[]): string[] {
  const names = [...new Set([...crawler, ...servers].map((row) => row.host))];
  return names.flatMap((name) => {
    const ours = crawler.find((row) => row.host === name && row.requests > 0);
    const theirs = servers.find((row) => row.host === name);
    if (ours === undefined || theirs === undefined) return [`${name} is in one table only`];
    const found: string[] = [];
    for (const field of ['requests', 'robotsRequests', 'highestConcurrency'] as const) {
      if (ours[field] !== theirs[field])
        found.push(`${name}, ${field}: ${ours[field]} by the crawler, ${theirs[field]} by the server`);
    }
    for (const field of ['smallestGapMs', 'smallestStartToStartMs'] as const) {
      if (!isNear(ours[field], theirs[field]))
        found.push(`${name}, ${field}: ${ours[field]} ms by the crawler, ${theirs[field]} ms by the server`);
    }
    if (sortedText(ours.statuses) !== sortedText(theirs.statuses)) {
      found.push(
        `${name}, answers: ${sortedText(ours.statuses)} by the crawler, ${sortedText(theirs.statuses)} by the server`,
      );
    }
    return found;
  });
}

function visitsOf(host: TownHost, log: readonly TownRequest[]): TownRequest[] {
  return log.filter((visit) => visit.host === host.name).sort((a, b) => a.startedAtMs - b.startedAtMs);
}

function isRobots(visit: TownRequest): boolean {
  return visit.path === '/robots.txt';
}

function inPairs<T>(list: readonly T[]): (readonly [T, T])[] {
  return list.slice(1).map((after, index) => [list[index] as T, after] as const);
}

function smallest(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers);
}

function atOnce(visits: readonly TownRequest[], atMs: number): number {
  return visits.filter((visit) => visit.startedAtMs <= atMs && atMs < visit.endedAtMs).length;
}

function isNear(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : Math.abs(a - b) <= TOLERANCE_MS;
}

function sortedText(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}×${count}`)
    .sort()
    .join(' ');
}
