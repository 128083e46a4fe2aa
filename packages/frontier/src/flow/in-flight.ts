// The work in flight, from `take` until it is settled: the slot of its host, the last check before the socket, the end
// of the exchange (the slot is free, the host's clock starts). `settling.ts` says what follows.

import { FrontierError } from '../errors.js';
import type { LeasedEntry } from '../hosts/leased-entries.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import type { Budget } from '../records/budget.js';
import { NO_SIGNALS } from '../robots/authority-rules.js';
import { hostKeyOf } from '../url/url.js';
import type { Exchange, PageWork, RobotsWork, StartAnswer, Work } from '../work.js';
import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';
import { RENEWAL_WAIT_MS } from './limits.js';
import type { PageChoice, RobotsChoice } from './next-request.js';

/** What is known of a work in flight, its holder's view aside. */
export interface Flight {
  readonly host: LeasedHost;
  /** `null` without one, as for the first request for a robots.txt and for requests of the owner's own. */
  readonly entry: LeasedEntry | null;
  /** The authority that serves it. */
  readonly authority: string;
  /** Of a hop: its chain. */
  readonly chain: string | null;
  /** Of a page of the queue: the budgets that it may use up. */
  readonly budgets: readonly Budget[];
}

export class InFlight {
  readonly #context: FrontierContext;
  readonly #schedule: HostSchedule;
  readonly #leases: HostLeases;
  readonly #flights = new Map<Work, Flight>();

  constructor(context: FrontierContext, schedule: HostSchedule, leases: HostLeases) {
    this.#context = context;
    this.#schedule = schedule;
    this.#leases = leases;
  }

  get count(): number {
    return this.#flights.size;
  }

  /** Makes the work, and gives it the slot of its host. */
  startPage(host: LeasedHost, { entry, record, authority, decision, required, budgets }: PageChoice): PageWork {
    const { gate } = this.#context;
    const work: PageWork = {
      kind: 'page',
      lease: { host: host.key, fencingToken: host.fencingToken, requirements: required.spacing },
      entryId: entry?.id ?? '',
      url: record.url,
      record,
      decision,
      robots: gate.ref(authority),
      signals: gate.rules(authority)?.signals(record.url) ?? NO_SIGNALS,
    };
    if (entry !== null && holdsPages(record)) host.entries.hold(authority.name);
    this.#start(work, { host, entry, authority: authority.name, chain: null, budgets });
    return work;
  }

  startRobots(host: LeasedHost, { entry, authority, request, hops, required }: RobotsChoice): RobotsWork {
    const lease = { host: host.key, fencingToken: host.fencingToken, requirements: required.spacing };
    const work: RobotsWork = { kind: 'robots', lease, authority: authority.name, hops, ...request };
    const chain = entry === null ? null : authority.chain!.id;
    this.#start(work, { host, entry, authority: authority.name, chain, budgets: [] });
    return work;
  }

  #start(work: Work, flight: Flight): void {
    this.#context.pace.took(this.#context.clock.nowMs());
    this.#flights.set(work, flight);
    this.#schedule.turns?.had(flight.host, work.kind === 'page' ? (work.record.label ?? flight.host.label) : null);
    flight.host.occupy(work, flight.budgets.length > 0);
  }

  /** Whether the address of a work may be connected to now (`politeness.perIp`). */
  async mayConnect(work: Work, address: string): Promise<StartAnswer> {
    const host = this.#hostOf(work);
    if (host === null) return { kind: 'lost' };
    const { settings, clock, addresses } = this.#context;
    const { perIp } = settings.politeness;
    if (perIp === false) return { kind: 'go' };
    const nowMs = clock.nowMs();
    const name = perIp === true ? address : `${address} ${hostKeyOf(work.url, 'domain')}`;
    const untilMs = await addresses.ask(host.key, name, host.intervalMs(nowMs), nowMs);
    if (untilMs === null) return { kind: 'go' };
    host.addressBusyUntil(untilMs);
    return { kind: 'wait', untilMs };
  }

  /** The last check before the socket: lease, clock, closed times and the pace of the crawl. */
  mayStart(work: Work): StartAnswer {
    const { clock, pace } = this.#context;
    const host = this.#hostOf(work);
    const nowMs = clock.nowMs();
    if (host === null || nowMs >= host.leaseEndMs) return { kind: 'lost' };
    if (!this.#schedule.isSafe(host, nowMs)) {
      this.#schedule.touch(host);
      this.#leases.commitSoon();
      return { kind: 'wait', untilMs: nowMs + RENEWAL_WAIT_MS };
    }
    const required = host.requirements.at(nowMs);
    const startMs = host.nextStart(required).atMs;
    const hostMs = work.kind === 'page' ? Math.max(startMs, required.closed?.untilMs ?? 0) : startMs;
    const untilMs = Math.max(hostMs, pace.mayStartAtMs());
    if (untilMs > nowMs) return { kind: 'wait', untilMs };
    pace.started(nowMs);
    return { kind: 'go' };
  }

  /** The host of a work that has its slot; `null` where the lease is gone. */
  #hostOf(work: Work): LeasedHost | null {
    const host = this.#flights.get(work)?.host;
    return host?.status === 'leased' && host.hasSlot(work) ? host : null;
  }

  /** The exchange of a work is over. Ignored after `drop`. */
  exchanged(work: Work, exchange: Exchange): void {
    const flight = this.#flights.get(work);
    if (flight === undefined) return;
    const { clock, budget, addresses, reporter, gate } = this.#context;
    const { host } = flight;
    const runningMs = budget.runningMs(exchange.startedAtMs);
    const robotsOf = work.kind === 'robots' ? work.authority : null;
    const warnings = host.exchanged(work, exchange, robotsOf, runningMs, clock.nowMs());
    addresses.free(host.key, exchange.endedAtMs, host.intervalMs(exchange.endedAtMs));
    budget.addBytes(exchange.bytes);
    if (warnings.length > 0) {
      reporter.clock(host.key, warnings);
      // A pause must outlive this process, and the page that met it may take its time to settle.
      if (host.status === 'leased') this.#schedule.touch(host);
    }
    const authority = work.kind === 'page' && exchange.status !== null ? gate.peek(flight.authority) : null;
    if (authority !== null) gate.hostAnswered(authority, exchange.endedAtMs);
    this.#schedule.reschedule(host);
    this.#leases.commitSoon();
  }

  /** What is known of a work that is settled; `null` where it was dropped. @throws FrontierError `work-unknown` */
  flightOf(work: Work): Flight | null {
    const flight = this.#flights.get(work);
    if (flight !== undefined) return flight;
    if (this.#schedule.isClosing) return null;
    throw new FrontierError('work-unknown', `this work is not in flight: ${work.url}`);
  }

  /** The work is not in flight any more; what becomes of its entry is for the caller to say. */
  putDown(work: Work, flight: Flight): void {
    this.#flights.delete(work);
    const hadSlot = flight.host.putDown(work, flight.budgets.length > 0);
    if (hadSlot) this.#context.addresses.free(flight.host.key, null, 0);
  }

  /** Nothing is in flight any more: what was handed out counts as lost. */
  drop(): void {
    const nowMs = this.#context.clock.nowMs();
    for (const [work, flight] of this.#flights) {
      // Its request may have left: the interval counts from now.
      if (flight.host.hasSlot(work)) flight.host.restartClock(nowMs);
      this.putDown(work, flight);
      for (const budget of flight.budgets) budget.settle(false);
    }
  }
}

/**
 * Whether the pages of its authority wait until it is settled: what a companion says, and where it redirects to, comes
 * before them. Those with data of their own, as sitemaps have, only list URLs.
 */
export function holdsPages({ via, userData }: PageWork['record']): boolean {
  return via === 'companion' && userData === null;
}
