// Hosts that do not wait: their turn has come, or their work is in hand.

import type { HostWait } from '../frontier-event.js';
import type { LeasedHost } from '../hosts/leased-host.js';

/** A host that does not wait. */
export interface ReadyHost {
  readonly host: string;
  /** URLs queued for it. */
  readonly queued: number;
  /** Its work in hand: requested, being read, or with a handler. */
  readonly inFlight: number;
}

/** The hosts of this process that do not wait, at most `limit`. */
export function readyHosts(
  held: Iterable<LeasedHost>,
  waitOf: (host: LeasedHost) => HostWait | null,
  limit: number,
): ReadyHost[] {
  const found: ReadyHost[] = [];
  for (const host of held) {
    if (found.length >= limit) break;
    const queued = Math.max(0, host.queued) + host.buffer.length;
    if (queued + host.unsettled === 0 || waitOf(host) !== null) continue;
    found.push({ host: host.key, queued, inFlight: host.unsettled });
  }
  return found;
}
