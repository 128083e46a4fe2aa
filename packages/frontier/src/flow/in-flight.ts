// The work in flight, from `take` until it is settled: the slot of its host, the last check before the socket, the end
// of the exchange (the slot is free, the host's clock starts). `settling.ts` says what follows.

import { FrontierError } from '../errors.js';
import type { LeasedEntry } from '../hosts/leased-entries.js';
import type { LeasedHost } from '../hosts/leased-host.js';
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
  startPage(host: LeasedHost, { entry, record, authority, decision, required }: PageChoice): PageWork {
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
    this.#start(work, { host, entry, authority: authority.name, chain: null });
    return work;
  }

  /** The same of a robots.txt. */
  startRobots(host: LeasedHost, { entry, authority, request, hops, required }: RobotsChoice): RobotsWork {
    const lease = { host: host.key, fencingToken: host.fencingToken, requirements: required.spacing };
    const work: RobotsWork = { kind: 'robots', lease, authority: authority.name, hops, ...request };
    this.#start(work, { host, entry, authority: authority.name, chain: entry === null ? null : authority.chain!.id });
    return work;
  }

  #start(work: Work, flight: Flight): void {
    this.#context.pace.took(this.#context.clock.nowMs());
    this.#flights.set(work, flight);
    flight.host.occupy(work, isQueuedPage(work, flight));
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
    const warnings = host.exchanged(work, exchange, work.kind === 'robots', runningMs, clock.nowMs());
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
    const hadSlot = flight.host.putDown(work, isQueuedPage(work, flight));
    if (hadSlot) this.#context.addresses.free(flight.host.key, null, 0);
  }

  /** Nothing is in flight any more: what was handed out counts as lost. */
  drop(): void {
    const nowMs = this.#context.clock.nowMs();
    for (const [work, flight] of this.#flights) {
      // Its request may have left: the interval counts from now.
      if (flight.host.hasSlot(work)) flight.host.restartClock(nowMs);
      this.putDown(work, flight);
      if (isQueuedPage(work, flight)) this.#context.budget.settle(false);
    }
  }
}

/** Whether it is a page of the queue, which may use up one of the bounds; a request of the owner's own is none. */
export function isQueuedPage(work: Work, { entry }: Flight): boolean {
  return work.kind === 'page' && entry !== null;
}

/**
 * Whether the pages of its authority wait until it is settled: what a companion says, and where it redirects to, comes
 * before them. Those with data of their own, as sitemaps have, only list URLs.
 */
export function holdsPages({ via, userData }: PageWork['record']): boolean {
  return via === 'companion' && userData === null;
}
