// The scheduler: which request is next, and what follows from it. It puts its parts together in the order in which they
// build on each other and holds no other state than that:
//
//   admission ──▶ store ──▶ leases ──▶ schedule ──▶ next-request ──▶ in-flight: take … mayStart … exchanged
//                             ▲                                          │
//                           commit ◀────────── settling, robots-arrival ◀┘
//
// Politeness holds because only the holder of a host's lease makes requests to it, one at a time, and because no page
// is handed out before its authority's robots.txt has been answered. Nothing here waits for time.

import type { LeasedHost } from '../hosts/leased-host.js';
import type { AddAnswer } from '../settlement.js';
import type { HostKey } from '../store.js';
import type { NewUrl } from '../url-record.js';
import type { Work } from '../work.js';
import { Admission, linksOf } from './admission.js';
import type { FrontierContext } from './context.js';
import { Heartbeat } from './heartbeat.js';
import { HostLeases } from './host-leases.js';
import { HostSchedule } from './host-schedule.js';
import { InFlight } from './in-flight.js';
import { GRANT_RETRY_MS, TAKE_ROUNDS } from './limits.js';
import { NextRequest, type RekeyChoice } from './next-request.js';
import { type OwnAnswer, type OwnRequestInput, OwnRequestQueue } from './own-request-queue.js';
import { OwnRequests } from './own-requests.js';
import { RobotsArrival } from './robots-arrival.js';
import { Settling } from './settling.js';

/** Hosts that need the store or the gate before they can be given work. */
interface Delayed {
  readonly loads: { readonly host: LeasedHost; readonly authority: string }[];
  readonly chainsOver: { readonly host: LeasedHost; readonly authority: string }[];
  readonly rekeys: { readonly host: LeasedHost; readonly choice: RekeyChoice }[];
}

/** The scheduler of one frontier. Its promises reject with what the store throws. */
export class Scheduler {
  readonly #context: FrontierContext;
  readonly #ownQueue: OwnRequestQueue;
  readonly #schedule: HostSchedule;
  readonly #leases: HostLeases;
  readonly #admission: Admission;
  readonly #nextRequest: NextRequest;
  readonly inFlight: InFlight;
  readonly #arrival: RobotsArrival;
  readonly settling: Settling;
  readonly #ownRequests: OwnRequests;
  readonly #heartbeat: Heartbeat;
  /** The store may have due hosts that were not leased: it is asked before the next works are handed out. */
  #othersMayWait = true;

  constructor(context: FrontierContext) {
    this.#context = context;
    const queue = new OwnRequestQueue(context.clock);
    const schedule = new HostSchedule(context, queue);
    const leases = new HostLeases(context, schedule);
    const admission = new Admission(context);
    const nextRequest = new NextRequest(context);
    const inFlight = new InFlight(context, schedule, leases);
    const arrival = new RobotsArrival(context, schedule, leases, admission);
    this.#ownQueue = queue;
    this.#schedule = schedule;
    this.#leases = leases;
    this.#admission = admission;
    this.#nextRequest = nextRequest;
    this.inFlight = inFlight;
    this.#arrival = arrival;
    this.settling = new Settling(context, { schedule, leases, inFlight, admission, arrival });
    this.#ownRequests = new OwnRequests(context, { queue, schedule, leases, inFlight, nextRequest, arrival });
    this.#heartbeat = new Heartbeat(context, schedule, leases);
  }

  /** The store is open: leases are renewed from here on. */
  open(): void {
    this.#heartbeat.start();
  }

  async add(urls: readonly NewUrl[]): Promise<AddAnswer[]> {
    const candidates = this.#admission.consider(urls, this.#context.clock.nowMs());
    const outcomes = await this.#leases.add(linksOf(candidates));
    const answers = this.#admission.conclude(candidates, outcomes, false);
    this.#leases.commitSoon();
    return answers;
  }

  /** Waits for the turn of a request of the owner's own. */
  ask(input: OwnRequestInput, signal?: AbortSignal): Promise<OwnAnswer> {
    return this.#ownQueue.add(input, signal);
  }

  /** Answers every `ask` that waits: the crawl stops. */
  endAsks(): void {
    this.#ownQueue.end();
  }

  /** At most `n` requests that may be made now. One call at a time. */
  async take(n: number): Promise<Work[]> {
    const { budget, pace, clock, gate } = this.#context;
    const works: Work[] = [];
    await budget.prepare();
    await this.#ownRequests.serve(works, n);
    if (works.length >= n) return works;
    await pace.prepare(clock.nowMs());
    // The last works were handed out without asking the store: hosts that fell due there meanwhile get in line first.
    if (this.#othersMayWait && this.#canHandOut()) await this.#leaseMore(n - works.length);
    for (let round = 0; round < TAKE_ROUNDS; round += 1) {
      const { loads, chainsOver, rekeys } = this.#handOut(works, n);
      for (const { host, authority } of chainsOver) await this.#arrival.endChain(host, authority);
      for (const { host, choice } of rekeys) await this.settling.rekey(host, choice);
      await Promise.all(loads.map(({ authority }) => gate.load(authority)));
      for (const { host } of loads) this.#schedule.reschedule(host);
      if (works.length >= n) this.#othersMayWait = true;
      if (works.length >= n || !this.#canHandOut()) break;
      // Hosts that are due wait for the crawl's pace, not for the store.
      if (pace.nextAtMs() > clock.nowMs()) break;
      const wasDelayed = loads.length + chainsOver.length + rekeys.length > 0;
      if (wasDelayed || (await this.#leaseMore(n - works.length))) continue;
      // What may go does not wait for what the store has yet to say.
      if (works.length > 0 || !this.#leases.isBusy) break;
      await this.#untilCommittedOrDue();
    }
    return works;
  }

  #canHandOut(): boolean {
    const { budget, clock } = this.#context;
    return !this.#schedule.isClosing && budget.reached(clock.nowMs()) === null && budget.canReserve();
  }

  async #leaseMore(most: number): Promise<boolean> {
    const { hasCome, mayHaveMore } = await this.#leases.leaseDue(most);
    this.#othersMayWait = mayHaveMore;
    return hasCome;
  }

  /** Hands out what may go now. @returns The hosts that need something first. */
  #handOut(works: Work[], n: number): Delayed {
    const { clock, pace } = this.#context;
    const delayed: Delayed = { loads: [], chainsOver: [], rekeys: [] };
    while (works.length < n) {
      const nowMs = clock.nowMs();
      if (!this.#canHandOut() || pace.nextAtMs() > nowMs) break;
      const host = this.#schedule.popDue(nowMs);
      if (host === null) break;
      if (!this.#schedule.isSafe(host, nowMs)) {
        this.#schedule.touch(host); // The answer to its renewal brings it back, or says that it is lost.
        continue;
      }
      const choice = this.#nextRequest.choose(host, nowMs);
      if (host.entries.hasChanges) this.#schedule.touch(host);
      if (choice.kind === 'page') works.push(this.inFlight.startPage(host, choice));
      else if (choice.kind === 'robots') works.push(this.inFlight.startRobots(host, choice));
      else if (choice.kind === 'load') delayed.loads.push({ host, authority: choice.authority });
      else if (choice.kind === 'chain-over') delayed.chainsOver.push({ host, authority: choice.authority });
      else if (choice.kind === 'rekey') delayed.rekeys.push({ host, choice });
      else if (choice.kind === 'wait') this.#schedule.reschedule(host);
      else if (host.entries.readyCount(nowMs) === 0) this.#schedule.touch(host);
    }
    return delayed;
  }

  /** Waits until everything reported is kept in the store, but not longer than until a leased host may be asked. */
  async #untilCommittedOrDue(): Promise<void> {
    const dueMs = this.#schedule.earliestMs();
    if (!this.#leases.isBusy || (dueMs !== null && dueMs <= this.#context.clock.nowMs())) return;
    const { due, cancel } = this.#schedule.untilDue();
    try {
      await Promise.race([this.#leases.commit(), due]);
    } finally {
      cancel();
    }
  }

  /** The earliest time at which `take` may have something, epoch milliseconds; `null` when nothing waits. */
  async nextAt(): Promise<number | null> {
    const { clock, store, budget, pace } = this.#context;
    await this.#untilCommittedOrDue();
    const ownAt = this.#ownRequests.nextAtMs();
    if (budget.reached(clock.nowMs()) !== null) return ownAt;
    if (!budget.canReserve()) return budget.isGrantedAway() ? earlier(ownAt, clock.nowMs() + GRANT_RETRY_MS) : ownAt;
    const leasedAt = earlier(this.#schedule.earliestMs(), ownAt);
    const dueInMs = this.#schedule.freePlaces > 0 ? await store.nextDueInMs() : null;
    if (dueInMs === 0) this.#leases.mayBeDue();
    const nextAt = earlier(leasedAt, dueInMs === null ? null : clock.nowMs() + Math.ceil(dueInMs));
    if (nextAt !== null) return Math.max(nextAt, pace.nextAtMs());
    // Without a place for another host, other processes have theirs, and perhaps release one for us.
    const isLeft = budget.othersAtWork() > 0 && (await store.nextDueInMs()) !== null;
    return isLeft ? clock.nowMs() + GRANT_RETRY_MS : null;
  }

  /** The hosts that this process has leased. */
  hosts(): Iterable<LeasedHost> {
    return this.#schedule.all();
  }

  host(key: HostKey): LeasedHost | undefined {
    return this.#schedule.get(key);
  }

  /** A parked host is due again. */
  async unpark(key: HostKey): Promise<void> {
    const host = this.#schedule.get(key);
    this.#context.waits.forget(key);
    await this.#context.store.wake(key);
    this.#leases.mayBeDue();
    if (host === undefined) return;
    host.unpark();
    this.#schedule.reschedule(host);
  }

  /** Reports what has changed; no caller waits for it. */
  commitSoon(): void {
    this.#leases.commitSoon();
  }

  /** Hands out nothing any more. */
  stop(): void {
    this.#schedule.close();
    this.#ownQueue.end();
    this.#heartbeat.stop();
  }

  /** Gives back all hosts; work in flight counts as lost. After `stop`, with no `take` under way. */
  async releaseAll(): Promise<void> {
    this.inFlight.drop();
    for (const host of this.#schedule.all()) this.#schedule.touch(host);
    await this.#leases.commit();
  }
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
