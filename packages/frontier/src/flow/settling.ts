// What a settlement says to the store: done with its links, again at some time, given back, or what a robots.txt
// answered. Each ends with the work out of flight, its host scheduled anew, and a commit.

import { FrontierError } from '../errors.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import { URL_RETRIES_MAX } from '../limits.js';
import { encodeItem, type PageItem } from '../records/record.js';
import type { Settlement } from '../settlement.js';
import type { NewEntry } from '../store.js';
import type { PageWork, RobotsWork, Work } from '../work.js';
import { type Admission, linksOf } from './admission.js';
import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';
import { type Flight, type InFlight, isQueuedPage } from './in-flight.js';
import { RETRY_JITTER } from './limits.js';
import type { RekeyChoice } from './next-request.js';
import type { RobotsArrival } from './robots-arrival.js';

/** `lost`: another holder has the host by now. */
type Settled = 'ok' | 'lost';

const EXHAUSTED = { status: 'failed', reason: 'retries-exhausted' } as const;

/** The end of work in flight. Its promises reject with what the store throws. */
export class Settling {
  readonly #context: FrontierContext;
  readonly #schedule: HostSchedule;
  readonly #leases: HostLeases;
  readonly #inFlight: InFlight;
  readonly #admission: Admission;
  readonly #arrival: RobotsArrival;

  constructor(
    context: FrontierContext,
    parts: {
      readonly schedule: HostSchedule;
      readonly leases: HostLeases;
      readonly inFlight: InFlight;
      readonly admission: Admission;
      readonly arrival: RobotsArrival;
    },
  ) {
    this.#context = context;
    this.#schedule = parts.schedule;
    this.#leases = parts.leases;
    this.#inFlight = parts.inFlight;
    this.#admission = parts.admission;
    this.#arrival = parts.arrival;
  }

  /** @throws FrontierError (rejects) `work-unknown`: it is not in flight, or the settlement does not fit it */
  async settle(work: Work, settlement: Settlement): Promise<Settled> {
    const flight = this.#inFlight.flightOf(work);
    if (flight === null) return 'lost';
    if (settlement.kind === 'returned') return this.#giveBack(work, flight, settlement.untilMs);
    if (work.kind === 'robots') {
      if (settlement.kind === 'robots') return this.#settleRobots(work, flight, settlement.answer);
      if (settlement.kind === 'refused') return this.#refuse(work, flight, settlement.reason);
    } else if (flight.entry === null) {
      if (settlement.kind === 'done') return this.#settleOwn(work, flight);
    } else if (settlement.kind === 'done' || settlement.kind === 'again') {
      return this.#settlePage(work, flight, settlement);
    }
    throw new FrontierError('work-unknown', `a ${work.kind} item cannot be settled as ${settlement.kind}`);
  }

  async #settlePage(
    work: PageWork,
    flight: Flight,
    settlement: Extract<Settlement, { kind: 'done' | 'again' }>,
  ): Promise<Settled> {
    const { clock, budget, hostBounds, reporter } = this.#context;
    const { host } = flight;
    const entry = flight.entry!;
    const nowMs = clock.nowMs();
    if (settlement.kind === 'again' && work.record.tries >= URL_RETRIES_MAX) {
      const answer = await this.#settlePage(work, flight, { kind: 'done', countsAsPage: true, links: [] });
      if (answer === 'ok') reporter.ended(work.record, EXHAUSTED, work.robots);
      return answer;
    }
    const counts = settlement.kind === 'done' && settlement.countsAsPage;
    const links = settlement.kind === 'done' ? this.#admission.consider(settlement.links, nowMs) : [];
    this.#inFlight.putDown(work, flight);
    if (settlement.kind === 'done') host.entries.finish(entry.id);
    else {
      // URLs that failed together do not come back together; never sooner than requested.
      const waitMs = Math.max(0, settlement.notBeforeMs - nowMs) * (1 + RETRY_JITTER * this.#context.settings.random());
      const item: PageItem = { ...(entry.item as PageItem), record: { ...work.record, tries: work.record.tries + 1 } };
      host.retryLater(entry.id, encodeItem(item), waitMs, nowMs);
    }
    if (counts) host.countPage();
    hostBounds.note(host, nowMs);
    // Counted before the commit, so that the account goes with it.
    budget.settle(counts);
    if (host.status === 'leased') this.#schedule.touch(host);
    this.#schedule.reschedule(host);
    const outcomes = await this.#leases.commit(linksOf(links));
    const isLost = host.status === 'lost';
    if (counts && isLost) budget.takeBack();
    this.#admission.conclude(links, outcomes, true);
    this.#schedule.reschedule(host);
    return isLost ? 'lost' : 'ok';
  }

  /** A request of the owner's own: it has no entry in the queue, and no page is used up. */
  #settleOwn(work: PageWork, flight: Flight): Settled {
    this.#inFlight.putDown(work, flight);
    const isOurs = flight.host.status === 'leased';
    if (isOurs) this.#schedule.touch(flight.host);
    this.#schedule.reschedule(flight.host);
    this.#leases.commitSoon();
    return isOurs ? 'ok' : 'lost';
  }

  /** No request was made: the entry is the host's next again. */
  #giveBack(work: Work, flight: Flight, untilMs: number | null): Settled {
    const { host, entry } = flight;
    this.#inFlight.putDown(work, flight);
    if (isQueuedPage(work, flight)) this.#context.budget.settle(false);
    else if (work.kind === 'robots' && entry === null) this.#arrival.abandon(work.authority);
    if (host.status !== 'leased') return 'lost';
    if (untilMs !== null) host.delayUntil(untilMs);
    if (entry !== null) host.entries.putBack(entry);
    this.#schedule.reschedule(host);
    this.#leases.commitSoon();
    return 'ok';
  }

  /** Our own rules forbid the authority. A hop of a chain that leads to such a one is only a failure. */
  async #refuse(work: RobotsWork, flight: Flight, reason: string): Promise<Settled> {
    if (flight.entry !== null) return this.#settleRobots(work, flight, { kind: 'failure', failure: 'blocked' });
    const { gate, clock } = this.#context;
    gate.refuse(await gate.load(work.authority), reason, clock.nowMs());
    return this.#giveBack(work, flight, null);
  }

  async #settleRobots(
    work: RobotsWork,
    flight: Flight,
    answer: Extract<Settlement, { kind: 'robots' }>['answer'],
  ): Promise<Settled> {
    const host: LeasedHost = flight.host;
    const authority = await this.#context.gate.load(work.authority);
    if (host.status !== 'leased') {
      if (flight.entry === null) this.#arrival.abandon(work.authority);
      this.#inFlight.putDown(work, flight);
      return 'lost';
    }
    const isStale = flight.chain !== null && authority.chain?.id !== flight.chain;
    const entries = isStale ? [] : await this.#arrival.take(authority, work.url, answer);
    if (flight.entry !== null) host.entries.finish(flight.entry.id);
    this.#inFlight.putDown(work, flight);
    this.#schedule.touch(host);
    await this.#arrival.commit(authority, entries);
    this.#schedule.reschedule(host);
    return isLost(host) ? 'lost' : 'ok';
  }

  /** Queues a URL under the name its site gives it, in one commit with its end under the old one. */
  async rekey(host: LeasedHost, { entry, item, authority, key }: RekeyChoice): Promise<void> {
    const again: NewEntry = {
      host: host.key,
      lane: authority.name,
      fingerprint: this.#context.seen.keyPrint(key, item.record.visit ?? 0),
      priority: entry.priority,
      body: encodeItem({ ...item, isKeyed: true }),
      dedupe: true,
    };
    host.entries.finish(entry.id);
    this.#schedule.touch(host);
    const [outcome] = await this.#leases.commit([again]);
    if (outcome !== 'new' && !isLost(host)) {
      const reason = outcome === 'known' ? 'duplicate' : 'frontier-full';
      const { reporter, gate } = this.#context;
      reporter.ended(item.record, { status: 'dropped', reason, detail: key }, gate.ref(authority));
    }
    this.#schedule.reschedule(host);
  }
}

function isLost(host: LeasedHost): boolean {
  return host.status === 'lost';
}
