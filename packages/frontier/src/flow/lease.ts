// The leases of this process: hosts come from the store, are renewed while anything of theirs is in hand, and go back.
// Everything said to the store about hosts goes through one commit at a time; what comes up while one is under way
// travels with the next (group commit). A host whose commit answers `lost` is forgotten with all that was in hand.

import type { Clock } from '../clock.js';
import { type LeasedHost, leasedHost, noChanges, readyEntries, stateOf } from '../hosts/leased-host.js';
import { ENTRIES_PER_LEASE } from '../limits.js';
import type { AddOutcome, Entry, FrontierStore, HostCommit, HostKey, LaneBlock, NewEntry } from '../store.js';
import { DROP_BATCH } from './limits.js';

/** What becomes of a host with the commit that is about to leave. */
export type HostPlan =
  | { readonly kind: 'keep'; readonly want: number; readonly delayMs: number }
  | { readonly kind: 'release'; readonly dueInMs: number | null; readonly delayMs: number };

/** What the keeper of leases is made of. */
export interface LeaseParts {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly ttlMs: number;
  /** What a host is owed that asks for nothing, milliseconds: should we die before our first commit about it. */
  readonly firstDelayMs: number;
  /** Decided at the last moment, when the commit is built. */
  readonly plan: (host: LeasedHost, nowMs: number) => HostPlan;
  /** Entries came into hand, and with them perhaps authorities that were asked about in an earlier lease. */
  readonly intake: (host: LeasedHost, entries: readonly Entry[], askers: readonly string[]) => Promise<void>;
  /** Entries left the queue for good. */
  readonly finished: (entries: number) => void;
  /** The host is no longer ours. */
  readonly gone: (host: LeasedHost, plan: HostPlan | null) => void;
}

/** The hosts we hold. */
export interface Leases {
  readonly held: ReadonlyMap<HostKey, LeasedHost>;
  /** Leases hosts that are due, or those named, if they are free and due, with something queued or not. @returns how many came. */
  lease(maxHosts: number, hosts?: readonly HostKey[]): Promise<number>;
  /** The next commit says what has changed of this host. */
  touch(host: LeasedHost): void;
  /** Whether any host waits for a commit. */
  hasChanges(): boolean;
  /** Whether anything said of hosts is not known to be kept: it waits for a commit, or a commit is under way. */
  isBusy(): boolean;
  /** Commits what has changed up to now, links included. @returns the links' outcomes. */
  commit(links?: readonly NewEntry[]): Promise<AddOutcome[]>;
  /** Queues entries, in batches that the store takes. */
  add(entries: readonly NewEntry[]): Promise<AddOutcome[]>;
}

interface WaitingLinks {
  readonly entries: readonly NewEntry[];
  outcomes: AddOutcome[];
}

/** @throws Never; its promises reject with what the store throws. */
export function createLeases(parts: LeaseParts): Leases {
  const { store, clock, ttlMs, firstDelayMs: delayMs } = parts;
  const held = new Map<HostKey, LeasedHost>();
  let dirty = new Set<LeasedHost>();
  let waiting: WaitingLinks[] = [];
  let inFlight: Promise<void> = Promise.resolve();
  let scheduled: Promise<void> | null = null;
  let sending = 0;

  const forget = (host: LeasedHost, plan: HostPlan | null) => {
    if (held.get(host.key) === host) held.delete(host.key);
    host.status = plan === null ? 'lost' : 'leaving';
    parts.gone(host, plan);
  };

  const add = async (entries: readonly NewEntry[]): Promise<AddOutcome[]> => {
    const outcomes: AddOutcome[] = [];
    for (let at = 0; at < entries.length; at += store.capabilities.maxBatch) {
      outcomes.push(...(await store.add(entries.slice(at, at + store.capabilities.maxBatch))));
    }
    return outcomes;
  };

  /** Links first or together with the page that names them, never after it (C5). */
  const send = async () => {
    const sentAtMs = clock.nowMs();
    const hosts = [...dirty].filter((host) => host.status === 'held');
    const links = waiting;
    dirty = new Set();
    waiting = [];
    if (hosts.length === 0 && links.length === 0) return;
    for (const { changes } of hosts) parts.finished(changes.done.length);
    const plans = hosts.map((host) => parts.plan(host, sentAtMs));
    const commits = hosts.map((host, at) => commitOf(host, plans[at]!, ttlMs, sentAtMs));
    const entries = links.flatMap((link) => link.entries);
    const { maxBatch } = store.capabilities;
    const early = entries.length - (entries.length % maxBatch || Math.min(entries.length, maxBatch));
    const outcomes = await add(entries.slice(0, early));
    for (let at = 0; at === 0 || at < commits.length; at += maxBatch) {
      const answer = await store.commit(commits.slice(at, at + maxBatch), at === 0 ? entries.slice(early) : []);
      outcomes.push(...answer.links);
      for (const [index, one] of answer.hosts.entries()) {
        const host = hosts[at + index]!;
        const plan = plans[at + index]!;
        if (!one.ok) forget(host, null);
        else if (plan.kind === 'release') forget(host, plan);
        else await renewed(host, plan.want, one.entries, sentAtMs);
      }
    }
    for (const link of links) link.outcomes = outcomes.splice(0, link.entries.length);
  };

  const renewed = async (host: LeasedHost, want: number, entries: readonly Entry[], sentAtMs: number) => {
    host.leaseEndMs = sentAtMs + ttlMs;
    host.isDry = entries.length < want;
    // Links of this very commit are counted when their outcomes are read, after this: until then it may be below zero.
    host.queued -= entries.length;
    await parts.intake(host, entries, []);
  };

  const flush = (): Promise<void> => {
    scheduled ??= inFlight.then(() => {
      scheduled = null;
      sending += 1;
      inFlight = send().finally(() => {
        sending -= 1;
      });
      return inFlight;
    });
    return scheduled;
  };

  return {
    held,
    async lease(maxHosts, hosts) {
      const sentAtMs = clock.nowMs();
      const leases = await store.lease({
        maxHosts,
        entriesPerHost: ENTRIES_PER_LEASE,
        ttlMs,
        delayMs,
        ...(hosts === undefined ? {} : { hosts }),
      });
      const nowMs = clock.nowMs();
      const intakes = leases.map((lease) => {
        const { askers, ...host } = leasedHost(lease, sentAtMs, nowMs);
        // The store grants our own host again only when our lease had run out.
        const earlier = held.get(host.key);
        if (earlier !== undefined) forget(earlier, null);
        host.isDry = lease.entries.length < ENTRIES_PER_LEASE;
        held.set(host.key, host);
        return parts.intake(host, lease.entries, askers);
      });
      await Promise.all(intakes);
      return leases.length;
    },
    touch: (host) => void dirty.add(host),
    hasChanges: () => dirty.size > 0,
    isBusy: () => dirty.size > 0 || scheduled !== null || sending > 0,
    async commit(links = []) {
      const link: WaitingLinks = { entries: links, outcomes: [] };
      if (links.length > 0) waiting.push(link);
      await flush();
      return link.outcomes;
    },
    add,
  };
}

function commitOf(host: LeasedHost, plan: HostPlan, ttlMs: number, nowMs: number): HostCommit {
  const { done, requeue, lanes } = host.changes;
  host.changes = noChanges();
  if (plan.kind === 'release') host.status = 'leaving';
  const blockLanes: LaneBlock[] = [...lanes].map(([lane, untilMs]) => ({ lane, ms: Math.max(0, untilMs - nowMs) }));
  const changed = {
    host: host.key,
    fencingToken: host.fencingToken,
    ...(done.length > 0 ? { done } : {}),
    ...(requeue.length > 0 ? { requeue } : {}),
    ...(blockLanes.length > 0 ? { blockLanes } : {}),
  };
  // Nobody else can have the host before these times: a vanished holder's host is granted `delayMs` after its end.
  const { delayMs } = plan;
  if (plan.kind === 'keep') {
    return { ...changed, state: stateOf(host, nowMs + delayMs), delayMs, then: { keep: { ttlMs, want: plan.want } } };
  }
  const { dueInMs } = plan;
  return { ...changed, state: stateOf(host, nowMs + (dueInMs ?? delayMs)), delayMs, then: { release: { dueInMs } } };
}

/** How many more entries may come into the buffer; those handed out have a bound of their own. Never throws. */
export function entriesWanted(host: LeasedHost, isDropping: boolean, nowMs: number): number {
  const most = isDropping ? DROP_BATCH : ENTRIES_PER_LEASE;
  return Math.max(0, most - readyEntries(host, nowMs));
}
