// Why a held host waits, and until when: its clock, a pause, a closed time, a retry, a lane that is held.

import type { HostWait } from '../frontier-event.js';
import type { Politeness } from '../politeness/profile.js';
import { hostAsksNow, type LeasedHost, nextStart, readyEntries } from './leased-host.js';

/** When the host's next page may start, closed times included, and why not sooner. Never throws. */
export function startOf(
  host: LeasedHost,
  nowMs: number,
  politeness: Politeness,
): { readonly atMs: number; readonly reason: HostWait['reason'] } {
  const start = nextStart(host, hostAsksNow(host, nowMs), politeness);
  const { closed } = host;
  return closed !== null && closed.untilMs > start.atMs ? { atMs: closed.untilMs, reason: closed.reason } : start;
}

/** Why a held host waits; `null` when it does not. Never throws. */
export function waitOf(host: LeasedHost, nowMs: number, politeness: Politeness): HostWait | null {
  const queued = Math.max(0, host.queued) + host.buffer.length;
  if (host.clock.parked) return { host: host.key, reason: 'host-parked', untilMs: null, queued };
  const start = startOf(host, nowMs, politeness);
  let wait: HostWait | null =
    start.atMs > nowMs ? { host: host.key, reason: start.reason, untilMs: start.atMs, queued } : null;
  if (host.slot !== null || readyEntries(host, nowMs) > 0) return wait;
  // The later time is what the host waits for: what is left of its interval may be a millisecond. A pause is the reason
  // also where a retry comes a little after it.
  const isPaused = wait?.reason === 'host-paused' || wait?.reason === 'host-parked';
  if (!isPaused && host.retryAtMs !== null && host.retryAtMs > Math.max(nowMs, wait?.untilMs ?? 0)) {
    wait = { host: host.key, reason: 'not-before', untilMs: host.retryAtMs, queued };
  }
  for (const untilMs of host.lanesHeld.values()) {
    // With nothing else to give, the lane that opens first is what the host waits for.
    if (untilMs > nowMs && (wait === null || wait.reason !== 'robots-unreachable' || untilMs < (wait.untilMs ?? 0))) {
      wait = { host: host.key, reason: 'robots-unreachable', untilMs, queued };
    }
  }
  return wait;
}
