// What the functions of the flow work on: the parts of one frontier, in order of dependency, and the work in flight.

import type { LeasedEntry } from '../hosts/leased-entries.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import type { Budget } from '../records/budget.js';
import type { Work } from '../work.js';
import type { Admission } from './admission.js';
import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';

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
}

/** The parts of a frontier that work passes through. */
export interface Flow {
  readonly context: FrontierContext;
  readonly schedule: HostSchedule;
  readonly leases: HostLeases;
  readonly admission: Admission;
  /** The work in flight. Only `in-flight.ts` changes it. */
  readonly flights: Map<Work, Flight>;
}
