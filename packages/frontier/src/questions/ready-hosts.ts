// Hosts that do not wait: their turn has come, or their work is in hand.

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
export function readyHosts(hosts: Iterable<LeasedHost>, nowMs: number, limit: number): ReadyHost[] {
  const found: ReadyHost[] = [];
  for (const host of hosts) {
    if (found.length >= limit) break;
    const { queued, unsettled } = host;
    if (queued + unsettled === 0 || host.waitAt(nowMs) !== null) continue;
    found.push({ host: host.key, queued, inFlight: unsettled });
  }
  return found;
}
