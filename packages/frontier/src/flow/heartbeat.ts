// The timers of an open frontier: leases are renewed before they run out, the account is kept, and it is measured how late
// timers are, since a late one needs a wider margin before the end of a lease.

import type { Clock } from '../clock.js';
import type { Budget } from '../records/budget.js';
import type { FrontierStore } from '../store.js';
import type { Leases } from './lease.js';
import { ACCOUNT_EVERY_MS, HEARTBEATS_PER_LEASE } from './limits.js';

/** What beats. */
export interface Heartbeat {
  /** Once, when the store is open. */
  start(): void;
  stop(): void;
  /** How late timers are, milliseconds. */
  lagMs(): number;
}

/** What it keeps going. */
export interface HeartbeatParts {
  readonly clock: Clock;
  readonly leaseTtlMs: number;
  readonly leases: Leases;
  readonly budget: Budget;
  readonly store: FrontierStore;
  readonly readStats: () => Promise<void>;
  /** Broken machinery was met where nobody waits for an answer. */
  readonly fail: (error: unknown) => void;
}

/** Makes the timers of one frontier. Never throws. */
export function createHeartbeat({
  clock,
  leaseTtlMs,
  leases,
  budget,
  store,
  readStats,
  fail,
}: HeartbeatParts): Heartbeat {
  let lagMs = 0;
  let stopRenewal: (() => void) | null = null;
  let stopAccount: (() => void) | null = null;

  /** Renews what would run out, and measures how late it is itself. */
  const renew = () => {
    const everyMs = Math.floor(leaseTtlMs / HEARTBEATS_PER_LEASE);
    const expectedMs = clock.nowMs() + everyMs;
    stopRenewal = clock.after(everyMs, () => {
      const nowMs = clock.nowMs();
      lagMs = Math.max(nowMs - expectedMs, Math.floor(lagMs / 2));
      for (const host of leases.held.values()) {
        if (host.leaseEndMs - nowMs < leaseTtlMs - everyMs / 2) leases.touch(host);
      }
      renew();
      Promise.all([leases.hasChanges() ? leases.commit() : null, budget.save(nowMs), readStats()]).catch(fail);
    });
  };

  /** Running time is lost with a killed process only since it was last written down. */
  const account = () => {
    if (store.capabilities.durable === 'none' && !store.capabilities.shared) return;
    stopAccount = clock.after(ACCOUNT_EVERY_MS, () => {
      account();
      Promise.all([budget.saveTime(clock.nowMs()), budget.othersAtWork() > 0 ? readStats() : null]).catch(fail);
    });
  };

  return {
    start() {
      renew();
      account();
    },
    stop() {
      stopRenewal?.();
      stopAccount?.();
    },
    lagMs: () => lagMs,
  };
}
