// What `event-clock.mjs` exports.

import type { EventClock } from './machine.mjs';

export function createEventClock(): EventClock;
