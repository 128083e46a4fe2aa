// The leases of this process: it leases hosts from the store, renews them while their work is in flight, and releases
// them. All reports to the store about hosts go through one commit at a time. What changes while a commit is in flight
// goes with the next one (group commit). A host whose commit answers `lost` is forgotten with all its work.

import type { LeasedEntry } from '../hosts/leased-entries.js';
import { LeasedHost } from '../hosts/leased-host.js';
import { ENTRIES_PER_LEASE } from '../limits.js';
import { itemOf } from '../records/record.js';
import type { AddOutcome, Entry, HostCommit, HostCommitAnswer, HostKey, NewEntry } from '../store.js';
import { authorityOf } from '../url/url.js';
import type { FrontierContext } from './context.js';
import type { HostSchedule } from './host-schedule.js';
import { DUE_CHECK_INTERVAL_MS } from './limits.js';

interface PendingLinks {
  readonly entries: readonly NewEntry[];
  outcomes: AddOutcome[];
}

export type HostLeases = ReturnType<typeof createHostLeases>;

/** The leases of one process. Promises reject with what the store throws. */
export function createHostLeases(context: FrontierContext, schedule: HostSchedule) {
  const { store, clock, settings, counts, budget, labelBudgets, gate, waits, guard } = context;
  let pendingLinks: PendingLinks[] = [];
  /** The commit that takes up what changes now, and the one that is in flight. */
  let scheduled: Promise<void> | null = null;
  let sending: Promise<void> | null = null;
  /** As far as we know, nothing is due in the store before this time. */
  let nothingDueUntilMs = 0;
  /** The earliest due time that the store has named since the last lease. Then a lease is tried, whatever it says. */
  let namedDueAtMs = Number.POSITIVE_INFINITY;

  // ── Lease ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Leases as many due hosts as there is capacity for, at most `maxHosts`. @returns Whether it leased any. */
  async function leaseDue(maxHosts: number): Promise<boolean> {
    const limit = Math.min(maxHosts, schedule.remainingCapacity);
    const leased = limit > 0 && (await isAnyDue()) ? await lease(limit) : 0;
    schedule.noteLease(leased, limit);
    return leased > 0;
  }

  /** A host that is not ours may be due in the store. */
  function noteMayBeDue(): void {
    nothingDueUntilMs = 0;
  }

  /** Checking the due times costs less than a lease, which is a transaction. Checks are spaced in time as well. */
  async function isAnyDue(): Promise<boolean> {
    if (schedule.mayHaveMoreDue) return true;
    const nowMs = clock.nowMs();
    if (nowMs < nothingDueUntilMs) return false;
    const dueInMs = await store.nextDueInMs();
    if (dueInMs === 0 || nowMs >= namedDueAtMs) {
      namedDueAtMs = Number.POSITIVE_INFINITY;
      return true;
    }
    if (dueInMs !== null) namedDueAtMs = Math.min(namedDueAtMs, nowMs + dueInMs);
    nothingDueUntilMs = nowMs + Math.min(dueInMs ?? DUE_CHECK_INTERVAL_MS, DUE_CHECK_INTERVAL_MS);
    return false;
  }

  /**
   * Leases hosts that are due, or the named ones if they are due, with or without entries.
   * @returns How many it leased.
   */
  async function lease(maxHosts: number, hosts?: readonly HostKey[]): Promise<number> {
    const leaseEndMs = clock.nowMs() + settings.leaseTtlMs;
    const leases = await store.lease({
      maxHosts,
      entriesPerHost: ENTRIES_PER_LEASE,
      ttlMs: settings.leaseTtlMs,
      // The delay that the next holder keeps for a host without requirements if we die before our first commit.
      delayMs: Math.ceil(settings.politeness.minMs),
      ...(hosts === undefined ? {} : { hosts }),
    });
    const nowMs = clock.nowMs();
    const arrivals = leases.map((each) => {
      // The store can grant our own host to us again: after our lease ran out, or after we released it. In the second
      // case the answer to the releasing commit is still on its way and says what became of the host.
      const previous = schedule.get(each.host);
      if (previous !== undefined && previous.status !== 'leaving') lose(previous);
      const host = new LeasedHost(each, settings.settingsOf(each.host), leaseEndMs, nowMs, budget.countSinceMs);
      schedule.add(host);
      return addEntries(host, each.entries);
    });
    await Promise.all(arrivals);
    return leases.length;
  }

  /** Takes in entries from a lease or a renewal, once the rules of their authorities are known. */
  async function addEntries(host: LeasedHost, entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0 && host.status === 'leased') {
      schedule.reschedule(host);
      return;
    }
    const leased = entries.map((entry) => leasedEntry(host.key, entry));
    const names = new Set(host.spacingAuthorities);
    const spacing = new Set(host.spacingAuthorities);
    for (const { item, authority } of leased) {
      names.add(authority);
      // A hop does not space the host: its authority belongs to another one.
      if (item.kind === 'page') spacing.add(authority);
    }
    // Another process may have held the host and fetched its robots.txt in the meantime.
    const mayHaveChanged = store.capabilities.shared && host.status === 'arriving';
    const authorities = await Promise.all(
      Array.from(names, (name) => (mayHaveChanged ? gate.authorities.refresh(name) : gate.authorities.load(name))),
    );
    if (host.status === 'arriving') host.status = 'leased';
    if (host.status !== 'leased') return;
    let hasAnswered = false;
    for (const authority of authorities) {
      if (!spacing.has(authority.name)) continue;
      host.requirements.note(authority.name, gate.rules(authority)?.requirements ?? null);
      hasAnswered ||= authority.hasAnswered;
    }
    // The last holder was killed after it stored the robots.txt and before it stored the clock. So the file's
    // requirements are known, and it was read just now. A host with neither clock nor robots.txt is new.
    if (mayHaveChanged && hasAnswered && host.clock.lastEndMs === null) host.restartClock(clock.nowMs());
    host.entries.add(leased);
    schedule.reschedule(host);
  }

  // ── Commit ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  async function add(entries: readonly NewEntry[]): Promise<AddOutcome[]> {
    const outcomes = await addInBatches(entries);
    noteQueued(entries, outcomes);
    return outcomes;
  }

  /** Commits all changes so far, links included. @returns The outcomes of the links. */
  async function commit(links: readonly NewEntry[] = []): Promise<AddOutcome[]> {
    const pending: PendingLinks = { entries: links, outcomes: [] };
    if (links.length > 0) pendingLinks.push(pending);
    scheduled ??= (sending ?? Promise.resolve()).then(() => {
      scheduled = null;
      sending = send().finally(() => {
        sending = null;
      });
      return sending;
    });
    await scheduled;
    return pending.outcomes;
  }

  /** Commits the changes; no caller waits for it. */
  function commitSoon(): void {
    if (schedule.hasChanges) commit().catch(guard.fail);
  }

  /** Links are committed before or together with the page that names them, never after it (C5). */
  async function send(): Promise<void> {
    const sentAtMs = clock.nowMs();
    const hosts = schedule.takeChanged();
    const links = pendingLinks;
    pendingLinks = [];
    if (hosts.length === 0 && links.length === 0) return;
    noteFinished(hosts);
    const commits = hosts.map((host) => schedule.commitOf(host, sentAtMs));
    const entries = links.flatMap((link) => link.entries);
    // Before the commit, because the commit may release the host.
    for (const { host, notBeforeMs = 0 } of entries)
      if (notBeforeMs > 0) schedule.get(host)?.noteDelayedEntry(notBeforeMs, sentAtMs);
    const { maxBatch } = store.capabilities;
    const addedFirst = entries.length - (entries.length % maxBatch || Math.min(entries.length, maxBatch));
    const outcomes = await addInBatches(entries.slice(0, addedFirst));
    for (let at = 0; at === 0 || at < commits.length; at += maxBatch) {
      const answer = await store.commit(commits.slice(at, at + maxBatch), at === 0 ? entries.slice(addedFirst) : []);
      for (const outcome of answer.links) outcomes.push(outcome);
      for (let index = 0; index < answer.hosts.length; index += 1) {
        const arrival = conclude(hosts[at + index]!, commits[at + index]!, answer.hosts[index]!, sentAtMs);
        if (arrival !== null) await arrival;
      }
    }
    noteQueued(entries, outcomes);
    for (const link of links) link.outcomes = outcomes.splice(0, link.entries.length);
  }

  /** What the store answered to the commit of a host. @returns The arrival of more entries, if it stays ours. */
  function conclude(host: LeasedHost, { then, done = [] }: HostCommit, answer: HostCommitAnswer, sentAtMs: number) {
    if (!answer.ok) {
      lose(host);
      if (answer.late !== undefined) host.late = { done, answer: answer.late };
      return null;
    }
    if ('release' in then) {
      released(host, then.release.dueInMs);
      return null;
    }
    host.renewed(sentAtMs + then.keep.ttlMs, answer.entries.length, then.keep.want);
    return addEntries(host, answer.entries);
  }

  async function addInBatches(entries: readonly NewEntry[]): Promise<AddOutcome[]> {
    const { maxBatch } = store.capabilities;
    const outcomes: AddOutcome[] = [];
    for (let at = 0; at < entries.length; at += maxBatch)
      for (const outcome of await store.add(entries.slice(at, at + maxBatch))) outcomes.push(outcome);
    return outcomes;
  }

  function noteFinished(hosts: readonly LeasedHost[]): void {
    let finished = 0;
    for (const host of hosts) finished += host.entries.finishedCount;
    if (finished === 0) return;
    counts.countFinished(finished);
    // Before the commit: if the process is killed in between, it has counted one page too many, never one too few.
    const nowMs = clock.nowMs();
    for (const each of [budget, ...labelBudgets.opened.values()]) each.save(nowMs).catch(guard.fail);
  }

  function noteQueued(entries: readonly NewEntry[], outcomes: readonly AddOutcome[]): void {
    for (let at = 0; at < entries.length; at += 1) {
      if (outcomes[at] !== 'new') continue;
      counts.countQueued();
      const { host: name } = entries[at]!;
      const host = schedule.get(name);
      if (host === undefined) {
        waits.countQueued(name);
        noteMayBeDue();
      } else if (host.noteQueued()) schedule.reschedule(host);
    }
  }

  /** Another process holds the host, or may hold it. */
  function lose(host: LeasedHost): void {
    host.status = 'lost';
    schedule.remove(host);
    noteMayBeDue();
  }

  /** The host is back in the store. `dueInMs`: `null` for a parked one. */
  function released(host: LeasedHost, dueInMs: number | null): void {
    schedule.remove(host);
    noteMayBeDue();
    // The host may have been leased again before this answer arrived.
    const { key, queued } = host;
    if (schedule.get(key) === undefined) waits.noteReleased(key, host.waitAt(clock.nowMs()), queued);
    // The operator must learn of a parked host, however this process ends.
    if (dueInMs === null) waits.save().catch(guard.fail);
  }

  /** Whether the store has not yet confirmed a report: it waits for a commit, or a commit is in flight. */
  const isBusy = (): boolean => schedule.hasChanges || scheduled !== null || sending !== null;

  return { leaseDue, lease, noteMayBeDue, add, commit, commitSoon, isBusy };
}

function leasedEntry(host: HostKey, entry: Entry): LeasedEntry {
  const { id, priority } = entry;
  const item = itemOf(host, entry);
  const authority = item.kind === 'hop' ? item.authority : authorityOf(item.record.url);
  return { id, priority, item, authority: authority ?? '' };
}
