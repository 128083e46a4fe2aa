// The leases of this process: hosts come from the store, are renewed while work of theirs is in flight, and go back.
// Everything reported to the store about hosts goes through one commit at a time; what comes up while one is in flight
// goes with the next (group commit). A host whose commit answers `lost` is forgotten with all its work.

import type { LeasedEntry } from '../hosts/leased-entries.js';
import { LeasedHost } from '../hosts/leased-host.js';
import { ENTRIES_PER_LEASE } from '../limits.js';
import { decodeItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import type { AddOutcome, Entry, HostKey, NewEntry } from '../store.js';
import { authorityOf } from '../url/url.js';
import type { FrontierContext } from './context.js';
import type { HostSchedule } from './host-schedule.js';
import { LOOK_AGAIN_MS } from './limits.js';

interface WaitingLinks {
  readonly entries: readonly NewEntry[];
  outcomes: AddOutcome[];
}

/** The leases. Its promises reject with what the store throws. */
export class HostLeases {
  readonly #context: FrontierContext;
  readonly #schedule: HostSchedule;
  #waiting: WaitingLinks[] = [];
  #sending: Promise<void> = Promise.resolve();
  #scheduled: Promise<void> | null = null;
  #isSending = false;
  /** Nothing is due there before this time, as far as we know. */
  #dryUntilMs = 0;

  constructor(context: FrontierContext, schedule: HostSchedule) {
    this.#context = context;
    this.#schedule = schedule;
  }

  // ── Lease ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Leases as many due hosts as there are places, `most` at most. @returns Whether any came. */
  async leaseDue(most: number): Promise<boolean> {
    const places = Math.min(most, this.#schedule.freePlaces);
    const came = places > 0 && (await this.#isAnyDue()) ? await this.lease(places) : 0;
    this.#schedule.othersWait = came >= places;
    this.#schedule.lacksHosts = places > 0 && this.#schedule.isEmpty;
    return came > 0;
  }

  /** A host that is not ours may be due in the store. */
  mayBeDue(): void {
    this.#dryUntilMs = 0;
  }

  /** A lease is a transaction, a look at the due times is less, and there is time between two looks. */
  async #isAnyDue(): Promise<boolean> {
    if (this.#schedule.othersWait) return true;
    const nowMs = this.#context.clock.nowMs();
    if (nowMs < this.#dryUntilMs) return false;
    const dueInMs = await this.#context.store.nextDueInMs();
    if (dueInMs === 0) return true;
    this.#dryUntilMs = nowMs + Math.min(dueInMs ?? LOOK_AGAIN_MS, LOOK_AGAIN_MS);
    return false;
  }

  /** Leases hosts that are due, or the named ones if they are, with or without entries. @returns How many came. */
  async lease(maxHosts: number, hosts?: readonly HostKey[]): Promise<number> {
    const { store, clock, settings, budget } = this.#context;
    const sentAtMs = clock.nowMs();
    const leases = await store.lease({
      maxHosts,
      entriesPerHost: ENTRIES_PER_LEASE,
      ttlMs: settings.leaseTtlMs,
      // What the next holder owes a host without requirements, should we die before our first commit.
      delayMs: Math.ceil(settings.politeness.minMs),
      ...(hosts === undefined ? {} : { hosts }),
    });
    const nowMs = clock.nowMs();
    const arrivals = leases.map((lease) => {
      // The store grants our own host again when our lease had run out, or when it took the host back: then the answer
      // to the commit that gave it back is on its way, and says what became of it.
      const earlier = this.#schedule.get(lease.host);
      if (earlier !== undefined && earlier.status !== 'leaving') this.#lose(earlier);
      const host = new LeasedHost(lease, settings.settingsOf(lease.host), sentAtMs, nowMs, budget.countSinceMs);
      this.#schedule.add(host);
      return this.#takeIn(host, lease.entries);
    });
    await Promise.all(arrivals);
    return leases.length;
  }

  /** Takes in entries that came with a lease or a renewal, once the rules of their authorities are known. */
  async #takeIn(host: LeasedHost, entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0 && host.status === 'leased') {
      this.#schedule.reschedule(host);
      return;
    }
    const { gate, store, clock } = this.#context;
    const leased = entries.map(leasedEntry);
    /** Authorities of these entries; whether the host is spaced by their rules: a hop on its way is of another one. */
    const names = new Map<string, boolean>();
    for (const name of host.askers) names.set(name, true);
    for (const { item, authority } of leased) {
      if (item.kind === 'page' || !names.has(authority)) names.set(authority, item.kind === 'page');
    }
    // Another process may have had the host meanwhile, and its robots.txt with it.
    const isNews = store.capabilities.shared && host.status === 'arriving';
    const loads: Promise<Authority>[] = [];
    for (const name of names.keys()) loads.push(isNews ? gate.refresh(name) : gate.load(name));
    const authorities = await Promise.all(loads);
    host.arrived();
    if (host.status !== 'leased') return;
    let hasAnswered = false;
    for (const authority of authorities) {
      if (names.get(authority.name) !== true) continue;
      host.noteRules(authority.name, gate.rules(authority));
      hasAnswered ||= authority.hasAnswered;
    }
    // A holder was killed after it kept the answer and before it kept the clock: the requirements of the file are
    // known, and that it was just read. No clock and no answer is a new host.
    if (isNews && hasAnswered && host.clock.lastEndMs === null) host.restartClock(clock.nowMs());
    host.entries.add(leased);
    this.#schedule.reschedule(host);
  }

  // ── Commit ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  async add(entries: readonly NewEntry[]): Promise<AddOutcome[]> {
    const outcomes = await this.#addInBatches(entries);
    this.#noteQueued(entries, outcomes);
    return outcomes;
  }

  /** Commits what has changed up to now, links included. @returns The outcomes of the links. */
  async commit(links: readonly NewEntry[] = []): Promise<AddOutcome[]> {
    const waiting: WaitingLinks = { entries: links, outcomes: [] };
    if (links.length > 0) this.#waiting.push(waiting);
    await this.#flush();
    return waiting.outcomes;
  }

  /** Commits what has changed; no caller waits for it. */
  commitSoon(): void {
    if (this.#schedule.hasChanges) this.commit().catch(this.#context.guard.fail);
  }

  /** Whether a report is not known to be kept: it waits for a commit, or a commit is in flight. */
  get isBusy(): boolean {
    return this.#schedule.hasChanges || this.#scheduled !== null || this.#isSending;
  }

  #flush(): Promise<void> {
    this.#scheduled ??= this.#sending.then(() => {
      this.#scheduled = null;
      this.#isSending = true;
      this.#sending = this.#send().finally(() => {
        this.#isSending = false;
      });
      return this.#sending;
    });
    return this.#scheduled;
  }

  /** Links go first or together with the page that names them, never after it (C5). */
  async #send(): Promise<void> {
    const { store, clock } = this.#context;
    const sentAtMs = clock.nowMs();
    const hosts = this.#schedule.takeChanged();
    const links = this.#waiting;
    this.#waiting = [];
    if (hosts.length === 0 && links.length === 0) return;
    this.#noteFinished(hosts);
    const commits = hosts.map((host) => this.#schedule.commitOf(host, sentAtMs));
    const entries = links.flatMap((link) => link.entries);
    // Ahead of the commit, with which a host may go back.
    for (const { host, notBeforeMs = 0 } of entries)
      if (notBeforeMs > 0) this.#schedule.get(host)?.noteLater(notBeforeMs, sentAtMs);
    const { maxBatch } = store.capabilities;
    const early = entries.length - (entries.length % maxBatch || Math.min(entries.length, maxBatch));
    const outcomes = await this.#addInBatches(entries.slice(0, early));
    for (let at = 0; at === 0 || at < commits.length; at += maxBatch) {
      const answer = await store.commit(commits.slice(at, at + maxBatch), at === 0 ? entries.slice(early) : []);
      for (const outcome of answer.links) outcomes.push(outcome);
      for (let index = 0; index < answer.hosts.length; index += 1) {
        const one = answer.hosts[index]!;
        const host = hosts[at + index]!;
        const { then } = commits[at + index]!;
        if (!one.ok) this.#lose(host);
        else if ('release' in then) this.#released(host, then.release.dueInMs);
        else {
          host.renewed(sentAtMs + then.keep.ttlMs, one.entries.length, then.keep.want);
          await this.#takeIn(host, one.entries);
        }
      }
    }
    this.#noteQueued(entries, outcomes);
    for (const link of links) link.outcomes = outcomes.splice(0, link.entries.length);
  }

  async #addInBatches(entries: readonly NewEntry[]): Promise<AddOutcome[]> {
    const { store } = this.#context;
    const outcomes: AddOutcome[] = [];
    for (let at = 0; at < entries.length; at += store.capabilities.maxBatch) {
      for (const outcome of await store.add(entries.slice(at, at + store.capabilities.maxBatch)))
        outcomes.push(outcome);
    }
    return outcomes;
  }

  #noteFinished(hosts: readonly LeasedHost[]): void {
    const { counts, budget, labelBudgets, clock, guard, settings } = this.#context;
    let finished = 0;
    for (const host of hosts) finished += host.entries.finishedCount;
    if (finished === 0) return;
    counts.finished(finished);
    // Ahead of the commit: a process that is killed in between has counted a page too many, never one too few.
    budget.save(clock.nowMs()).catch(guard.fail);
    if (settings.labels.size > 0) labelBudgets.each('save', clock.nowMs()).catch(guard.fail);
  }

  #noteQueued(entries: readonly NewEntry[], outcomes: readonly AddOutcome[]): void {
    for (let at = 0; at < entries.length; at += 1) {
      if (outcomes[at] !== 'new') continue;
      this.#context.counts.queuedOne();
      const { host: name } = entries[at]!;
      const host = this.#schedule.get(name);
      if (host === undefined) {
        this.#context.waits.queuedOne(name);
        this.mayBeDue();
      } else if (host.noteQueued()) this.#schedule.reschedule(host);
    }
  }

  /** Another holder has it, or may have. */
  #lose(host: LeasedHost): void {
    host.lose();
    this.#schedule.remove(host);
    this.mayBeDue();
  }

  /** The host is back in the store; `dueInMs`: `null` for a parked one. */
  #released(host: LeasedHost, dueInMs: number | null): void {
    const { clock, waits, guard } = this.#context;
    this.#schedule.remove(host);
    this.mayBeDue();
    // It may have come again before this answer.
    if (this.#schedule.get(host.key) === undefined) waits.left(host.key, host.waitAt(clock.nowMs()));
    // An operator must hear of a parked host, however this process ends.
    if (dueInMs === null) waits.save().catch(guard.fail);
  }
}

function leasedEntry({ id, priority, body }: Entry): LeasedEntry {
  const item = decodeItem(body);
  const authority = item.kind === 'hop' ? item.authority : authorityOf(item.record.url);
  return { id, priority, item, authority: authority ?? '' };
}
