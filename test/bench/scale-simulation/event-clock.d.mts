// Types of `event-clock.mjs`.

import type { EventClock } from './machine.mjs';

export function createEventClock(): EventClock;
