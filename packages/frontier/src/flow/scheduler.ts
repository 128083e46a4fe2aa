// The scheduler: which request is next, and what follows from it. It creates its parts in order of dependency, and runs
// the timers:
//
//   admission ──▶ store ──▶ leases ──▶ schedule ──▶ next-request ──▶ in-flight: take … mayStart … exchanged
//                             ▲                                          │
//                           commit ◀────────────────── settling ◀────────┘
//
// Politeness holds because only the holder of a host's lease makes requests to it, one at a time, and because no page
// is handed out before its authority's robots.txt has been answered. No call here waits for time.

import { mergeAccounts } from '../records/account.js';
import { MAX_WAIT_MS } from '../records/limits.js';
import { OWNER_PREFIX } from '../records/processes.js';
import type { HostKey } from '../store.js';
import type { NewUrl } from '../url-record.js';
import type { AddAnswer, Work } from '../work.js';
import { createAdmission, linksOf } from './admission.js';
import type { FrontierContext } from './context.js';
import type { Flow } from './flow.js';
import { createHostLeases } from './host-leases.js';
import { HostSchedule } from './host-schedule.js';
import { createFlights } from './in-flight.js';
import { ACCOUNT_INTERVAL_MS, GRANT_RETRY_MS, HEARTBEATS_PER_LEASE, MAX_TAKE_ROUNDS } from './limits.js';
import { createTurns } from './next-request.js';
import { createOwnRequests } from './own-requests.js';
import { createSettling } from './settling.js';

/** The scheduler of one frontier. Promises reject with what the store throws. */
export function createScheduler(context: FrontierContext) {
  const { settings, clock, guard, store, counts, records, budget, labelBudgets, pace, waits } = context;
  const schedule = new HostSchedule(context);
  const leases = createHostLeases(context, schedule);
  const admission = createAdmission(context);
  const flights = createFlights(context, schedule, leases);
  const flow: Flow = { ...context, schedule, leases, admission, flights };
  const settling = createSettling(flow);
  const turns = createTurns(flow, settling);
  const ownRequests = createOwnRequests(flow, turns, settling);
  const timers = new Set<() => void>();

  async function add(urls: readonly NewUrl[]): Promise<AddAnswer[]> {
    const candidates = await admission.consider(urls, clock.nowMs());
    const outcomes = await leases.add(linksOf(candidates));
    const answers = admission.conclude(candidates, outcomes, false);
    leases.commitSoon();
    return answers;
  }

  /** Returns at most `n` requests that may be made now. One call at a time. */
  async function take(n: number): Promise<Work[]> {
    const works: Work[] = [];
    await budget.prepare();
    if (settings.labels.size > 0) await labelBudgets.prepare(budget.countSinceMs);
    if (schedule.requestedHosts.size > 0) await ownRequests.serve(works, n);
    if (works.length >= n) return works;
    await pace.prepare(clock.nowMs());
    // Hosts that have fallen due in the store get in line first.
    const mayBeDue = schedule.hasSkippedLease || schedule.mayHaveMoreDue;
    if (mayBeDue && canHandOut() && !isPaceReached()) await leases.leaseDue(n - works.length);
    for (let round = 0; round < MAX_TAKE_ROUNDS; round += 1) {
      const preparations = handOut(works, n);
      if (preparations.length > 0) await Promise.all(preparations);
      // Due hosts wait for us or for the crawl's pace, not for the store. The store is asked next time.
      const isDone = works.length >= n || isPaceReached();
      if (isDone) schedule.hasSkippedLease = true;
      if (isDone || !canHandOut()) break;
      if (preparations.length > 0 || (await leases.leaseDue(n - works.length))) continue;
      // Work that may be handed out does not wait for the store's answers.
      if (works.length > 0 || !leases.isBusy()) break;
      await untilCommittedOrDue();
    }
    return works;
  }

  function canHandOut(): boolean {
    return !schedule.isClosing && budget.reachedBound(clock.nowMs()) === null && budget.canReserve();
  }

  /** Whether the crawl's pace allows no further request now. */
  function isPaceReached(): boolean {
    return pace.nextAtMs() > clock.nowMs();
  }

  /** Hands out what may be requested now. @returns What hosts need from the store or the gate first. */
  function handOut(works: Work[], n: number): Promise<void>[] {
    const preparations: Promise<void>[] = [];
    while (works.length < n) {
      const nowMs = clock.nowMs();
      if (!canHandOut() || isPaceReached()) break;
      const host = schedule.popDue(nowMs);
      if (host === null) break;
      if (!schedule.isLeaseSafe(host, nowMs)) {
        schedule.touch(host); // The answer to its renewal brings it back, or says that it is lost.
        continue;
      }
      let result: ReturnType<typeof turns.giveTurn>;
      try {
        result = turns.giveTurn(host, nowMs);
      } catch (error) {
        // `whyNot` threw. The host keeps its turn, and work that is in flight by now reaches the caller.
        schedule.reschedule(host);
        if (works.length > 0) break;
        for (const preparation of preparations) preparation.catch(guard.fail);
        throw error;
      }
      if (host.entries.hasChanges) schedule.touch(host);
      if (result === 'wait') schedule.reschedule(host);
      else if (result instanceof Promise) preparations.push(result);
      else if (result !== 'nothing') works.push(result);
      else if (host.entries.readyCount(nowMs) === 0) schedule.touch(host);
    }
    return preparations;
  }

  /** Waits until the store has confirmed all reports, but no longer than until a leased host may be requested. */
  async function untilCommittedOrDue(): Promise<void> {
    const dueMs = schedule.earliestMs();
    if (!leases.isBusy() || (dueMs !== null && dueMs <= clock.nowMs())) return;
    await schedule.untilDueOr(leases.commit());
  }

  /** The earliest time at which `take` may return something, epoch milliseconds; `null`: nothing waits. */
  async function nextAt(): Promise<number | null> {
    await untilCommittedOrDue();
    const ownRequestsAtMs = ownRequests.nextAtMs();
    if (budget.reachedBound(clock.nowMs()) !== null) return ownRequestsAtMs;
    if (!budget.canReserve())
      return budget.isGrantedAway() ? earlier(ownRequestsAtMs, clock.nowMs() + GRANT_RETRY_MS) : ownRequestsAtMs;
    const leasedHostsAtMs = earlier(schedule.earliestMs(), ownRequestsAtMs);
    const inMs = schedule.remainingCapacity > 0 ? await store.nextDueInMs() : null;
    const dueInMs = (inMs ?? 0) > MAX_WAIT_MS ? null : inMs;
    if (dueInMs === 0) leases.noteMayBeDue();
    const nextAt = earlier(leasedHostsAtMs, dueInMs === null ? null : clock.nowMs() + Math.ceil(dueInMs));
    if (nextAt !== null) return Math.max(nextAt, pace.nextAtMs());
    // We have no place for another host, but other processes have theirs and may release one for us.
    const hasMore = budget.othersAlive() > 0 && (await store.nextDueInMs()) !== null;
    return hasMore ? clock.nowMs() + GRANT_RETRY_MS : null;
  }

  async function unpark(key: HostKey): Promise<void> {
    const host = schedule.get(key);
    // A pause that the site asked for continues and is reported.
    if (waits.get(key)?.untilMs === null) waits.forget(key);
    await store.wake(key);
    leases.noteMayBeDue();
    if (host === undefined) return;
    host.unpark();
    schedule.reschedule(host);
  }

  /** The store is open. From now on leases are renewed, and the account is saved if it outlives the process. */
  function open(): void {
    const renewalMs = Math.floor(settings.leaseTtlMs / HEARTBEATS_PER_LEASE);
    every(renewalMs, (nowMs, lateMs) => renewLeases(nowMs, renewalMs, lateMs));
    if (store.capabilities.durable === 'none' && !store.capabilities.shared) return;
    let isSaving = false;
    every(ACCOUNT_INTERVAL_MS, async (nowMs) => {
      // If the store takes longer than this interval, do not start another save.
      if (isSaving) return;
      isSaving = true;
      const others = budget.othersAlive() > 0 ? counts.read() : null;
      const { lacksHosts } = schedule;
      // If the process is paused or has no pages left, the next account says that it does not lack hosts.
      schedule.lacksHosts = false;
      const labelsSaved = Array.from(labelBudgets.opened.values(), (each) => each.saveTime(nowMs));
      await Promise.all([budget.saveTime(nowMs, lacksHosts), ...labelsSaved, others]);
      schedule.shareWith(budget.othersWithoutHosts(nowMs), nowMs);
      await mergeGone(nowMs);
      isSaving = false;
    });
  }

  /** Merges the accounts of processes that ended long ago into one. */
  async function mergeGone(nowMs: number): Promise<void> {
    const gone = budget.goneParts(nowMs);
    if (gone.length === 0 || settings.part === null) return;
    const accounts = [budget, ...labelBudgets.opened.values()].map(({ key }) => [key, mergeAccounts] as const);
    const ofOwner = Object.entries(settings.mergeParts).map(([key, merge]) => [OWNER_PREFIX + key, merge] as const);
    const isGone = async (part: string) => gone.includes(part) && (await budget.isUnchanged(part));
    await records.merge(isGone, new Map([...accounts, ...ofOwner]));
  }

  /** Calls `act` until `stop`. A store failure stops the frontier. */
  function every(ms: number, act: (nowMs: number, lateMs: number) => Promise<unknown>): void {
    const dueMs = clock.nowMs() + ms;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      every(ms, act);
      const nowMs = clock.nowMs();
      act(nowMs, nowMs - dueMs).catch(guard.fail);
    });
    timers.add(cancel);
  }

  function renewLeases(nowMs: number, everyMs: number, lateMs: number): Promise<unknown> {
    schedule.noteLag(lateMs);
    for (const host of schedule.all()) {
      if (host.leaseEndMs - nowMs < settings.leaseTtlMs - everyMs / 2) schedule.touch(host);
    }
    const accountsSaved = [budget, ...labelBudgets.opened.values()].map((each) => each.save(nowMs));
    return Promise.all([leases.commit(), ...accountsSaved, counts.read()]);
  }

  function stop(): void {
    schedule.isClosing = true;
    ownRequests.cancelAll();
    for (const cancel of timers) cancel();
  }

  /** Releases all hosts; work in flight counts as lost. Call it after `stop`, with no `take` under way. */
  async function releaseAll(): Promise<void> {
    flights.dropFlights();
    for (const host of schedule.all()) schedule.touch(host);
    await leases.commit();
  }

  return { flow, ownRequests, settle: settling.settle, add, take, nextAt, unpark, open, stop, releaseAll };
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
