// The parts of a frontier that work passes through, as `scheduler.ts` puts them together.

import type { Admission } from './admission.js';
import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';
import type { Flights } from './in-flight.js';

/** All parts of a frontier that work passes through. */
export interface Flow extends FrontierContext {
  readonly schedule: HostSchedule;
  readonly leases: HostLeases;
  readonly admission: Admission;
  readonly flights: Flights;
}
