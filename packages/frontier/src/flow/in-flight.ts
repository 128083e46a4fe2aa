// The work in flight, from `take` until it is settled: it takes its host's slot, passes the last check before the
// socket, and ends its exchange (the slot is free, the host's clock starts). `settling.ts` has what follows.

import type { Decision } from '@mannerly/robots';
import { FrontierError } from '../errors.js';
import type { LeasedEntry } from '../hosts/leased-entries.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import { invalid } from '../option-value.js';
import type { Budget } from '../records/budget.js';
import type { Authority } from '../robots/authority-cache.js';
import { NO_SIGNALS, type RequirementsNow } from '../robots/authority-rules.js';
import type { RobotsRequest } from '../robots/robots-gate.js';
import { hostKeyOf } from '../url/url.js';
import type { UrlRecord } from '../url-record.js';
import type { Exchange, PageWork, RobotsWork, StartAnswer, Work } from '../work.js';
import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';
import { MAX_EXCHANGE_TIME_ERROR_MS, RENEWAL_WAIT_MS } from './limits.js';

/** What the frontier knows of a work in flight, besides what the worker sees. */
export interface Flight {
  readonly host: LeasedHost;
  /** `null`: the work has no entry, as the first request for a robots.txt and the owner's own requests. */
  readonly entry: LeasedEntry | null;
  /** The authority that serves it. */
  readonly authority: string;
  /** For a hop: its redirect chain. */
  readonly chain: string | null;
  /** For a page of the queue: the budgets that it may use up. */
  readonly budgets: readonly Budget[];
  readonly takenAtMs: number;
  /** Whether `mayStart` has allowed its request. */
  isStarted: boolean;
  /** Whether its exchange was reported. */
  isExchanged: boolean;
}

/** A page that may be requested now. */
interface AllowedPage {
  /** `null`: one of the owner's own requests. */
  readonly entry: LeasedEntry | null;
  readonly record: UrlRecord;
  readonly authority: Authority;
  readonly decision: Decision;
  readonly required: RequirementsNow;
  /** The reserved budgets that it may use up; none for one of the owner's own requests. */
  readonly budgets: readonly Budget[];
}

export type Flights = ReturnType<typeof createFlights>;

/** The work in flight. */
export function createFlights(context: FrontierContext, schedule: HostSchedule, leases: HostLeases) {
  const { settings, clock, guard, gate, pace, addresses, budget, reporter } = context;
  const flights = new Map<Work, Flight>();

  /** Creates the work and gives it its host's slot. */
  function startPage(host: LeasedHost, page: AllowedPage): PageWork {
    const { entry, record, authority, decision, required, budgets } = page;
    const work: PageWork = {
      kind: 'page',
      lease: { host: host.key, requirements: required.spacing },
      entryId: entry?.id ?? '',
      url: record.url,
      record,
      decision,
      robots: gate.copyRef(authority),
      signals: gate.rules(authority)?.signals(record.url) ?? NO_SIGNALS,
    };
    if (entry !== null && blocksAuthorityPages(record)) host.entries.holdLane(authority.name);
    schedule.order?.recordTurn(host, record.label ?? host.settings.label);
    return start(work, { host, entry, authority: authority.name, chain: null, budgets });
  }

  /** The same for a robots.txt. `entry`: that of a hop; `null` for the first request, which has none. */
  function startRobots(
    host: LeasedHost,
    entry: LeasedEntry | null,
    authority: Authority,
    request: RobotsRequest,
    { spacing }: RequirementsNow,
  ): RobotsWork {
    const { name } = authority;
    const lease = { host: host.key, requirements: spacing };
    const chain = entry === null ? null : authority.chain!.id;
    schedule.order?.recordTurn(host, null);
    const work: RobotsWork = { kind: 'robots', lease, authority: name, ...request };
    return start(work, { host, entry, authority: name, chain, budgets: [] });
  }

  function start<W extends Work>(work: W, begun: Omit<Flight, 'takenAtMs' | 'isStarted' | 'isExchanged'>): W {
    const flight: Flight = { ...begun, takenAtMs: clock.nowMs(), isStarted: false, isExchanged: false };
    pace.noteTaken(flight.takenAtMs);
    flights.set(work, flight);
    flight.host.takeSlot(work, flight.budgets.length > 0);
    return work;
  }

  /** Whether the address of a work may be connected to now (`politeness.perIp`). */
  async function mayConnect(work: Work, address: string): Promise<StartAnswer> {
    guard.check();
    const host = hostOf(work);
    if (host === null) return { kind: 'lost' };
    const { perIp } = settings.politeness;
    if (perIp === false) return { kind: 'go' };
    const nowMs = clock.nowMs();
    const name = perIp === true ? address : `${address} ${hostKeyOf(work.url, 'domain')}`;
    // It may have another address, to which no connection could be made.
    addresses.free(host.key, null, 0);
    const untilMs = await addresses.tryTake(host.key, name, host.intervalMs(nowMs), nowMs);
    if (untilMs === null) return { kind: 'go' };
    host.delayUntil(untilMs, 'address-shared');
    return { kind: 'wait', untilMs };
  }

  /** The last check before the socket: lease, clock, closed times and the pace of the crawl. */
  function mayStart(work: Work): StartAnswer {
    const host = hostOf(work);
    const nowMs = clock.nowMs();
    if (host === null || nowMs >= host.leaseEndMs) return { kind: 'lost' };
    if (!schedule.isLeaseSafe(host, nowMs)) {
      schedule.touch(host);
      leases.commitSoon();
      return { kind: 'wait', untilMs: nowMs + RENEWAL_WAIT_MS };
    }
    const required = host.requirements.at(nowMs);
    const startMs = host.nextStart(required).atMs;
    const hostMs = work.kind === 'page' ? Math.max(startMs, required.closed?.untilMs ?? 0) : startMs;
    const untilMs = Math.max(hostMs, pace.mayStartAtMs());
    if (untilMs > nowMs) return { kind: 'wait', untilMs };
    pace.noteStarted(nowMs);
    flights.get(work)!.isStarted = true;
    return { kind: 'go' };
  }

  /** The host whose slot a work has; `null`: the lease is gone. */
  function hostOf(work: Work): LeasedHost | null {
    const host = flights.get(work)?.host;
    return host?.status === 'leased' && host.hasSlot(work) ? host : null;
  }

  /**
   * Ends the exchange of a work. Ignored after `dropFlights`.
   *
   * @throws FrontierError `option-invalid`, `work-unknown`
   */
  function exchanged(work: Work, reported: Exchange): void {
    const flight = flightOf(work);
    if (flight === null) return;
    const exchange = checkedExchange(reported, flight.takenAtMs, clock.nowMs());
    if (flight.isExchanged)
      throw new FrontierError('option-invalid', `\`exchanged\` was called a second time for this work: ${work.url}`);
    flight.isExchanged = true;
    const { host } = flight;
    const runningMs = budget.runningMs(exchange.startedAtMs);
    const robotsAuthority = work.kind === 'robots' ? work.authority : null;
    const warnings = host.exchanged(exchange, robotsAuthority, runningMs, clock.nowMs());
    addresses.free(host.key, exchange.endedAtMs, host.intervalMs(exchange.endedAtMs));
    budget.addBytes(exchange.bytes);
    if (warnings.length > 0) {
      reporter.clock(host.key, warnings);
      // A pause must outlive this process, and the page that caused it may take long to settle.
      schedule.touch(host);
    }
    if (work.kind === 'page' && exchange.status !== null) gate.hostAnswered(flight.authority, exchange.endedAtMs);
    schedule.reschedule(host);
    leases.commitSoon();
  }

  /** What is known of a work that is being reported; `null`: it was dropped. @throws FrontierError `work-unknown` */
  function flightOf(work: Work): Flight | null {
    const flight = flights.get(work);
    if (flight !== undefined) return flight;
    if (schedule.isClosing) return null;
    throw new FrontierError('work-unknown', `this work is not in flight: ${work.url}`);
  }

  /** Takes the work out of flight; the caller says what becomes of its entry. Two settlements at once end it once. */
  function endFlight(work: Work, flight: Flight): void {
    if (!flights.delete(work)) return;
    const hadSlot = flight.host.endWork(work, flight.budgets.length > 0);
    if (hadSlot) addresses.free(flight.host.key, null, 0);
  }

  /** Takes all work out of flight: what was handed out counts as lost. */
  function dropFlights(): void {
    const nowMs = clock.nowMs();
    for (const [work, flight] of flights) {
      if (flight.host.hasSlot(work)) {
        // Its request may have been sent, so the interval counts from now. If it was allowed, it may still be under
        // way: the next holder waits as if this one had vanished.
        flight.host.restartClock(nowMs);
        if (flight.isStarted) flight.host.delayUntil(flight.host.leaseEndMs);
      }
      endFlight(work, flight);
      for (const each of flight.budgets) each.settle(false);
    }
  }

  const count = (): number => flights.size;

  return { startPage, startRobots, mayConnect, mayStart, exchanged, flightOf, endFlight, dropFlights, count };
}

/**
 * The exchange with an absent status, Retry-After and failure as `null`, and with possible times. The pauses of a host
 * count from them: those of another clock, as of `performance.now()`, would end them at once. The clock may have been
 * set meanwhile.
 *
 * @throws FrontierError `option-invalid`
 */
function checkedExchange(exchange: Exchange, takenAtMs: number, nowMs: number): Exchange {
  if (typeof exchange !== 'object' || exchange === null) throw invalid('exchange', 'an object', exchange);
  const { status = null, retryAfter = null, failure = null, bytes, parks, startedAtMs, endedAtMs } = exchange;
  if (status !== null && !Number.isSafeInteger(status))
    throw invalid('exchange.status', 'a whole number or null', status);
  if (retryAfter !== null && typeof retryAfter !== 'string')
    throw invalid('exchange.retryAfter', 'text or null', retryAfter);
  if (failure !== null && typeof failure !== 'string') throw invalid('exchange.failure', 'text or null', failure);
  if (!Number.isFinite(bytes) || bytes < 0) throw invalid('exchange.bytes', 'a number from 0', bytes);
  if (parks !== undefined && typeof parks !== 'string') throw invalid('exchange.parks', 'a reason or undefined', parks);
  const earliest = Math.min(takenAtMs, nowMs) - MAX_EXCHANGE_TIME_ERROR_MS;
  const latest = Math.max(takenAtMs, nowMs) + MAX_EXCHANGE_TIME_ERROR_MS;
  const plausible = (ms: number): number => (ms >= earliest && ms <= latest ? ms : nowMs);
  const given = { ...exchange, status, retryAfter, failure };
  return { ...given, startedAtMs: plausible(startedAtMs), endedAtMs: plausible(endedAtMs) };
}

/**
 * Whether the pages of its authority wait until this page is settled. What a companion says, and where it redirects to,
 * comes before them. Companions with user data, such as sitemaps, only list URLs.
 */
export function blocksAuthorityPages({ via, userData }: PageWork['record']): boolean {
  return via === 'companion' && userData === null;
}
