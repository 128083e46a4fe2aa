// What all parts of one frontier share, built in the order in which it depends on each other. Nothing here knows the scheduler.

import type { Clock } from '../clock.js';
import { HostBounds } from '../hosts/host-bounds.js';
import { createHostWarnings, type HostWarnings } from '../hosts/host-warnings.js';
import { AUTHORITIES_IN_MEMORY, AUTHORITY_BYTES_IN_MEMORY, RULES_IN_MEMORY } from '../limits.js';
import type { FrontierSettings } from '../options/options.js';
import { type AddressSlots, createAddressSlots } from '../politeness/address-slots.js';
import { type CrawlPace, createCrawlPace } from '../politeness/crawl-pace.js';
import { Budget } from '../records/budget.js';
import { type CrawlLock, createCrawlLock } from '../records/crawl-lock.js';
import { createKeptWaits, type KeptWaits } from '../records/kept-waits.js';
import { createPartRecords, type PartRecords } from '../records/part-records.js';
import { StoreGuard } from '../records/store-guard.js';
import { createWaits, type Waits } from '../records/waits.js';
import { createRobotsGate, type RobotsGate } from '../robots/robots-gate.js';
import type { FrontierStore } from '../store.js';
import { QueueCounts } from './queue-counts.js';
import { Seen } from './seen.js';

/** What all parts of one frontier share. */
export interface FrontierContext {
  readonly settings: FrontierSettings;
  readonly clock: Clock;
  readonly guard: StoreGuard;
  /** Of the guard. */
  readonly store: FrontierStore;
  readonly counts: QueueCounts;
  readonly lock: CrawlLock;
  /** Records of which this process has its own part. */
  readonly records: PartRecords;
  readonly budget: Budget;
  readonly hostBounds: HostBounds;
  readonly pace: CrawlPace;
  readonly addresses: AddressSlots;
  readonly gate: RobotsGate;
  readonly seen: Seen;
  readonly notices: HostWarnings;
  readonly waits: Waits;
  readonly keptWaits: KeptWaits;
}

/** @throws Never. */
export function createContext(settings: FrontierSettings): FrontierContext {
  const { clock, bounds, random } = settings;
  const nowMs = () => clock.nowMs();
  const guard = new StoreGuard(settings.store);
  const { store } = guard;
  const lock = createCrawlLock(store, clock, random);
  const records = createPartRecords(store, lock, () => settings.owner);
  const budget = new Budget({ bounds, records, lock, isPart: settings.part !== null, clock });
  const waits = createWaits();
  const memory = {
    maxAuthorities: AUTHORITIES_IN_MEMORY,
    maxRules: RULES_IN_MEMORY,
    maxBytes: AUTHORITY_BYTES_IN_MEMORY,
  };
  return {
    settings,
    clock,
    guard,
    store,
    counts: new QueueCounts(store),
    lock,
    records,
    budget,
    hostBounds: new HostBounds(bounds, budget),
    pace: createCrawlPace(settings.politeness.crawlIntervalMs, store),
    addresses: createAddressSlots(store, guard.fail),
    gate: createRobotsGate({ records: store, ...settings, bounds: memory, nowMs, random }),
    seen: new Seen(settings.canonicalRules),
    notices: createHostWarnings(settings.onEvent, nowMs, settings.crawlDelayMaxMs),
    waits,
    keptWaits: createKeptWaits(waits, records, store, nowMs),
  };
}
