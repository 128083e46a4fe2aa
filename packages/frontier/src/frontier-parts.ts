// The parts of a frontier and how they are put together. Leases, dispatch and hands know each other: each is handed a
// way to ask for the others when it needs them.

import { type Admission, createAdmission } from './flow/admission.js';
import { createDispatch, type Dispatch } from './flow/dispatch.js';
import { createHands, type Hands } from './flow/hands.js';
import { createLeases, type Leases } from './flow/lease.js';
import { createOwnRequests, type OwnRequests } from './flow/own-requests.js';
import { createRobotsArrival } from './flow/robots-arrival.js';
import { createSeen, type Seen } from './flow/seen.js';
import { createHostBounds, type HostBounds } from './hosts/host-bounds.js';
import { shareOf } from './hosts/host-share.js';
import { createHostWarnings } from './hosts/host-warnings.js';
import type { LeasedHost } from './hosts/leased-host.js';
import { AUTHORITIES_IN_MEMORY, AUTHORITY_BYTES_IN_MEMORY, LEASE_MARGIN_MS, RULES_IN_MEMORY } from './limits.js';
import type { FrontierSettings } from './options/options.js';
import { createAddressSlots } from './politeness/address-slots.js';
import { type CrawlPace, createCrawlPace } from './politeness/crawl-pace.js';
import { type Budget, createBudget } from './records/budget.js';
import { type CrawlLock, createCrawlLock } from './records/crawl-lock.js';
import { createKeptWaits, type KeptWaits } from './records/kept-waits.js';
import { createPartRecords, type PartRecords } from './records/part-records.js';
import { createItemEncoder } from './records/record.js';
import { createWaits, type Waits } from './records/waits.js';
import { createRobotsGate, type RobotsGate } from './robots/robots-gate.js';
import { canonicalOf } from './url/canonicalize.js';
import { authorityOf, createHomes, hostKeyOf } from './url/host-key.js';

/** What the parts need to know of the frontier they belong to. */
export interface Running {
  readonly isOpen: () => boolean;
  readonly isClosing: () => boolean;
  /** How late timers are, milliseconds. */
  readonly lagMs: () => number;
  readonly fingerprint: (canonical: string) => Uint8Array;
  /** Broken machinery was met where nobody waits for an answer. */
  readonly fail: (error: unknown) => void;
  /** Kept up to date by the parts, read again from the store now and then. */
  readonly stats: { queued: number; known: number; hosts: number };
}

/** The parts. */
export interface FrontierParts {
  readonly admission: Admission;
  readonly budget: Budget;
  readonly dispatch: Dispatch;
  readonly gate: RobotsGate;
  readonly hands: Hands;
  readonly hostBounds: HostBounds;
  readonly leases: Leases;
  readonly lock: CrawlLock;
  readonly own: OwnRequests;
  readonly pace: CrawlPace;
  /** Records of which this process has its own part. */
  readonly records: PartRecords;
  readonly seen: Seen;
  readonly waits: Waits;
  readonly keptWaits: KeptWaits;
  readonly hostOf: (url: string) => string | null;
  /** Commits what is touched, without anybody waiting for it. */
  readonly commitSoon: () => void;
}

/** @throws Never. */
export function assemble(settings: FrontierSettings, running: Running): FrontierParts {
  const { store, clock, politeness, bounds } = settings;
  const hostOf = (url: string) => hostKeyOf(url, settings.hostKeyBy);
  // At most half a lease: a process that was stopped for an hour must be able to start something after a renewal.
  const marginMs = () => Math.min(Math.max(LEASE_MARGIN_MS, 2 * running.lagMs()), settings.leaseTtlMs / 2);
  const notices = createHostWarnings(settings.onEvent, () => clock.nowMs(), settings.crawlDelayMaxMs);
  const lock = createCrawlLock(store, clock, settings.random);
  const records = createPartRecords(store, lock, () => settings.owner);
  const budget = createBudget({ bounds, records, lock, isPart: settings.part !== null, nowMs: () => clock.nowMs() });
  const hostBounds = createHostBounds(bounds, (nowMs) => budget.runningMs(nowMs));
  const pace = createCrawlPace(politeness.crawlIntervalMs, store);
  const addresses = createAddressSlots(store, running.fail);
  const waits = createWaits();
  const keptWaits = createKeptWaits(waits, records, store, () => clock.nowMs());
  const seen = createSeen((url, read, visit) => {
    const canonical = canonicalOf(url, read, settings.canonicalRules);
    // No canonical URL has a blank in it.
    return running.fingerprint(visit === 0 ? canonical : `${canonical} ${visit}`);
  });
  const gate = createRobotsGate({
    records: store,
    access: settings.access,
    readRules: settings.readRules,
    bounds: {
      maxAuthorities: AUTHORITIES_IN_MEMORY,
      maxRules: RULES_IN_MEMORY,
      maxBytes: AUTHORITY_BYTES_IN_MEMORY,
    },
    nowMs: () => clock.nowMs(),
    random: settings.random,
  });
  // The three below know each other; each asks for the others when it needs them.
  const theLeases = (): Leases => leases;
  const reschedule = (host: LeasedHost) => dispatch.reschedule(host);
  const admission = createAdmission({
    seen,
    notices,
    encode: createItemEncoder(),
    homeOf: createHomes(settings.hostKeyBy),
    firstLook: (authority, url, nowMs) => gate.firstLook(authority, url, nowMs),
    spentBound: (host) => hostBounds.known(host),
    onQueued: settings.onQueued,
    keyBySite: (authority, url) => gate.keyBySite(authority, url),
    room: () => settings.maxQueued - running.stats.queued,
    maxBodyBytes: () => store.capabilities.maxBody,
    queued(host) {
      running.stats.queued += 1;
      running.stats.known += 1;
      const held = leases.held.get(host);
      if (held === undefined) {
        dispatch.mayBeDue();
        return;
      }
      held.queued += 1;
      // Where the store has more anyway, one more changes nothing now.
      if (!held.isDry) return;
      held.isDry = false;
      reschedule(held);
    },
  });
  const arrival = createRobotsArrival({
    clock,
    gate,
    notices,
    admission,
    leases: theLeases,
    reschedule,
    hostKeyOf: hostOf,
    companions: settings.companions,
    fingerprintBytes: () => store.capabilities.fingerprintBytes,
  });
  const commitSoon = () => {
    if (leases.hasChanges()) leases.commit().catch(running.fail);
  };
  const hands = createHands({
    clock,
    gate,
    budget,
    politeness,
    notices,
    admission,
    arrival,
    leases: theLeases,
    reschedule,
    marginMs,
    hostBounds,
    pace,
    addresses,
    commitSoon,
    keyPrint: (key, visit) => seen.keyPrint(key, visit),
    isClosed: () => !running.isOpen(),
    random: settings.random,
  });
  const dispatch = createDispatch({
    clock,
    gate,
    budget,
    politeness,
    choice: {
      gate,
      budget,
      politeness,
      hostBounds,
      unsettledPerHost: settings.unsettledPerHost,
      holdMaxMs: settings.access.holdMaxMs,
      whyNot: settings.whyNot,
      ended: (_host, item, authority, ending) => notices.ended(item.record, ending, gate.ref(authority)),
      closed(host, closed) {
        host.closed = closed;
        notices.closed(host, closed);
      },
      unheeded: (host, closed) => notices.closed(host, closed),
    },
    pace,
    waits,
    maxHosts: () => shareOf(settings.maxHosts, running.stats.hosts, budget.othersAtWork()),
    isShared: () => store.capabilities.shared,
    nextDueInMs: () => store.nextDueInMs(),
    authorityOf,
    marginMs,
    isClosing: running.isClosing,
    hasOwn: (host) => own.has(host),
    leases: theLeases,
    hands: () => hands,
  });
  const own = createOwnRequests({
    clock,
    gate,
    budget,
    politeness,
    hostBounds,
    whyNot: settings.whyNot,
    pace,
    waits,
    marginMs,
    leases: theLeases,
    hands: () => hands,
    reschedule,
  });
  const leases = createLeases({
    store,
    clock,
    ttlMs: settings.leaseTtlMs,
    firstDelayMs: Math.ceil(politeness.minMs),
    plan: (host, nowMs) => dispatch.plan(host, nowMs),
    intake: (host, entries, askers) => dispatch.intake(host, entries, askers),
    finished(entries) {
      running.stats.queued = Math.max(0, running.stats.queued - entries);
      // Ahead of the commit: a process killed in between has counted a page too many, never one too few.
      if (entries > 0) budget.save(clock.nowMs()).catch(running.fail);
    },
    gone(host, plan) {
      dispatch.gone(host, plan);
      // An operator must hear of a parked host, however this process ends.
      if (plan?.kind === 'release' && plan.dueInMs === null) keptWaits.save().catch(running.fail);
    },
  });
  return {
    admission,
    budget,
    dispatch,
    gate,
    hands,
    hostBounds,
    leases,
    lock,
    own,
    pace,
    records,
    seen,
    waits,
    keptWaits,
    hostOf,
    commitSoon,
  };
}
