// Why hosts that went back to the store wait, and until when: for the operator, never for scheduling.
// Bounded; what is forgotten is only told less. `kept-waits.ts` takes them over a restart.

import type { HostWait } from '../frontier-event.js';
import { WAITS_RECORDED, WAITS_REMEMBERED } from './limits.js';

/** The memory of waits. */
export interface Waits {
  note(wait: HostWait): void;
  forget(host: string): void;
  /** A host went back to the store. `wait`: why it waits; `null`: it does not. */
  left(host: string, wait: HostWait | null, nowMs: number): void;
  get(host: string): HostWait | null;
  /** Hosts with something queued, the earliest first, those without an end last. */
  list(limit: number, beside: readonly HostWait[], nowMs: number): HostWait[];
  /** The waits worth keeping over a restart. */
  worthKeeping(nowMs: number): HostWait[];
}

/** @throws Never. */
export function createWaits(): Waits {
  const waits = new Map<string, HostWait>();
  const note = (wait: HostWait) => {
    waits.delete(wait.host);
    waits.set(wait.host, wait);
    if (waits.size > WAITS_REMEMBERED) forgetOne(waits);
  };
  return {
    note,
    forget: (host) => void waits.delete(host),
    left(host, wait, nowMs) {
      const known = waits.get(host);
      if (wait !== null) note(wait);
      else if (known?.reason !== 'robots-unreachable' || (known.untilMs ?? 0) <= nowMs) waits.delete(host);
    },
    get: (host) => waits.get(host) ?? null,
    // A host between two requests that has nothing left to ask for does not wait.
    list: (limit, beside, nowMs) =>
      earliest(
        [...stillWaiting(waits.values(), nowMs), ...beside].filter(({ queued }) => queued > 0),
        limit,
      ),
    worthKeeping: (nowMs) => earliest(stillWaiting(waits.values(), nowMs), WAITS_RECORDED),
  };
}

/** A parked host is the one an operator must hear of: it goes last. */
function forgetOne(waits: Map<string, HostWait>): void {
  let looked = 0;
  for (const [host, wait] of waits) {
    looked += 1;
    if (wait.untilMs !== null || looked > 16) {
      waits.delete(host);
      return;
    }
  }
}

function stillWaiting(waits: Iterable<HostWait>, nowMs: number): HostWait[] {
  return [...waits].filter((wait) => wait.untilMs === null || wait.untilMs > nowMs);
}

/** A host with nothing queued keeps its clock, but nobody waits for it. */
function earliest(waits: readonly HostWait[], limit: number): HostWait[] {
  const end = (wait: HostWait) => wait.untilMs ?? Number.MAX_SAFE_INTEGER;
  return waits
    .filter((wait) => wait.queued > 0)
    .sort((a, b) => end(a) - end(b))
    .slice(0, limit);
}
