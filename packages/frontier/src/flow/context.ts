// What all parts of one frontier share, built in order of dependency. Nothing here knows the scheduler.

import { EventReporter } from '../hosts/event-reporter.js';
import type { ResolvedFrontierOptions } from '../options/options.js';
import { createAddressSlots, createCrawlPace } from '../politeness/shared-spacing.js';
import { Budget } from '../records/budget.js';
import { createLabelBudgets } from '../records/label-budgets.js';
import { createCrawlLock, createPartRecords } from '../records/processes.js';
import { QueueCounts } from '../records/queue-counts.js';
import { StoreGuard } from '../records/store-guard.js';
import { createWaits } from '../records/waits.js';
import { RobotsGate } from '../robots/robots-gate.js';
import { createSeen } from './seen.js';

/** What all parts of one frontier share. */
export type FrontierContext = Readonly<ReturnType<typeof createContext>>;

export function createContext(settings: ResolvedFrontierOptions) {
  const { clock, bounds, random } = settings;
  const { perIp, minMs, crawlIntervalMs } = settings.politeness;
  const guard = new StoreGuard(settings.store, settings.hostKeyBy);
  const { store } = guard;
  const lock = createCrawlLock(store, clock, random);
  const records = createPartRecords(store, lock);
  const account = { records, isPart: settings.part !== null, clock };
  const budget = new Budget({ bounds, ...account });
  return {
    settings,
    clock,
    guard,
    store,
    counts: new QueueCounts(store),
    lock,
    records,
    budget,
    labelBudgets: createLabelBudgets(settings.labels, account),
    pace: createCrawlPace(crawlIntervalMs, store),
    addresses: createAddressSlots(store, perIp === true, minMs, guard.fail),
    gate: new RobotsGate({ records: store, ...settings }),
    seen: createSeen(settings.canonicalRules, settings.store),
    reporter: new EventReporter(settings),
    waits: createWaits(store, records, clock),
  };
}
