// What all parts of one frontier share, built in order of dependency. Nothing here knows the scheduler.

import { EventReporter } from '../hosts/event-reporter.js';
import { HostBounds } from '../hosts/host-state.js';
import type { ResolvedFrontierOptions } from '../options/options.js';
import { AddressSlots, CrawlPace } from '../politeness/shared-spacing.js';
import { Budget } from '../records/budget.js';
import { LabelBudgets } from '../records/label-budgets.js';
import { CrawlLock, PartRecords } from '../records/processes.js';
import { QueueCounts, StoreGuard } from '../records/store-guard.js';
import { Waits } from '../records/waits.js';
import { RobotsGate } from '../robots/robots-gate.js';
import { Seen } from './seen.js';

/** What all parts of one frontier share. */
export type FrontierContext = Readonly<ReturnType<typeof createContext>>;

export function createContext(settings: ResolvedFrontierOptions) {
  const { clock, bounds, random } = settings;
  const guard = new StoreGuard(settings.store, settings.hostKeyBy);
  const { store } = guard;
  const lock = new CrawlLock(store, clock, random);
  const records = new PartRecords(store, lock);
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
    labelBudgets: new LabelBudgets(settings.labels, account),
    hostBounds: new HostBounds(budget),
    pace: new CrawlPace(settings.politeness.crawlIntervalMs, store),
    addresses: new AddressSlots(store, settings.politeness.perIp === true, guard.fail),
    gate: new RobotsGate({ records: store, ...settings }),
    seen: new Seen(settings.canonicalRules, settings.store),
    reporter: new EventReporter(settings),
    waits: new Waits(store, records, clock),
  };
}
