// The verbs of store-on-files.ts, each a step from one state to the next. Letters such as L5 are the contract's
// invariants.

import type {
  AddOutcome,
  CommitAnswer,
  Entry,
  HostCommit,
  HostCommitAnswer,
  Lease,
  LeaseRequest,
  NewEntry,
} from '@mannerly/frontier';

/** Before every priority: entries that a holder did not complete (L5). */
const IN_FRONT = -1;
const NEVER = Number.POSITIVE_INFINITY;

interface Waiting {
  readonly id: number;
  readonly lane: string;
  priority: number;
  body: Uint8Array;
  attempt: number;
  /** Entries are handed out by rank, then by turn. In flight, `turn` is when the entry was handed out. */
  rank: number;
  turn: number;
  readyAt: number;
  isInFlight: boolean;
}

interface Host {
  readonly key: string;
  readonly holds: Map<string, number>;
  /** In the order of their ids. */
  entries: Waiting[];
  nextTurn: number;
  fencingToken: number;
  nextAt: number;
  delayMs: number;
  leaseEndsAt: number | null;
  isParked: boolean;
  state: Uint8Array | null;
}

/** The whole state. Times are on the store's own clock (X1). */
export interface Crawl {
  readonly format: string;
  readonly name: string;
  latestMs: number;
  readonly known: Set<string>;
  readonly hosts: Map<string, Host>;
  readonly records: Map<string, Uint8Array>;
}

/** A crawl without URLs. */
export function newCrawl(name: string): Crawl {
  return { format: 'files 1', name, latestMs: 0, known: new Set(), hosts: new Map(), records: new Map() };
}

/** The name of a verb that changes the state. */
export type Verb = keyof typeof VERBS;

/** The verbs that change the state. */
export const VERBS = { add, lease, wake, commit, writeRecord };

function add(crawl: Crawl, now: number, entries: readonly NewEntry[]): AddOutcome[] {
  crawl.latestMs = now;
  return entries.map(({ host: key, lane = '', fingerprint: bytes, priority, body, notBeforeMs = 0, dedupe = true }) => {
    const fingerprint = Buffer.from(bytes).toString('hex');
    if (dedupe && crawl.known.has(fingerprint)) return 'known';
    crawl.known.add(fingerprint);
    const host = hostOf(crawl, key);
    const turn = host.nextTurn++;
    const readyAt = now + notBeforeMs;
    host.entries.push({ id: turn, lane, priority, body, attempt: 0, rank: priority, turn, readyAt, isInFlight: false });
    return 'new';
  });
}

function lease(crawl: Crawl, now: number, request: LeaseRequest): Lease[] {
  crawl.latestMs = now;
  const named = request.hosts?.map((key) => hostOf(crawl, key)).filter((host) => allowedAt(host) <= now);
  const due = [...crawl.hosts.values()].filter((host) => dueAt(host) <= now).sort((a, b) => dueAt(a) - dueAt(b));
  const leases: Lease[] = [];
  for (const host of named ?? due) {
    if (leases.length === request.maxHosts) break;
    endLease(host, allowedAt(host));
    // A holder that vanished may have had only entries that wait for their time (L7).
    if (named === undefined && dueAt(host) > now) continue;
    host.fencingToken += 1;
    host.leaseEndsAt = now + request.ttlMs;
    host.delayMs = Math.max(host.delayMs, request.delayMs ?? 0);
    const entries = take(host, request.entriesPerHost, now);
    const queued = host.entries.filter(({ isInFlight }) => !isInFlight).length;
    const { key, fencingToken, state } = host;
    leases.push({
      host: key,
      fencingToken: String(fencingToken),
      state,
      entries,
      queued,
    });
  }
  return leases;
}

function wake(crawl: Crawl, _now: number, key: string): void {
  const host = crawl.hosts.get(key);
  if (host !== undefined) host.isParked = false;
}

function commit(crawl: Crawl, now: number, hosts: readonly HostCommit[], links: readonly NewEntry[]): CommitAnswer {
  // Links first: they are facts even if a lease is lost (C1), and a released host gets them (C4).
  const outcomes = add(crawl, now, links);
  return { hosts: hosts.map((part) => commitOne(crawl.hosts.get(part.host), now, part)), links: outcomes };
}

function commitOne(host: Host | undefined, now: number, part: HostCommit): HostCommitAnswer {
  const isHolder = host !== undefined && host.leaseEndsAt !== null && String(host.fencingToken) === part.fencingToken;
  if (!isHolder) return { ok: false, reason: 'lost' };
  const inFlight = new Map(
    host.entries.filter(({ isInFlight }) => isInFlight).map((entry) => [String(entry.id), entry]),
  );
  const done = new Set((part.done ?? []).map((id) => inFlight.get(id)));
  host.entries = host.entries.filter((entry) => !done.has(entry));
  for (const { id, priority, body, notBeforeMs = 0 } of part.requeue ?? []) {
    const entry = inFlight.get(id);
    if (entry === undefined || done.has(entry)) continue;
    inFlight.delete(id);
    const rank = priority ?? entry.priority;
    const changes = { priority: rank, rank, body: body ?? entry.body, readyAt: now + notBeforeMs };
    Object.assign(entry, changes, { turn: host.nextTurn++, isInFlight: false });
  }
  host.state = part.state ?? host.state;
  host.delayMs = part.delayMs ?? host.delayMs;
  for (const { lane, ms } of part.blockLanes ?? []) host.holds.set(lane, now + ms);
  if ('keep' in part.then) {
    host.leaseEndsAt = now + part.then.keep.ttlMs;
    return { ok: true, entries: take(host, part.then.keep.want, now) };
  }
  const { dueInMs } = part.then.release;
  host.fencingToken += 1;
  host.isParked = dueInMs === null;
  endLease(host, now + (dueInMs ?? host.delayMs));
  return { ok: true, entries: [] };
}

function writeRecord(crawl: Crawl, _now: number, key: string, value: Uint8Array | null): void {
  if (value === null) crawl.records.delete(key);
  else crawl.records.set(key, value);
}

/**
 * The time at which a host is due: for a leased one, when its lease ends; `Infinity` if it is never due (C3, C6, L4,
 * L7).
 */
export function dueAt(host: Host): number {
  if (host.leaseEndsAt !== null) return allowedAt(host);
  const readyAt = host.entries.map((entry) => Math.max(entry.readyAt, host.holds.get(entry.lane) ?? 0));
  return Math.max(allowedAt(host), Math.min(NEVER, ...readyAt));
}

/** The time from which the host may be leased. */
function allowedAt({ isParked, leaseEndsAt, nextAt, delayMs }: Host): number {
  return isParked ? NEVER : leaseEndsAt === null ? nextAt : leaseEndsAt + delayMs;
}

/** Entries in flight come first, in the order in which they were handed out, with their ids (L5). */
function endLease(host: Host, nextAt: number): void {
  if (host.leaseEndsAt === null) return;
  host.leaseEndsAt = null;
  host.nextAt = nextAt;
  for (const entry of host.entries) if (entry.isInFlight) Object.assign(entry, { isInFlight: false, rank: IN_FRONT });
}

function take(host: Host, count: number, now: number): Entry[] {
  const isOpen = ({ lane }: Waiting) => (host.holds.get(lane) ?? 0) <= now;
  const ready = host.entries.filter((entry) => !entry.isInFlight && entry.readyAt <= now && isOpen(entry));
  return ready
    .sort(byRankAndTurn)
    .slice(0, count)
    .map((entry) => {
      Object.assign(entry, { isInFlight: true, attempt: entry.attempt + 1, turn: host.nextTurn++ });
      return { id: String(entry.id), priority: entry.priority, body: entry.body, attempt: entry.attempt - 1 };
    });
}

function byRankAndTurn(a: Waiting, b: Waiting): number {
  return a.rank - b.rank || a.turn - b.turn;
}

function hostOf(crawl: Crawl, key: string): Host {
  const present = crawl.hosts.get(key);
  if (present !== undefined) return present;
  const times = { nextAt: 0, delayMs: 0, leaseEndsAt: null, isParked: false };
  const host = { key, holds: new Map(), entries: [], nextTurn: 1, fencingToken: 0, ...times, state: null };
  crawl.hosts.set(key, host);
  return host;
}
