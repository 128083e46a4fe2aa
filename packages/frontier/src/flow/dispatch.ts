// Which host may be asked next: the held hosts by their next time, leased in the order in which the store has them
// due and given back when they have to wait. `take` fills its list from here; nothing here waits for time.

import type { Clock } from '../clock.js';
import type { HostWait } from '../frontier-event.js';
import { createHostHeap } from '../hosts/host-heap.js';
import { type Choice, type ChoiceParts, choose, noteAsks } from '../hosts/host-queue.js';
import { startOf, waitOf } from '../hosts/host-wait.js';
import {
  currentIntervalMs,
  enqueue,
  hostAsksNow,
  isIdle,
  type LeasedHost,
  type QueuedEntry,
  readyEntries,
} from '../hosts/leased-host.js';
import type { CrawlPace } from '../politeness/crawl-pace.js';
import type { Politeness } from '../politeness/profile.js';
import type { Budget } from '../records/budget.js';
import { decodeItem } from '../records/record.js';
import type { Waits } from '../records/waits.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { Entry } from '../store.js';
import type { Work } from '../work.js';
import type { Hands } from './hands.js';
import { entriesWanted, type HostPlan, type Leases } from './lease.js';
import { KEEP_WAIT_MS, LOOK_AGAIN_MS, TAKE_ROUNDS, TURN_EXCHANGES } from './limits.js';

/** What dispatching is made of. `leases` and `hands` are asked for when needed: they know the dispatch too. */
export interface DispatchParts {
  readonly clock: Clock;
  readonly gate: RobotsGate;
  readonly budget: Budget;
  readonly politeness: Politeness;
  readonly choice: ChoiceParts;
  readonly pace: CrawlPace;
  readonly waits: Waits;
  /** Hosts that may be held: fewer while other processes want their share. */
  readonly maxHosts: () => number;
  readonly isShared: () => boolean;
  /** Milliseconds until a host falls due in the store, as the storage contract has it. */
  readonly nextDueInMs: () => Promise<number | null>;
  readonly authorityOf: (url: string) => string | null;
  readonly marginMs: () => number;
  readonly isClosing: () => boolean;
  /** Whether a request of the owner's own waits for the host. */
  readonly hasOwn: (host: string) => boolean;
  readonly leases: () => Leases;
  readonly hands: () => Hands;
}

/** The order of hosts. */
export interface Dispatch {
  take(n: number): Promise<Work[]>;
  /** Something of the host has changed: when may it be asked next, and does it stay? */
  reschedule(host: LeasedHost): void;
  /** What the commit that is about to leave says of the host. */
  plan(host: LeasedHost, nowMs: number): HostPlan;
  intake(host: LeasedHost, entries: readonly Entry[], askers: readonly string[]): Promise<void>;
  gone(host: LeasedHost, plan: HostPlan | null): void;
  /** The earliest time of a held host; `null` without one. */
  earliestMs(): number | null;
  /** Whether another host may be leased. */
  hasRoom(): boolean;
  /** A host that we do not hold may have fallen due. */
  mayBeDue(): void;
  /** Waits for what has been said to the store to be kept, but not once a held host may be asked. */
  settleDown(): Promise<void>;
  /** Why a held host waits; `null` when it does not. */
  waitOf(host: LeasedHost, nowMs: number): HostWait | null;
}

/** @throws Never; what the store throws passes through the promises. */
export function createDispatch(parts: DispatchParts): Dispatch {
  const { clock, gate, budget, politeness } = parts;
  const heap = createHostHeap<LeasedHost>();
  /** The store may have hosts that are due and that we did not ask for: it is asked before the next list is filled. */
  let othersMayWait = true;
  /** When last asked it had no fewer than we had room for: whoever has had its turn makes room. */
  let othersWait = true;
  /** The store gave fewer hosts than asked for when last asked: it is looked at before it is asked again. */
  let wasDry = false;
  /** Nothing was due there, and as far as we know nothing will be before this time. */
  let dryUntilMs = 0;
  /** Ends the wait for a commit: a host may be asked. */
  let stir: (() => void) | null = null;

  const isTurnOver = (host: LeasedHost) => othersWait && host.exchanges >= TURN_EXCHANGES;

  const reschedule = (host: LeasedHost) => {
    if (host.status !== 'held' || host.slot !== null) {
      heap.place(host, null);
      return;
    }
    const nowMs = clock.nowMs();
    const isFull = host.unsettled >= parts.choice.unsettledPerHost;
    const ready = readyEntries(host, nowMs);
    const hasWork = ready > 0 && !isFull && !isTurnOver(host);
    // Hosts that have waited longest go first: a new one stands behind those that were due before it came.
    let atMs = hasWork ? Math.max(startOf(host, nowMs, politeness).atMs, host.leasedAtMs) : null;
    for (const untilMs of host.chains.values()) atMs = Math.min(atMs ?? untilMs, untilMs);
    heap.place(host, atMs);
    if (stir !== null && atMs !== null && atMs <= nowMs) stir();
    const wantsMore = ready === 0 && !isFull && !host.isDry;
    if (wantsMore || (isIdle(host) && leaves(host, nowMs))) parts.leases().touch(host);
  };

  /** Whether an idle host has no reason to stay. */
  const leaves = (host: LeasedHost, nowMs: number) =>
    parts.isClosing() ||
    (!parts.hasOwn(host.key) &&
      (host.clock.parked ||
        isTurnOver(host) ||
        parts.leases().held.size > parts.maxHosts() ||
        (host.isDry && readyEntries(host, nowMs) === 0) ||
        startOf(host, nowMs, politeness).atMs - nowMs > KEEP_WAIT_MS));

  const plan = (host: LeasedHost, nowMs: number): HostPlan => {
    const start = startOf(host, nowMs, politeness);
    // A parked host is away until it is woken, and then as far from its last exchange as any other.
    const aheadMs = host.clock.parked ? 0 : start.atMs - nowMs;
    const delayMs = Math.max(currentIntervalMs(host, hostAsksNow(host, nowMs), politeness), aheadMs);
    if (!parts.isClosing() && (!isIdle(host) || !leaves(host, nowMs))) {
      const isDropping = parts.choice.hostBounds.spent(host, nowMs) !== null;
      return { kind: 'keep', want: entriesWanted(host, isDropping, nowMs), delayMs };
    }
    heap.place(host, null);
    if (host.clock.parked) return { kind: 'release', dueInMs: null, delayMs };
    return { kind: 'release', dueInMs: Math.max(0, Math.ceil(start.atMs - nowMs)), delayMs };
  };

  const canHandOut = () => !parts.isClosing() && budget.reached(clock.nowMs()) === null && budget.canReserve();

  /** Hands out what may go now. @returns The hosts that need something from the store first. */
  const fill = (works: Work[], n: number) => {
    const loads: { host: LeasedHost; authority: string }[] = [];
    const overs: { host: LeasedHost; authority: string }[] = [];
    const rekeys: { host: LeasedHost; choice: Extract<Choice, { kind: 'rekey' }> }[] = [];
    while (works.length < n) {
      const nowMs = clock.nowMs();
      if (!canHandOut() || parts.pace.nextAtMs() > nowMs) break;
      const host = heap.popDue(nowMs);
      if (host === null) break;
      if (nowMs >= host.leaseEndMs - parts.marginMs()) {
        parts.leases().touch(host); // The answer to its renewal brings it back, or says that it is lost.
        continue;
      }
      const choice = choose(host, nowMs, parts.choice);
      const { done, requeue, lanes } = host.changes;
      if (done.length > 0 || requeue.length > 0 || lanes.size > 0) parts.leases().touch(host);
      if (choice.kind === 'page' || choice.kind === 'robots') works.push(parts.hands().give(host, choice));
      else if (choice.kind === 'load') loads.push({ host, authority: choice.authority });
      else if (choice.kind === 'chain-over') overs.push({ host, authority: choice.authority });
      else if (choice.kind === 'rekey') rekeys.push({ host, choice });
      else if (choice.kind === 'wait') reschedule(host);
      else if (readyEntries(host, nowMs) === 0) parts.leases().touch(host);
    }
    return { loads, overs, rekeys };
  };

  /** @returns Whether any came. */
  const leaseMore = async (most: number) => {
    const room = Math.min(most, parts.maxHosts() - parts.leases().held.size);
    const came = room > 0 && (await isAnyDue()) ? await parts.leases().lease(room) : 0;
    othersMayWait = came >= room;
    othersWait = othersMayWait;
    wasDry = came < room;
    return came > 0;
  };

  /** A lease is a transaction, a look at the time index is less, and between two looks there is time. */
  const isAnyDue = async () => {
    if (!wasDry) return true;
    const nowMs = clock.nowMs();
    if (nowMs < dryUntilMs) return false;
    const dueInMs = await parts.nextDueInMs();
    if (dueInMs === 0) return true;
    dryUntilMs = nowMs + Math.min(dueInMs ?? LOOK_AGAIN_MS, LOOK_AGAIN_MS);
    return false;
  };

  const settleDown = async () => {
    const leases = parts.leases();
    const nowMs = clock.nowMs();
    const dueMs = heap.earliestMs();
    if (!leases.isBusy() || (dueMs !== null && dueMs <= nowMs)) return;
    let cancel = (): void => undefined;
    const due = new Promise<void>((resolve) => {
      stir = resolve;
      if (dueMs !== null) cancel = clock.after(dueMs - nowMs, resolve);
    });
    try {
      await Promise.race([leases.commit(), due]);
    } finally {
      stir = null;
      cancel();
    }
  };

  return {
    async take(n) {
      const works: Work[] = [];
      await parts.pace.prepare(clock.nowMs());
      // The last list was filled without asking the store: whoever fell due there meanwhile gets in line first.
      if (n > 0 && othersMayWait && canHandOut()) await leaseMore(n);
      for (let round = 0; round < TAKE_ROUNDS; round += 1) {
        const { loads, overs, rekeys } = fill(works, n);
        for (const { host, authority } of overs) await parts.hands().endChain(host, authority);
        for (const { host, choice } of rekeys) await parts.hands().rekey(host, choice);
        await Promise.all(loads.map(({ authority }) => gate.load(authority)));
        for (const { host } of loads) reschedule(host);
        if (works.length >= n) othersMayWait = true;
        if (works.length >= n || !canHandOut()) break;
        // Whoever is due waits for the crawl's pace, not for the store.
        if (parts.pace.nextAtMs() > clock.nowMs()) break;
        if (loads.length + overs.length + rekeys.length > 0 || (await leaseMore(n - works.length))) continue;
        // What may go is not kept waiting for what the store has yet to say.
        if (works.length > 0 || !parts.leases().isBusy()) break;
        await settleDown();
      }
      return works;
    },
    reschedule,
    plan,
    async intake(host, entries, askers) {
      if (entries.length === 0 && host.status === 'held') {
        reschedule(host);
        return;
      }
      const queued: QueuedEntry[] = entries.map(({ id, priority, body }) => {
        const item = decodeItem(body);
        const authority = item.kind === 'hop' ? item.authority : parts.authorityOf(item.record.url);
        return { id, priority, item, authority: authority ?? '' };
      });
      const own = new Set([
        ...askers,
        ...queued.filter(({ item }) => item.kind === 'page').map((entry) => entry.authority),
      ]);
      const names = new Set([...own, ...queued.map((entry) => entry.authority)]);
      // Another process may have had the host meanwhile, and its robots.txt with it.
      const isNews = parts.isShared() && host.status === 'arriving';
      const authorities = await Promise.all([...names].map((name) => (isNews ? gate.refresh(name) : gate.load(name))));
      if (host.status === 'arriving') host.status = 'held';
      if (host.status !== 'held') return;
      const ours = authorities.filter(({ name }) => own.has(name));
      for (const authority of ours) noteAsks(host, authority.name, gate.rules(authority));
      // A holder was killed after it kept the answer and before it kept the clock: what the file asks for is known, and
      // that it was just read. No clock and no answer is a new host.
      if (isNews && host.clock.lastEndMs === null && ours.some(({ hasAnswered }) => hasAnswered)) {
        const nowMs = clock.nowMs();
        host.clock = { ...host.clock, lastStartMs: nowMs, lastEndMs: nowMs };
      }
      enqueue(host, queued);
      reschedule(host);
    },
    gone(host, left) {
      heap.place(host, null);
      dryUntilMs = 0;
      if (left === null) return;
      const nowMs = clock.nowMs();
      const wait = waitOf(host, nowMs, politeness);
      const known = parts.waits.get(host.key);
      if (wait !== null) parts.waits.note(wait);
      else if (known?.reason !== 'robots-unreachable' || (known.untilMs ?? 0) <= nowMs) parts.waits.forget(host.key);
    },
    earliestMs: () => heap.earliestMs(),
    mayBeDue() {
      dryUntilMs = 0;
    },
    settleDown,
    hasRoom: () => parts.leases().held.size < parts.maxHosts(),
    waitOf: (host, nowMs) => waitOf(host, nowMs, politeness),
  };
}
